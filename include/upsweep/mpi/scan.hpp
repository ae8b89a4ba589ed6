// Prefix sums of one sequence that lies on many ranks: inclusive_scan, exclusive_scan and their transforming
// forms, with an mpi::executor.
//
// Formula: those of upsweep/scan.hpp, over the ranks' `in` one after the other, in the order of ranks.
// Shapes: in and out of a rank are contiguous ranges of equal size, which may be 0 and may differ from rank
// to rank; the sequence may be cut anywhere. Counts are of 64 bits. Types and operators as on the CPU, with
// accumulators that are trivially copyable. Bits: those of one scan of the whole (docs/numerics.md), for any
// number of ranks and any distribution.
// Options: `reverse` and whether there is an `initial` must be the same on every rank; the first rank in scan
// order gives initial's value. `total` is filled on every rank that asks for it. There is no `carry`.
// Aliasing: as upsweep/scan.hpp.
// Errors: every rank throws upsweep::error, before anything is written, if one refuses its arguments: that
// one names the argument, the others name the rank. An exception from the operator or the function passes
// through on its rank; ranks behind it in scan order, or all if any asked for the total, throw an error that
// names it. Nobody is left waiting.
// Complexity: two reads of in (one on the last rank) and one write of out, O(n) work on all of the rank's
// threads; docs/mpi.md has the messages.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/core/piece.hpp"
#include "upsweep/cpu/piece.hpp"
#include "upsweep/error.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/exchange.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/mpi/piece.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/options.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {
namespace mpi {

// Both return the value after the rank's last element where that is the last of all; elsewhere they may
// return nothing. They exchange messages whatever happens.
template <class Piece, class Acc = typename Piece::accumulator>
std::optional<Acc> scan_tree(executor& ex, const agreement& all, const Piece& piece,
                             const std::optional<Acc>& initial, failure& trouble) {
    const bool is_last = all.position == all.last;
    core::piece_summary<Acc> summary;
    if (!is_last) trouble.attempt([&] { summary = cpu::summarise(ex.local(), piece, all.first); });
    core::tree_place<Acc> place;
    if (all.position == 0) {
        place.parts[core::super_level] = initial;
    } else {
        receive_place(ex, all, place, trouble);
    }
    place.element_count = all.first;
    if (!is_last) {
        core::tree_place<Acc> behind = place;
        trouble.attempt([&] { summary.advance(behind, piece.combine()); });
        send_place(ex, all, behind, trouble);
    }
    std::optional<Acc> last;
    if (piece.size() != 0) trouble.attempt([&] { last = cpu::scan_piece(ex.local(), piece, place); });
    return last;
}

template <class Piece, class Acc = typename Piece::accumulator>
std::optional<Acc> scan_exact(executor& ex, const agreement& all, const Piece& piece,
                              const std::optional<Acc>& initial, failure& trouble) {
    std::optional<Acc> own;
    if (all.position != all.last) {
        trouble.attempt([&] {
            own = cpu::fold_exact(ex.local(), piece);
            if (all.position == 0 && initial) own = own ? Acc(piece.combine()(*initial, *own)) : *initial;
        });
    }
    std::optional<Acc> before = fold_before(ex, all, std::move(own), piece.combine(), trouble);
    if (all.position == 0) before = initial;
    std::optional<Acc> last;
    if (piece.size() != 0) trouble.attempt([&] { last = cpu::scan_piece(ex.local(), piece, before); });
    return last;
}

template <class Acc, class In, class Out, class Op, class Function>
void scan_range(executor& ex, const In* in, std::size_t in_size, Out* out, std::size_t out_size,
                bool exclusive, const Op& op, const Function& function, const scan_options<Acc>& options) {
    bool in_place = false;
    const auto refusal = refusal_of([&] {
        upsweep::detail::check_sizes(in_size, out_size);
        in_place = upsweep::detail::check_overlap(in, sizeof(In), out, sizeof(Out), in_size);
        if (options.carry != nullptr)
            throw_error(errc::invalid_argument,
                        "options.carry: expected none, because a scan over ranks is not given in blocks");
    });
    const collective called = exclusive ? collective::exclusive_scan : collective::inclusive_scan;
    const agreement all = agree(ex, {in_size, operation_of(called, sizeof(Acc)), options.reverse,
                                     options.initial.has_value(), options.total != nullptr, refusal});

    // What follows concerns all ranks alike.
    if (all.wants_total && all.count == 0 && !options.initial && !has_identity<Op, Acc>)
        throw_error(errc::invalid_argument,
                    "options.total: the total of no elements needs an initial value, because the operator "
                    "has no identity");
    std::optional<Acc> start;
    if (exclusive) start = upsweep::detail::exclusive_start<Acc>(op, !options.initial && all.count != 0);

    failure trouble(ex.rank());
    std::optional<Acc> total;
    if (all.count == 0) {
        total = options.initial;
        if constexpr (has_identity<Op, Acc>) {
            if (!total) total = identity_of<Acc>(op);
        }
    } else {
        if (all.position <= all.last) {
            const share<Acc, In, Out, Op, Function> own{
                in,
                out,
                {in_size, exclusive, in_place, in_size * (sizeof(In) + sizeof(Out))},
                options.reverse,
                op,
                function,
                start};
            with_piece(ex.local(), own, [&](const auto& piece) {
                if constexpr (is_exact<Op, Acc>)
                    total = scan_exact(ex, all, piece, options.initial, trouble);
                else
                    total = scan_tree(ex, all, piece, options.initial, trouble);
            });
        }
        if (all.wants_total) total = broadcast_last(ex, all, total, trouble);
    }
    trouble.rethrow();
    if (options.total != nullptr) *options.total = *total;
}

}  // namespace mpi

