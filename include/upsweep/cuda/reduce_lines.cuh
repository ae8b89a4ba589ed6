// Totals of sequences whose elements are neighbours: a warp has 32 lines of the tree at once, a tile of a
// long sequence or the rows of several short ones. A lane takes runs of every line, and then a line's run
// totals, which pass through shared memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upsweep/cuda/reduce_totals.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/runs.cuh"

namespace upsweep::cuda {

// `Team` warps work on the same 32 lines: one where there are lines enough, else a block.
template <class Types, int Team = 1>
struct reduce_lines_shape {
    using Acc = typename Types::Acc;
    using totals = run_totals<Acc>;
    static constexpr int size = Types::element_size[0];
    static constexpr int run_bytes = Types::items * size;
    static constexpr int access = access_size<run_bytes>;
    static constexpr int image_bytes = (32 * totals::line + 15) / 16 * 16;
    static constexpr int teams = Team == 1 && image_bytes <= 20 * 1024 ? 4 : 1;
    static constexpr int threads = 32 * Team * teams;
    static constexpr int tag_at = teams * image_bytes;
    static constexpr int shared_bytes = tag_at + 16;
    // Lines whose loads a lane has under way at once.
    static constexpr int batch = std::clamp(128 / run_bytes, 1, 8 < 32 / Team ? 8 : 32 / Team);
    static constexpr int blocks_per_multiprocessor = Team > 1 || teams == 1 ? 1 : run_bytes <= 16 ? 5 : 4;

    // Lines that `length` elements of a sequence take, of one tile at most.
    static constexpr unsigned lines(std::uint64_t length) {
        return length >= std::uint64_t(Types::tile) ? 32 : unsigned((length + Types::row - 1) / Types::row);
    }
    static constexpr std::uint64_t tiles(std::uint64_t length) {
        return (length + Types::tile - 1) / Types::tile;
    }
};

namespace detail {

// One of the 32 lines, by the lane of its number.
template <class Types>
struct reduced_line {
    const typename Types::template In<0>* x;
    int valid;  // elements
};

template <class Types, int Team>
struct line_reducer {
    using shape = reduce_lines_shape<Types, Team>;
    using Acc = typename Types::Acc;
    using In = typename Types::template In<0>;
    using totals_type = typename shape::totals;

    const scan_arguments<Types>& arguments;
    std::int64_t stride;
    totals_type totals;
    int part;  // of the team
    int lane;

    static constexpr int lines_of_part = 32 / Team;

    using whole = typename unit_of<shape::access>::type;

    __device__ __forceinline__ static bool is_aligned(const In* x) {
        return reinterpret_cast<std::uintptr_t>(x) % shape::access == 0;
    }
    // This lane's run, if it is whole, of a line of neighbours at whole runs.
    __device__ __forceinline__ void load_whole(typename Types::Raw& raw, const In* x) const {
        const auto* run = reinterpret_cast<const whole*>(x + lane * Types::items);
        whole pieces[shape::run_bytes / sizeof(whole)];
#pragma unroll
        for (int p = 0; p < int(shape::run_bytes / sizeof(whole)); ++p) pieces[p] = __ldg(run + p);
        std::memcpy(&raw.arrays().words, pieces, shape::run_bytes);
    }
    __device__ __forceinline__ Acc fold_items(const typename Types::Raw& raw) const {
        if constexpr (packs_bytes<Types>) {
            using bytes = packed_bytes<typename Types::Op, std::is_signed_v<Acc>>;
            return static_cast<Acc>(bytes::fold(raw.arrays().words));
        } else {
            Acc x[Types::items];
            load_accumulators<typename Types::Total>(raw, arguments.load, false, x);
            return fold_run(arguments.combine(false), x);
        }
    }
    [[nodiscard]] __device__ __forceinline__ Acc element(const In& x) const {
        return axis_element<Types>{x}.accumulator(arguments);
    }

    [[nodiscard]] __device__ __forceinline__ int end_of_part(int lines) const {
        const int end = (part + 1) * lines_of_part;
        return end < lines ? end : lines;
    }
    // All of the team.
    __device__ __forceinline__ static void sync() {
        if constexpr (Team == 1)
            __syncwarp();
        else
            __syncthreads();
    }

