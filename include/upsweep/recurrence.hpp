// First-order linear recurrences, of sequences and along an axis.
//
//     out[i] = a[i] out[i-1] + b[i] with x0 for out[-1]
//     out[i] = a[i] out[i+1] + b[i] with x0 for out[n]     with options.reverse
//
// The maps x -> a[i] x + b[i] are scanned under composition (operator `affine`), starting from the constant
// map x0, and the second component is stored. Along an axis, which counts from 0, or from the end if
// negative, every sequence is one of its own that starts from x0. The arithmetic happens in Acc, the common
// type of a and b unless named (float for 16-bit floating point).
//
// Shapes: a, b and out have equal size n >= 0, or equal shapes; a view of a or b may repeat elements
// (stride 0), so that one coefficient serves a whole sequence, and a may be a number that serves all.
// Bits: those of docs/numerics.md for `affine` with initial value (0, x0); each product and each sum is
// rounded by itself. With options.reverse: those of the recurrence of the reversed sequences.
// Aliasing: out may be a or b (equal pointers and strides, elements of equal size); any other overlap is an
// error.
// Errors: upsweep::error names the argument; nothing has been written then.
// Complexity: O(n) work, one read of a and b and one write of out through memory.
// Source: Kogge and Stone, "A parallel algorithm for the efficient solution of a general class of
// recurrence equations", 1973; Blelloch, "Prefix sums and their applications", 1990, section 1.4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cpu/axis.hpp"
#include "upsweep/cpu/recurrence.hpp"
#include "upsweep/options.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
namespace detail {

template <class T, class A, class B>
struct recurrence_source {
    const A* a;
    std::ptrdiff_t a_stride;
    const B* b;
    std::ptrdiff_t b_stride;

    auto reader(std::size_t first) const {
        const auto from = static_cast<std::ptrdiff_t>(first);
        return [at_a = a + from * a_stride, at_b = b + from * b_stride, a_stride = a_stride,
                b_stride = b_stride]() mutable {
            const affine_map<T> map{cpu::convert<T>(*at_a), cpu::convert<T>(*at_b)};
            at_a += a_stride;
            at_b += b_stride;
            return map;
        };
    }
    recurrence_source from(std::size_t first) const {
        const auto at = static_cast<std::ptrdiff_t>(first);
        return {a + at * a_stride, a_stride, b + at * b_stride, b_stride};
    }
};

template <class T, class Out>
struct recurrence_sink {
    Out* y;
    std::ptrdiff_t stride;
    std::optional<affine_map<T>> before{};

    auto writer(std::size_t first) const {
        return [at = y + static_cast<std::ptrdiff_t>(first) * stride,
                stride = stride](const affine_map<T>& prefix) mutable {
            *at = cpu::convert<Out>(prefix.b);
            at += stride;
        };
    }
    recurrence_sink from(std::size_t first) const {
        return {y + static_cast<std::ptrdiff_t>(first) * stride, stride, before};
    }
};

// Whether out is the input of that name, of as many elements, after all checks.
template <class In, class Out>
bool check_recurrence(const In& in, const char* name, const Out& out) {
    const std::size_t n = std::ranges::size(in);
    check_as_many("out", std::ranges::size(out), name, n);
    return check_overlap(std::ranges::data(in), sizeof(std::ranges::range_value_t<In>),
                         std::ranges::data(out), sizeof(std::ranges::range_value_t<Out>), n);
}
template <class A, class B, class Out>
bool check_recurrence(const A& a, const B& b, const Out& out) {
    check_as_many("b", std::ranges::size(b), "a", std::ranges::size(a));
    const bool is_a = check_recurrence(a, "a", out);
    const bool is_b = check_recurrence(b, "b", out);
    return is_a || is_b;
}

// One sequence of n elements, which begins and lies as source and sink say.
template <class T, class A, class B, class Out>
void run_recurrence(cpu::executor& ex, const recurrence_source<T, A, B>& from, const T& x0,
                    const recurrence_sink<T, Out>& to, std::size_t n, bool in_place) {
    const std::size_t read = from.a_stride == 0 ? sizeof(B) : sizeof(A) + sizeof(B);
    const cpu::scan_shape shape{n, false, in_place, n * (read + sizeof(Out))};
    if constexpr (cpu::has_affine_kernels<T>) {
        cpu::run_recurrence<T>(ex, cpu::make_source<T>(as_storage(from.a), from.a_stride),
                               cpu::make_source<T>(as_storage(from.b), from.b_stride), x0,
                               cpu::make_sink<T>(as_storage(to.y), to.stride), shape);
    } else {
        core::tree_carry<affine_map<T>> carry{affine_map<T>{T(0), x0}, {}, 0};
        cpu::run_generic_scan<affine_map<T>>(ex, from, to, affine{}, shape, carry);
    }
}

// The sequences of a geometry, which begin at a, b and out and whose strides have the direction of the
// recurrence.
template <class T, class A, class B, class Out>
void run_recurrences(cpu::executor& ex, const A* a, const B* b, const T& x0, Out* out,
                     const core::axis_geometry& geometry, bool in_place) {
    if constexpr (cpu::has_affine_kernels<T>) {
        cpu::run_axis_recurrence<T>(ex, cpu::make_source<T>(as_storage(a), geometry.in_stride),
                                    cpu::make_source<T>(as_storage(b), geometry.second_stride), x0,
                                    cpu::make_sink<T>(as_storage(out), geometry.out_stride), geometry,
                                    in_place);
    } else {
        const T start = x0;  // which may be an element of out
        const auto scan = [&](cpu::executor& with, std::size_t sequence) {
            const auto at = geometry.begin(sequence);
            run_recurrence<T, A, B, Out>(
                with, {a + at.in, geometry.in_stride, b + at.second, geometry.second_stride}, start,
                {out + at.out, geometry.out_stride}, geometry.length, in_place);
        };
        cpu::for_each_sequence(ex, geometry, sizeof(A) + sizeof(B) + sizeof(Out), scan);
    }
}

template <class Acc, class A, class B>
using recurrence_number = core::accumulator_for<
    Acc,
    std::common_type_t<accumulator_type<std::remove_const_t<A>>, accumulator_type<std::remove_const_t<B>>>,
    affine>;

}  // namespace detail

