// Many lines by one launch of look-ahead: sequences of equal length whose elements lie side by side in
// memory, each with the bits of scanning it alone.
//
// Tickets number the units of all lines, one line after the other, and the loader finds out which unit of
// which line a ticket stands for. For everybody else the line is the array: units, tiles and rows count from
// its beginning, its totals are published behind those of the lines before, and where a block's previous unit
// is of another line, nothing is known yet of what stands to the left. A block that begins a line waits for
// nobody, so that lines follow one another as units of one array do.
#pragma once

#include <cstdint>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/bytes.cuh"

namespace upsweep::cuda {

// The types of such a scan, of those of a line's.
template <class Types>
struct in_lines : Types {
    static constexpr bool has_lines = true;
};
template <class Types>
inline constexpr bool packs_bytes<in_lines<Types>> = packs_bytes<Types>;

// `n` is the length of a line, in the direction of the scan from the first line's beginning in memory;
// `reverse` is the direction in memory. There is no total.
template <class Types>
struct line_arguments : scan_arguments<Types> {
    core::axis_geometry geometry;

    // geometry.begin() of fewer than 2^32 lines.
    __device__ __forceinline__ core::axis_geometry::offsets begin(std::uint32_t line) const {
        core::axis_geometry::offsets at = geometry.origin;
#pragma unroll 1
        for (int k = int(geometry.other_count); k-- != 0;) {
            const core::axis_geometry::dimension& each = geometry.others[k];
            const auto extent = static_cast<std::uint32_t>(each.extent);
            const std::int64_t index = k == 0 ? line : line % extent;
            if (k != 0) line /= extent;
            at.in += index * each.in_stride;
            at.out += index * each.out_stride;
            at.second += index * each.second_stride;
        }
        return at;
    }
};

template <class Types>
__device__ __forceinline__ std::uint64_t line_count(const scan_arguments<Types>& arguments) {
    if constexpr (Types::has_lines)
        return static_cast<const line_arguments<Types>&>(arguments).geometry.sequence_count;
    else
        return 1;
}

}  // namespace upsweep::cuda
