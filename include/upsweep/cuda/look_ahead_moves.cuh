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
        constexpr int per_warp = shape::rows_per_warp, items = shape::piece_items;
        const int row = warp * per_warp;
        const std::uint64_t first = (std::uint64_t(seen.unit) * shape::rows + unsigned(row)) * Types::row;
        if (Plain) return {row, per_warp, first, items};
        if (first >= n) return {row, 0, first, 0};
        const int left = n - first < items ? int(n - first) : items;
        return {row, (left + Types::row - 1) / Types::row, first, left};
    }

    // How many of a warp's elements are chosen.
    template <bool Plain>
    __device__ __forceinline__ int count_of(int s, const warp_rows<Plain>& own, Acc rows_before) const {
        const int last = own.row + (Plain ? shape::rows_per_warp : own.rows) - 1;
        return int(this->template at<Acc>(s, shape::row_folds_at)[last] - rows_before);
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
                bits[k] = this->run_bits(s)[(own.row + k) * 32 + lane];
            }
        }
        constexpr int elements_bytes = shape::image_bytes - shape::places_bytes;
        const packing<Types> area{
            shape::in_place
                ? packed_elements<typename Types::Packed>{this->staged_row(s, own.row, 0, false) +
                                                              seen.shift[0],
                                                          own.rows * Types::row * int(sizeof(Out))}
                : packed_elements<typename Types::Packed>{image, elements_bytes},
            {image + elements_bytes, shape::places_bytes}};
        left_parts<Acc> left;
        this->set_inner_parts(combine, s, unit_row, own.row, false, left);
        const Acc rows_before = left.rows;
        const int count = count_of(s, own, rows_before);
        const auto first_of_run = [&](int k) {
            if (k > 0) this->set_inner_parts(combine, s, unit_row, own.row + k, true, left);
            return int(left.rows - rows_before + left.runs);
        };
        // Of compaction for all rows before the first is packed: loads do not pass stores. Measured:
        // partition had better ask when it packs.
        int first[per_warp];
#pragma unroll
        for (int k = 0; k < per_warp && !Both; ++k) {
            if (!Plain && k >= own.rows) break;
            first[k] = first_of_run(k);
        }
        const bool packs = Both || !shape::finds_heads || count != 0;  // runs may be long
#pragma unroll
        for (int k = 0; k < per_warp; ++k) {
            if (!packs || (!Plain && k >= own.rows)) break;
            const int at = Both ? first_of_run(k) : first[k], place = (k * 32 + lane) * Types::items;
            pack_run<Types, Both>(area, raw[k], bits[k], valid_of_lane(k), at, count + place - at,
                                  own.items - 1, place);
        }
        __syncwarp();
        control(s).located.wait(phase);
        const std::uint64_t begin = before + before_tile(s, own.row) + rows_before;
        const std::uint64_t index = choosing.first + own.first_item;
        deliver(choosing, area.elements, 0, count, begin, index, lane);
        if constexpr (Both)
            deliver(choosing, area.elements, count, own.items - count, control(s).chosen + (index - begin),
                    index, lane);
        deliver_lengths<Types, shape::piece_items>(choosing, area.places, own.first_item, count, begin, lane);
        if (lane == 0 && own.first_item + unsigned(own.items) == n)
            choosing.store_upto(begin + unsigned(count));
        // The image is written again before this warp's next wait.
        if constexpr (shape::image_bytes > 0) __syncwarp();
    }
    // How many elements are chosen, in this launch, before the tile that has a row of a unit.
    __device__ __forceinline__ Acc before_tile(int s, int row) const {
        return this->template at<Acc>(s, shape::tile_parts_at)[row / 32];
    }

    // The same for elements that do not fit into registers by runs: their places in the warp's rows are
    // packed.
    __device__ __forceinline__ void move_unit_by_element(int s, unsigned phase, const unit_view& seen,
                                                         int warp, char* image, std::uint64_t before) const {
        const combiner<Acc, Op> combine{choosing.op, false};
        const std::int64_t unit_row = seen.unit * shape::rows;
        const auto own = rows_of<false>(seen, warp);
        const packed_elements<std::uint16_t> places{image, shape::image_bytes};
        control(s).folded.wait(phase);
        if (own.rows == 0) {
            control(s).located.wait(phase);
            return;
        }
        left_parts<Acc> left;
        this->set_inner_parts(combine, s, unit_row, own.row, false, left);
        const Acc rows_before = left.rows;
        const int count = count_of(s, own, rows_before);
#pragma unroll 1
        for (int k = 0; k < own.rows; ++k) {
            if (k > 0) this->set_inner_parts(combine, s, unit_row, own.row + k, true, left);
            int at = int(left.rows - rows_before + left.runs), place = (k * 32 + lane) * Types::items;
#pragma unroll 1
            for (int m = 0; m < Types::items && place < own.items; ++m, ++place) {
                const bool chosen = this->element(s, seen, own.row + k, m, false) != 0;
                // Within the image whatever a predicate answers.
                if (chosen)
                    places.put(at++, std::uint16_t(place));
                else if (Both)
                    places.put(min(count + place - at, own.items - 1), std::uint16_t(place));
            }
        }
        __syncwarp();
        control(s).located.wait(phase);
        const std::uint64_t begin = before + before_tile(s, own.row) + rows_before;
        const std::uint64_t index = choosing.first + own.first_item;
        const char* const rows = this->staged_row(s, own.row, 0, false) + seen.shift[0];
        deliver_places(places, 0, count, begin, index, rows);
        if constexpr (Both)
            deliver_places(places, count, own.items - count, control(s).chosen + (index - begin), index,
                           rows);
        deliver_lengths<Types, shape::piece_items>(choosing, places, own.first_item, count, begin, lane);
        if (lane == 0 && own.first_item + unsigned(own.items) == n)
            choosing.store_upto(begin + unsigned(count));
        __syncwarp();
    }
    // Delivers the elements of `rows` at `count` places, from the first-th on, as far as there is room. Lanes
    // take an element's parts, so that a warp writes what lies together.
    __device__ __forceinline__ void deliver_places(const packed_elements<std::uint16_t>& places, int first,
                                                   int count, std::uint64_t begin, std::uint64_t index,
                                                   const char* rows) const {
        using In = typename Types::template In<0>;
        const int fit = fitting(begin, count, choosing.room);
        if constexpr (!Types::moves_elements) {
            places.deliver_indices(choosing.out + begin, first, fit, index, lane);
        } else if constexpr (std::is_same_v<In, Out>) {
            using part = natural_unit<int(alignof(Out)), int(sizeof(Out))>;
            constexpr int parts = int(sizeof(Out) / sizeof(part));
            auto* const to = reinterpret_cast<part*>(choosing.out + begin);
            const auto* const from = reinterpret_cast<const part*>(rows);
#pragma unroll 4
            for (int k = lane; k < fit * parts; k += 32)
                to[k] = from[places.get(first + k / parts) * parts + k % parts];
        } else {
            for (int k = lane; k < fit; k += 32)
                choosing.out[begin + unsigned(k)] = convert<Out>(
                    load_element<In>(rows + places.get(first + k) * int(sizeof(In)), false, lane));
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
                move_unit_by_element(s, at.phase, seen, warp, image, before);
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
