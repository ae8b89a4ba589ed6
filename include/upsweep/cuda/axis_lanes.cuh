// Many sequences, a lane each: a warp scans 32 of them from end to end, and nothing passes between lanes.
//
// Elements pass through shared memory, some pieces ahead of the scan: pieces of 32 positions of each of the
// 32 sequences, [position][sequence]. A lane copies the elements of its own sequence where neighbouring
// sequences are neighbours in memory, or of as many neighbours as fill a word with elements of one or two
// bytes, which it scans side by side; where the elements of a sequence are, the warp copies along them, which
// turns them, and results are turned back. Where sequences are aligned for it, the warp copies 16 bytes a
// lane, to [sequence][position], and a lane takes 16 bytes of its sequence at a time.
//
// A warp takes one group of 32 sequences after the other, and copies ahead across their ends too, so that
// short sequences keep as much under way as long ones. Where there are two inputs, a piece is of both. Where
// neighbouring sequences are neighbours at multiples of 16 bytes, the two warps of a block take neighbouring
// groups and copy a piece of both together, in rows of 256 bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_lane_copies.cuh"
#include "upsweep/cuda/axis_lane_shape.cuh"
#include "upsweep/cuda/element_copy.cuh"

namespace upsweep::cuda {

namespace detail {

template <class Types, bool Exclusive, lane_copies Copies>
struct lane_scanner : lane_mover<Types, Copies> {
    using mover = lane_mover<Types, Copies>;
    using mover::arguments, mover::stages, mover::lane, mover::paired, mover::length, mover::group_count,
        mover::piece_count, mover::positions, mover::lanes, mover::origin_of, mover::results, mover::advance,
        mover::wait_for_piece, mover::walk_along, mover::of_sequence, mover::load, mover::sync,
        mover::chunks_at, mover::chunk_items;
    using shape = lane_shape<Types, Copies>;
    using In = axis_input<Types>;
    using Out = typename Types::Out;
    using Acc = typename Types::Acc;
    static constexpr bool has_second = Types::inputs == 2;

    // Scans a piece of chunks, in place, and stores it: results go where the first input was. `First`:
    // nothing stands before the sequence's first row, which this is in.
    template <bool Full, bool First>
    __device__ __forceinline__ void scan_chunks(int s, lane_state<Types>& state, const lane_cursor& at,
                                                Out* begin) const {
        constexpr int last_input = Types::inputs - 1;
        In* const slots = mover::template stage<0>(s);
        // Whole runs and whole chunks.
        constexpr int bytes = lane_run * int(sizeof(In)) < 16 ? 16 : lane_run * int(sizeof(In));
        constexpr int items = bytes / int(sizeof(In)), chunks = bytes / 16;
        const Acc start = static_cast<Acc>(arguments.scan.start);
        const int count = Full ? shape::piece : positions(at.piece);
        uint4* const own = chunks_at(slots, lane);
        const uint4* const own_second = has_second ? chunks_at(stage<last_input>(s), lane) : nullptr;
#pragma unroll(Full ? shape::piece / items : 1)
        for (int first = 0; first < count; first += items) {
            const int first_chunk = first / chunk_items;
            // At the end of a sequence of large elements, half a run is a whole chunk.
            const bool has_last = Full || chunks == 1 || first + chunk_items < count;
            uint4 chunk[chunks];
#pragma unroll
            for (int k = 0; k < chunks; ++k) chunk[k] = own[first_chunk + (k == 0 || has_last ? k : 0)];
            word_array<bytes / 4> raw, raw_second, results;
            std::memcpy(&raw, chunk, bytes);
            if constexpr (has_second) {
#pragma unroll
                for (int k = 0; k < chunks; ++k)
                    chunk[k] = own_second[first_chunk + (k == 0 || has_last ? k : 0)];
                std::memcpy(&raw_second, chunk, bytes);
            }
#pragma unroll
            for (int r = 0; r < items; r += lane_run) {
                Acc x[lane_run];
#pragma unroll
                for (int m = 0; m < lane_run; ++m) {
                    axis_element<Types> element;
                    element.x = unpack<In>(raw, r + m);
                    if constexpr (has_second)
                        element.second = unpack<axis_input<Types, last_input>>(raw_second, r + m);
                    x[m] = element.accumulator(arguments.scan);
                }
                state.template scan<Exclusive, First>(start, x);
#pragma unroll
                for (int m = 0; m < lane_run; ++m) pack(results, r + m, make_result(arguments.scan, x[m]));
            }
            std::memcpy(chunk, &results, bytes);
#pragma unroll
            for (int k = 0; k < chunks; ++k)
                if (k == 0 || has_last) own[first_chunk + k] = chunk[k];
        }
        if (Full) state.count_runs(shape::piece / lane_run);
        __syncwarp();
        const int valid = lanes(at.group);
        Out* const to = begin + std::int64_t(at.piece) * shape::piece;
        walk_along(count / chunk_items, [&](int sequence, int chunk) {
            Out* const there = of_sequence(to, sequence < valid ? sequence : 0) + chunk * chunk_items;
            if (sequence < valid) *reinterpret_cast<uint4*>(there) = chunks_at(slots, sequence)[chunk];
        });
    }

