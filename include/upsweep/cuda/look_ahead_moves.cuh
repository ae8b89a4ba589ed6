// The warps of a look-ahead compaction or partition that move elements to where they go.
//
// In place: an element is overwritten only by what is chosen at or after its own place, whose place is known
// when the totals of all units before are; whoever summed a unit has it in its ring by then.
#pragma once

#include <cstdint>

#include "upsweep/cuda/choosing.cuh"
#include "upsweep/cuda/look_ahead.cuh"
#include "upsweep/cuda/look_ahead_located.cuh"

namespace upsweep::cuda {

#if __CUDA_ARCH__ >= 900

namespace detail {

// `Both`: a partition.
template <class Types, bool Both>
struct look_ahead_moves : look_ahead_located<Types> {
    using ring = look_ahead_ring<Types>;
    using ring::n, ring::lane, ring::shared, ring::control, ring::stage, ring::view;
    using typename ring::shape, typename ring::Acc, typename ring::Op, typename ring::cursor,
        typename ring::unit_view;
    using Out = typename Types::Out;

    const choose_arguments<Types>& choosing;

    // A warp's rows of a unit.
    template <bool Plain>
    struct warp_rows {
        int row;                   // the first of them
        int rows;                  // that exist
        std::uint64_t first_item;  // of the launch
        int items;                 // that exist

        __device__ __forceinline__ int valid(int k) const {
            const int left = items - k * Types::row;
            return Plain || left > Types::row ? Types::row : left;
        }
    };
    template <bool Plain>
    __device__ __forceinline__ warp_rows<Plain> rows_of(const unit_view& seen, int warp) const {
        constexpr int per_warp = shape::rows_per_warp, items = per_warp * Types::row;
        const int row = warp * per_warp;
        const std::uint64_t first = (std::uint64_t(seen.unit) * shape::rows + unsigned(row)) * Types::row;
        if (Plain) return {row, per_warp, first, items};
        if (first >= n) return {row, 0, first, 0};
        const int left = n - first < items ? int(n - first) : items;
        return {row, (left + Types::row - 1) / Types::row, first, left};
    }

    template <bool Plain, bool Aligned>
    __device__ __forceinline__ void move_unit(int s, unsigned phase, const unit_view& seen, int warp,
                                              char* image, std::uint64_t before) const {
        const combiner<Acc, Op> combine{choosing.op, false};
        constexpr int per_warp = shape::rows_per_warp;
        const std::int64_t unit_row = seen.unit * shape::rows;
        const auto own = rows_of<Plain>(seen, warp);
        typename Types::Raw raw[per_warp];
        unsigned bits[per_warp];
        const auto valid_of_lane = [&](int k) {
            return Plain ? Types::items : valid_of_run<Types>(own.valid(k), lane);
        };
        // Runs of narrow elements that are not aligned are read by the words around them, in which others
        // pack theirs only when all have read.
        constexpr bool reads_words = shape::shares_choices && shape::in_place;
        constexpr surroundings around = reads_words ? surroundings::readable : ring::usual;
#pragma unroll
        for (int k = 0; k < per_warp; ++k) {
            if (!Plain && k >= own.rows) break;
            raw[k] = this->template read<Plain, Aligned, around>(s, seen, own.row + k, false);
            if constexpr (!shape::shares_choices)
                bits[k] = chosen_bits<Types>(raw[k], choosing.load, valid_of_lane(k));
        }
        // They are packed while what stands to the left of the unit is found: in their own place in the
        // stage, once all lanes have read theirs and the warps that sum are done, or in the warp's image.
        if constexpr (reads_words)
            control(s).read.arrive_by_warp(lane);
        else if constexpr (shape::in_place)
            __syncwarp();
        control(s).folded.wait(phase);
        if constexpr (reads_words && !Aligned) control(s).read.wait(phase);
        if (!Plain && own.rows == 0) {
            control(s).located.wait(phase);
            return;
        }
        if constexpr (shape::shares_choices) {
#pragma unroll
            for (int k = 0; k < per_warp; ++k) {
                if (!Plain && k >= own.rows) break;
                bits[k] = this->run_bits(s)[(own.row + k) * 32 + lane] & ((1u << valid_of_lane(k)) - 1);
            }
        }
        const packed_elements<typename Types::Packed> area =
            shape::in_place
                ? packed_elements<typename Types::Packed>{this->staged_row(s, own.row, 0, false) +
                                                              seen.shift[0],
                                                          own.rows * Types::row * int(sizeof(Out))}
                : packed_elements<typename Types::Packed>{image, shape::image_bytes};
        left_parts<Acc> left;
        this->set_inner_parts(combine, s, unit_row, own.row, false, left);
        const Acc rows_before = left.rows;
        int count = 0;
        if constexpr (Plain) {
            const Acc* const folds = this->template at<Acc>(s, shape::row_folds_at);
            count = int(folds[own.row + per_warp - 1] - rows_before);
        } else {  // the last row's total counts what fills it up
#pragma unroll
            for (int k = 0; k < per_warp; ++k)
                if (k < own.rows) count += __popc(bits[k]);
            count = int(__reduce_add_sync(0xffffffffu, unsigned(count)));
        }
#pragma unroll
        for (int k = 0; k < per_warp; ++k) {
            if (!Plain && k >= own.rows) break;
            if (k > 0) this->set_inner_parts(combine, s, unit_row, own.row + k, true, left);
            const int at = int(left.rows - rows_before + left.runs), place = (k * 32 + lane) * Types::items;
            pack_run<Types, Both>(area, raw[k], bits[k], valid_of_lane(k), at, count + place - at,
                                  own.items - 1, place);
        }
        __syncwarp();
        control(s).located.wait(phase);
        const std::uint64_t begin = before + before_tile(s, own.row) + rows_before;
        const std::uint64_t index = choosing.first + own.first_item;
        deliver(choosing, area, 0, count, begin, index, lane);
        if constexpr (Both)
            deliver(choosing, area, count, own.items - count, *choosing.chosen + (index - begin), index,
                    lane);
        if (lane == 0 && own.first_item + unsigned(own.items) == n)
            choosing.store_upto(begin + unsigned(count));
        // The image is written again before this warp's next wait.
        if constexpr (!shape::in_place) __syncwarp();
    }
    // How many elements are chosen, in this launch, before the tile that has a row of a unit.
    __device__ __forceinline__ Acc before_tile(int s, int row) const {
        return this->template at<Acc>(s, shape::tile_parts_at)[row / 32];
    }

