// How accumulators are combined on the device: operand order, absent operands, conversions, and the machine's
// instructions where they have the operators' exact meaning.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::cuda {

template <class Op>
inline constexpr bool is_built_in_scalar =
    std::same_as<Op, plus> || std::same_as<Op, multiplies> || std::same_as<Op, minimum> ||
    std::same_as<Op, maximum> || std::same_as<Op, bit_and> || std::same_as<Op, bit_or> ||
    std::same_as<Op, bit_xor> || std::same_as<Op, logical_and> || std::same_as<Op, logical_or>;

// Whether the identity leaves every bit of its other operand alone, so that an absent operand may be replaced
// by it. A complex 1 does not: infinity times 0 is a NaN.
template <class Op, class Acc>
inline constexpr bool is_neutral = (is_built_in_scalar<Op> && std::is_arithmetic_v<Acc>) ||
                                   (std::same_as<Op, plus> && is_complex<Acc>);

// Whether operands may be grouped freely, with the identity for absent ones.
template <class Op, class Acc>
inline constexpr bool is_free = is_neutral<Op, Acc>&& is_exact<Op, Acc>;

// Whether an absent operand is combined like any other and the result dropped: operands that mean nothing do
// no harm then, and cost less than a branch.
template <class Op, class Acc>
inline constexpr bool is_combined_anyway = std::same_as<Op, affine>;

// The type in which the engine accumulates for a scan that accumulates in Acc: integers narrower than a
// register widen to it. The low bits of sums, products and bitwise results, and the order of minima and
// maxima, are those of the narrow type.
template <class Acc, class Op>
using register_type =
    std::conditional_t<is_built_in_scalar<Op> && core::integer<Acc> && (sizeof(Acc) < 4),
                       std::conditional_t<std::is_signed_v<Acc>, std::int32_t, std::uint32_t>, Acc>;

// The operator with its operands swapped where the scan runs backwards.
template <class Acc, class Op>
struct combiner {
    Op op;
    bool swap;

    __device__ __forceinline__ Acc operator()(const Acc& a, const Acc& b) const {
#if __CUDA_ARCH__ >= 800
        if constexpr (std::same_as<Acc, float> && std::same_as<Op, maximum>) {
            float result;
            asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
            return result;
        } else if constexpr (std::same_as<Acc, float> && std::same_as<Op, minimum>) {
            float result;
            asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
            return result;
        }
#endif
        if constexpr (std::same_as<Acc, double> && (std::same_as<Op, maximum> || std::same_as<Op, minimum>)) {
            // The machine's instructions order zeros, but prefer a number to a NaN.
            const double number = std::same_as<Op, maximum> ? fmax(a, b) : fmin(a, b);
            return a != a || b != b ? __longlong_as_double(0x7ff8000000000000ll) : number;
        }
        if constexpr (is_commutative<Op>)
            return op(a, b);
        else
            return swap ? Acc(op(b, a)) : Acc(op(a, b));
    }

    // a (+) b, where a counts only if present. If it is absent, a means nothing to operators of the caller's
    // own, which are not called then.
    __device__ __forceinline__ Acc join(bool present, const Acc& a, const Acc& b) const {
        if constexpr (is_neutral<Op, Acc>) {
            return (*this)(present ? a : identity(), b);
        } else if constexpr (is_combined_anyway<Op, Acc>) {
            const Acc both = (*this)(a, b);
            return {present ? both.a : b.a, present ? both.b : b.b};
        } else {
            return present ? (*this)(a, b) : b;
        }
    }
    __device__ __forceinline__ static Acc identity() requires is_neutral<Op, Acc> {
        return Op::template identity<Acc>();
    }
    // What an exclusive scan stores for element `own`, when `before` stands to its left; `start` is what it
    // stores first.
    __device__ __forceinline__ Acc exclusive(const Acc& before, const Acc& /*own*/,
                                             const Acc& /*start*/) const {
        return before;
    }
};

// What stands for the identity function: elements are only converted.
struct as_is {
    template <class T>
    __host__ __device__ constexpr const T& operator()(const T& x) const {
        return x;
    }
};

// Elements to accumulators and accumulators to elements: static_cast, but half precision by the machine, in
// one rounding.
template <class To, class From>
__device__ __forceinline__ To convert(const From& value) {
    if constexpr (std::same_as<To, From>) {
        return value;
    } else if constexpr (std::same_as<From, float16>) {
        return static_cast<To>(__half2float(__ushort_as_half(value.bits)));
    } else if constexpr (std::same_as<To, float16>) {
        if constexpr (std::same_as<From, double>)
            return float16::from_bits(__half_as_ushort(__double2half(value)));
        else
            return float16::from_bits(__half_as_ushort(__float2half_rn(static_cast<float>(value))));
    } else if constexpr (is_complex<To> && is_complex<From>) {
        // By components: what std::complex does between its types does not compile for devices.
        using component = typename To::value_type;
        return To(static_cast<component>(value.real()), static_cast<component>(value.imag()));
    } else if constexpr (std::same_as<To, bfloat16> && std::same_as<From, float>) {
        return bfloat16::from_bits(__bfloat16_as_ushort(__float2bfloat16_rn(value)));
    } else {
        return static_cast<To>(value);
    }
}

// Two floats as one word of 16-bit floats, the first in the lower half.
template <class Half>
__device__ __forceinline__ std::uint32_t convert_pair(float first, float second) {
    std::uint32_t word;
    if constexpr (std::same_as<Half, float16>) {
        const __half2 pair = __floats2half2_rn(first, second);
        std::memcpy(&word, &pair, sizeof(word));
    } else {
        const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
        std::memcpy(&word, &pair, sizeof(word));
    }
    return word;
}

}  // namespace upsweep::cuda
