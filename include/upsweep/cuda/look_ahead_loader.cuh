// The warp of the look-ahead scan that brings rows into the ring.
#pragma once

#include <cstdint>

#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/look_ahead_lines.cuh"
#include "upsweep/cuda/look_ahead_ring.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/tile_state.cuh"

#if __CUDA_ARCH__ >= 900

namespace upsweep::cuda::detail {

template <class Types>
struct look_ahead_loader : look_ahead_ring<Types> {
    using ring = look_ahead_ring<Types>;
    using ring::arguments, ring::n, ring::lane, ring::control, ring::stage;
    using typename ring::shape, typename ring::Acc, typename ring::Op, typename ring::cursor;

    launch_state& state;
    unsigned long long* tagged;

    // Brings the elements of one unit of input k, which is `array`, into `slot`. Returns the bytes that the
    // copy engine was not yet told to bring: [from, from + bytes) to `to`.
    struct bulk_copy {
        char* to;
        const char* from;
        unsigned bytes;
    };
    template <int k>
    __device__ __forceinline__ bulk_copy prepare(int s, std::int64_t unit, const char* array) const {
        constexpr int size = Types::element_size[k];
        constexpr int alignment = Types::element_alignment[k] < 16 ? Types::element_alignment[k] : 16;
        using unit_type = typename unit_of<alignment>::type;
        const int valid = this->valid_items(unit);
        const int padded = this->valid_rows(unit) * Types::row;
        const int missing = (padded - valid) * size;
        const std::uint64_t element =
            arguments.reverse ? n - this->first_item(unit) - valid : this->first_item(unit);
        const char* begin = array + element * size;
        const char* end = begin + std::int64_t(valid) * size;
        // Read backwards, the elements that fill up the last row stand before the others.
        const int before = arguments.reverse ? missing : 0;
        const int shift = int((reinterpret_cast<std::uintptr_t>(begin) - std::uintptr_t(before)) & 15);
        if (lane == 0) control(s).shift[k] = shift;
        char* slot = stage(s) + shape::input_at(k) + shift;
        char* to = slot + before;

        // Granules of 16 bytes are brought whole where others than ours in them are the array's; at its ends
        // and in a part-filled unit only those wholly ours.
        const auto round = [](const char* p, int up) {
            return reinterpret_cast<const char*>((reinterpret_cast<std::uintptr_t>(p) + std::uintptr_t(up)) &
                                                 ~std::uintptr_t(15));
        };
        const bool edge =
            valid != shape::unit_items || round(begin, 0) < array || round(end, 15) > array + n * size;
        const char* from = round(begin, edge ? 15 : 0);
        const char* until = round(end, edge ? 0 : 15);
        if (edge) {
            if (until < from) from = until = end;
            const int head = int(from - begin), tail = int(end - until);
            const int own = lane * int(sizeof(unit_type));
            if (own < head)
                *reinterpret_cast<unit_type*>(to + own) = *reinterpret_cast<const unit_type*>(begin + own);
            if (own < tail)
                *reinterpret_cast<unit_type*>(to + (until - begin) + own) =
                    *reinterpret_cast<const unit_type*>(until + own);
            // The rest of the last row repeats its last element, so that operators meet no other values.
            const char* last = arguments.reverse ? begin : end - size;
            char* fill = arguments.reverse ? slot : slot + std::int64_t(valid) * size;
            for (int done = own; done < missing; done += 32 * int(sizeof(unit_type)))
                *reinterpret_cast<unit_type*>(fill + done) =
                    *reinterpret_cast<const unit_type*>(last + done % size);
        }
        return {to + (from - begin), from, static_cast<unsigned>(until - from)};
    }

