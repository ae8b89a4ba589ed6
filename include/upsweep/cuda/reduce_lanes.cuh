// Totals of sequences that lie side by side: neighbouring lanes take neighbouring sequences. Of many
// sequences a lane has each from end to end; of few, warps share the rows of a tile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upsweep/cuda/reduce_totals.cuh"

namespace upsweep::cuda {

inline constexpr int reduce_lanes_threads = 256;

// A sequence a lane.
template <class Types>
__global__ void __launch_bounds__(reduce_lanes_threads)
    reduce_lanes_kernel(const __grid_constant__ reduced_axis<Types> shape) {
    using Acc = typename Types::Acc;
    const auto& scan = shape.scan;
    const auto combine = scan.combine(false);
#pragma unroll 1
    for (std::uint64_t sequence = blockIdx.x * std::uint64_t(reduce_lanes_threads) + threadIdx.x;
         sequence < shape.geometry.sequence_count;
         sequence += gridDim.x * std::uint64_t(reduce_lanes_threads)) {
        detail::axis_source<Types> x{
            static_cast<const detail::axis_input<Types>*>(scan.in[0]) + shape.first(sequence),
            shape.stride()};
        Acc supers = static_cast<Acc>(scan.start), tiles{};  // of no elements
        bool has_supers = scan.has_initial;
        if (has_supers) supers = scan.initial_value();
#pragma unroll 1
        for (std::uint64_t first = 0; first < scan.n;) {
            Acc rows{};
            const std::uint64_t tile_end =
                first + core::tile_size < scan.n ? first + core::tile_size : scan.n;
            const bool begins = first % core::super_size == 0;
            for (bool any = false; first < tile_end; first += core::row_size, any = true) {
                const std::uint64_t left = tile_end - first;
                rows = combine.join(
                    any, rows,
                    detail::fold_row_of_lane(scan, x, left < core::row_size ? int(left) : detail::lane_row));
                x = x.from(detail::lane_row);
            }
            tiles = combine.join(!begins, tiles, rows);
            if (first % core::super_size == 0 || first >= scan.n) {
                supers = combine.join(has_supers, supers, tiles);
                has_supers = true;
            }
        }
        detail::store_reduced(shape, sequence, supers);
    }
}

// Few sequences: a block has a tile of up to 32 of them, and its lanes rows of it.
template <class Types>
struct reduce_columns_shape {
    using Acc = typename Types::Acc;
    static constexpr int warps = 8;
    static constexpr int threads = 32 * warps;
    static constexpr int tag_at = 32 * 32 * int(sizeof(Acc));  // behind rows of lanes
    static constexpr int shared_bytes = tag_at + 16;
};

struct reduce_columns_plan {
    unsigned width;        // sequences side by side, at most 32
    unsigned at_once;      // rows of a warp
    std::uint64_t groups;  // of so many sequences
};

namespace detail {

// The value of a tile of `count` elements of the calling block's sequences, in the threads below width. All
// threads call this; `sequence` is that of their lane.
template <class Types>
__device__ __forceinline__ typename Types::Acc fold_columns(const reduced_axis<Types>& shape,
                                                            const reduce_columns_plan& plan,
                                                            std::uint64_t sequence, bool exists,
                                                            std::uint64_t first, int count, char* shared) {
    using Acc = typename Types::Acc;
    const auto& scan = shape.scan;
    const auto combine = scan.combine(false);
    Acc* const rows = reinterpret_cast<Acc*>(shared);
    const int lane = int(threadIdx.x % 32), own = lane % int(plan.width), part = lane / int(plan.width);
    const int all = (count + lane_row - 1) / lane_row;
    __syncthreads();  // what was there has been read
    if (exists && part < int(plan.at_once)) {
        const axis_source<Types> x{static_cast<const axis_input<Types>*>(scan.in[0]) + shape.first(sequence),
                                   shape.stride()};
#pragma unroll 1
        for (int row = int(threadIdx.x / 32 * plan.at_once) + part; row < all;
             row += reduce_columns_shape<Types>::warps * int(plan.at_once)) {
            const int left = count - row * lane_row;
            rows[row * 32 + own] = fold_row_of_lane(scan, x.from(std::int64_t(first) + row * lane_row),
                                                    left < lane_row ? left : lane_row);
        }
    }
    __syncthreads();
    Acc sum{};
    if (exists && threadIdx.x < plan.width) {
        sum = rows[own];
#pragma unroll 4
        for (int row = 1; row < all; ++row) sum = combine(sum, rows[row * 32 + own]);
    }
    return sum;
}

}  // namespace detail

// Sequences of at most a tile, a group a block.
template <class Types>
__global__ void __launch_bounds__(reduce_columns_shape<Types>::threads)
    reduce_short_columns_kernel(const __grid_constant__ reduced_axis<Types> shape, reduce_columns_plan plan) {
    extern __shared__ __align__(128) char shared[];
    const unsigned own = threadIdx.x % 32 % plan.width;
#pragma unroll 1
    for (std::uint64_t group = blockIdx.x; group < plan.groups; group += gridDim.x) {
        const std::uint64_t sequence = group * plan.width + own;
        const bool exists = sequence < shape.geometry.sequence_count;
        const auto sum = detail::fold_columns(shape, plan, sequence, exists, 0, int(shape.scan.n), shared);
        if (exists && threadIdx.x < plan.width) detail::store_first_reduced(shape, sequence, sum);
    }
}

// Longer ones, a tile of a group a block. Groups of one tile follow each other, as they do in memory.
template <class Types>
__global__ void __launch_bounds__(reduce_columns_shape<Types>::threads)
    reduce_columns_kernel(const __grid_constant__ reduced_axis<Types> shape, reduce_columns_plan plan,
                          launch_state* state, unsigned long long* tagged, std::uint64_t words) {
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t n = shape.scan.n, sequences = shape.geometry.sequence_count;
    const std::uint64_t tiles = (n + core::tile_size - 1) / core::tile_size;
    const detail::reduced_levels<Types> levels(
        tagged, sequences, plan.groups, tiles, tiles,
        detail::begin_launch(
            *state, *reinterpret_cast<std::uint32_t*>(shared + reduce_columns_shape<Types>::tag_at)));
#pragma unroll 1
    for (std::uint64_t k = blockIdx.x; k < plan.groups * tiles; k += gridDim.x) {
        const std::uint64_t tile = k / plan.groups, group = k % plan.groups;
        const std::uint64_t first = tile * core::tile_size, left = n - first;
        const std::uint64_t sequence = group * plan.width + threadIdx.x % 32 % plan.width;
        const bool exists = sequence < sequences;
        const auto sum =
            detail::fold_columns(shape, plan, sequence, exists, first,
                                 left < core::tile_size ? int(left) : int(core::tile_size), shared);
        if (threadIdx.x >= 32) continue;
        // Another sequence stands for those that are not there.
        const bool own = exists && threadIdx.x < plan.width;
        const auto value = shuffle(sum, own ? int(threadIdx.x) : 0);
        const std::uint64_t mine = own ? sequence : group * plan.width;
        levels.publish_tile(mine, tile, value, own);
        levels.finish(shape, detail::fold_published_by_lane{}, group, mine, tile, 1, value, own);
    }
    detail::end_launch(*state, levels.tag, gridDim.x, tagged, words);
}

}  // namespace upsweep::cuda
