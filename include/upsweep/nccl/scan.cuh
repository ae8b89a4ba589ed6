// Prefix sums of one sequence that lies on many GPUs: inclusive_scan, exclusive_scan and their transforming
// forms, with an nccl::executor.
//
// Formula: those of cuda/scan.cuh, over the ranks' `in` one after the other, in the order of ranks. Shapes:
// in and out of a rank are device spans of equal size, which may be 0 and may differ from rank to rank; the
// sequence may be cut anywhere. Types, operators, aliasing: as cuda/scan.cuh. Bits: those of one scan of the
// whole (docs/numerics.md), for any number of ranks and any distribution.
// Options: `reverse`, whether there is an initial value and whether there is a `total` must be the same on
// every rank; the first rank that has elements gives the initial value; every rank receives the total of all.
// Errors: a rank that refuses its arguments throws upsweep::error and has enqueued nothing; the others wait
// for it in their streams, as in any collective of NCCL, unless all find the same wrong. What NCCL itself
// reports is an upsweep::error (device).
// Complexity: two reads of in (one on the last rank) and one write of out. Messages: a gather of some 400
// accumulators from each rank and one for each 131,072 elements of the rank that has most; a broadcast of the
// total, where it is asked for; and where no distribution is given a gather of the ranks' counts, for which
// the host waits. Scratch for what is gathered. Source: docs/nccl.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/block_by_block.cuh"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/piece_launch.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/error.hpp"
#include "upsweep/nccl/distribution.hpp"
#include "upsweep/nccl/executor.hpp"