    // What a ticket stands for: a unit of the array, or of one of many lines.
    struct place {
        std::int64_t unit;
        const char* in[2];
        std::uint32_t line;
        typename Types::Out* out;
    };
    __device__ __forceinline__ place place_of(std::uint32_t index) const {
        constexpr int last = Types::inputs - 1;
        place found{std::int64_t(index),
                    {static_cast<const char*>(arguments.in[0]), static_cast<const char*>(arguments.in[last])},
                    0,
                    arguments.out};
        if constexpr (Types::has_lines) {
            const auto units = static_cast<std::uint32_t>(shape::units(n));
            found.line = index / units;
            found.unit = std::int64_t(index % units);
            const auto begin = static_cast<const line_arguments<Types>&>(arguments).begin(found.line);
            constexpr int size = Types::element_size[0], last_size = Types::element_size[last];
            found.in[0] += begin.in * size;
            found.in[1] += begin.second * last_size;
            found.out += begin.out;
        }
        return found;
    }
    // Tells the other warps, but for the unit.
    __device__ __forceinline__ void tell(line_stage_state& own, const place& from) const {
        own.out = from.out - arguments.out;
        own.totals = tagged + from.line * shape::published_words(n);
        own.in_stage =
            (reinterpret_cast<std::uintptr_t>(from.in[0]) - reinterpret_cast<std::uintptr_t>(from.out)) %
                16 ==
            0;
    }

    __device__ void load() const {
        cursor at;
        at.phase = 1;
        const std::uint64_t units = shape::units(n) * line_count(arguments);
        ticket next{};
        std::int64_t previous = -1;
        [[maybe_unused]] std::uint32_t previous_line = 0;
        for (;; at.advance()) {
            auto& own = control(at.stage);
            // Just before the stage becomes free: units are then loaded in about the order of their tickets,
            // and nobody waits long for the total of one whose load has not begun.
            own.located.wait(at.phase);
            if (lane == 0) next = take_ticket(state);
            const std::uint32_t index = __shfl_sync(0xffffffffu, next.index, 0);
            const std::uint32_t tag = __shfl_sync(0xffffffffu, next.tag, 0);
            const bool more = index < units;
            const place from = place_of(index);
            if constexpr (Types::has_lines) {
                if (from.line != previous_line) previous = -1;
                previous_line = from.line;
            }
            if constexpr (Types::has_heads)
                if (more && lane == 0)
                    arguments.heads.prefetch(this->first_item(index), unsigned(this->valid_items(index)), n,
                                             arguments.reverse);
            own.free.wait(at.phase);
            if (lane == 0) {
                own.unit = more ? from.unit : -1;
                own.previous = previous;
                own.tag = tag;
                if constexpr (Types::has_lines) tell(own, from);
            }
            if constexpr (Types::has_heads) own.taken.arrive_by_warp(lane);
            previous = from.unit;
            if (!more) {
                // Every block takes one ticket too many; whoever takes the last of all leaves the counter
                // ready.
                if (lane == 0 && index == units + gridDim.x - 1) prepare_next_launch(state, tag);
                own.full.arrive_by_warp(lane);
                // The end is told once to each of the warps that take turns.
                for (int k = 1; k < shape::look_ahead_warps; ++k) {
                    at.advance();
                    control(at.stage).free.wait(at.phase);
                    if (lane == 0) control(at.stage).unit = -1;
                    if constexpr (Types::has_heads) control(at.stage).taken.arrive_by_warp(lane);
                    control(at.stage).full.arrive_by_warp(lane);
                }
                return;
            }
            bulk_copy copies[2];
            copies[0] = prepare<0>(at.stage, from.unit, from.in[0]);
            if constexpr (Types::inputs == 2)
                copies[1] = prepare<Types::inputs - 1>(at.stage, from.unit, from.in[1]);
            __syncwarp();
            if (lane == 0) {
                unsigned bytes = copies[0].bytes;
                if constexpr (Types::inputs == 2) bytes += copies[1].bytes;
                own.full.arrive_expecting(bytes);
#pragma unroll
                for (int k = 0; k < Types::inputs; ++k)
                    if (copies[k].bytes != 0)
                        copy_async(copies[k].to, copies[k].from, copies[k].bytes, own.full);
            } else if (unsigned(lane) < phase_barrier::arriving_lanes) {
                own.full.arrive();
            }
        }
    }
};

}  // namespace upsweep::cuda::detail

#endif
