// What a pass of an extraction of bins is given, and what a block of it takes at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/cuda/choosing.cuh"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/count_bins.cuh"
#include "upsweep/cuda/digit_look_back.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

namespace detail {

// A value on its way between passes, with the number of its bin in place of the element that says it: moved
// by one access where both take 8 or 16 bytes.
template <class T>
inline constexpr bool fills_16_bytes = sizeof(T) == 12 || (sizeof(T) == 8 && alignof(T) == 8);
template <class T>
inline constexpr std::size_t numbered_alignment = std::max(alignof(T), std::size_t(sizeof(T) <= 4      ? 8
                                                                                   : fills_16_bytes<T> ? 16
                                                                                                       : 4));
template <class T>
struct alignas(numbered_alignment<T>) numbered {
    std::uint32_t bin;
    T value;
};
template <class T>
inline constexpr bool is_numbered = false;
template <class T>
inline constexpr bool is_numbered<numbered<T>> = true;
template <class To, class From>
__device__ __forceinline__ To convert_moved(const From& x) {
    if constexpr (is_numbered<From> && !is_numbered<To>)
        return convert<To>(x.value);
    else
        return convert<To>(x);
}

// An element in a register or not there yet, of a type that may have no default constructor.
template <class T>
union held_element {
    T value;
    __device__ __forceinline__ held_element() {}
};

// Copies of elements; those of numbered values by one access, which compilers make of words alone.
template <class T>
inline constexpr bool moves_as_word = is_numbered<T> && (sizeof(T) == 8 || sizeof(T) == 16);
template <class T>
__device__ __forceinline__ void copy_moved(const T& from, T& to) {
    if constexpr (moves_as_word<T>) {
        using word = typename unit_of<int(sizeof(T))>::type;
        reinterpret_cast<word&>(to) = reinterpret_cast<const word&>(from);
    } else {
        to = from;
    }
}
template <class T>
__device__ __forceinline__ void load_moved(const T* from, held_element<T>& to) {
    if constexpr (moves_as_word<T>) {
        const auto word = *reinterpret_cast<const typename unit_of<int(sizeof(T))>::type*>(from);
        std::memcpy(static_cast<void*>(&to.value), &word, sizeof word);
    } else {
        to.value = *from;
    }
}

// That elements are needed no more: where no others may come, they would stay in registers.
template <class T, int Count>
__device__ __forceinline__ void forget(held_element<T> (&x)[Count]) {
    if constexpr (std::is_trivially_default_constructible_v<T>) {
#pragma unroll
        for (int k = 0; k < Count; ++k) x[k].value = T{};
    }
}

// A block's tile: what a thread takes at once, and the shared memory it passes through. `Beside`: of values,
// what lies beside the elements.
template <moving What, class Out, class In, class Beside = In>
struct split_shape {
    // Elements are in registers from when they are loaded until they are gathered; larger ones are read
    // again instead, when they are stored.
    static constexpr bool holds_elements = sizeof(In) <= 32;
    // Values are there from when the elements' bins are known, and need these no more.
    static constexpr bool holds_values = What == moving::values && sizeof(Beside) <= 32 && sizeof(Out) <= 32;
    // What is gathered: elements or values, or their places in the tile.
    static constexpr bool gathers_elements =
        holds_values || (What == moving::elements && holds_elements && sizeof(Out) <= 32);
    using Gathered = std::conditional_t<gathers_elements, Out, std::uint16_t>;
    static constexpr int widest = std::max({sizeof(In), sizeof(Beside), sizeof(Gathered)});
    static constexpr int items = widest <= 4    ? (holds_values ? 20 : 22)
                                 : widest <= 8  ? 14
                                 : widest <= 16 ? 8
                                 : widest <= 64 ? 4
                                                : 2;
    static constexpr int warps = 12;
    static constexpr int threads = 32 * warps;
    static constexpr int tile = threads * items;
    static constexpr int rows = tile / 32;
    static_assert(tile <= int(digit_most_records) && split_most_bins <= digits_told);

    // In order: counters of the warps, of each bin and of what has none; where bins begin in the result, of
    // the tile and of all; where they begin in the tile, and how many bins that are not empty are before;
    // sums; gathered elements; and of each 32 of these at which of them bins begin, and how many did before.
    static constexpr int alignment = 128;
    static constexpr int aligned(int bytes) { return (bytes + alignment - 1) / alignment * alignment; }
    static constexpr int line = int(split_most_bins) + 4;
    static constexpr int counters_bytes = warps * line * 4;
    static constexpr int starts_bytes = 2 * int(split_most_bins) * 8;
    static constexpr int begins_bytes = line * 4;
    static constexpr int ordinals_bytes = int(split_most_bins) * 4;
    static constexpr int sums_bytes = 16 * 4;
    static constexpr int gathered_at =
        aligned(counters_bytes + starts_bytes + begins_bytes + ordinals_bytes + sums_bytes);
    static constexpr int rows_at = gathered_at + aligned(tile * int(sizeof(Gathered)));
    static constexpr int rows_bytes = rows * 8;
    static constexpr int shared_bytes = rows_at + rows_bytes;
    static_assert(shared_bytes <= 99 << 10, "what every device has");
};

}  // namespace detail

template <moving What, class OutType, class InType, class ClassesType, class BesideType = InType>
struct split_arguments {
    using In = InType;
    using Out = OutType;
    using Classes = ClassesType;
    using Beside = BesideType;
    using shape = detail::split_shape<What, Out, In, Beside>;
    static constexpr moving moved = What;
    // Whether values are moved again, with their bins' numbers, of which this pass has a digit.
    static constexpr bool numbers = What == moving::values && detail::is_numbered<Out>;

    const In* in;
    const Beside* beside;  // of values
    array_extent extent;   // of all elements
    Classes classes;       // split_most_bins at most
    Out* out;
    std::uint64_t room;
    const std::uint64_t* starts;  // starts[bin << starts_shift]: of the bin, in the result
    unsigned starts_shift;
    std::uint64_t* portion_starts;  // where bins leave off, for the next portion: of two in turn
    std::uint64_t first;            // of the portion
    unsigned portion, launch;
    unsigned* ticket;  // 0 before the launch
    detail::digit_counts counts;

    __device__ __forceinline__ const Beside* beside_tile(unsigned tile) const {
        return beside + first + std::uint64_t(tile) * shape::tile;
    }
    // What says of elements the numbers that go along with their values, or else their bins of this pass.
    __device__ __forceinline__ const auto& numbering() const {
        if constexpr (numbers)
            return classes.classes;
        else
            return classes;
    }
};

}  // namespace upsweep::cuda