namespace upsweep {
namespace nccl {

template <class Acc>
struct scan_options {
    std::optional<Acc> initial{};            // folded in before the first element of all
    const Acc* device_initial = nullptr;     // the same, read from device memory when the scan runs
    bool reverse = false;                    // out[i] = x[i] (+) ... (+) x[n-1]
    Acc* total = nullptr;                    // device memory that receives the fold of everything
    const distribution* elements = nullptr;  // if given, the ranks' counts are not asked for
};

namespace detail {

// How many elements everybody has: what was given, if it is right here, or what ranks tell each other, which
// is kept in `agreed`.
inline const distribution& distribution_of(const executor& ex, std::uint64_t n, const distribution* given,
                                           std::optional<distribution>& agreed) {
    if (given == nullptr) return agreed.emplace(ex, n);
    if (given->size() != ex.size())
        throw_error(errc::invalid_argument, "options.elements: expected " + std::to_string(ex.size()) +
                                                " ranks, but it has " + std::to_string(given->size()));
    if (given->count(ex.rank()) != n)
        throw_error(errc::invalid_argument, "options.elements: expected " + std::to_string(n) +
                                                " elements for this rank, as many as in has, but it has " +
                                                std::to_string(given->count(ex.rank())));
    return *given;
}

// An exclusive scan that has neither an initial value nor an identity: then all ranks throw, or none.
inline void check_start(const distribution& elements) {
    if (elements.total() != 0)
        throw_error(errc::invalid_argument,
                    "options.initial: an exclusive scan needs an initial value, because the operator has "
                    "no identity");
}

// What there is to find out where a rank's elements begin: nothing.
struct no_edge {
    [[nodiscard]] static std::size_t scratch_bytes(int) { return 0; }
    template <class Arguments>
    void find(const executor&, const place&, void*, Arguments&) const {}
};

// A scan of this rank's elements, of which everything has been checked.
template <class Types, bool Exclusive, class Edge = no_edge>
void scan_piece(const executor& ex, cuda::scan_arguments<Types> arguments, const distribution& elements,
                const Edge& edge = {}) {
    using Total = typename Types::Total;
    using launch = cuda::piece_launch<Types, Exclusive>;
    using last_launch = cuda::detail::block_launch<Types, Exclusive>;
    cuda::executor& local = ex.local();
    const cuda::device_scope current(local);
    local.check_before_launch();
    const place own = place_of(elements, ex.rank(), arguments.reverse);
    Total* const total = arguments.total;
    if (own.last >= 0 && own.last != ex.rank()) arguments.total = nullptr;

    if (!own.is_shared) {
        const bool has_all = own.last < 0 ? total != nullptr : own.last == ex.rank();
        if (has_all) cuda::scan_launch<Types, Exclusive>(local, arguments).run();
    } else {
        // Scratch: everybody's descriptions; what is to the left of the last one, before and behind; the
        // edge's; the rest.
        const std::size_t bytes = launch::description_bytes(elements.most());
        const std::size_t all_bytes = bytes * std::size_t(ex.size());
        constexpr std::size_t parts_bytes = (2 * sizeof(cuda::tree_parts<Total>) + 255) / 256 * 256;
        const std::size_t edge_bytes = edge.scratch_bytes(ex.size());
        const std::size_t own_bytes =
            std::max(launch::scratch_bytes(arguments.n), last_launch::scratch_bytes());
        cuda::held_scratch taken(
            local, local.take_plain_scratch(all_bytes + parts_bytes + edge_bytes + own_bytes,
                                            cuda::detail::other_scratch_bytes<Types>(arguments.n)));
        char* const all = taken.data();
        auto* const parts = reinterpret_cast<cuda::tree_parts<Total>*>(all + all_bytes);
        char* const edge_scratch = all + all_bytes + parts_bytes;
        void* const scratch = edge_scratch + edge_bytes;
        edge.find(ex, own, edge_scratch, arguments);
        const int rank = ex.rank(), ranks_before = arguments.reverse ? ex.size() - 1 - rank : rank;
        const auto stride = static_cast<std::ptrdiff_t>(bytes);
        auto* const description = reinterpret_cast<typename launch::description*>(all + rank * stride);
        const cuda::pieces_before before{arguments.reverse ? all + (ex.size() - 1) * stride : all,
                                         arguments.reverse ? -stride : stride, ranks_before};

        const launch piece(local, arguments, own.first);
        // Nobody waits for the last one's totals: it reads its elements once, unless it has hardly any.
        const bool reads_once = own.is_last && (launch::exact || piece.has_body());
        if (!reads_once) piece.summarise(scratch, description);
        ex.gather(description, all, bytes);
        if (arguments.n != 0 && !reads_once) {
            piece.walk(scratch, description, own.is_first() ? cuda::pieces_before{} : before, nullptr);
            piece.scan(scratch);
        } else if (arguments.n != 0) {
            const auto nothing = cuda::part_of(arguments, 0, 0);
            launch(local, nothing, own.first).walk(scratch, nullptr, before, parts);
            cuda::carried_parts<Total> carried{parts, parts + 1, own.first, arguments.has_initial};
            last_launch(local, arguments, carried, scratch).run();
        }
        taken.release();
    }
    if (total != nullptr && own.last >= 0) ex.broadcast(total, sizeof *total, own.last);
    cuda::check(cudaGetLastError(), "launching a scan");
}

template <bool Exclusive, class Acc, class In, class Out, class Op, class Load>
void scan(const executor& ex, cuda::device_span<const In> in, cuda::device_span<Out> out, const Op& op,
          const Load& load, const scan_options<Acc>& options) {
    const cuda::scan_options<Acc> local{options.initial, options.device_initial, options.reverse,
                                        options.total, nullptr};
    auto arguments =
        cuda::detail::checked_arguments<Exclusive, Acc, In>(ex.local(), in, out, op, load, local, true);
    std::optional<distribution> agreed;
    const distribution& elements = distribution_of(ex, in.size(), options.elements, agreed);
    if constexpr (!has_identity<Op, Acc>) {  // then all ranks throw, or none
        if (Exclusive && !arguments.has_initial) check_start(elements);
        if (options.total != nullptr && !arguments.has_initial && elements.total() == 0)
            throw_error(
                errc::invalid_argument,
                "options.total: the total of no elements needs an initial value, because the operator "
                "has no identity");
    }
    scan_piece<cuda::detail::types_of<Acc, In, Out, Op, Load>, Exclusive>(ex, arguments, elements);
}

}  // namespace detail
}  // namespace nccl

// out[i] = x[0] (+) ... (+) in[i], where x is the sequence that all ranks' in make up.
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void inclusive_scan(
    nccl::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out, const Op& op = {},
    const std::type_identity_t<nccl::scan_options<A>>& options = {}) {
    nccl::detail::scan<false, A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), cuda::as_is{},
                                                          options);
}

// out[i] = x[0] (+) ... (+) what is before in[i]; at the first of all, the initial value or else the
// identity.
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void exclusive_scan(
    nccl::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out, const Op& op = {},
    const std::type_identity_t<nccl::scan_options<A>>& options = {}) {
    nccl::detail::scan<true, A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), cuda::as_is{},
                                                         options);
}

// The same of f(x[0]), f(x[1]), ... f is called on the device, up to three times an element.
template <class Acc = deduced, class In, class Out, class Op, class Function,
          class A = core::accumulator_for<
              Acc, std::decay_t<std::invoke_result_t<const Function&, const std::remove_const_t<In>&>>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void transform_inclusive_scan(
    nccl::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out, const Op& op, const Function& f,
    const std::type_identity_t<nccl::scan_options<A>>& options = {}) {
    nccl::detail::scan<false, A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), f, options);
}

template <class Acc = deduced, class In, class Out, class Op, class Function,
          class A = core::accumulator_for<
              Acc, std::decay_t<std::invoke_result_t<const Function&, const std::remove_const_t<In>&>>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void transform_exclusive_scan(
    nccl::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out, const Op& op, const Function& f,
    const std::type_identity_t<nccl::scan_options<A>>& options = {}) {
    nccl::detail::scan<true, A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), f, options);
}

}  // namespace upsweep