// out[i] = x[0] (+) ... (+) in[i], where x is the sequence that all ranks' in make up.
template <class Acc = deduced, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void inclusive_scan(mpi::executor& ex, const In& in, Out&& out, const Op& op = {},
                    const std::type_identity_t<scan_options<A>>& options = {}) {
    mpi::scan_range<A>(ex, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                       std::ranges::size(out), false, core::known<A>(op), std::identity{}, options);
}

// out[i] = x[0] (+) ... (+) what is before in[i]; at the first of all, options.initial or else the identity.
template <class Acc = deduced, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void exclusive_scan(mpi::executor& ex, const In& in, Out&& out, const Op& op = {},
                    const std::type_identity_t<scan_options<A>>& options = {}) {
    mpi::scan_range<A>(ex, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                       std::ranges::size(out), true, core::known<A>(op), std::identity{}, options);
}

// The same of f(x[0]), f(x[1]), ... f may be called up to three times for an element, from several threads.
template <
    class Acc = deduced, input_range In, class Out, class Op, class Function,
    class A = core::accumulator_for<
        Acc, std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>, Op>>
requires output_range<Out, A> && combines<Op, A>
void transform_inclusive_scan(mpi::executor& ex, const In& in, Out&& out, const Op& op, const Function& f,
                              const std::type_identity_t<scan_options<A>>& options = {}) {
    mpi::scan_range<A>(ex, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                       std::ranges::size(out), false, core::known<A>(op), f, options);
}

template <
    class Acc = deduced, input_range In, class Out, class Op, class Function,
    class A = core::accumulator_for<
        Acc, std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>, Op>>
requires output_range<Out, A> && combines<Op, A>
void transform_exclusive_scan(mpi::executor& ex, const In& in, Out&& out, const Op& op, const Function& f,
                              const std::type_identity_t<scan_options<A>>& options = {}) {
    mpi::scan_range<A>(ex, std::ranges::data(in), std::ranges::size(in), std::ranges::data(out),
                       std::ranges::size(out), true, core::known<A>(op), f, options);
}

}  // namespace upsweep
