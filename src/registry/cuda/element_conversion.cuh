// One element of a run-time type to a held accumulator and back, in a kernel (registry/held.hpp).
#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "registry/dtype.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/types.hpp"

namespace upsweep::registry::gpu {

// bool < integers < floating point < complex; values convert upwards only.
template <class T>
constexpr int rank = std::same_as<T, bool> ? 0
                     : std::integral<T>    ? 1
                     : is_complex<T>       ? 3
                                           : 2;

// What an integer accumulator keeps of a value: its low bits, extended by its own sign.
struct integer_form {
    int bits = 64;
    bool is_signed = false;
    bool truth = false;  // bool: whether a value is not zero

    __device__ std::uint64_t keep(std::uint64_t value) const {
        const int shift = 64 - bits;
        return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift)
                         : (value << shift) >> shift;
    }
};
inline integer_form form_of(dtype accumulator) {
    return {8 * static_cast<int>(std::min<std::size_t>(size_of(accumulator), 8)),
            accumulator == dtype::int8 || accumulator == dtype::int16 || accumulator == dtype::int32 ||
                accumulator == dtype::int64,
            accumulator == dtype::bool8};
}

template <class In>
__device__ bool is_true(const In& x) {
    if constexpr (is_half<In>)
        return static_cast<float>(x) != 0;
    else
        return x != In(0);
}

template <class Held, class In>
__device__ Held load(const In& x, const integer_form& form) {
    if constexpr (std::integral<Held>) {
        if (form.truth) return is_true(x) ? Held(1) : Held(0);
        if constexpr (rank<In> <= 1) return static_cast<Held>(form.keep(static_cast<std::uint64_t>(x)));
        return Held(0);  // refused by resolve_types
    } else if constexpr (rank<In> <= rank<Held>) {
        return cpu::convert<Held>(x);
    } else {
        return Held{};
    }
}

template <class Out, class Held>
__device__ Out store(const Held& x, const integer_form& form) {
    if constexpr (std::integral<Held>) {
        if (form.truth) return cpu::convert<Out>((x & 1) != 0);
        if constexpr (rank<Out> == 0) {
            return Out{};
        } else {
            const std::uint64_t kept = form.keep(static_cast<std::uint64_t>(x));
            return form.is_signed ? cpu::convert<Out>(static_cast<std::int64_t>(kept))
                                  : cpu::convert<Out>(kept);
        }
    } else if constexpr (rank<Held> <= rank<Out>) {
        return cpu::convert<Out>(x);
    } else {
        return Out{};
    }
}

}  // namespace upsweep::registry::gpu
