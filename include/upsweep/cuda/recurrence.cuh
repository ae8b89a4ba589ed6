// First-order linear recurrences in CUDA device memory: x[i] = a[i] x[i-1] + b[i] with x[-1] = x0.
//
// The maps x -> a[i] x + b[i] are scanned under composition (operator `affine`), starting from the constant
// map x0, and the second component is stored. Shapes: a, b and out are device spans of equal size n >= 0.
// Types, bits and sources are those of the CPU's linear_recurrence (upsweep/recurrence.hpp). The call returns
// when the work is in the executor's stream. Aliasing: out may be a or b (equal pointers, elements of equal
// size); any other overlap is an error. Errors: upsweep::error names the argument; nothing has been enqueued
// then. Complexity: one read of a and b and one write of out.
#pragma once

#include <string>
#include <type_traits>

#include "upsweep/cuda/scan.cuh"

namespace upsweep {
namespace cuda::detail {

template <class T>
struct make_map {
    template <class A, class B>
    __device__ __forceinline__ affine_map<T> operator()(const A& a, const B& b) const {
        return {convert<T>(a), convert<T>(b)};
    }
};
struct second_component {
    template <class T>
    __device__ __forceinline__ T operator()(const affine_map<T>& map) const {
        return map.b;
    }
};

}  // namespace cuda::detail

template <class Acc = deduced, class A, class B, class Out,
          class T = core::accumulator_for<Acc,
                                          std::common_type_t<accumulator_type<std::remove_const_t<A>>,
                                                             accumulator_type<std::remove_const_t<B>>>,
                                          affine>>
requires(!std::is_const_v<Out>) void linear_recurrence(cuda::executor& ex, cuda::device_span<A> a,
                                                       cuda::device_span<B> b,
                                                       const std::type_identity_t<T>& x0,
                                                       cuda::device_span<Out> out) {
    using types =
        cuda::scan_types<affine_map<T>, affine, Out, affine_map<T>, cuda::detail::make_map<T>,
                         cuda::detail::second_component, std::remove_const_t<A>, std::remove_const_t<B>>;
    const auto n = a.size();
    const auto check_size = [n](std::size_t size, const char* name) {
        if (size != n) {
            throw_error(errc::invalid_argument, std::string(name) + ": expected " + std::to_string(n) +
                                                    " elements, as many as a, but it has " +
                                                    std::to_string(size));
        }
    };
    check_size(b.size(), "b");
    check_size(out.size(), "out");
    cuda::scan_arguments<types> arguments{};
    arguments.in[0] = a.data();
    arguments.in[1] = b.data();
    arguments.out = out.data();
    arguments.n = n;
    arguments.has_initial = true;
    arguments.initial = {T(0), x0};
    cuda::detail::check_call<types>(ex, {a.data(), b.data()}, {"a", "b"}, out.data(), n, arguments);
    if (n != 0) cuda::scan_launch<types, false>(ex, arguments).run();
}

}  // namespace upsweep
