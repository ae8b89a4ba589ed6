// Bins as the GLSL stages take them: those of bin_range.hpp, of the number types that the stages know.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "upsweep/bin_range.hpp"
#include "upsweep/core/arithmetic.hpp"
#include "upsweep/core/bin_arguments.hpp"
#include "upsweep/shader/operation.hpp"

namespace upsweep::shader {

// uint32, int32, float, uint64, int64, double. No device feature is needed for any of them.
template <class T>
concept binned_number = core::ordered_number<T> && detail::type_number<T>
>= 0;

template <binned_number T>
inline constexpr element_type type_of = static_cast<element_type>(detail::type_number<T>);

// Bins without types. Made of bins that are found good.
struct bin_bounds {
    element_type type = element_type::uint32;
    std::uint32_t count = 0;
    bool clamp = false;
    std::array<std::uint32_t, 4> lo{}, hi{};  // words of T, where bins are equal
    const void* edges = nullptr;              // else count + 1 of them, which live as long as the call
};

// Throw upsweep::error as the CPU's functions do.
template <binned_number T>
[[nodiscard]] bin_bounds bounds_of(const bin_range<T>& range) {
    upsweep::detail::check_bins(range);
    return {type_of<T>, range.count, range.clamp, words_of(range.lo), words_of(range.hi), nullptr};
}
template <binned_number T>
[[nodiscard]] bin_bounds bounds_of(const bin_edges<T>& bins) {
    upsweep::detail::check_bins(bins);
    return {type_of<T>, static_cast<std::uint32_t>(bins.count()), false, {}, {}, bins.edges.data()};
}

}  // namespace upsweep::shader