    // The run totals of full lines.
    __device__ __forceinline__ void sum_full_lines(const reduced_line<Types>& own) const {
        constexpr int batch = shape::batch;
#pragma unroll 1
        for (int first = part * lines_of_part; first < (part + 1) * lines_of_part; first += batch) {
            typename Types::Raw raw[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k) load_whole(raw[k], shuffle(own.x, first + k));
#pragma unroll
            for (int k = 0; k < batch; ++k) totals.store(first + k, lane, fold_items(raw[k]));
        }
    }
    // Of the first so many lines, which lie at whole runs. What is left behind their whole runs follows.
    __device__ __forceinline__ void sum_aligned_lines(const reduced_line<Types>& own, int lines) const {
        constexpr int batch = shape::batch;
#pragma unroll 1
        for (int first = part * lines_of_part; first < end_of_part(lines); first += batch) {
            typename Types::Raw raw[batch];
            unsigned there = 0;  // bit k: this lane's run of line first + k
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const In* const x = shuffle(own.x, (first + k) % 32);
                const int valid = shuffle(own.valid, (first + k) % 32);
                if (first + k < lines && (lane + 1) * Types::items <= valid) {
                    there |= 1u << k;
                    load_whole(raw[k], x);
                }
            }
#pragma unroll
            for (int k = 0; k < batch; ++k)
                if ((there >> k & 1) != 0) totals.store(first + k, lane, fold_items(raw[k]));
        }
        const int rest = own.valid % Types::items, run = own.valid / Types::items;
        if (part != 0 || rest == 0) return;
        const auto combine = arguments.combine(false);
        const In* const x = own.x + run * Types::items;
        Acc total = element(x[0]);
#pragma unroll 2
        for (int m = 1; m < rest; ++m) total = combine(total, element(x[m]));
        totals.store(lane, run, total);
    }
    // Of any lines.
    __device__ __forceinline__ void sum_lines(const reduced_line<Types>& own, int lines) const {
        constexpr int batch = shape::batch < 4 ? shape::batch : 4;
        // Longer runs are unrolled in part: where their elements lie would take a register each, or two.
        constexpr int unrolled = Types::items <= 4 ? Types::items : 4;
        const auto combine = arguments.combine(false);
#pragma unroll 1
        for (int first = part * lines_of_part; first < end_of_part(lines); first += batch) {
            const In* x[batch];
            int count[batch];  // of the elements of this lane's run, if there are any
            Acc total[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const int line = first + k < lines ? first + k : lines - 1;
                count[k] = shuffle(own.valid, line) - lane * Types::items;
                x[k] = shuffle(own.x, line) + std::int64_t(count[k] > 0 ? lane * Types::items : 0) * stride;
                total[k] = element(*x[k]);
            }
            // The last element stands for those that are missing.
#pragma unroll(unrolled)
            for (int m = 1; m < Types::items; ++m) {
#pragma unroll
                for (int k = 0; k < batch; ++k) {
                    if (m < count[k]) x[k] += stride;
                    const Acc next = combine(total[k], element(*x[k]));
                    if (m < count[k]) total[k] = next;
                }
            }
#pragma unroll
            for (int k = 0; k < batch; ++k)
                if (first + k < lines && count[k] > 0) totals.store(first + k, lane, total[k]);
        }
    }

    // The value of this lane's line, if it has elements; in the team's first warp.
    __device__ __forceinline__ Acc fold(const reduced_line<Types>& own) const {
        const bool aligned = stride == 1 && is_aligned(own.x);
        const int lines = 32 - __clz(int(__ballot_sync(0xffffffffu, own.valid > 0)));
        if (__all_sync(0xffffffffu, aligned && own.valid == Types::row))
            sum_full_lines(own);
        else if (__all_sync(0xffffffffu, aligned || own.valid == 0))
            sum_aligned_lines(own, lines);
        else
            sum_lines(own, lines);
        sync();
        Acc value{};
        if (part == 0 && own.valid > 0)
            value = fold_line(arguments.combine(false), totals, lane,
                              (own.valid + Types::items - 1) / Types::items);
        sync();
        return value;
    }
};

// The reducer of the calling warp's team.
template <class Types, int Team, class Shape>
__device__ __forceinline__ line_reducer<Types, Team> make_line_reducer(const Shape& shape, char* shared) {
    const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
    return {shape.scan,
            shape.stride(),
            {shared + warp / Team * reduce_lines_shape<Types, Team>::image_bytes},
            warp % Team,
            lane};
}
template <class Types, class Shape>
__device__ __forceinline__ reduced_line<Types> line_at(const Shape& shape, std::uint64_t sequence,
                                                       std::uint64_t first, std::uint64_t n) {
    using In = typename Types::template In<0>;
    const auto* x = static_cast<const In*>(shape.scan.in[0]) + shape.first(sequence) +
                    std::int64_t(first) * shape.stride();
    const std::uint64_t left = first < n ? n - first : 0;
    return {x, left < std::uint64_t(Types::row) ? int(left) : Types::row};
}

// By a team: the value of a tile of a sequence of n elements, in the lanes of its first warp.
template <class Shape, class Types, int Team>
__device__ __forceinline__ typename Types::Acc fold_tile(const Shape& shape,
                                                         const line_reducer<Types, Team>& reducer,
                                                         std::uint64_t sequence, std::uint64_t tile,
                                                         std::uint64_t n) {
    const std::uint64_t first = tile * Types::tile + std::uint64_t(reducer.lane) * Types::row;
    const reduced_line<Types> line = line_at<Types>(shape, sequence, first, n);
    const auto value = reducer.fold(line);
    if (reducer.part != 0) return value;
    const int lines = __popc(__ballot_sync(0xffffffffu, line.valid > 0));
    const auto folded = fold_lanes(shape.scan.combine(false),
                                   shuffle(value, line.valid > 0 ? reducer.lane : 0), reducer.lane);
    return shuffle(folded, lines - 1);
}

// Of no elements, as a length in device memory may say.
template <class Shape>
__device__ __forceinline__ void store_reduced_nothing(const Shape& shape) {
    using Acc = typename std::remove_cvref_t<decltype(shape.scan)>::Acc;
    const auto& scan = shape.scan;
    scan.out[0] = make_result(scan, scan.has_initial ? scan.initial_value() : static_cast<Acc>(scan.start));
}

}  // namespace detail

