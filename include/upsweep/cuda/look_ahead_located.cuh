// What the look-ahead scan's last warps, those that store, know of a unit that has been located.
#pragma once

#include <cstdint>

#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/look_ahead_ring.cuh"
#include "upsweep/cuda/runs.cuh"

#if __CUDA_ARCH__ >= 900

namespace upsweep::cuda::detail {

template <class Types>
struct look_ahead_located : look_ahead_ring<Types> {
    using ring = look_ahead_ring<Types>;
    using ring::arguments, ring::lane, ring::control, ring::stage;
    using typename ring::shape, typename ring::Acc, typename ring::Op, typename ring::unit_view;

    // What stands to the left of the tile that has row `warp_row` of a unit,
    __device__ __forceinline__ void set_outer_parts(const combiner<Acc, Op>& combine, int s,
                                                    std::int64_t first_row, int warp_row,
                                                    left_parts<Acc>& left) const {
        set_part(
            combine, arguments.has_initial || first_row / 1024 > 0,
            [&] { return *this->template at<Acc>(s, shape::super_part_at); }, left.supers, left.has_supers);
        set_part(
            combine, (first_row + warp_row) / 32 % 32 > 0,
            [&] { return this->template at<Acc>(s, shape::tile_parts_at)[warp_row / 32]; }, left.tiles,
            left.has_tiles);
    }
    // and of a lane's run in a row. A warp's rows are of one tile, so that all but its first, `inner`, have
    // rows to their left.
    __device__ __forceinline__ void set_inner_parts(const combiner<Acc, Op>& combine, int s,
                                                    std::int64_t first_row, int row, bool inner,
                                                    left_parts<Acc>& left) const {
        set_part(
            combine, inner || (first_row + row) % 32 > 0,
            [&] {
                return shape::parts > 1 && row == 0 ? *this->template at<Acc>(s, shape::tile_totals_at)
                                                    : this->template at<Acc>(s, shape::row_folds_at)[row - 1];
            },
            left.rows, left.has_rows);
        const typename Types::tile_runs totals{stage(s) + shape::totals_at};
        set_runs(combine, totals, row, lane, left);
    }

    // Where a row of a unit in scan order lies in its stage.
    __device__ __forceinline__ char* staged_row(int s, int row, int rows, bool reverse) const {
        return stage(s) + shape::input_at(0) +
               (reverse ? rows - 1 - row : row) * Types::row * Types::element_size[0];
    }

    __device__ __forceinline__ void release(int s) const {
        // The copy engine writes next to where lanes wrote results.
        if constexpr (shape::in_place) fence_before_async_writes();
        control(s).free.arrive_by_warp(lane);
    }
};

}  // namespace upsweep::cuda::detail

#endif