// out[i] = a[i] out[i-1] + b[i] with x0 for out[-1].
template <class Acc = deduced, input_range A, input_range B, class Out,
          class T =
              detail::recurrence_number<Acc, std::ranges::range_value_t<A>, std::ranges::range_value_t<B>>>
requires output_range<Out, T>
void linear_recurrence(cpu::executor& ex, const A& a, const B& b, const std::type_identity_t<T>& x0,
                       Out&& out, const recurrence_options& options = {}) {
    const bool in_place = detail::check_recurrence(a, b, out);
    const std::size_t n = std::ranges::size(a);
    if (n == 0) return;
    const std::ptrdiff_t stride = options.reverse ? -1 : 1;
    const auto first = options.reverse ? static_cast<std::ptrdiff_t>(n) - 1 : 0;
    detail::run_recurrence<T, std::ranges::range_value_t<A>, std::ranges::range_value_t<B>,
                           std::ranges::range_value_t<Out>>(
        ex, {std::ranges::data(a) + first, stride, std::ranges::data(b) + first, stride}, x0,
        {std::ranges::data(out) + first, stride}, n, in_place);
}

// out[i] = a out[i-1] + b[i]: one coefficient for all, so exponential smoothing. The bits are those of as
// many equal ones. It has the type of the arithmetic, as x0 has: the accumulators' of b, unless Acc is named.
template <class Acc = deduced, input_range B, class Out,
          class T =
              detail::recurrence_number<Acc, std::ranges::range_value_t<B>, std::ranges::range_value_t<B>>>
requires output_range<Out, T>
void linear_recurrence(cpu::executor& ex, const std::type_identity_t<T>& a, const B& b,
                       const std::type_identity_t<T>& x0, Out&& out, const recurrence_options& options = {}) {
    const bool in_place = detail::check_recurrence(b, "b", out);
    const std::size_t n = std::ranges::size(b);
    if (n == 0) return;
    const T coefficient = a;  // which may be an element of out
    const std::ptrdiff_t stride = options.reverse ? -1 : 1;
    const auto first = options.reverse ? static_cast<std::ptrdiff_t>(n) - 1 : 0;
    detail::run_recurrence<T, T, std::ranges::range_value_t<B>, std::ranges::range_value_t<Out>>(
        ex, {&coefficient, 0, std::ranges::data(b) + first, stride}, x0,
        {std::ranges::data(out) + first, stride}, n, in_place);
}

// The recurrence of every sequence along the axis.
template <class Acc = deduced, class A, class B, class Out, class T = detail::recurrence_number<Acc, A, B>>
requires(!std::is_const_v<Out>) void linear_recurrence(cpu::executor& ex, const strided_view<A>& a,
                                                       const strided_view<B>& b,
                                                       const std::type_identity_t<T>& x0,
                                                       const strided_view<Out>& out, int axis,
                                                       const recurrence_options& options = {}) {
    int same_axis = axis;
    const bool is_a = detail::check_views(a, out, axis, "a");
    const bool is_b = detail::check_views(b, out, same_axis, "b");
    if (out.size() == 0) return;
    core::axis_geometry geometry(a.shape(), a.strides(), b.strides(), out.strides(),
                                 static_cast<std::size_t>(axis));
    core::axis_geometry::offsets first{0, 0, 0};
    if (options.reverse) first = geometry.turn();
    detail::run_recurrences<T>(ex, a.data() + first.in, b.data() + first.second, x0, out.data() + first.out,
                               geometry, is_a || is_b);
}

// The same with one coefficient for all.
template <class Acc = deduced, class B, class Out, class T = detail::recurrence_number<Acc, B, B>>
requires(!std::is_const_v<Out>) void linear_recurrence(cpu::executor& ex, const std::type_identity_t<T>& a,
                                                       const strided_view<B>& b,
                                                       const std::type_identity_t<T>& x0,
                                                       const strided_view<Out>& out, int axis,
                                                       const recurrence_options& options = {}) {
    const bool in_place = detail::check_views(b, out, axis, "b");
    if (out.size() == 0) return;
    const T coefficient = a;  // which may be an element of out
    constexpr std::array<std::int64_t, max_rank> none{};
    core::axis_geometry geometry(b.shape(), std::span(none).first(b.shape().size()), b.strides(),
                                 out.strides(), static_cast<std::size_t>(axis));
    core::axis_geometry::offsets first{0, 0, 0};
    if (options.reverse) first = geometry.turn();
    detail::run_recurrences<T>(ex, &coefficient, b.data() + first.second, x0, out.data() + first.out,
                               geometry, in_place);
}

}  // namespace upsweep
