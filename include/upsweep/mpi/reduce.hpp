// The total of one sequence that lies on many ranks: reduce and transform_reduce, with an mpi::executor.
//
// Formula: those of upsweep/reduce.hpp, over the ranks' `in` one after the other, in the order of ranks;
// every rank gets the result. Shapes: in of a rank is a contiguous range, which may be empty and may differ
// in size from rank to rank; the sequence may be cut anywhere. Types and operators as on the CPU, with
// accumulators that are trivially copyable. Bits: those of the last result of one scan of the whole, for any
// number of ranks and any distribution. Options: whether there is an `initial` must be the same on every
// rank; the first gives its value. Errors: as in mpi/scan.hpp; where one rank fails, all throw. Complexity:
// one read of in, O(n) work on all of the rank's threads; the messages of a scan, and one to all.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/core/piece.hpp"
#include "upsweep/cpu/piece.hpp"
#include "upsweep/cpu/reduce.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/exchange.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/mpi/piece.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/options.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {
namespace mpi {

// Both return the fold of everything up to the rank's last element. They exchange messages whatever happens.
template <class Piece, class Acc = typename Piece::accumulator>
std::optional<Acc> reduce_tree(executor& ex, const agreement& all, const Piece& piece,
                               const std::optional<Acc>& initial, failure& trouble) {
    core::piece_summary<Acc> summary;
    trouble.attempt([&] { summary = cpu::summarise(ex.local(), piece, all.first); });
    core::tree_place<Acc> place;
    if (all.position == 0)
        place.parts[core::super_level] = initial;
    else
        receive_place(ex, all, place, trouble);
    place.element_count = all.first;
    trouble.attempt([&] { summary.advance(place, piece.combine()); });
    if (all.position != all.last) send_place(ex, all, place, trouble);
    std::optional<Acc> value;
    trouble.attempt([&] { value = place.value(piece.combine()); });
    return value;
}

template <class Piece, class Acc = typename Piece::accumulator>
std::optional<Acc> reduce_exact(executor& ex, const agreement& all, const Piece& piece,
                                const std::optional<Acc>& initial, failure& trouble) {
    std::optional<Acc> own;
    trouble.attempt([&] {
        own = cpu::fold_exact(ex.local(), piece);
        if (all.position == 0 && initial) own = own ? Acc(piece.combine()(*initial, *own)) : *initial;
    });
    const std::optional<Acc> before = fold_before(ex, all, own, piece.combine(), trouble);
    trouble.attempt([&] {
        if (before) own = own ? Acc(piece.combine()(*before, *own)) : *before;
    });
    return own;
}

template <class Acc, class In, class Op, class Function>
Acc reduce_range(executor& ex, const In* in, std::size_t n, const Op& op, const Function& function,
                 const std::optional<Acc>& initial) {
    const agreement all =
        agree(ex, {n, operation_of(collective::reduce, sizeof(Acc)), false, initial.has_value(), true, {}});
    if (all.count == 0) return upsweep::detail::total_of_none<Acc>(op, initial);
    failure trouble(ex.rank());
    std::optional<Acc> total;
    if (all.position <= all.last) {
        const share<Acc, In, Acc, Op, Function> own{
            in, nullptr, {n, false, false, n * sizeof(In)}, false, op, function, {}};
        with_piece(ex.local(), own, [&](const auto& piece) {
            if constexpr (is_exact<Op, Acc>)
                total = reduce_exact(ex, all, piece, initial, trouble);
            else
                total = reduce_tree(ex, all, piece, initial, trouble);
        });
    }
    total = broadcast_last(ex, all, total, trouble);
    trouble.rethrow();
    return *total;
}

}  // namespace mpi

template <class Acc = deduced, input_range In, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires combines<Op, A> A reduce(mpi::executor& ex, const In& in, const Op& op = {},
                                  const std::type_identity_t<reduce_options<A>>& options = {}) {
    return mpi::reduce_range<A>(ex, std::ranges::data(in), std::ranges::size(in), core::known<A>(op),
                                std::identity{}, options.initial);
}

// f is called once for an element, from several threads.
template <
    class Acc = deduced, input_range In, class Op, class Function,
    class A = core::accumulator_for<
        Acc, std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>, Op>>
requires combines<Op, A> A transform_reduce(mpi::executor& ex, const In& in, const Op& op, const Function& f,
                                            const std::type_identity_t<reduce_options<A>>& options = {}) {
    return mpi::reduce_range<A>(ex, std::ranges::data(in), std::ranges::size(in), core::known<A>(op),
                                detail::as_object(f), options.initial);
}

}  // namespace upsweep
