// Scans along one axis of an n-dimensional array: many sequences, each by itself.
//
// One of four ways, chosen by shape, strides and the width of vectors:
// - lanes: neighbours in memory belong to different sequences, which are scanned one a vector lane. Converted
//   ones pass through a buffer, and so do fewer than a vector has lanes.
// - lines: a long sequence that lies in memory one element after the other is a one-dimensional scan.
// - strips: short ones are turned in registers, as many as a vector has lanes.
// - groups: scattered ones are turned through a buffer in the first-level cache, then scanned as lanes.
// Threads take blocks of lanes, lines, strips or groups. Where there are too few of them, the chain of
// chain.hpp runs along the sequences instead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/cpu/generic_row.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::cpu {

using core::axis_geometry;

// in and out begin at the first element of the first sequence and have the strides of the axis.
template <class Acc, bool Exact>
void run_axis_scan(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, const sink<Acc>& out,
                   const axis_geometry& geometry, bool exclusive, bool in_place,
                   const std::optional<Acc>& initial);

#define UPSWEEP_DECLARE_AXIS(T, exact)                                                                    \
    extern template void run_axis_scan<T, exact>(const operation<T, exact>&, executor&, const source<T>&, \
                                                 const sink<T>&, const axis_geometry&, bool, bool,        \
                                                 const std::optional<T>&);
UPSWEEP_FOR_EACH_OPERATION(UPSWEEP_DECLARE_AXIS)
#undef UPSWEEP_DECLARE_AXIS

// Sequences that each get a thread of their own; with fewer, all threads work on one sequence after the
// other.
inline std::size_t enough_sequences(const executor& ex) { return ex.threads() == 1 ? 1 : 4 * ex.threads(); }

// scan(executor, sequence) for every sequence: many at a time on one thread each, which calls finish() after
// some of them, or one at a time on all threads.
template <class Scan, class Finish>
void for_each_sequence(executor& ex, const axis_geometry& geometry, std::size_t element_bytes,
                       const Scan& scan, const Finish& finish) {
    const std::size_t count = geometry.sequence_count;
    if (count < enough_sequences(ex)) {
        for (std::size_t sequence = 0; sequence < count; ++sequence) scan(ex, sequence);
        return;
    }
    executor alone = ex.alone();
    const std::size_t bytes = geometry.length * element_bytes;
    const std::size_t together = std::max<std::size_t>(1, tuning::smallest_chunk_bytes / bytes);
    const std::size_t tasks = (count + together - 1) / together;
    const std::size_t helpers = std::min(ex.helpers_for(bytes * count) + 1, tasks) - 1;
    for_each_task(ex, helpers, tasks, [&](std::size_t task) {
        const std::size_t end = std::min(count, (task + 1) * together);
        for (std::size_t sequence = task * together; sequence < end; ++sequence) scan(alone, sequence);
        finish();
    });
}
template <class Scan>
void for_each_sequence(executor& ex, const axis_geometry& geometry, std::size_t element_bytes,
                       const Scan& scan) {
    for_each_sequence(ex, geometry, element_bytes, scan, [] {});
}

template <class Acc, class In, class Out, class Op>
void run_generic_axis_scan(executor& ex, const In* in, Out* out, const axis_geometry& geometry, const Op& op,
                           bool exclusive, bool in_place, const std::optional<Acc>& initial,
                           const std::optional<Acc>& before) {
    const auto itself = [](const In& value) -> const In& { return value; };
    for_each_sequence(ex, geometry, sizeof(In) + sizeof(Out), [&](executor& with, std::size_t sequence) {
        const auto at = geometry.begin(sequence);
        const element_source<Acc, In, decltype(itself)> source{in + at.in, geometry.in_stride, itself};
        const element_sink<Acc, Out> sink{out + at.out, geometry.out_stride, before};
        if (geometry.length <= core::row_size)
            return run_generic_row<Acc>(source, sink, op, geometry.length, exclusive, initial);
        core::tree_carry<Acc> carry{initial, {}, 0};
        const scan_shape shape{geometry.length, exclusive, in_place,
                               geometry.length * (sizeof(In) + sizeof(Out))};
        run_generic_scan<Acc>(with, source, sink, op, shape, carry);
    });
}

}  // namespace upsweep::cpu