// Sequences of at most a tile, `together` of them by a team, each of which has so many lines.
template <class Types, class Shape, int Team>
__global__ void __launch_bounds__(reduce_lines_shape<Types, Team>::threads,
                                  reduce_lines_shape<Types, Team>::blocks_per_multiprocessor)
    reduce_short_lines_kernel(const __grid_constant__ Shape shape, unsigned lines, unsigned together) {
    constexpr int teams = reduce_lines_shape<Types, Team>::teams;
    extern __shared__ __align__(128) char shared[];
    const auto reducer = detail::make_line_reducer<Types, Team>(shape, shared);
    const auto combine = shape.scan.combine(false);
    const std::uint64_t n = shape.scan.size(), sequences = shape.sequences();
    const unsigned lane = threadIdx.x % 32, own_line = lane % lines, own_sequence = lane / lines;
    if (n == 0) {
        if (blockIdx.x == 0 && threadIdx.x == 0) detail::store_reduced_nothing(shape);
        return;
    }
#pragma unroll 1
    for (std::uint64_t first = (blockIdx.x * std::uint64_t(teams) + threadIdx.x / (32 * Team)) * together;
         first < sequences; first += gridDim.x * std::uint64_t(teams) * together) {
        const std::uint64_t sequence = first + own_sequence;
        const bool exists = own_sequence < together && sequence < sequences;
        detail::reduced_line<Types> own =
            detail::line_at<Types>(shape, exists ? sequence : first, std::uint64_t(own_line) * Types::row, n);
        if (!exists) own.valid = 0;
        const auto value = reducer.fold(own);
        if (reducer.part != 0) continue;
        // A line of another sequence stands for those that are not there.
        const int begin = exists ? int(lane - own_line) : 0;
        const int there = int((n + Types::row - 1) / Types::row);
        auto sum = shuffle(value, begin);
#pragma unroll 1
        for (int r = 1; r < there; ++r) sum = combine(sum, shuffle(value, begin + r));
        if (exists && own_line == 0) detail::store_first_reduced(shape, sequence, sum);
    }
}

// Longer ones, `together` tiles by a team, which is a power of two and at most a super.
template <class Types, class Shape, int Team>
__global__ void __launch_bounds__(reduce_lines_shape<Types, Team>::threads,
                                  reduce_lines_shape<Types, Team>::blocks_per_multiprocessor)
    reduce_lines_kernel(const __grid_constant__ Shape shape, unsigned together, launch_state* state,
                        unsigned long long* tagged, std::uint64_t words) {
    using lines_shape = reduce_lines_shape<Types, Team>;
    using Acc = typename Types::Acc;
    constexpr int teams = lines_shape::teams;
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t n = shape.scan.size(), sequences = shape.sequences();
    const std::uint64_t tiles = lines_shape::tiles(n), parts = (tiles + together - 1) / together;
    const std::uint64_t all = sequences * parts, blocks = (all + teams - 1) / teams;
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0) detail::store_reduced_nothing(shape);
    if (blockIdx.x >= blocks) return;
    const auto reducer = detail::make_line_reducer<Types, Team>(shape, shared);
    const detail::reduced_levels<Types> levels(
        tagged, sequences, sequences, lines_shape::tiles(shape.scan.n), tiles,
        detail::begin_launch(*state, *reinterpret_cast<std::uint32_t*>(shared + lines_shape::tag_at)));
