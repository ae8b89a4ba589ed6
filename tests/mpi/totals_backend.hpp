// Totals between ranks, so that the tests of the CPU's run there unchanged: included in front of a test's
// source. A rank has its part of the sequence, and all get the total.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <type_traits>
#include <vector>

#include "mpi/backend.hpp"
#include "upsweep/mpi/reduce.hpp"
#include "upsweep/reduce.hpp"

namespace upsweep::test {

namespace detail {

// call(the rank's part of `in`)
template <class In, class Call>
auto of_own_part(mpi_executor& ex, const In& in, const Call& call) {
    using element = std::ranges::range_value_t<In>;
    const unsigned turn = ex.turn();
    const std::vector<std::size_t> cuts = ex.next_cuts(std::ranges::size(in));
    const auto rank = static_cast<std::size_t>(ex.ranks().rank());
    guarded<element> own(cuts[rank + 1] - cuts[rank], (turn + rank) % 8);
    std::copy_n(std::ranges::data(in) + cuts[rank], own.size(), own.data());
    const auto total = call(own.span());
    EXPECT_TRUE(own.sentinels_intact()) << "wrote outside the array";
    return total;
}

}  // namespace detail

// The CPU's functions stay visible beside these.
using upsweep::reduce;
using upsweep::transform_reduce;

template <class Acc = deduced, input_range In, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
A reduce(mpi_executor& ex, const In& in, const Op& op = {},
         const std::type_identity_t<reduce_options<A>>& options = {}) {
    return detail::of_own_part(
        ex, in, [&](const auto& own) { return upsweep::reduce<A>(ex.ranks(), own, op, options); });
}

template <
    class Acc = deduced, input_range In, class Op, class Function,
    class A = core::accumulator_for<
        Acc, std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>, Op>>
A transform_reduce(mpi_executor& ex, const In& in, const Op& op, const Function& f,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
    return detail::of_own_part(ex, in, [&](const auto& own) {
        return upsweep::transform_reduce<A>(ex.ranks(), own, op, f, options);
    });
}

}  // namespace upsweep::test
