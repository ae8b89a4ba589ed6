// Few sequences side by side, rows of the tree by themselves: the totals of all rows, their folds up the tree
// (axis_folds.cuh), then the scan of every row: a row of 128 elements of one sequence a lane, neighbouring
// sequences by neighbouring lanes. No block waits for another; elements are read twice.
#pragma once

#include <cstdint>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_folds.cuh"

namespace upsweep::cuda {

// The levels in the workspace.
template <class Types>
struct axis_row_folds {
    using Acc = typename Types::Acc;
    axis_level<Acc> rows, tiles, supers;

    static constexpr std::uint64_t row_room(std::uint64_t length) { return (length + 127) / 128; }
    static constexpr std::uint64_t tile_room(std::uint64_t length) { return (length + 4095) / 4096; }
    // Nothing stands to the left of a row that is alone.
    static constexpr std::uint64_t values(std::uint64_t length, std::uint64_t sequences) {
        if (length <= core::row_size) return 0;
        return (row_room(length) + tile_room(length) + length / 131072) * sequences;
    }
    axis_row_folds(Acc* memory, std::uint64_t length, std::uint64_t sequences)
        : rows{memory, length / 128},
          tiles{memory + row_room(length) * sequences, length / 4096},
          supers{tiles.values + tile_room(length) * sequences, length / 131072} {}
};

inline constexpr int axis_row_threads = 256;

// The total of every full row.
template <class Types>
__global__ void __launch_bounds__(axis_row_threads)
    sum_axis_rows_kernel(const __grid_constant__ axis_arguments<Types> arguments,
                         axis_level<typename Types::Acc> rows) {
    const std::uint64_t sequences = arguments.geometry.sequence_count;
    const std::uint64_t at = blockIdx.x * std::uint64_t(axis_row_threads) + threadIdx.x;
    const std::uint64_t row = at / sequences, sequence = at % sequences;
    if (row >= rows.count) return;
    const auto x = arguments.source(arguments.geometry.begin(sequence));
    rows.values[row * sequences + sequence] =
        detail::sum_row_of_lane(arguments.scan, x.from(std::int64_t(row) * detail::lane_row));
}

template <class Types, bool Exclusive>
__global__ void __launch_bounds__(axis_row_threads)
    scan_axis_rows_kernel(const __grid_constant__ axis_arguments<Types> arguments,
                          const axis_row_folds<Types> folds) {
    const std::uint64_t sequences = arguments.geometry.sequence_count;
    const std::uint64_t at = blockIdx.x * std::uint64_t(axis_row_threads) + threadIdx.x;
    const std::uint64_t row = at / sequences, sequence = at % sequences;
    const std::uint64_t first = row * detail::lane_row;
    if (first >= arguments.scan.n) return;
    const std::uint64_t left = arguments.scan.n - first;
    const auto begin = arguments.geometry.begin(sequence);
    const auto& geometry = arguments.geometry;
    detail::lane_state<Types> state(arguments.scan);
    read_upper_parts(arguments.scan, folds.tiles.values, folds.supers.values, row / 32, sequence, sequences,
                     state.left);
    set_part(
        state.combine, row % 32 > 0, [&] { return folds.rows.values[row * sequences + sequence]; },
        state.left.rows, state.left.has_rows);
    detail::scan_row_of_lane<Exclusive>(
        arguments.scan, state, arguments.source(begin).from(std::int64_t(first)),
        arguments.scan.out + begin.out + std::int64_t(first) * geometry.out_stride, geometry.out_stride,
        left < detail::lane_row ? int(left) : detail::lane_row, true);
}

}  // namespace upsweep::cuda
