// The first elements of ranks, so that the tests of the CPU's run there unchanged: included in front of a
// test's source. Every rank gets all results.
#pragma once

#include <cstddef>
#include <ranges>

#include "mpi/moves_backend.hpp"
#include "upsweep/mpi/top_k.hpp"
#include "upsweep/top_k.hpp"

namespace upsweep::test {

using upsweep::top_k;
using upsweep::top_k_by_key;
using upsweep::top_k_indices;

// body(ranks, parts of the ranks); each has some of `in`.
template <class In, class Body>
void with_inputs(mpi_executor& ex, const In& in, const Body& body) {
    call_in_parts call(ex);
    const std::vector<std::size_t> cuts = call.cut(std::ranges::size(in));
    body(call, cuts);
}
template <class In, class Out>
void top_k(mpi_executor& ex, const In& in, Out&& out, const top_k_options& options = {}) {
    with_inputs(ex, in, [&](const call_in_parts& call, const std::vector<std::size_t>& cuts) {
        const auto own = call.part_of(in, cuts);
        upsweep::top_k(call.ranks(), own.span(), out, options);
    });
}
template <class In, class Out>
void top_k_indices(mpi_executor& ex, const In& in, Out&& out, const top_k_options& options = {}) {
    with_inputs(ex, in, [&](const call_in_parts& call, const std::vector<std::size_t>& cuts) {
        const auto own = call.part_of(in, cuts);
        upsweep::top_k_indices(call.ranks(), own.span(), out, options);
    });
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
void top_k_by_key(mpi_executor& ex, const Keys& keys, const Values& values, KeysOut&& keys_out,
                  ValuesOut&& values_out, const top_k_options& options = {}) {
    with_inputs(ex, keys, [&](const call_in_parts& call, const std::vector<std::size_t>& cuts) {
        const auto own = call.part_of(keys, cuts);
        const auto own_values = call.part_of(values, cuts, 3);
        upsweep::top_k_by_key(call.ranks(), own.span(), own_values.span(), keys_out, values_out, options);
    });
}

}  // namespace upsweep::test
