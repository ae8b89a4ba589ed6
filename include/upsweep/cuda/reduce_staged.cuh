// Totals of a few sequences side by side, all of them one stretch of memory: columns so narrow that lanes
// that read a row each would use little of what they fetch. Warps copy rows of the tree of all columns to
// shared memory as bytes, as scans by columns do (axis_column_copies.cuh), where a lane has a row of a
// column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "upsweep/cuda/axis_column_copies.cuh"
#include "upsweep/cuda/axis_column_plan.cuh"
#include "upsweep/cuda/reduce_totals.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

struct reduce_staged_plan {
    column_plan columns;
    unsigned warps;       // of a block
    unsigned of_tile;     // units of a tile, or of a shorter sequence
    unsigned together;    // tiles of a block
    std::uint64_t tiles;  // of a sequence
    int rows_at;          // bytes of shared memory in front of the rows' totals
    int rows_bytes;       // of the totals of a block's rows, of which there are two sets
};

template <class Types>
struct reduce_staged_shape {
    using Acc = typename Types::Acc;
    using columns = column_shape<Types>;
    static constexpr int size = Types::element_size[0];
    static constexpr bool exists = columns::exists;
    static constexpr int most_warps = 8;
    // Bytes of all columns at a position, at most: lanes of wider ones use what they fetch.
    static constexpr int most_position_bytes = 64;
    static constexpr int tag_bytes = 16;
    // Of the totals of a block's rows.
    static constexpr int most_rows_bytes = 32 * 32 * int(sizeof(Acc));
    // Of shared memory for the units of a block, at most.
    static int units_bytes(int available) {
        return std::min(reduce_staged_few_tiles_bytes, available - 2 * most_rows_bytes - tag_bytes);
    }
    static int most_shared_bytes(int available) {
        return units_bytes(available) + 2 * most_rows_bytes + tag_bytes;
    }

    // Of a unit: a power of two, so that none has parts of two tiles.
    static int rows_of_unit(int width) {
        int rows = 1;
        while (2 * rows * width <= columns::lanes) rows *= 2;
        return rows;
    }
    static bool takes(const core::axis_geometry& geometry, int available) {
        const core::axis_geometry::dimension next = geometry.fastest();
        if (!exists || geometry.other_count == 0) return false;
        if (next.in_stride != 1 || std::uint64_t(std::abs(geometry.in_stride)) != next.extent) return false;
        if (next.extent * std::uint64_t(size) > std::uint64_t(most_position_bytes) ||
            next.extent > std::uint64_t(columns::lanes))
            return false;
        const auto width = int(next.extent);
        return columns::unit_bytes(width, rows_of_unit(width)) <= units_bytes(available);
    }
    static reduce_staged_plan plan(const core::axis_geometry& geometry, int available, int multiprocessors) {
        reduce_staged_plan made{};
        column_plan& units = made.columns;
        units.columns = geometry.fastest().extent;
        units.full_rows = geometry.length / core::row_size;
        units.groups = 1;
        units.width = int(units.columns);
        units.rows = rows_of_unit(units.width);
        units.unit_bytes = columns::unit_bytes(units.width, units.rows);
        const std::uint64_t rows = (geometry.length + core::row_size - 1) / core::row_size;
        const auto rows_of_tile = unsigned(std::min<std::uint64_t>(rows, 32));
        made.of_tile = (rows_of_tile + unsigned(units.rows) - 1) / unsigned(units.rows);
        made.tiles = (geometry.length + core::tile_size - 1) / core::tile_size;
        const std::uint64_t tiles = geometry.sequence_count / units.columns * made.tiles;
        const bool is_many = tiles >= reduce_staged_tiles * std::uint64_t(multiprocessors);
        const int bytes = is_many ? reduce_staged_bytes : units_bytes(available);
        made.warps = unsigned(std::clamp(bytes / units.unit_bytes, 1, most_warps));
        made.together = is_many ? std::max(made.warps / made.of_tile, 1u) : 1;
        made.warps = std::min(made.warps, made.together * made.of_tile);
        made.rows_at = int(made.warps) * units.unit_bytes;
        made.rows_bytes = int(made.together) * 32 * units.width * int(sizeof(Acc));
        return made;
    }
    static int shared_bytes(const reduce_staged_plan& plan) {
        return plan.rows_at + 2 * plan.rows_bytes + tag_bytes;
    }
};

