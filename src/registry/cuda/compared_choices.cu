// Elements chosen by comparisons: common types packed in one pass, everything else by flags.
#include <cmath>
#include <limits>
#include <type_traits>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/stream_memory.hpp"
#include "registry/visit.hpp"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/types.hpp"

namespace upsweep::registry::gpu {
namespace {

// Each of the six comparisons with a number is whether an element, as a number, is within two others or, if
// `inverted`, not: so all are one kernel.
template <class Number>
struct is_within {
    Number low, high;
    bool inverted = false;

    template <class T>
    __device__ bool operator()(const T& x) const {
        const auto number = static_cast<Number>(x);
        return (low <= number && number <= high) != inverted;
    }
};

template <class Number>
struct number_line {
    static constexpr bool is_floating = std::is_floating_point_v<Number>;
    using limits = std::numeric_limits<Number>;
    static constexpr Number lowest = is_floating ? -limits::infinity() : limits::lowest();
    static constexpr Number highest = is_floating ? limits::infinity() : limits::max();
    static constexpr is_within<Number> nothing{Number(1), Number(0)};

    static is_within<Number> below(Number bound) {
        if (!(bound > lowest)) return nothing;
        if constexpr (is_floating)
            return {lowest, std::nextafter(bound, lowest)};
        else
            return {lowest, static_cast<Number>(bound - 1)};
    }
    static is_within<Number> above(Number bound) {
        if (!(bound < highest)) return nothing;
        if constexpr (is_floating)
            return {std::nextafter(bound, highest), highest};
        else
            return {static_cast<Number>(bound + 1), highest};
    }
};
template <class Number>
is_within<Number> that_are(comparison how, Number bound) {
    using line = number_line<Number>;
    switch (how) {
        case comparison::less:
            return line::below(bound);
        case comparison::less_equal:
            return {line::lowest, bound};
        case comparison::greater:
            return line::above(bound);
        case comparison::greater_equal:
            return {bound, line::highest};
        case comparison::equal:
            return {bound, bound};
        case comparison::not_equal:
            return {bound, bound, true};
    }
    return line::nothing;
}

// Whether elements of a type are packed in one pass.
template <class T>
inline constexpr bool is_packed_at_once =
    std::is_same_v<T, float>
#ifndef UPSWEEP_CUDA_FEW_TYPES
    || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, std::uint8_t> || is_half<T>
#endif
    ;

// Returns whether it did.
bool pack_at_once(cuda::executor& ex, const compared_choice& call, std::uint64_t* count) {
    bool is_done = false;
    visit_type(call.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (is_packed_at_once<T>) {
            using number = std::conditional_t<is_half<T>, float, T>;
            compact_if(ex, cuda::device_span<const T>(static_cast<const T*>(call.in), call.n),
                       cuda::device_span<T>(static_cast<T*>(call.out), call.n),
                       that_are(call.condition.how, call.condition.number.as<number>()), count);
            is_done = true;
        }
    });
    return is_done;
}

}  // namespace

void choose_compared(cuda::executor& ex, const compared_choice& call, std::uint64_t* count) {
    if (call.packed && !call.indices && pack_at_once(ex, call, count)) return;
    const stream_memory memory(ex, call.n);
    auto* const flags = static_cast<std::uint8_t*>(memory.data());
    mark(ex, call.type, call.condition, call.in, flags, call.n);
    choose(ex, {flags, call.indices ? nullptr : call.in, call.out, call.n, size_of(call.type), call.packed},
           count);
}

}  // namespace upsweep::registry::gpu