#pragma unroll 1
    for (std::uint64_t k = blockIdx.x * std::uint64_t(teams) + threadIdx.x / (32 * Team); k < all;
         k += gridDim.x * std::uint64_t(teams)) {
        // A sequence alone needs no division, which takes as long as some lines.
        const std::uint64_t sequence = Shape::is_single ? 0 : k / parts;
        const std::uint64_t first = (k - sequence * parts) * together;
        const unsigned count = tiles - first < together ? unsigned(tiles - first) : together;
        Acc value{};
#pragma unroll 1
        for (unsigned t = 0; t < count; ++t) {
            value = detail::fold_tile(shape, reducer, sequence, first + t, n);
            if (reducer.part != 0) continue;
            levels.publish_tile(sequence, first + t, value, reducer.lane == 0);
        }
        if (reducer.part == 0)
            levels.finish(shape, detail::fold_published_by_warp{reducer.lane}, sequence, sequence, first,
                          count, value, reducer.lane == 0);
    }
    detail::end_launch(*state, levels.tag, unsigned(blocks < gridDim.x ? blocks : gridDim.x), tagged, words);
}

// The longest, a super by a block, whose warps take its tiles in turn.
template <class Types>
struct reduce_supers_shape {
    using Acc = typename Types::Acc;
    static constexpr int warps = 4;
    static constexpr int threads = 32 * warps;
    static constexpr int totals_at = warps * reduce_lines_shape<Types>::image_bytes;  // of two supers' tiles
    static constexpr int tag_at = totals_at + 2 * 32 * int(sizeof(Acc));
    static constexpr int shared_bytes = tag_at + 16;
    static constexpr bool exists = reduce_lines_shape<Types>::teams > 1;
};

template <class Types, class Shape>
__global__ void __launch_bounds__(reduce_supers_shape<Types>::threads, 5)
    reduce_supers_kernel(const __grid_constant__ Shape shape, launch_state* state, unsigned long long* tagged,
                         std::uint64_t words) {
    using supers_shape = reduce_supers_shape<Types>;
    using Acc = typename Types::Acc;
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t n = shape.scan.size(), sequences = shape.sequences();
    const std::uint64_t tiles = reduce_lines_shape<Types>::tiles(n);
    const std::uint64_t supers = detail::reduced_levels<Types>::supers_of(tiles), all = sequences * supers;
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0) detail::store_reduced_nothing(shape);
    if (blockIdx.x >= all) return;
    const unsigned warp = threadIdx.x / 32;
    const auto reducer = detail::make_line_reducer<Types, 1>(shape, shared);
    const detail::reduced_levels<Types> levels(
        tagged, sequences, sequences, reduce_lines_shape<Types>::tiles(shape.scan.n), tiles,
        detail::begin_launch(*state, *reinterpret_cast<std::uint32_t*>(shared + supers_shape::tag_at)));
    unsigned turn = 0;
#pragma unroll 1
    for (std::uint64_t k = blockIdx.x; k < all; k += gridDim.x, ++turn) {
        const std::uint64_t sequence = Shape::is_single ? 0 : k / supers, super = k - sequence * supers;
        const unsigned count = unsigned(levels.children(tiles, super, 32));
        // Of the super before, the totals are still being folded.
        Acc* const totals = reinterpret_cast<Acc*>(shared + supers_shape::totals_at) + turn % 2 * 32;
#pragma unroll 1
        for (unsigned t = warp; t < count; t += supers_shape::warps) {
            const Acc value = detail::fold_tile(shape, reducer, sequence, super * 32 + t, n);
            if (reducer.lane == 0) totals[t] = value;
        }
        __syncthreads();
        if (warp != turn % supers_shape::warps) continue;
        const Acc own = totals[unsigned(reducer.lane) < count ? reducer.lane : 0];
        const Acc folded = fold_lanes(shape.scan.combine(false), own, reducer.lane);
        levels.finish_super(shape, detail::fold_published_by_warp{reducer.lane}, sequence, sequence, super,
                            shuffle(folded, int(count) - 1), reducer.lane == 0);
    }
    detail::end_launch(*state, levels.tag, unsigned(all < gridDim.x ? all : gridDim.x), tagged, words);
}

}  // namespace upsweep::cuda