namespace detail {

// Elements in shared memory, whose distance takes one register.
template <class Types>
struct staged_source {
    const axis_input<Types>* x;
    int stride;

    __device__ __forceinline__ axis_element<Types> operator[](int k) const { return {x[k * stride]}; }
    __device__ __forceinline__ staged_source from(int k) const { return {x + k * stride, stride}; }
};

// Units of a tile of columns, which are number `outer` of such. A lane has the same row and column of each.
template <class Types>
struct staged_reducer : column_mover<Types> {
    using mover = column_mover<Types>;
    using In = typename mover::In;
    using Acc = typename Types::Acc;
    static constexpr int size = int(sizeof(In));

    const reduced_axis<Types>& shape;
    int pitch;                // bytes from a row to the next
    int row_bytes;            // of which are elements
    int own_row, own_column;  // this lane's, of a unit
    bool has_row;
    // Where columns begin, those of which it was asked last.
    const In* begin;
    std::uint64_t begin_outer = 0;

    __device__ __forceinline__ staged_reducer(const reduced_axis<Types>& all, const column_plan& plan,
                                              int lane)
        : mover{all.scan.n, plan, lane, 0},
          shape(all),
          pitch(column_shape<Types>::row_pitch(plan.width, size)),
          row_bytes(lane_row * plan.width * size),
          own_row(lane / plan.width < plan.rows ? lane / plan.width : plan.rows - 1),
          own_column(lane % plan.width),
          has_row(lane / plan.width < plan.rows),
          begin(static_cast<const In*>(all.scan.in[0]) + all.first(0)) {}

    __device__ __forceinline__ void find(std::uint64_t outer) {
        if (outer == begin_outer) return;
        begin_outer = outer;
        begin = static_cast<const In*>(shape.scan.in[0]) + shape.first(outer * this->plan.columns);
    }
    // Rows of full length and in the order of memory, from a multiple of 16 bytes on, to `slots`.
    __device__ __forceinline__ void load_whole(std::uint64_t row, char* slots) const {
        const char* from = reinterpret_cast<const char*>(begin) + row * unsigned(row_bytes);
#pragma unroll 1
        for (int r = 0; r < this->plan.rows; ++r, from += row_bytes, slots += pitch) {
#pragma unroll 2
            for (int at = this->lane * 16; at < row_bytes; at += 512) copy_piece(slots + at, from + at);
        }
    }
    // A unit: the total of this lane's row to totals[row * width + column], where rows are counted from the
    // tile's first.
    __device__ __forceinline__ void sum(std::uint64_t outer, std::uint64_t tile, unsigned unit, char* slots,
                                        Acc* totals) {
        find(outer);
        const std::uint64_t row = tile * 32 + unit * unsigned(this->plan.rows);
        const int width = this->plan.width;
        int stride = width, count = has_row ? lane_row : 0;
        const In* x = reinterpret_cast<const In*>(slots + own_row * pitch) + own_column;
        if (row + unsigned(this->plan.rows) <= this->plan.full_rows && shape.geometry.in_stride > 0 &&
            mover::misalignment(begin) == 0) {
            load_whole(row, slots);
        } else {
            const auto own = this->unit_at(row, width);
            const typename mover::template input_view<In> input{
                begin, shape.geometry.in_stride, 1, column_copies::blocks, slots, pitch};
            this->load(own, input);
            std::int64_t step = 0;
            x = this->staged(own, input, step);
            stride = int(step);
            count = own.own_count;
        }
        close_copies();
        wait_for_copies<0>();
        __syncwarp();
        if (count > 0)
            totals[(int(unit) * this->plan.rows + own_row) * width + own_column] =
                fold_row_of_lane(shape.scan, staged_source<Types>{x, stride}, count);
        __syncwarp();
    }
};

}  // namespace detail

