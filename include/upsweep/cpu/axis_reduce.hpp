// The CPU engine for totals along one axis of an n-dimensional array: many sequences, each by itself.
//
// One of four ways, as of axis scans (axis.hpp): neighbours in memory that belong to different sequences are
// lanes; long sequences are totalled one after the other, or a thread each; short ones that lie in one piece
// are strips, many at a time in registers; and scattered ones pass in groups through a buffer, a row of each,
// so that what they share of cache lines is read once.
#pragma once

#include <cstddef>
#include <optional>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cpu/axis.hpp"
#include "upsweep/cpu/generic_row.hpp"
#include "upsweep/cpu/operation.hpp"
#include "upsweep/cpu/reduce.hpp"

namespace upsweep::cpu {

// `in` has the axis's stride; of geometry.begin() `in` is where a sequence begins, and `second` its result.
// Sequences have at least one element.
template <class Acc, bool Exact>
void run_axis_reduce(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in,
                     const sink<Acc>& out, const axis_geometry& geometry, const std::optional<Acc>& initial);

#define UPSWEEP_DECLARE_AXIS_REDUCE(T, exact)                                                               \
    extern template void run_axis_reduce<T, exact>(const operation<T, exact>&, executor&, const source<T>&, \
                                                   const sink<T>&, const axis_geometry&,                    \
                                                   const std::optional<T>&);
UPSWEEP_FOR_EACH_OPERATION(UPSWEEP_DECLARE_AXIS_REDUCE)
#undef UPSWEEP_DECLARE_AXIS_REDUCE

template <class Acc, class In, class Out, class Op>
void run_generic_axis_reduce(executor& ex, const In* in, Out* out, const axis_geometry& geometry,
                             const Op& op, const std::optional<Acc>& initial) {
    const std::identity itself;
    for_each_sequence(
        ex, geometry, sizeof(Acc) * tuning::generic_cost, [&](executor& with, std::size_t sequence) {
            const auto at = geometry.begin(sequence);
            const element_source<Acc, In, std::identity> source{in + at.in, geometry.in_stride, itself};
            out[at.second] =
                convert<Out>(run_generic_reduce<Acc>(with, source, op, geometry.length, initial));
        });
}

}  // namespace upsweep::cpu
