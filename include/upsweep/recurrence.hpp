// First-order linear recurrences: x[i] = a[i] x[i-1] + b[i] with x[-1] = x0.
//
// The maps x -> a[i] x + b[i] are scanned under composition (operator `affine`), starting from the constant
// map x0, and the second component is stored. Shapes: a, b and out have equal size n >= 0. The arithmetic
// happens in Acc (the common type of a and b unless named; float for 16-bit floating point). Bits: those of
// docs/numerics.md for `affine` with initial value (0, x0); each product and each sum is rounded by itself.
// Aliasing: out may be a or b (equal pointers, elements of equal size); any other overlap is an error.
// Errors: upsweep::error names the argument; nothing has been written then.
// Complexity: O(n) work, one read of a and b and one write of out through memory.
// Source: Kogge and Stone, "A parallel algorithm for the efficient solution of a general class of recurrence
// equations", 1973; Blelloch, "Prefix sums and their applications", 1990, section 1.4.
#pragma once

#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>

#include "upsweep/cpu/recurrence.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {
namespace detail {

template <class T, class A, class B>
struct recurrence_source {
    const A* a;
    const B* b;

    auto reader(std::size_t first) const {
        return [at_a = a + first, at_b = b + first]() mutable {
            return affine_map<T>{cpu::convert<T>(*at_a++), cpu::convert<T>(*at_b++)};
        };
    }
};

template <class T, class Out>
struct recurrence_sink {
    Out* y;
    std::optional<affine_map<T>> before{};

    auto writer(std::size_t first) const {
        return [at = y + first](const affine_map<T>& prefix) mutable { *at++ = cpu::convert<Out>(prefix.b); };
    }
};

// Whether out is a or b, after all checks.
template <class A, class B, class Out>
bool check_recurrence(const A& a, const B& b, const Out& out) {
    const std::size_t n = std::ranges::size(a);
    const auto check = [&](const char* name, std::size_t size) {
        if (size != n) {
            throw_error(errc::invalid_argument, std::string(name) + ": expected " + std::to_string(n) +
                                                    " elements, as many as a, but it has " +
                                                    std::to_string(size));
        }
    };
    check("b", std::ranges::size(b));
    check("out", std::ranges::size(out));
    constexpr std::size_t element = sizeof(std::ranges::range_value_t<Out>);
    const bool is_a = check_overlap(std::ranges::data(a), sizeof(std::ranges::range_value_t<A>),
                                    std::ranges::data(out), element, n);
    const bool is_b = check_overlap(std::ranges::data(b), sizeof(std::ranges::range_value_t<B>),
                                    std::ranges::data(out), element, n);
    return is_a || is_b;
}

}  // namespace detail

template <class Acc = deduced, input_range A, input_range B, class Out,
          class T = core::accumulator_for<Acc,
                                          std::common_type_t<accumulator_type<std::ranges::range_value_t<A>>,
                                                             accumulator_type<std::ranges::range_value_t<B>>>,
                                          affine>>
requires output_range<Out, T>
void linear_recurrence(cpu::executor& ex, const A& a, const B& b, const std::type_identity_t<T>& x0,
                       Out&& out) {
    const std::size_t n = std::ranges::size(a);
    using element = std::ranges::range_value_t<Out>;
    const bool in_place = detail::check_recurrence(a, b, out);
    if (n == 0) return;
    const cpu::scan_shape shape{n, false, in_place,
                                n * (sizeof(std::ranges::range_value_t<A>) +
                                     sizeof(std::ranges::range_value_t<B>) + sizeof(element))};
    if constexpr (cpu::has_affine_kernels<T>) {
        cpu::run_recurrence<T>(ex, cpu::make_source<T>(detail::as_storage(std::ranges::data(a))),
                               cpu::make_source<T>(detail::as_storage(std::ranges::data(b))), x0,
                               cpu::make_sink<T>(detail::as_storage(std::ranges::data(out))), shape);
    } else {
        const detail::recurrence_source<T, std::ranges::range_value_t<A>, std::ranges::range_value_t<B>>
            source{std::ranges::data(a), std::ranges::data(b)};
        const detail::recurrence_sink<T, element> sink{std::ranges::data(out)};
        core::tree_carry<affine_map<T>> carry{affine_map<T>{T(0), x0}, {}, 0};
        cpu::run_generic_scan<affine_map<T>>(ex, source, sink, affine{}, shape, carry);
    }
}

}  // namespace upsweep