// `Long`: sequences have several tiles, and `tagged` has room for what is published of them.
template <class Types, bool Long>
__global__ void __launch_bounds__(32 * reduce_staged_shape<Types>::most_warps, 2)
    reduce_staged_kernel(const __grid_constant__ reduced_axis<Types> shape,
                         const __grid_constant__ reduce_staged_plan plan, launch_state* state,
                         unsigned long long* tagged, std::uint64_t words) {
    using Acc = typename Types::Acc;
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t n = shape.scan.n, sequences = shape.geometry.sequence_count;
    const std::uint64_t groups = sequences / plan.columns.columns, all = groups * plan.tiles;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, width = unsigned(plan.columns.width);
    const auto combine = shape.scan.combine(false);
    std::uint32_t tag = 0;
    if constexpr (Long)
        tag = detail::begin_launch(
            *state, *reinterpret_cast<std::uint32_t*>(shared + plan.rows_at + 2 * plan.rows_bytes));
    const detail::reduced_levels<Types> levels(tagged, sequences, groups, plan.tiles, plan.tiles, tag);
    detail::staged_reducer<Types> reducer(shape, plan.columns, int(lane));
    // Tile `tile` of columns `outer` is number k; whether it exists.
    const auto place = [&](std::uint64_t k, std::uint64_t& outer, std::uint64_t& tile) {
        outer = Long ? (groups == 1 ? 0 : k / plan.tiles) : k;
        tile = k - outer * plan.tiles;
        return k < all;
    };
    char* const slots = shared + warp * unsigned(plan.columns.unit_bytes);
    unsigned turn = 0;
#pragma unroll 1
    for (std::uint64_t first = std::uint64_t(blockIdx.x) * plan.together; first < all;
         first += std::uint64_t(gridDim.x) * plan.together, ++turn) {
        // Of the tiles before, the totals are still being folded.
        Acc* const totals = reinterpret_cast<Acc*>(shared + plan.rows_at + int(turn % 2) * plan.rows_bytes);
#pragma unroll 1
        for (unsigned unit = warp; unit < plan.together * plan.of_tile; unit += plan.warps) {
            const unsigned t = unit / plan.of_tile;
            std::uint64_t outer, tile;
            if (place(first + t, outer, tile))
                reducer.sum(outer, tile, unit - t * plan.of_tile, slots, totals + t * 32 * width);
        }
        __syncthreads();
        // Each time other warps fold the rows of tiles, while the rest go on.
        const unsigned own_turn = (warp + plan.warps - turn % plan.warps) % plan.warps;
#pragma unroll 1
        for (unsigned t = own_turn; t < plan.together; t += plan.warps) {
            std::uint64_t outer, tile;
            if (!place(first + t, outer, tile)) break;
            const std::uint64_t left = n - tile * core::tile_size;
            const int rows = left < core::tile_size ? int((left + core::row_size - 1) / core::row_size) : 32;
            // Another sequence stands for those that are not there.
            const unsigned column = lane < width ? lane : 0;
            const Acc* const own = totals + t * 32 * width + column;
            Acc sum = own[0];
#pragma unroll 4
            for (int row = 1; row < rows; ++row) sum = combine(sum, own[unsigned(row) * width]);
            const std::uint64_t sequence = outer * width + column;
            if constexpr (Long) {
                levels.publish_tile(sequence, tile, sum, lane < width);
                levels.finish(shape, detail::fold_published_by_lane{}, outer, sequence, tile, 1, sum,
                              lane < width);
            } else {
                if (lane < width) detail::store_first_reduced(shape, sequence, sum);
            }
        }
    }
    if constexpr (Long) detail::end_launch(*state, tag, gridDim.x, tagged, words);
}

}  // namespace upsweep::cuda
