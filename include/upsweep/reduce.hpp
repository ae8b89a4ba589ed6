// The total of a sequence: reduce and transform_reduce.
//
//     reduce(executor, in, op, options)              initial (+) in[0] (+) ... (+) in[n - 1]
//     transform_reduce(executor, in, op, f, options) the same of f(in[0]), ..., f(in[n - 1])
//
// Shapes: in is a contiguous range of n >= 0 elements. The result is the accumulator, whose type is chosen as
// in scan.hpp: reduce<double>(executor, floats). Of no elements it is the initial value, or else the
// operator's identity.
// Bits: those of the last result of inclusive_scan, for every executor, thread count and instruction set.
// Errors: upsweep::error names the argument. An exception from the operator or the function passes through.
// Complexity: O(n) work, one read of in; scratch of n / 4096 accumulators where several threads share it.
// Source: the up-sweep of Blelloch, "Prefix sums and their applications", 1990, over the tree of
// docs/numerics.md.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>

#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/reduce.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/options.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {
namespace detail {

// The total of no elements.
template <class Acc, class Op>
Acc total_of_none(const Op& op, const std::optional<Acc>& initial) {
    if (initial) return *initial;
    if constexpr (has_identity<Op, Acc>) {
        return identity_of<Acc>(op);
    } else {
        throw_error(errc::invalid_argument,
                    "options.initial: the total of no elements needs an initial value, because the operator "
                    "has no identity");
    }
}

template <class Acc, class In, class Op, class Function>
Acc reduce_range(cpu::executor& ex, const In* in, std::size_t n, const Op& op, const Function& function,
                 const std::optional<Acc>& initial) {
    if (n == 0) return total_of_none<Acc>(op, initial);
    if constexpr (cpu::has_kernels<Acc, Op>) {
        if constexpr (std::is_same_v<Function, std::identity> && std::is_same_v<In, Acc>) {
            if (n <= cpu::small_size)
                return cpu::run_small_reduce<Acc, Op>(ex.simd(), in, n,
                                                      initial ? *initial : identity_of<Acc>(op));
        }
        cpu::source<Acc> source;
        if constexpr (std::is_same_v<Function, std::identity>)
            source = cpu::make_source<Acc>(as_storage(in));
        else
            source = cpu::make_source<Acc>(in, 1, function);
        return cpu::run_reduce(cpu::operation_of<Acc, Op>, ex, source, n, initial);
    } else {
        const cpu::element_source<Acc, In, Function> source{in, 1, function};
        return cpu::run_generic_reduce<Acc>(ex, source, op, n, initial);
    }
}

}  // namespace detail

// Returns initial (+) in[0] (+) ... (+) in[n - 1].
template <class Acc = deduced, input_range In, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires combines<Op, A> A reduce(cpu::executor& ex, const In& in, const Op& op = {},
                                  const std::type_identity_t<reduce_options<A>>& options = {}) {
    return detail::reduce_range<A>(ex, std::ranges::data(in), std::ranges::size(in), core::known<A>(op),
                                   std::identity{}, options.initial);
}

// Returns initial (+) f(in[0]) (+) ... (+) f(in[n - 1]). f is called once for an element, from several
// threads.
template <
    class Acc = deduced, input_range In, class Op, class Function,
    class A = core::accumulator_for<
        Acc, std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>, Op>>
requires combines<Op, A> A transform_reduce(cpu::executor& ex, const In& in, const Op& op, const Function& f,
                                            const std::type_identity_t<reduce_options<A>>& options = {}) {
    return detail::reduce_range<A>(ex, std::ranges::data(in), std::ranges::size(in), core::known<A>(op),
                                   detail::as_object(f), options.initial);
}

}  // namespace upsweep
