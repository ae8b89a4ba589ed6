// Scans that start afresh at every segment of one sequence that lies on many ranks: inclusive_segmented_scan,
// exclusive_segmented_scan and ..._scan_by_key, with an mpi::executor.
//
// Formula: those of upsweep/segmented_scan.hpp over the ranks' `in` one after the other, in the order of
// ranks. Segments are described by by_head_flags or by_keys, of each rank's own elements, and go from rank to
// rank: only where the flags or keys say so does one begin with a rank's first element. Keys must be
// trivially copyable, as the one at a rank's edge is sent to its neighbour. by_offsets describes arrays, of
// which no rank has the whole. Shapes, types, aliasing: as there, for each rank's arrays, which may be empty;
// accumulators must be trivially copyable. Bits: those of one scan of the whole, for any number of ranks and
// any distribution. Options: `reverse` and `initial` must be the same on every rank. Errors: as
// upsweep/mpi/scan.hpp. Complexity: O(n) work on all of the rank's threads; in and what describes its
// segments are read twice (once on the last rank), by pairs of a value and a head the first time. One more
// message than a scan where a neighbour has to be asked: everywhere but by flags forwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/segmented.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/mpi/scan.hpp"
#include "upsweep/mpi/segment_edge.hpp"
#include "upsweep/mpi/segmented_piece.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/options.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep {
namespace mpi {

template <class Acc, class Segments, class In, class Out, class Op>
void scan_segments(executor& ex, const Segments& segments, const In* in, std::size_t n, Out* out,
                   std::size_t out_size, bool exclusive, const Op& op, const batch_options<Acc>& options) {
    bool in_place = false;
    const auto refusal = refusal_of([&] {
        upsweep::detail::check_sizes(n, out_size);
        segments.check(n, ex.local().simd());
        in_place = upsweep::detail::check_overlap(in, sizeof(In), out, sizeof(Out), n);
        upsweep::detail::check_disjoint({"out", out, n * sizeof(Out)}, upsweep::detail::described(segments));
    });
    const collective called = exclusive ? collective::exclusive_segments : collective::inclusive_segments;
    const agreement all = agree(ex, {.count = n,
                                     .operation = operation_of(called, sizeof(Acc)),
                                     .reverse = options.reverse,
                                     .has_initial = options.initial.has_value(),
                                     .refusal = refusal});

    // What follows concerns all ranks alike.
    const cpu::segment_options<Acc> starts{options.initial,
                                           options.initial || !exclusive
                                               ? options.initial
                                               : upsweep::detail::exclusive_start<Acc>(op, all.count != 0)};
    if (all.count == 0 || all.position > all.last) return;

    failure trouble(ex.rank());
    const segments_of_rank<Segments> own(segments, n, options.reverse,
                                         begins_at_edge(ex, all, segments, n, trouble));
    const cpu::head_marks marks = cpu::marks_of(own, n, options.reverse);
    const std::size_t first = options.reverse && n != 0 ? n - 1 : 0;
    const cpu::scan_shape shape{n, exclusive, in_place, n * (sizeof(In) + sizeof(Out))};
    const std::optional<segment_pair<Acc>> nothing_before;
    const auto scan = [&]<class InOrder>(const InOrder& in_order) {
        const segmented_piece<Acc, In, Out, InOrder, Op> piece(
            in_order, ex.local(), in + first, out + first, options.reverse ? -1 : 1, shape, marks, starts);
        if constexpr (is_exact<Op, Acc>)
            scan_exact(ex, all, piece, nothing_before, trouble);
        else
            scan_tree(ex, all, piece, nothing_before, trouble);
    };
    if (options.reverse)
        scan(core::swapped<Op>{op});
    else
        scan(op);
    trouble.rethrow();
}

}  // namespace mpi

template <class Acc = deduced, mpi::cut_among_ranks Segments, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void inclusive_segmented_scan(mpi::executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    mpi::scan_segments<A>(ex, segments, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                          std::ranges::size(out), false, core::known<A>(op), options);
}

template <class Acc = deduced, mpi::cut_among_ranks Segments, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void exclusive_segmented_scan(mpi::executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    mpi::scan_segments<A>(ex, segments, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                          std::ranges::size(out), true, core::known<A>(op), options);
}

template <class Acc = deduced, input_range Keys, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void inclusive_scan_by_key(mpi::executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {},
                           const std::type_identity_t<batch_options<A>>& options = {}) {
    inclusive_segmented_scan<A>(ex, by_keys(keys), in, out, op, options);
}

template <class Acc = deduced, input_range Keys, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void exclusive_scan_by_key(mpi::executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {},
                           const std::type_identity_t<batch_options<A>>& options = {}) {
    exclusive_segmented_scan<A>(ex, by_keys(keys), in, out, op, options);
}

}  // namespace upsweep
