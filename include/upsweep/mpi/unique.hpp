// Runs of equal neighbours of one sequence that lies on many ranks, as one element each: unique,
// unique_by_key and run_length_encode with an mpi::executor.
//
// Formula: those of upsweep/unique.hpp over the ranks' arrays one after the other, in the order of ranks.
// Runs go from rank to rank. What is kept of a run belongs to the rank on which it begins: each rank gets its
// own, packed at the front of its outputs, and learns where they stand among those of all. Shapes, aliasing:
// as there, for each rank's arrays, which may be empty. If an output has no room for all of a rank's, as many
// as fit are written; `kept` counts them all. Elements that are compared must be trivially copyable, as the
// one at a rank's edge is sent to its neighbour; lengths are integers in which the number of all ranks'
// elements fits. Errors: every rank throws upsweep::error, before anything is written, if one refuses its
// arguments; and, with outputs unspecified, if `equal` or an element's assignment throws on one. Complexity:
// that of each rank's own call. Messages: of log2(ranks) rounds, run_length_encode twice as many, and four
// small collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>

#include "upsweep/core/arguments.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/segment_lengths.hpp"
#include "upsweep/cpu/segment_results.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/compact.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/mpi/rank_results.hpp"
#include "upsweep/mpi/segment_edge.hpp"
#include "upsweep/mpi/segmented_reduce.hpp"
#include "upsweep/segments.hpp"
#include "upsweep/unique.hpp"

namespace upsweep {
namespace mpi {

// Of a rank's runs: keep(agreement, own segments, whether one begins with the first element, failure&)
// returns how many begin there; not called without elements anywhere, or behind the last rank that has any.
template <class Runs, class Check, class Keep>
compaction keep_runs(executor& ex, const Runs& runs, std::size_t n, const Check& check, const Keep& keep) {
    const std::uint64_t operation = operation_of(collective::runs, 0);
    const agreement all = agree(ex, {.count = n, .operation = operation, .refusal = refusal_of(check)});
    failure trouble(ex.rank());
    std::size_t kept = 0;
    if (all.count != 0 && all.position <= all.last) {
        const bool begins = begins_at_edge(ex, all, runs, n, trouble);
        kept = keep(all, segments_of_rank<Runs>(runs, n, false, begins), begins, trouble);
    }
    return results_kept(ex, operation, kept, trouble);
}

}  // namespace mpi

template <input_range In, receives<In> Out, class Equal = std::equal_to<>>
mpi::compaction unique(mpi::executor& ex, const In& in, Out&& out, const Equal& equal = {}) {
    const std::size_t n = std::ranges::size(in);
    return mpi::keep_runs(
        ex, detail::runs_of(in, equal), n,
        [&] { detail::check_disjoint(detail::named("out", out), detail::named("in", in)); },
        [&](const mpi::agreement&, const auto& own, bool, mpi::failure& trouble) {
            std::size_t kept = 0;
            trouble.attempt([&] {
                kept = mpi::keep_first(ex, own, std::ranges::data(in), n, std::ranges::data(out),
                                       std::ranges::size(out));
            });
            return kept;
        });
}

template <input_range Keys, input_range In, receives<Keys> KeysOut, receives<In> Out,
          class Equal = std::equal_to<>>
mpi::compaction unique_by_key(mpi::executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out,
                              Out&& out, const Equal& equal = {}) {
    const std::size_t n = std::ranges::size(in);
    return mpi::keep_runs(
        ex, detail::runs_of(keys, equal), n, [&] { detail::check_keyed(keys, in, keys_out, out); },
        [&](const mpi::agreement&, const auto& own, bool, mpi::failure& trouble) {
            std::size_t kept = 0;
            trouble.attempt([&] {
                mpi::keep_first(ex, own, std::ranges::data(keys), n, std::ranges::data(keys_out),
                                std::ranges::size(keys_out));
                kept = mpi::keep_first(ex, own, std::ranges::data(in), n, std::ranges::data(out),
                                       std::ranges::size(out), sizeof(std::ranges::range_value_t<Keys>));
            });
            return kept;
        });
}

template <input_range In, receives<In> Out, index_range Lengths, class Equal = std::equal_to<>>
mpi::compaction run_length_encode(mpi::executor& ex, const In& in, Out&& out, Lengths&& lengths,
                                  const Equal& equal = {}) {
    using length = std::ranges::range_value_t<Lengths>;
    using number = std::uint64_t;
    const std::size_t n = std::ranges::size(in), room = std::ranges::size(lengths);
    const auto keep = [&](const mpi::agreement& all, const auto& own, bool begins, mpi::failure& trouble) {
        trouble.attempt([&] { detail::check_lengths<length>(all.count); });
        std::size_t kept = 0;
        std::optional<number> carried;
        if (n != 0) {
            trouble.attempt([&] {
                const cpu::transfer way = detail::transfer_of(std::ranges::data(in), std::ranges::data(out));
                using results = mpi::results_on_rank<number, length>;
                const cpu::segment_lengths<results> totals(
                    ex.local(), results(std::ranges::data(lengths), room, &carried));
                kept = cpu::run_segments(ex.local(), totals, cpu::marks_of(own, n, false),
                                         way.out_bytes + sizeof(length), cpu::tuning::compact_cost, &way,
                                         std::ranges::size(out));
            });
        }
        std::optional<mpi::continuation<number>> reached;
        if (n != 0) reached = mpi::continuation<number>{carried, begins || kept != 0};
        const std::optional<number> rest = mpi::continued(ex, all, reached, std::plus<>(), trouble);
        if (rest && kept != 0 && kept <= room) {
            length& last = std::ranges::data(lengths)[kept - 1];
            last = static_cast<length>(static_cast<number>(last) + *rest);
        }
        return kept;
    };
    return mpi::keep_runs(
        ex, detail::runs_of(in, equal), n,
        [&] {
            const detail::named_array from = detail::named("in", in);
            const detail::named_array to = detail::named("out", out),
                                      to_lengths = detail::named("lengths", lengths);
            detail::check_disjoint(to, from);
            detail::check_disjoint(to_lengths, from);
            detail::check_disjoint(to_lengths, to);
        },
        keep);
}

}  // namespace upsweep
