// The calls that tests of scans make, for executors that carry host memory to where it is scanned: those that
// have scan<Acc>(in, n, out, exclusive, op, function, options) and say scans_host_memory. Who includes this
// has using-declarations of the library's own functions, which these would hide.
#pragma once

#include <functional>
#include <ranges>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/options.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {

template <class Executor>
concept host_scanner = Executor::scans_host_memory;

template <class Acc = deduced, host_scanner Executor, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
void inclusive_scan(Executor& ex, const In& in, Out&& out, const Op& op = {},
                    const std::type_identity_t<scan_options<A>>& options = {}) {
    ex.template scan<A>(std::ranges::data(in), std::ranges::size(in), std::ranges::data(out), false, op,
                        std::identity{}, options);
}
template <class Acc = deduced, host_scanner Executor, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
void exclusive_scan(Executor& ex, const In& in, Out&& out, const Op& op = {},
                    const std::type_identity_t<scan_options<A>>& options = {}) {
    ex.template scan<A>(std::ranges::data(in), std::ranges::size(in), std::ranges::data(out), true, op,
                        std::identity{}, options);
}
template <class Function, class In>
using mapped = std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>;
template <class Acc = deduced, host_scanner Executor, input_range In, class Out, class Op, class Function,
          class A = core::accumulator_for<Acc, mapped<Function, In>, Op>>
void transform_inclusive_scan(Executor& ex, const In& in, Out&& out, const Op& op, const Function& f,
                              const std::type_identity_t<scan_options<A>>& options = {}) {
    ex.template scan<A>(std::ranges::data(in), std::ranges::size(in), std::ranges::data(out), false, op, f,
                        options);
}
template <class Acc = deduced, host_scanner Executor, input_range In, class Out, class Op, class Function,
          class A = core::accumulator_for<Acc, mapped<Function, In>, Op>>
void transform_exclusive_scan(Executor& ex, const In& in, Out&& out, const Op& op, const Function& f,
                              const std::type_identity_t<scan_options<A>>& options = {}) {
    ex.template scan<A>(std::ranges::data(in), std::ranges::size(in), std::ranges::data(out), true, op, f,
                        options);
}

}  // namespace upsweep::test
