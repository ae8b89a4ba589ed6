// Comparisons with a value as a device makes them: which of the six it is, is asked once a call, not once an
// element. Three forms of one or two instructions; `greater` is `less` of what is turned round bit by bit.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "upsweep/core/number_order.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/predicates.hpp"
#include "upsweep/types.hpp"

namespace upsweep::cuda::detail {

template <class T>
inline constexpr bool is_turnable = std::same_as<T, float> || std::same_as<T, double> ||
                                    (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8);

// Turned round, what was greater is less: the sign of floating-point numbers is inverted, every bit of
// integers.
template <class T>
class turning {
    using bits = std::conditional_t<
        sizeof(T) == 8, std::uint64_t,
        std::conditional_t<sizeof(T) == 4, std::uint32_t,
                           std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
    bits mask_ = 0;

  public:
    explicit turning(bool round) {
        if (!round) return;
        mask_ = std::floating_point<T> ? static_cast<bits>(bits{1} << (8 * sizeof(T) - 1))
                                       : static_cast<bits>(~bits{0});
    }
    UPSWEEP_HOST_DEVICE T operator()(const T& x) const {
        return std::bit_cast<T>(static_cast<bits>(std::bit_cast<bits>(x) ^ mask_));
    }
};

template <class T>
struct is_less {
    turning<T> turned;
    T value;
    UPSWEEP_HOST_DEVICE bool operator()(const T& x) const { return turned(x) < value; }
};
template <class T>
struct is_at_most {
    turning<T> turned;
    T value;
    UPSWEEP_HOST_DEVICE bool operator()(const T& x) const { return turned(x) <= value; }
};
template <class T>
struct is_equal {
    T value;
    bool inverted;
    UPSWEEP_HOST_DEVICE bool operator()(const T& x) const { return (x == value) != inverted; }
};

// call(predicate), with one that answers as `keep` does.
template <class T, class Call>
void with_turned_predicate(const compared_with<T>& keep, const Call& call) {
    const bool round = keep.how == comparison::greater || keep.how == comparison::greater_equal;
    const turning<T> turned(round);
    switch (keep.how) {
        case comparison::less:
        case comparison::greater:
            return call(is_less<T>{turned, turned(keep.value)});
        case comparison::less_equal:
        case comparison::greater_equal:
            return call(is_at_most<T>{turned, turned(keep.value)});
        case comparison::equal:
        case comparison::not_equal:
            return call(is_equal<T>{keep.value, keep.how == comparison::not_equal});
    }
}
// The same of elements of type In. The value's type may be another one: a value that is a number of the
// elements' type too, as 0 is, is compared as such.
template <class In, class Keep, class Call>
void with_device_predicate(const Keep& keep, const Call& call) {
    using compared = std::conditional_t<is_half<In>, float, In>;
    if constexpr (std::same_as<Keep, compared_with<compared>> && is_turnable<compared>) {
        with_turned_predicate(keep, call);
    } else {
        if constexpr (core::compares_numbers<Keep, In> && is_turnable<compared>) {
            if (core::fits<compared>(keep.value)) {
                const compared_with<compared> same{keep.how, static_cast<compared>(keep.value)};
                return with_turned_predicate(same, call);
            }
        }
        call(keep);
    }
}

}  // namespace upsweep::cuda::detail