    // This lane's sequence in a stage.
    [[nodiscard]] __device__ __forceinline__ axis_source<Types> staged_source(int s) const {
        if constexpr (has_second)
            return {mover::template stage<0>(s) + lane, shape::pitch, mover::template stage<1>(s) + lane,
                    shape::pitch};
        else
            return {mover::template stage<0>(s) + lane, shape::pitch};
    }
    // Scans a piece of words. `begin`: where the results of this lane's first sequence go.
    template <bool Full>
    __device__ __forceinline__ void scan_words(int s, lane_state<Types> (&state)[shape::width],
                                               const lane_cursor& at, Out* begin) const {
        constexpr int last_input = Types::inputs - 1, width = shape::width;
        constexpr int result_words = width * int(sizeof(Out)) / 4;
        using whole = typename unit_of<result_words * 4>::type;
        const std::int64_t stride = arguments.geometry.out_stride;
        const Acc start = static_cast<Acc>(arguments.scan.start);
        const int count = Full ? shape::piece : positions(at.piece);
        Out* to = begin + std::int64_t(at.piece) * shape::piece * stride;
        const auto* const from = reinterpret_cast<const std::uint32_t*>(mover::template stage<0>(s)) + lane;
        const auto* const second = reinterpret_cast<const std::uint32_t*>(stage<last_input>(s)) + lane;
        constexpr int runs = shape::piece / lane_run;
#pragma unroll(Full ? (width == 2 ? 4 : 2) : 1)
        for (int r = 0; r < runs; ++r) {
            const int position = r * lane_run;
            if (!Full && position >= count) break;
            Acc x[width][lane_run];
#pragma unroll
            for (int m = 0; m < lane_run; ++m) {
                // The last element stands for those that the sequence's last run lacks.
                const int p = Full || position + m < count ? position + m : count - 1;
                const word_array<1> word{from[p * shape::pitch]};
                const word_array<1> other{has_second ? second[p * shape::pitch] : 0u};
#pragma unroll
                for (int w = 0; w < width; ++w) {
                    axis_element<Types> element;
                    element.x = unpack<In>(word, w);
                    if constexpr (has_second)
                        element.second = unpack<axis_input<Types, last_input>>(other, w);
                    x[w][m] = element.accumulator(arguments.scan);
                }
            }
#pragma unroll
            for (int w = 0; w < width; ++w) state[w].template scan<Exclusive>(start, x[w]);
#pragma unroll
            for (int m = 0; m < lane_run; ++m) {
                const int p = position + m;
                word_array<result_words> results;
#pragma unroll
                for (int w = 0; w < width; ++w) pack(results, w, make_result(arguments.scan, x[w][m]));
                whole packed;
                std::memcpy(&packed, &results, sizeof packed);
                if (Full || p < count) *reinterpret_cast<whole*>(to) = packed;
                to += stride;
            }
        }
        if (Full) {
#pragma unroll
            for (int w = 0; w < width; ++w) state[w].count_runs(runs);
        }
    }
    // Scans a piece. `begin`: where this lane's results go.
    template <bool Full>
    __device__ __forceinline__ void scan_piece(int s, lane_state<Types>& state, const lane_cursor& at,
                                               Out* begin) const {
        const std::int64_t stride = arguments.geometry.out_stride;
        const std::int64_t first = std::int64_t(at.piece) * shape::piece;
        const Acc start = static_cast<Acc>(arguments.scan.start);
        const int count = Full ? shape::piece : positions(at.piece);
        Out* const to = begin + first * stride;
        Out* next = to;  // of this lane; one without a sequence stores the results of another again
        const axis_source<Types> from = staged_source(s);
        constexpr int runs = shape::piece / lane_run;
#pragma unroll(Full ? runs : 1)
        for (int r = 0; r < runs; ++r) {
            const int position = r * lane_run;
            if (!Full && position >= count) break;
            Acc x[lane_run];
#pragma unroll
            for (int m = 0; m < lane_run; ++m) {
                // The last element stands for those that the sequence's last run lacks.
                const int p = Full || position + m < count ? position + m : count - 1;
                x[m] = from[p].accumulator(arguments.scan);
            }
            state.template scan<Exclusive>(start, x);
#pragma unroll
            for (int m = 0; m < lane_run; ++m) {
                const int p = position + m;
                if constexpr (Copies == lane_copies::turned) {
                    results()[p * shape::pitch + lane] = make_result(arguments.scan, x[m]);
                } else {
                    if (Full || p < count) *next = make_result(arguments.scan, x[m]);
                    next += stride;
                }
            }
        }
        if (Full) state.count_runs(runs);
        if constexpr (Copies == lane_copies::turned) {
            const int valid = lanes(at.group);
            __syncwarp();
            walk_along(count, [&](int sequence, int position) {
                Out* const there = of_sequence(to, sequence < valid ? sequence : 0);
                if (sequence < valid)
                    there[position * stride] = results()[position * shape::pitch + sequence];
            });
            __syncwarp();
        }
    }