    // The same for elements that do not fit into registers by runs.
    __device__ __forceinline__ void move_unit_by_element(int s, unsigned phase, const unit_view& seen,
                                                         int warp, std::uint64_t before) const {
        using In = typename Types::template In<0>;
        const combiner<Acc, Op> combine{choosing.op, false};
        control(s).located.wait(phase);
        const std::int64_t first_row = seen.unit * shape::rows;
        const int warp_row = warp * shape::rows_per_warp;
        left_parts<Acc> left;
#pragma unroll 1
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = warp_row + k;
            if (row >= seen.rows) break;
            this->set_inner_parts(combine, s, first_row, row, k > 0, left);
            std::uint64_t place = before + before_tile(s, warp_row) + left.rows + left.runs;
            const std::uint64_t first =
                std::uint64_t(first_row + row) * Types::row + unsigned(lane * Types::items);
#pragma unroll 1
            for (int m = 0; m < Types::items && first + unsigned(m) < n; ++m) {
                const std::uint64_t index = choosing.first + first + unsigned(m);
                const bool chosen = this->element(s, seen, row, m, false) != 0;
                std::uint64_t to = place;
                if constexpr (Both)
                    if (!chosen) to = *choosing.chosen + (index - place);
                if ((chosen || Both) && to < choosing.room) {
                    if constexpr (Types::moves_elements) {
                        const char* const from = stage(s) + shape::input_at(0) + seen.shift[0] +
                                                 ((row * 32 + lane) * Types::items + m) * int(sizeof(In));
                        store_element(reinterpret_cast<char*>(choosing.out + to),
                                      convert<Out>(load_element<In>(from, seen.aligned, lane)), false, lane);
                    } else {
                        choosing.out[to] = static_cast<Out>(index);
                    }
                }
                place += chosen;
                if (first + unsigned(m) + 1 == n) choosing.store_upto(place);
            }
        }
    }

    __device__ void move(int warp) const {
        char* image = shared + shape::images_at + warp * shape::image_bytes;
        const std::uint64_t before = choosing.chosen_before();
        cursor at;
        for (;; at.advance()) {
            const int s = at.stage;
            control(s).full.wait(at.phase);
            const unit_view seen = view(s);
            if (seen.unit < 0) return;
            if constexpr (shape::by_element)
                move_unit_by_element(s, at.phase, seen, warp, before);
            else if (seen.plain && seen.aligned)
                move_unit<true, true>(s, at.phase, seen, warp, image, before);
            else if (seen.plain)
                move_unit<true, false>(s, at.phase, seen, warp, image, before);
            else
                move_unit<false, false>(s, at.phase, seen, warp, image, before);
            this->release(s);
        }
    }
};

}  // namespace detail

#endif

// As look_ahead_kernel.
template <class Types, bool Both>
__global__ void __launch_bounds__(look_ahead_shape<Types>::threads, 1)
    look_ahead_moves_kernel(const __grid_constant__ choose_arguments<Types> arguments, launch_state* state,
                            unsigned long long* tagged, std::uint64_t words) {
#if __CUDA_ARCH__ >= 900
    if (arguments.size() == 0 && blockIdx.x == 0 && threadIdx.x == 0)
        arguments.store_upto(arguments.chosen_before());
    detail::run_look_ahead<Types>(arguments, state, tagged, words, [&](const auto& ring, int warp) {
        detail::look_ahead_moves<Types, Both>{{ring}, arguments}.move(warp);
    });
#endif
}

}  // namespace upsweep::cuda
