// Sequences whose elements lie side by side in memory, tile by tile: a block a sequence from end to end,
// where there are enough of them; else the totals of all tiles, their folds (axis_folds.cuh), and the scan of
// every tile, a block a tile. No block waits for another.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_folds.cuh"
#include "upsweep/cuda/tile_block.cuh"

namespace upsweep::cuda {

namespace detail {

// The scan of one line: `scan.reverse` is the direction in memory.
template <class Types>
__device__ __forceinline__ scan_arguments<Types> arguments_of_line(const axis_arguments<Types>& arguments,
                                                                   std::uint64_t sequence) {
    scan_arguments<Types> line = arguments.scan;
    const auto begin = arguments.geometry.begin(sequence);
    line.in[0] = arguments.template input<0>(begin);
    if constexpr (Types::inputs == 2) line.in[1] = arguments.template input<1>(begin);
    line.out += begin.out;
    return line;
}

}  // namespace detail

// Blocks of scan_lines_kernel that a multiprocessor holds: what lies in registers between tiles takes more of
// them than a scan of one tile needs, and a block that spills them is slower than one less.
template <class Types>
inline constexpr int line_blocks = std::min(tile_shape<Types>::blocks_per_multiprocessor,
                                            !tile_shape<Types>::direct            ? 4
                                            : tile_shape<Types>::kept_bytes <= 32 ? 4
                                            : tile_shape<Types>::kept_bytes <= 64 ? 3
                                                                                  : 2);

template <class Types, bool Exclusive>
__global__ void __launch_bounds__(tile_shape<Types>::threads, line_blocks<Types>)
    scan_lines_kernel(const __grid_constant__ axis_arguments<Types> arguments) {
    using Acc = typename Types::Acc;
    extern __shared__ __align__(128) char shared[];
    const auto combine = arguments.scan.combine();
    const std::uint64_t n = arguments.scan.n, tiles = tile_shape<Types>::tile_count(n);
    for (std::uint64_t sequence = blockIdx.x; sequence < arguments.geometry.sequence_count;
         sequence += gridDim.x) {
        const scan_arguments<Types> line = detail::arguments_of_line(arguments, sequence);
        Acc before_super{}, before_tile{};  // S and T, of the first warp's
        bool has_supers = line.has_initial;
        if (has_supers) before_super = line.initial_value();
        for (std::uint64_t tile = 0; tile < tiles; ++tile) {
            detail::tile_block<Types> block{
                line, shared, n, tile, int(threadIdx.x / 32), int(threadIdx.x % 32)};
            block.sum_runs();
            __syncthreads();
            if (block.warp == 0) {
                const Acc total = block.fold_rows();
                if (block.lane == 0) {
                    if (has_supers) block.parts()[0] = before_super;
                    if (tile % 32 > 0) block.parts()[1] = before_tile;
                }
                before_tile = combine.join(tile % 32 > 0, before_tile, total);
                if (tile % 32 == 31) {
                    before_super = combine.join(has_supers, before_super, before_tile);
                    has_supers = true;
                }
            }
            __syncthreads();
            block.template scan_rows<Exclusive>();
            __syncthreads();
        }
    }
}

// The total of every full tile of every line.
template <class Types>
__global__ void __launch_bounds__(tile_shape<Types>::threads)
    sum_line_tiles_kernel(const __grid_constant__ axis_arguments<Types> arguments,
                          axis_level<typename Types::Acc> tiles) {
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t sequences = arguments.geometry.sequence_count;
    const std::uint64_t sequence = blockIdx.x / tiles.count, tile = blockIdx.x % tiles.count;
    const scan_arguments<Types> line = detail::arguments_of_line(arguments, sequence);
    detail::tile_block<Types> block{line, shared, line.n, tile, int(threadIdx.x / 32), int(threadIdx.x % 32)};
    block.sum_runs();
    __syncthreads();
    if (block.warp != 0) return;
    const auto total = block.fold_rows();
    if (block.lane == 0) tiles.values[tile * sequences + sequence] = total;
}

template <class Types, bool Exclusive>
__global__ void __launch_bounds__(tile_shape<Types>::threads)
    scan_line_tiles_kernel(const __grid_constant__ axis_arguments<Types> arguments,
                           const typename Types::Acc* tiles, const typename Types::Acc* supers) {
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t sequences = arguments.geometry.sequence_count;
    const std::uint64_t count = tile_shape<Types>::tile_count(arguments.scan.n);
    const std::uint64_t sequence = blockIdx.x / count, tile = blockIdx.x % count;
    const scan_arguments<Types> line = detail::arguments_of_line(arguments, sequence);
    detail::tile_block<Types> block{line, shared, line.n, tile, int(threadIdx.x / 32), int(threadIdx.x % 32)};
    block.sum_runs();
    __syncthreads();
    if (block.warp == 0) {
        block.fold_rows();
        if (block.lane == 0) {
            left_parts<typename Types::Acc> left;
            read_upper_parts(line, tiles, supers, tile, sequence, sequences, left);
            if (left.has_supers) block.parts()[0] = left.supers;
            if (left.has_tiles) block.parts()[1] = left.tiles;
        }
    }
    __syncthreads();
    block.template scan_rows<Exclusive>();
}

}  // namespace upsweep::cuda
