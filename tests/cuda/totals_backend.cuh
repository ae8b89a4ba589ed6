// Totals of host memory on the GPU, so that the tests of the CPU's run on it unchanged: included in front of
// a test's source. Calls take turns in where lengths and initial values come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <ranges>
#include <type_traits>

#include "cuda/axis_backend.cuh"
#include "cuda/backend.cuh"
#include "upsweep/axis_reduce.hpp"
#include "upsweep/cuda/axis_reduce.cuh"
#include "upsweep/cuda/reduce.cuh"
#include "upsweep/reduce.hpp"

namespace upsweep::test {

namespace detail {

template <class Acc, class In, class Op, class Function>
Acc reduce_there(cuda_executor& ex, const In* in, std::size_t n, const Op& op, const Function& f,
                 const reduce_options<Acc>& options) {
    device_staging& staging = ex.staging();
    const unsigned turn = ex.next_turn();
    const bool counted = turn % 3 == 1 && (has_identity<Op, Acc> || options.initial);
    const std::size_t surplus = counted && !staging.exact() ? turn % 11 * 3700 : 0;
    staging.begin();
    const std::size_t x = staging.add((n + surplus) * sizeof(In), device_staging::misalignment(in));
    const std::size_t length = staging.add(sizeof(std::uint64_t), 8 * (turn % 5));
    const std::size_t initial = staging.add(sizeof(Acc), alignof(Acc) * (turn % 5));
    const std::size_t total = staging.add(sizeof(Acc), alignof(Acc) * (turn % 7));
    staging.place();
    staging.write(x, in, n * sizeof(In));
    const auto count = static_cast<std::uint64_t>(n);
    staging.write(length, &count, sizeof count);
    cuda::reduce_options<Acc> asked;
    if (options.initial && turn % 2 == 1) {
        staging.write(initial, &*options.initial, sizeof(Acc));
        asked.device_initial = staging.at<const Acc>(initial);
    } else {
        asked.initial = options.initial;
    }
    if (counted) asked.length = staging.at<const std::uint64_t>(length);
    staging.upload(ex.device().stream());
    const cuda::device_span<const In> from(staging.at<const In>(x), n + surplus);
    if constexpr (std::is_same_v<Function, std::identity>)
        upsweep::reduce<Acc>(ex.device(), from, staging.at<Acc>(total), op, asked);
    else
        upsweep::transform_reduce<Acc>(ex.device(), from, staging.at<Acc>(total), op, f, asked);
    staging.download(ex.device().stream());
    EXPECT_TRUE(staging.sentinels_intact()) << "wrote outside the arrays";
    EXPECT_TRUE(n == 0 || std::memcmp(staging.host(x), in, n * sizeof(In)) == 0) << "changed the input";
    Acc result;
    std::memcpy(static_cast<void*>(&result), staging.host(total), sizeof result);
    return result;
}

}  // namespace detail

// The CPU's functions stay visible beside these.
using upsweep::reduce;
using upsweep::transform_reduce;

template <class Acc = deduced, input_range In, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
A reduce(cuda_executor& ex, const In& in, const Op& op = {},
         const std::type_identity_t<reduce_options<A>>& options = {}) {
    return detail::reduce_there<A>(ex, std::ranges::data(in), std::ranges::size(in), op, std::identity{},
                                   options);
}

template <
    class Acc = deduced, input_range In, class Op, class Function,
    class A = core::accumulator_for<
        Acc, std::decay_t<std::invoke_result_t<const Function&, const std::ranges::range_value_t<In>&>>, Op>>
A transform_reduce(cuda_executor& ex, const In& in, const Op& op, const Function& f,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
    return detail::reduce_there<A>(ex, std::ranges::data(in), std::ranges::size(in), op, f, options);
}

// What lies between the elements of views stays as it is.
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
void reduce(cuda_executor& ex, const strided_view<In>& in, const strided_view<Out>& out, int axis,
            const Op& op = {}, const std::type_identity_t<reduce_options<A>>& options = {}) {
    const detail::viewed_memory from(in), to(out);
    device_staging& staging = ex.staging();
    staging.begin();
    const std::size_t x = staging.add(from.bytes, from.misalignment());
    const std::size_t y = staging.add(to.bytes, to.misalignment());
    staging.place();
    staging.write(x, from.first, from.bytes);
    staging.write(y, to.first, to.bytes);
    staging.upload(ex.device().stream());
    const auto there = [&]<class T>(const strided_view<T>& view, std::size_t array, const char* first) {
        const auto offset = reinterpret_cast<const char*>(view.data()) - first;
        return cuda::device_view<T>(reinterpret_cast<T*>(staging.device(array) + offset), view.shape(),
                                    view.strides());
    };
    upsweep::reduce<Acc>(ex.device(), there(in, x, from.first), there(out, y, to.first), axis, op, options);
    staging.download(ex.device().stream());
    EXPECT_TRUE(staging.sentinels_intact()) << "wrote outside the arrays";
    EXPECT_EQ(std::memcmp(staging.host(x), from.first, from.bytes), 0) << "changed the input";
    std::memcpy(const_cast<char*>(to.first), staging.host(y), to.bytes);
}

}  // namespace upsweep::test