    // Groups first_group, first_group + apart, ...
    __device__ __forceinline__ void run_staged(std::uint64_t first_group, std::uint64_t apart) const {
        const std::uint64_t own_groups = group_count(), pieces = piece_count();
        // Both warps of a block come to as many ends of pieces, so that the last of them may have no group.
        const std::uint64_t groups = shape::pairs && paired ? (own_groups + 1) / 2 * 2 : own_groups;
        if (first_group >= groups) return;
        Out* const out = arguments.scan.out;
        lane_cursor ahead{first_group}, at{first_group};
        axis_source<Types> from =
            arguments.source(origin_of(first_group < own_groups ? first_group : own_groups - 1));
        int to_load = 0, to_scan = 0;  // stages
        const auto load_next = [&] {
            if (ahead.group < own_groups) {
                load(mover::template stage<0>(to_load), ahead, from.x, from.stride);
                if constexpr (has_second)
                    load(mover::template stage<1>(to_load), ahead, from.second, from.second_stride);
                if (ahead.advance(pieces, apart) && ahead.group < own_groups)
                    from = arguments.source(origin_of(ahead.group));
            }
            advance(to_load);
            close_copies();  // maybe of nothing: copies are counted by stages
        };
        for (int k = 1; k < stages; ++k) load_next();
        lane_states<Types, shape::width> states(arguments.scan);
        auto& state = states.of[0];
        while (at.group < groups) {
            const bool has_group = at.group < own_groups;
            Out* const to = out + origin_of(has_group ? at.group : own_groups - 1).out;
            if (at.piece == 0) {
#pragma unroll
                for (auto& each : states.of) each.begin(arguments.scan);
            }
            bool more = true;
            for (; more; advance(to_scan)) {
                // Into the stage of the piece before, which every lane has read.
                sync();
                load_next();
                wait_for_piece();
                // Before anyone stores what others that share a sequence have yet to read.
                sync();
                const bool full = positions(at.piece) == shape::piece;
                if (shape::pairs && !has_group) {
                    // Another warp's pieces are waited for alone.
                } else if constexpr (Copies == lane_copies::chunks) {
                    // Short sequences have no other rows, so that it pays to leave the upper parts out.
                    const bool first = !arguments.scan.has_initial && at.piece < lane_row / shape::piece;
                    if (first && full)
                        scan_chunks<true, true>(to_scan, state, at, to);
                    else if (first)
                        scan_chunks<false, true>(to_scan, state, at, to);
                    else if (full)
                        scan_chunks<true, false>(to_scan, state, at, to);
                    else
                        scan_chunks<false, false>(to_scan, state, at, to);
                } else if constexpr (Copies == lane_copies::words) {
                    if (full)
                        scan_words<true>(to_scan, states.of, at, to);
                    else
                        scan_words<false>(to_scan, states.of, at, to);
                } else {
                    if (full)
                        scan_piece<true>(to_scan, state, at, to);
                    else
                        scan_piece<false>(to_scan, state, at, to);
                }
                more = !at.advance(pieces, apart);
            }
        }
    }
    __device__ __forceinline__ void run_directly(std::uint64_t first_group, std::uint64_t apart) const {
        const std::uint64_t groups = group_count();
        for (std::uint64_t group = first_group; group < groups; group += apart) {
            const auto origin = origin_of(group);
            axis_source<Types> x = arguments.source(origin);
            Out* y = arguments.scan.out + origin.out;
            lane_state<Types> state(arguments.scan);
            for (std::uint64_t done = 0; done < length(); done += lane_row) {
                const std::uint64_t left = length() - done;
                scan_row_of_lane<Exclusive>(arguments.scan, state, x, y, arguments.geometry.out_stride,
                                            left < lane_row ? int(left) : lane_row, lane < lanes(group));
                x = x.from(lane_row);
                y += lane_row * arguments.geometry.out_stride;
            }
        }
    }
};

}  // namespace detail

template <class Types, bool Exclusive, lane_copies Copies>
__global__ void __launch_bounds__(lane_shape<Types, Copies>::threads, lane_shape<Types, Copies>::blocks)
    scan_lanes_kernel(const __grid_constant__ axis_arguments<Types> arguments, int stages, bool paired) {
    using shape = lane_shape<Types, Copies>;
    extern __shared__ __align__(128) char shared[];
    const int warp = int(threadIdx.x / 32);
    const detail::lane_scanner<Types, Exclusive, Copies> scanner{
        {arguments, shared + warp * shape::warp_bytes(arguments.scan.n, stages), stages,
         int(threadIdx.x % 32), paired}};
    const std::uint64_t first = std::uint64_t(blockIdx.x) * shape::warps + warp;
    const std::uint64_t apart = std::uint64_t(gridDim.x) * shape::warps;
    if constexpr (shape::staged)
        scanner.run_staged(first, apart);
    else
        scanner.run_directly(first, apart);
}

}  // namespace upsweep::cuda
