// The call that tests of linear recurrences make, as scan_calls.hpp has those of scans: for executors that
// have recurrence<T>(a, a's size, b, b's size, x0, out, out's size, options), and smoothing<T>(a, b, ...) of
// one coefficient.
#pragma once

#include <ranges>
#include <type_traits>

#include "support/scan_calls.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/recurrence.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {

template <class Acc = deduced, host_scanner Executor, input_range A, input_range B, class Out,
          class T = core::accumulator_for<Acc,
                                          std::common_type_t<accumulator_type<std::ranges::range_value_t<A>>,
                                                             accumulator_type<std::ranges::range_value_t<B>>>,
                                          affine>>
void linear_recurrence(Executor& ex, const A& a, const B& b, const std::type_identity_t<T>& x0, Out&& out,
                       const recurrence_options& options = {}) {
    ex.template recurrence<T>(std::ranges::data(a), std::ranges::size(a), std::ranges::data(b),
                              std::ranges::size(b), x0, std::ranges::data(out), std::ranges::size(out),
                              options);
}

template <class Acc = deduced, host_scanner Executor, input_range B, class Out,
          class T = core::accumulator_for<Acc, accumulator_type<std::ranges::range_value_t<B>>, affine>>
void linear_recurrence(Executor& ex, const std::type_identity_t<T>& a, const B& b,
                       const std::type_identity_t<T>& x0, Out&& out, const recurrence_options& options = {}) {
    ex.template smoothing<T>(a, std::ranges::data(b), std::ranges::size(b), x0, std::ranges::data(out),
                             std::ranges::size(out), options);
}

}  // namespace upsweep::test
