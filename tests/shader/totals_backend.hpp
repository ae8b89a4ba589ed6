// Totals in OpenGL and Vulkan under test (backend.hpp), of host memory. What the stages lack is computed on
// the host, so that a test goes on, and reported.
#pragma once

#include <cstddef>
#include <functional>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include "shader/axis_backend.hpp"
#include "shader/backend.hpp"
#include "support/backend.hpp"
#include "upsweep/axis_reduce.hpp"
#include "upsweep/reduce.hpp"

namespace upsweep::test {

// The CPU's functions stay visible beside these.
using upsweep::reduce;
using upsweep::transform_reduce;

template <class Acc = deduced, input_range In, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
A reduce(shader_executor& ex, const In& in, const Op& op = {},
         const std::type_identity_t<reduce_options<A>>& options = {}) {
    using element = std::ranges::range_value_t<In>;
    if constexpr (has_scan<element, Op, A, A>) {
        if (takes<Op, A>(ex))
            return ex.total<A, Op>(std::ranges::data(in), std::ranges::size(in), options.initial);
    } else {
        report_lack<element, A, A>();
    }
    cpu::executor host(1);
    return upsweep::reduce<A>(host, in, op, options);
}

template <
    class Acc = deduced, input_range In, class Op, class Function,
    class A = core::accumulator_for<
        Acc, std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>, Op>>
A transform_reduce(shader_executor&, const In& in, const Op& op, const Function& f,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
    leave_out("functions of elements");
    cpu::executor host(1);
    return upsweep::transform_reduce<A>(host, in, op, f, options);
}

template <class Acc = deduced, class In, class T, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires(has_scan<std::remove_const_t<In>, Op, T, A>) void reduce(
    shader_executor& ex, const strided_view<In>& in, const strided_view<T>& out, int axis, const Op& = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    const shader_array from = detail::array_of_view(in), to = detail::array_of_view(out);
    const auto total = [&](shader::axis_way way, T* result) -> const std::vector<std::string>& {
        return ex.scan_axis({shader::operation_of<Op, T, In>(), from, to, result, axis, false, false,
                             options.initial ? &*options.initial : nullptr, way, true});
    };
    detail::in_every_way<T>(ex, static_cast<std::size_t>(in.size()), to, total);
}

}  // namespace upsweep::test
