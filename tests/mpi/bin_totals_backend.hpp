// Totals by bin between ranks, so that the tests of the CPU's run there unchanged: included in front of a
// test's source, behind mpi/backend.hpp. A rank has its part of elements and values, and all totals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <vector>

#include "mpi/moves_backend.hpp"
#include "support/guarded.hpp"
#include "upsweep/bin_totals.hpp"
#include "upsweep/mpi/bin_totals.hpp"

namespace upsweep::test {

// The CPU's functions stay visible beside these.
using upsweep::bin_totals;
using upsweep::bin_totals_by;

// body(ranks, part of in, part of values).
template <class In, class Values, class Body>
std::size_t with_weighted_parts(mpi_executor& ex, const In& in, const Values& values, const Body& body) {
    call_in_parts call(ex);
    const std::vector<std::size_t> cuts = call.cut(std::ranges::size(in));
    const auto own = call.part_of(in, cuts);
    const auto beside = call.part_of(values, cuts, 3);
    return body(call.ranks(), own.span(), beside.span());
}
template <class Acc = deduced, class In, class Values, class Totals, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
std::size_t bin_totals(mpi_executor& ex, const In& in, const Values& values, Totals&& totals,
                       const bin_range<binned_type<In>>& by, const Op& op = {},
                       const std::type_identity_t<reduce_options<A>>& options = {}) {
    return with_weighted_parts(ex, in, values, [&](mpi::executor& ranks, auto own, auto beside) {
        return upsweep::bin_totals<Acc>(ranks, own, beside, totals, by, op, options);
    });
}
template <class Acc = deduced, class In, class Values, class Totals, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
std::size_t bin_totals(mpi_executor& ex, const In& in, const Values& values, Totals&& totals,
                       const bin_edges<binned_type<In>>& by, const Op& op = {},
                       const std::type_identity_t<reduce_options<A>>& options = {}) {
    return with_weighted_parts(ex, in, values, [&](mpi::executor& ranks, auto own, auto beside) {
        return upsweep::bin_totals<Acc>(ranks, own, beside, totals, by, op, options);
    });
}

}  // namespace upsweep::test
