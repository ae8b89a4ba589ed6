// First-order linear recurrences in CUDA device memory: x[i] = a[i] x[i-1] + b[i] with x[-1] = x0, of
// sequences and along an axis.
//
// The maps x -> a[i] x + b[i] are scanned under composition (operator `affine`), starting from the constant
// map x0, and the second component is stored. Shapes: a, b and out are device spans of equal size n >= 0, or
// device views of equal shapes, of which a and b may repeat elements (stride 0); a may also be a number,
// which serves all and is not read from memory; `axis` counts from 0, or from the end if negative. Types,
// bits, options and sources are those of the CPU's linear_recurrence (upsweep/recurrence.hpp). The call
// returns when the work is in the executor's stream. Aliasing: out may be a or b (equal pointers and strides,
// elements of equal size); any other overlap is an error. Errors: upsweep::error names the argument; nothing
// has been enqueued then. Complexity: one read of a and b and one write of out; along an axis as the scans of
// cuda/axis_scan.cuh.
#pragma once

#include <string>
#include <type_traits>

#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/scan.cuh"

namespace upsweep {
namespace cuda::detail {

template <class T>
struct make_map {
    static constexpr bool keeps_sides = true;
    template <class A, class B>
    __device__ __forceinline__ affine_map<T> operator()(const A& a, const B& b) const {
        return {convert<T>(a), convert<T>(b)};
    }
};
// With one coefficient for all.
template <class T>
struct make_map_by {
    static constexpr bool keeps_sides = true;
    T a;
    template <class B>
    __device__ __forceinline__ affine_map<T> operator()(const B& b) const {
        return {a, convert<T>(b)};
    }
};
struct second_component {
    template <class T>
    __device__ __forceinline__ T operator()(const affine_map<T>& map) const {
        return map.b;
    }
};

template <class T, class A, class B, class Out>
using recurrence_types = scan_types<affine_map<T>, affine, Out, affine_map<T>, make_map<T>, second_component,
                                    std::remove_const_t<A>, std::remove_const_t<B>>;
template <class T, class B, class Out>
using smoothing_types = scan_types<affine_map<T>, affine, Out, affine_map<T>, make_map_by<T>,
                                   second_component, std::remove_const_t<B>>;
template <class Acc, class A, class B>
using recurrence_number = core::accumulator_for<
    Acc,
    std::common_type_t<accumulator_type<std::remove_const_t<A>>, accumulator_type<std::remove_const_t<B>>>,
    affine>;

// Of the inputs that the arguments have.
template <class Types, class T>
void set_up_recurrence(scan_arguments<Types>& arguments, const T& x0, typename Types::Out* out,
                       std::uint64_t n) {
    arguments.out = out;
    arguments.n = n;
    arguments.has_initial = true;
    arguments.initial = {T(0), x0};
}

// What a call's kernels are given, once all of it has been checked.
template <class T, class A, class B, class Out>
scan_arguments<recurrence_types<T, A, B, Out>> checked_recurrence(executor& ex, device_span<A> a,
                                                                  device_span<B> b, const T& x0,
                                                                  device_span<Out> out,
                                                                  const recurrence_options& options) {
    using types = recurrence_types<T, A, B, Out>;
    const auto n = a.size();
    upsweep::detail::check_as_many("b", b.size(), "a", n);
    upsweep::detail::check_as_many("out", out.size(), "a", n);
    scan_arguments<types> arguments{};
    arguments.in[0] = a.data();
    arguments.in[1] = b.data();
    set_up_recurrence(arguments, x0, out.data(), n);
    arguments.reverse = options.reverse;
    check_call<types>(ex, {a.data(), b.data()}, {"a", "b"}, out.data(), n, arguments);
    return arguments;
}
template <class T, class B, class Out>
scan_arguments<smoothing_types<T, B, Out>> checked_smoothing(executor& ex, const T& a, device_span<B> b,
                                                             const T& x0, device_span<Out> out,
                                                             const recurrence_options& options) {
    using types = smoothing_types<T, B, Out>;
    const auto n = b.size();
    upsweep::detail::check_as_many("out", out.size(), "b", n);
    scan_arguments<types> arguments{};
    arguments.in[0] = b.data();
    arguments.load = {a};
    set_up_recurrence(arguments, x0, out.data(), n);
    arguments.reverse = options.reverse;
    check_call<types>(ex, {b.data()}, {"b"}, out.data(), n, arguments);
    return arguments;
}

}  // namespace cuda::detail

template <class Acc = deduced, class A, class B, class Out,
          class T = cuda::detail::recurrence_number<Acc, A, B>>
requires(!std::is_const_v<Out>) void linear_recurrence(cuda::executor& ex, cuda::device_span<A> a,
                                                       cuda::device_span<B> b,
                                                       const std::type_identity_t<T>& x0,
                                                       cuda::device_span<Out> out,
                                                       const recurrence_options& options = {}) {
    const auto arguments = cuda::detail::checked_recurrence<T>(ex, a, b, x0, out, options);
    using types = cuda::detail::recurrence_types<T, A, B, Out>;
    if (arguments.n != 0) cuda::scan_launch<types, false>(ex, arguments).run();
}

// The same with one coefficient and the bits of as many equal ones. It has the type of the arithmetic, as x0
// has: the accumulators' of b, unless Acc is named.
template <class Acc = deduced, class B, class Out, class T = cuda::detail::recurrence_number<Acc, B, B>>
requires(!std::is_const_v<Out>) void linear_recurrence(cuda::executor& ex, const std::type_identity_t<T>& a,
                                                       cuda::device_span<B> b,
                                                       const std::type_identity_t<T>& x0,
                                                       cuda::device_span<Out> out,
                                                       const recurrence_options& options = {}) {
    const auto arguments = cuda::detail::checked_smoothing<T>(ex, a, b, x0, out, options);
    using types = cuda::detail::smoothing_types<T, B, Out>;
    if (arguments.n != 0) cuda::scan_launch<types, false>(ex, arguments).run();
}

// Along `axis` of views.
template <class Acc = deduced, class A, class B, class Out,
          class T = cuda::detail::recurrence_number<Acc, A, B>>
requires(!std::is_const_v<Out>) void linear_recurrence(cuda::executor& ex, const cuda::device_view<A>& a,
                                                       const cuda::device_view<B>& b,
                                                       const std::type_identity_t<T>& x0,
                                                       const cuda::device_view<Out>& out, int axis,
                                                       const recurrence_options& options = {}) {
    using types = cuda::detail::recurrence_types<T, A, B, Out>;
    int same_axis = axis;
    detail::check_views(a.description(), out.description(), axis, "a");
    detail::check_views(b.description(), out.description(), same_axis, "b");
    cuda::axis_arguments<types> arguments{{},
                                          core::axis_geometry(a.shape(), a.strides(), b.strides(),
                                                              out.strides(), static_cast<std::size_t>(axis))};
    if (out.size() == 0) return;
    cuda::detail::check_view(ex, a, "a");
    cuda::detail::check_view(ex, b, "b");
    cuda::detail::check_view(ex, out, "out");
    core::axis_geometry::offsets first{0, 0, 0};
    if (options.reverse) first = arguments.geometry.turn();
    arguments.scan.in[0] = a.data() + first.in;
    arguments.scan.in[1] = b.data() + first.second;
    cuda::detail::set_up_recurrence(arguments.scan, x0, out.data() + first.out, arguments.geometry.length);
    cuda::axis_launch<types, false>(ex, arguments).run();
}
template <class Acc = deduced, class B, class Out, class T = cuda::detail::recurrence_number<Acc, B, B>>
requires(!std::is_const_v<Out>) void linear_recurrence(cuda::executor& ex, const std::type_identity_t<T>& a,
                                                       const cuda::device_view<B>& b,
                                                       const std::type_identity_t<T>& x0,
                                                       const cuda::device_view<Out>& out, int axis,
                                                       const recurrence_options& options = {}) {
    using types = cuda::detail::smoothing_types<T, B, Out>;
    detail::check_views(b.description(), out.description(), axis, "b");
    cuda::axis_arguments<types> arguments{
        {}, core::axis_geometry(b.shape(), b.strides(), out.strides(), static_cast<std::size_t>(axis))};
    if (out.size() == 0) return;
    cuda::detail::check_view(ex, b, "b");
    cuda::detail::check_view(ex, out, "out");
    core::axis_geometry::offsets first{0, 0, 0};
    if (options.reverse) first = arguments.geometry.turn();
    arguments.scan.in[0] = b.data() + first.in;
    arguments.scan.load = {a};
    cuda::detail::set_up_recurrence(arguments.scan, x0, out.data() + first.out, arguments.geometry.length);
    cuda::axis_launch<types, false>(ex, arguments).run();
}

}  // namespace upsweep
