// Stable partition of one sequence that lies on many ranks: partition, partition_if and their indices, with
// an mpi::executor.
//
// Formula: that of upsweep/partition.hpp over all ranks' elements: those that are chosen, in order, then the
// others, in order. The result is cut as the input is: a rank's out has as many elements as its in, so that
// the ranks' `out` one after the other are what the CPU's call makes of the ranks' `in` one after the other.
// Indices are of the whole. Results do not depend on how elements are distributed.
// Shapes: as there, for each rank's arrays, which may be empty. Elements of out are trivially copyable,
// because ranks exchange their bytes. Aliasing: as there; out overlaps neither in nor flags.
// Errors: every rank throws upsweep::error, with nothing written, if one refuses its arguments or lacks
// memory, and if keep or an element's assignment throws on one. Complexity: that of the rank's own partition,
// to scratch of n elements; each element is sent at most once, in two messages at most from one rank to
// another but for the message limit. Messages: docs/mpi.md. Source: Blelloch, "Prefix sums and their
// applications", 1990, section 1.3, whose scans of counts are those over ranks here.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <ranges>
#include <span>

#include "upsweep/compact.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/redistribute.hpp"
#include "upsweep/mpi/scratch.hpp"
#include "upsweep/partition.hpp"

namespace upsweep {
namespace mpi {

struct division {
    std::uint64_t chosen;  // elements of all ranks that are: where in the whole the others begin
    std::size_t front;     // elements of this rank's out that are: where the others begin there
};

// `check` throws what is wrong with the arguments; split(all, out) partitions the rank's n elements and
// returns how many are chosen.
template <class Out, class Check, class Split>
division divide_on_ranks(const executor& ex, std::size_t n, Out* out, const Check& check,
                         const Split& split) {
    const std::uint64_t operation = operation_of(collective::partition, sizeof(Out));
    const agreement all = agree(ex, {.count = n, .operation = operation, .refusal = refusal_of(check)});
    std::optional<redistribution> ways;
    std::optional<scratch<Out>> held;
    std::size_t kept = 0;
    const auto trouble = refusal_of([&] {
        ways.emplace(ex);
        held.emplace(n);
        kept = split(all, held->span());
    });
    const agreement found = agree(ex, {.count = kept, .operation = operation, .refusal = trouble});
    ways->cut(n);
    const std::uint64_t others = found.count + (all.first - found.first);
    ways->plan(std::array<stretch, 2>{{{found.first, kept}, {others, n - kept}}}, sizeof(Out));
    ways->move(held->data(), out, sizeof(Out));
    const std::uint64_t before = std::min(found.count, all.first);
    return {found.count, static_cast<std::size_t>(std::min<std::uint64_t>(found.count - before, n))};
}
// The same of indices of the whole.
template <class Index, class Check, class Split>
division divide_indices_on_ranks(const executor& ex, std::size_t n, Index* out, const Check& check,
                                 const Split& split) {
    return divide_on_ranks(ex, n, out, check, [&](const agreement& all, std::span<Index> held) {
        upsweep::detail::check_indices<Index>(all.count);
        const std::size_t kept = split(held);
        for (Index& index : held) index = static_cast<Index>(index + all.first);
        return kept;
    });
}

}  // namespace mpi

// out = in[i] for each i of the whole with flags[i] != 0, then the others.
template <flag_range Flags, input_range In, receives<In> Out>
mpi::division partition(mpi::executor& ex, const Flags& flags, const In& in, Out&& out) {
    const std::size_t n = std::ranges::size(in);
    using element = std::ranges::range_value_t<Out>;
    return mpi::divide_on_ranks(
        ex, n, std::ranges::data(out),
        [&] {
            detail::check_compact_flags(flags, in, out);
            detail::check_sizes(n, std::ranges::size(out));
            detail::check_apart("in", std::ranges::data(in), n * sizeof(std::ranges::range_value_t<In>),
                                std::ranges::data(out), n * sizeof(element));
        },
        [&](const mpi::agreement&, std::span<element> held) {
            return partition(ex.local(), flags, in, held);
        });
}

// out = in[i] for each i of the whole with keep(in[i]), then the others. keep may be called from several
// threads, twice for an element, and must answer the same both times.
template <input_range In, receives<In> Out, std::predicate<const std::ranges::range_value_t<In>&> Keep>
mpi::division partition_if(mpi::executor& ex, const In& in, Out&& out, const Keep& keep) {
    const std::size_t n = std::ranges::size(in);
    using element = std::ranges::range_value_t<Out>;
    return mpi::divide_on_ranks(
        ex, n, std::ranges::data(out),
        [&] {
            detail::check_sizes(n, std::ranges::size(out));
            detail::check_apart("in", std::ranges::data(in), n * sizeof(std::ranges::range_value_t<In>),
                                std::ranges::data(out), n * sizeof(element));
        },
        [&](const mpi::agreement&, std::span<element> held) {
            return partition_if(ex.local(), in, held, keep);
        });
}

// out = i for each i of the whole with flags[i] != 0, then the others.
template <flag_range Flags, index_range Out>
mpi::division partition_indices(mpi::executor& ex, const Flags& flags, Out&& out) {
    const std::size_t n = std::ranges::size(flags);
    using index = std::ranges::range_value_t<Out>;
    return mpi::divide_indices_on_ranks(
        ex, n, std::ranges::data(out),
        [&] {
            detail::check_sizes(n, std::ranges::size(out));
            detail::check_apart("flags", std::ranges::data(flags),
                                n * sizeof(std::ranges::range_value_t<Flags>), std::ranges::data(out),
                                n * sizeof(index));
        },
        [&](std::span<index> held) { return partition_indices(ex.local(), flags, held); });
}

// out = i for each i of the whole with keep(in[i]), then the others.
template <input_range In, index_range Out, std::predicate<const std::ranges::range_value_t<In>&> Keep>
mpi::division partition_indices_if(mpi::executor& ex, const In& in, Out&& out, const Keep& keep) {
    const std::size_t n = std::ranges::size(in);
    using index = std::ranges::range_value_t<Out>;
    return mpi::divide_indices_on_ranks(
        ex, n, std::ranges::data(out),
        [&] {
            detail::check_sizes(n, std::ranges::size(out));
            detail::check_apart("in", std::ranges::data(in), n * sizeof(std::ranges::range_value_t<In>),
                                std::ranges::data(out), n * sizeof(index));
        },
        [&](std::span<index> held) { return partition_indices_if(ex.local(), in, held, keep); });
}

}  // namespace upsweep
