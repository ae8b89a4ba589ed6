// What a pass of an extraction of bins is given, and what a block of it takes at once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/choosing.cuh"
#include "upsweep/cuda/count_bins.cuh"
#include "upsweep/cuda/digit_look_back.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

namespace detail {

// A block's tile: what a thread takes at once, and the shared memory it passes through.
template <moving What, class Out, class In>
struct split_shape {
    // Elements are in registers from when they are loaded until they are gathered; larger ones are read
    // again instead, when they are stored.
    static constexpr bool holds_elements = sizeof(In) <= 32;
    // What is gathered: elements, or their places in the tile.
    static constexpr bool gathers_elements = What == moving::elements && holds_elements && sizeof(Out) <= 32;
    using Gathered = std::conditional_t<gathers_elements, Out, std::uint16_t>;
    static constexpr int widest = sizeof(In) > sizeof(Gathered) ? sizeof(In) : sizeof(Gathered);
    static constexpr int items = widest <= 4    ? 22
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

template <moving What, class OutType, class InType, class ClassesType>
struct split_arguments {
    using In = InType;
    using Out = OutType;
    using Classes = ClassesType;
    using shape = detail::split_shape<What, Out, In>;
    static constexpr bool moves_elements = What == moving::elements;

    const In* in;
    array_extent extent;  // of all elements
    Classes classes;      // split_most_bins at most
    Out* out;
    std::uint64_t room;
    const std::uint64_t* starts;  // starts[bin << starts_shift]: of the bin, in the result
    unsigned starts_shift;
    std::uint64_t* portion_starts;  // where bins leave off, for the next portion: of two in turn
    std::uint64_t first;            // of the portion
    unsigned portion, launch;
    unsigned* ticket;  // 0 before the launch
    detail::digit_counts counts;
};

}  // namespace upsweep::cuda
