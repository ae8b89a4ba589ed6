// One total a segment of one sequence that lies on many ranks: segmented_reduce and reduce_by_key with an
// mpi::executor.
//
// Formula: those of upsweep/segmented_reduce.hpp over the ranks' `in` one after the other, in the order of
// ranks. Segments are described as for segmented scans (upsweep/mpi/segmented_scan.hpp), by_head_flags or
// by_keys, and go from rank to rank. A segment's total, and its first key, belong to the rank on which it
// begins: each rank gets its own, packed at the front of its outputs, and learns where they stand among those
// of all.
// Shapes, types, aliasing: as there, for each rank's arrays, which may be empty. If an output has no room for
// all of a rank's, as many as fit are written; `kept` counts them all. Accumulators and keys must be
// trivially copyable. Bits: those of one call of the whole, for any number of ranks and any distribution.
// `initial` must be the same on every rank. Errors: every rank throws upsweep::error, before anything is
// written, if one refuses its arguments; and, with outputs unspecified, if the operator or an element's
// assignment throws on one. Complexity: O(n) work on all of the rank's threads; in and what describes its
// segments are read twice (once on the last rank), keys once more for keys_out. Messages: those of a
// segmented scan, one more for the segments that go on, and two small collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>

#include "upsweep/compact.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/compact.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/mpi/rank_results.hpp"
#include "upsweep/mpi/scan.hpp"
#include "upsweep/mpi/segment_edge.hpp"
#include "upsweep/mpi/segmented_piece.hpp"
#include "upsweep/mpi/totals_piece.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/options.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/unique.hpp"

namespace upsweep {
namespace mpi {

// `check` throws what is wrong with the arguments; `move_keys`, given the rank's own segments, keeps first
// keys.
template <class Acc, class Segments, class In, class Out, class Op, class Check, class MoveKeys>
compaction reduce_on_ranks(executor& ex, const Segments& segments, const In* in, std::size_t n, Out* out,
                           std::size_t room, const Op& op, const std::optional<Acc>& initial,
                           const Check& check, const MoveKeys& move_keys) {
    const std::uint64_t operation = operation_of(collective::segment_totals, sizeof(Acc));
    const agreement all = agree(ex, {.count = n,
                                     .operation = operation,
                                     .has_initial = initial.has_value(),
                                     .refusal = refusal_of(check)});
    failure trouble(ex.rank());
    std::size_t kept = 0;
    if (all.count != 0 && all.position <= all.last) {
        const bool begins = begins_at_edge(ex, all, segments, n, trouble);
        const segments_of_rank<Segments> own(segments, n, false, begins);
        const cpu::head_marks marks = cpu::marks_of(own, n, false);
        std::optional<Acc> carried;
        using piece_type = totals_piece<Acc, In, Out, Op>;
        const piece_type piece(op, ex.local(), in, n, marks, initial,
                               typename piece_type::results(out, room, &carried), kept);
        const std::optional<segment_pair<Acc>> nothing_before;
        if constexpr (is_exact<Op, Acc>)
            scan_exact(ex, all, piece, nothing_before, trouble);
        else
            scan_tree(ex, all, piece, nothing_before, trouble);
        if (n != 0) trouble.attempt([&] { move_keys(own); });

        std::optional<continuation<Acc>> reached;
        if (n != 0) reached = continuation<Acc>{carried, begins || kept != 0};
        const std::optional<Acc> rest = continued(
            ex, all, reached, [](const Acc&, const Acc& further) { return further; }, trouble);
        if (rest && kept != 0 && kept <= room)
            trouble.attempt([&] { out[kept - 1] = cpu::convert<Out>(*rest); });
    }
    return results_kept(ex, operation, kept, trouble);
}

// The first of the rank's elements in each segment that begins there; `described_bytes` an element are read
// besides.
template <class Segments, class T, class Out>
std::size_t keep_first(executor& ex, const Segments& own, const T* in, std::size_t n, Out* out,
                       std::size_t room, std::size_t described_bytes = 0) {
    if (n == 0) return 0;
    const upsweep::detail::chosen_heads<Segments> heads{own, described_bytes};
    return cpu::run_compact(ex.local(), heads.choice(), upsweep::detail::transfer_of(in, out), n, room,
                            false);
}

}  // namespace mpi

template <class Acc = deduced, mpi::cut_among_ranks Segments, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A> mpi::compaction segmented_reduce(
    mpi::executor& ex, const Segments& segments, const In& in, Out&& out, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    const std::size_t n = std::ranges::size(in);
    return mpi::reduce_on_ranks<A>(
        ex, segments, std::ranges::data(in), n, std::ranges::data(out), std::ranges::size(out),
        core::known<A>(op), options.initial,
        [&] {
            segments.check(n, ex.local().simd());
            const detail::named_array target = detail::named("out", out);
            detail::check_disjoint(target, detail::named("in", in));
            detail::check_disjoint(target, detail::described(segments));
        },
        [](const auto&) {});
}

template <class Acc = deduced, input_range Keys, input_range In, receives<Keys> KeysOut, class Out,
          class Op = plus, class Equal = std::equal_to<>,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A> mpi::compaction reduce_by_key(
    mpi::executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}, const Equal& equal = {}) {
    const std::size_t n = std::ranges::size(in);
    return mpi::reduce_on_ranks<A>(
        ex, detail::runs_of(keys, equal), std::ranges::data(in), n, std::ranges::data(out),
        std::ranges::size(out), core::known<A>(op), options.initial,
        [&] { detail::check_keyed(keys, in, keys_out, out); },
        [&](const auto& own) {
            mpi::keep_first(ex, own, std::ranges::data(keys), n, std::ranges::data(keys_out),
                            std::ranges::size(keys_out));
        });
}

}  // namespace upsweep
