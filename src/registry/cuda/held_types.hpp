// Which held accumulators an operator has kernels for on the GPU.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "registry/dtype.hpp"
#include "registry/value.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::registry::gpu {

// Integers whose order does not matter are held unsigned. A build that only shows that the kernels compile
// (UPSWEEP_CUDA_FEW_TYPES) has one type for each operator.
template <class Op, class Held>
inline constexpr bool is_held = has_identity<Op, Held> &&
                                (!std::signed_integral<Held> || std::same_as<Op, minimum> ||
                                 std::same_as<Op, maximum>)
#ifdef UPSWEEP_CUDA_FEW_TYPES
                                &&(std::same_as<Held, float> ||
                                   (std::same_as<Held, std::uint32_t> && !has_identity<Op, float>))
#endif
    ;

// An initial value of a held type, if there is one.
template <class Held>
std::optional<Held> held_initial(const value* initial) {
    return initial != nullptr ? std::optional<Held>(initial->as<Held>()) : std::nullopt;
}

// Calls body(std::type_identity<Held>{}) for the C++ type of `held`.
template <class Body>
void visit_held(dtype held, const Body& body) {
    switch (held) {
        case dtype::int32:
            return body(std::type_identity<std::int32_t>{});
        case dtype::uint32:
            return body(std::type_identity<std::uint32_t>{});
        case dtype::int64:
            return body(std::type_identity<std::int64_t>{});
        case dtype::uint64:
            return body(std::type_identity<std::uint64_t>{});
        case dtype::float32:
            return body(std::type_identity<float>{});
        case dtype::float64:
            return body(std::type_identity<double>{});
        case dtype::complex64:
            return body(std::type_identity<std::complex<float>>{});
        case dtype::complex128:
            return body(std::type_identity<std::complex<double>>{});
        default:
            throw_error(errc::unsupported,
                        "held: no accumulators of " + std::string(name(held)) + " on a GPU");
    }
}
// The same for those that the operator has kernels for.
template <class Op, class Body>
void visit_held_under(dtype held, const Body& body) {
    visit_held(held, [&]<class Held>(std::type_identity<Held> type) {
        if constexpr (is_held<Op, Held>)
            body(type);
        else
            throw_error(errc::unsupported,
                        "held: no accumulators of " + std::string(name(held)) + " on a GPU in this build");
    });
}
// The same with unsigned integers for signed ones, where only their bits matter.
template <class Body>
void visit_held_bits(dtype held, const Body& body) {
    visit_held(held, [&]<class Held>(std::type_identity<Held>) {
        if constexpr (std::integral<Held>)
            body(std::type_identity<std::make_unsigned_t<Held>>{});
        else
            body(std::type_identity<Held>{});
    });
}

}  // namespace upsweep::registry::gpu
