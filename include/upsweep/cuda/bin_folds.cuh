// Totals of bins whose values lie one bin behind the other: of each as if its values were alone.
//
// A bin's tree begins with its own first value, wherever that lies. So its values are cut into rows of 128
// and supers of 131072 from there on, the last ones part-filled, and rows of all bins are dealt out together:
// a block folds 32 of them, whosever they are, a warp the tiles of a super, and of bins of several supers a
// warp folds these. Which bin has a row or a super is looked up in where each bin's begin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/segment_totals.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

namespace detail {

// Of a bin's tree.
inline constexpr unsigned bin_run = 4, bin_row = 128, bin_tile_rows = 32, bin_super_tiles = 32;
inline constexpr unsigned bin_super_rows = bin_tile_rows * bin_super_tiles;
inline constexpr unsigned bin_super = bin_super_rows * bin_row;

// Values of V as accumulators of type T, the register's of Nominal, combined by Op to results of type Out.
template <class NominalType, class T, class V, class OutType, class OpType>
struct bin_folds_types {
    using Nominal = NominalType;
    using Value = T;
    using In = V;
    using Out = OutType;
    using Op = OpType;
};

template <class Value>
struct bin_folds_scratch {
    std::uint64_t *rows_before, *supers_before;  // how many there are in front of each bin, and of all bins
    Value *rows, *supers;                        // what they come to

    // Of up to n values.
    void place(scratch_layout& layout, std::uint64_t n, std::uint64_t bins) {
        layout.take(rows_before, bins + 1);
        layout.take(supers_before, bins + 1);
        layout.take(rows, n / bin_row + bins);
        layout.take(supers, n / bin_super + bins);
    }
};

template <class Types>
struct bin_folds_arguments {
    using Value = typename Types::Value;

    const typename Types::In* values;
    const std::uint64_t* offsets;  // where each bin begins, and where the last one ends
    std::uint64_t bins;
    typename Types::Out* out;
    typename Types::Out empty;  // what a bin without values gets
    typename Types::Op op;
    bool has_initial;
    Value initial;  // in front of each bin's supers
    bin_folds_scratch<Value> scratch{};

    __device__ __forceinline__ combiner<Value, typename Types::Op> combine() const { return {op, false}; }
    __device__ __forceinline__ void store(std::uint64_t bin, const Value& total) const {
        out[bin] = convert<typename Types::Out>(convert<typename Types::Nominal>(total));
    }
    __device__ __forceinline__ static Value value(const typename Types::In& x) {
        return convert<Value>(convert<typename Types::Nominal>(x));
    }
};

// How many rows and supers each bin has, before they are scanned; a thread a bin.
template <class Types>
__global__ void count_bin_rows_kernel(const __grid_constant__ bin_folds_arguments<Types> given) {
    const std::uint64_t step = std::uint64_t(gridDim.x) * blockDim.x;
    for (std::uint64_t bin = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; bin < given.bins;
         bin += step) {
        const std::uint64_t count = given.offsets[bin + 1] - given.offsets[bin];
        given.scratch.rows_before[bin] = (count + bin_row - 1) / bin_row;
        given.scratch.supers_before[bin] = (count + bin_super - 1) / bin_super;
    }
}

// The bin that has `which`, of [first, end), which are not empty: the last one with before[bin] <= which.
__device__ __forceinline__ std::uint64_t bin_that_has(const std::uint64_t* before, std::uint64_t first,
                                                      std::uint64_t end, std::uint64_t which) {
    while (end - first > 1) {
        const std::uint64_t middle = first + (end - first) / 2;
        if (before[middle] <= which)
            first = middle;
        else
            end = middle;
    }
    return first;
}

// Folds of rows, of which a block has 32 at a time.
inline constexpr int bin_threads = 128;
template <class Types>
inline constexpr int bin_lines_bytes = 32 * run_totals<typename Types::Value>::line;
template <class Types>
__global__ void __launch_bounds__(bin_threads)
    fold_bin_rows_kernel(const __grid_constant__ bin_folds_arguments<Types> given) {
    using Value = typename Types::Value;
    constexpr int warps = bin_threads / 32;
    extern __shared__ __align__(16) char lines[];
    __shared__ std::uint64_t begins[32];
    __shared__ int counts[32];
    const run_totals<Value> runs{lines};
    const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
    const auto combine = given.combine();
    const std::uint64_t all = given.scratch.rows_before[given.bins], step = std::uint64_t(gridDim.x) * 32;
    for (std::uint64_t first = std::uint64_t(blockIdx.x) * 32; first < all; first += step) {
        if (warp == 0) {
            // All of them between the bins of the first and of the last row.
            const std::uint64_t last = all - first < 32 ? all - 1 : first + 31;
            const std::uint64_t end_row = lane == 0 ? first : last;
            std::uint64_t bin = 0;
            if (lane < 2) bin = bin_that_has(given.scratch.rows_before, 0, given.bins, end_row);
            const std::uint64_t from = shuffle(bin, 0), to = shuffle(bin, 1) + 1;
            const std::uint64_t row = first + unsigned(lane);
            int count = 0;
            if (row <= last) {
                bin = bin_that_has(given.scratch.rows_before, from, to, row);
                const std::uint64_t before = (row - given.scratch.rows_before[bin]) * bin_row;
                const std::uint64_t begin = given.offsets[bin] + before,
                                    left = given.offsets[bin + 1] - begin;
                count = left < bin_row ? int(left) : int(bin_row);
                begins[lane] = begin;
            }
            counts[lane] = count;
        }
        __syncthreads();
#pragma unroll 4
        for (int row = warp; row < 32; row += warps) {
            const int count = counts[row], at = lane * int(bin_run);
            if (at >= count) continue;
            const typename Types::In* const from = given.values + begins[row] + unsigned(at);
            Value sum = given.value(from[0]);
#pragma unroll
            for (int m = 1; m < int(bin_run); ++m)
                if (at + m < count) sum = combine(sum, given.value(from[m]));
            runs.store(row, lane, sum);
        }
        __syncthreads();
        if (warp == 0 && counts[lane] != 0) {
            Value sum = runs.load(lane, 0);
            const int count = (counts[lane] + int(bin_run) - 1) / int(bin_run);
#pragma unroll 4
            for (int run = 1; run < count; ++run) sum = combine(sum, runs.load(lane, run));
            given.scratch.rows[first + unsigned(lane)] = sum;
        }
        __syncthreads();
    }
}

// By a warp: the left fold of `count` values, one in each of the first lanes.
template <class Types>
__device__ __forceinline__ typename Types::Value fold_in_order(const bin_folds_arguments<Types>& given,
                                                               const typename Types::Value& x, int count) {
    auto sum = shuffle(x, 0);
#pragma unroll 8
    for (int j = 1; j < 32; ++j) {
        const auto next = shuffle(x, j);
        if (j < count) sum = given.combine()(sum, next);
    }
    return sum;
}

// Folds of supers, a warp each, a tile a lane; of a bin that has one, its total.
template <class Types>
__global__ void fold_bin_supers_kernel(const __grid_constant__ bin_folds_arguments<Types> given) {
    wait_for_earlier_launch();
    using Value = typename Types::Value;
    const int lane = int(threadIdx.x % 32);
    const std::uint64_t all = given.scratch.supers_before[given.bins];
    const std::uint64_t warps = std::uint64_t(gridDim.x) * blockDim.x / 32;
    for (std::uint64_t super = (blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x) / 32; super < all;
         super += warps) {
        const std::uint64_t bin = bin_that_has(given.scratch.supers_before, 0, given.bins, super);
        const std::uint64_t earlier = (super - given.scratch.supers_before[bin]) * bin_super_rows;
        const std::uint64_t first = given.scratch.rows_before[bin] + earlier;
        const std::uint64_t left = given.scratch.rows_before[bin + 1] - first;
        const int rows = left < bin_super_rows ? int(left) : int(bin_super_rows);
        const int tiles = (rows + int(bin_tile_rows) - 1) / int(bin_tile_rows);
        Value sum{};
        if (lane < tiles) {
            const Value* const from = given.scratch.rows + first + unsigned(lane) * bin_tile_rows;
            const int own = rows - lane * int(bin_tile_rows);
            const int count = own < int(bin_tile_rows) ? own : int(bin_tile_rows);
            sum = from[0];
#pragma unroll 8
            for (int i = 1; i < int(bin_tile_rows); ++i)
                if (i < count) sum = given.combine()(sum, from[i]);
        }
        const Value total = fold_in_order(given, sum, tiles);
        if (lane != 0) continue;
        if (given.scratch.supers_before[bin + 1] - given.scratch.supers_before[bin] == 1)
            given.store(bin, given.has_initial ? given.combine()(given.initial, total) : total);
        else
            given.scratch.supers[super] = total;
    }
}

// Totals of the bins that have several supers, and of those that have none: a lane a bin, and its warp.
template <class Types>
__global__ void fold_bins_kernel(const __grid_constant__ bin_folds_arguments<Types> given) {
    wait_for_earlier_launch();
    using Value = typename Types::Value;
    const int lane = int(threadIdx.x % 32);
    const std::uint64_t step = std::uint64_t(gridDim.x) * blockDim.x;
    for (std::uint64_t bin = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x;
         bin - unsigned(lane) < given.bins; bin += step) {
        std::uint64_t first = 0, end = 1;
        if (bin < given.bins) {
            first = given.scratch.supers_before[bin];
            end = given.scratch.supers_before[bin + 1];
        }
        if (first == end) given.out[bin] = given.empty;
        for (unsigned several = __ballot_sync(0xffffffffu, end - first > 1); several != 0;
             several &= several - 1) {
            const int source = __ffs(int(several)) - 1;
            std::uint64_t from = shuffle(first, source);
            const std::uint64_t to = shuffle(end, source);
            const auto super = [&](std::uint64_t k) { return given.scratch.supers[k < to ? k : to - 1]; };
            Value sum = given.initial, next = super(from + unsigned(lane));
            for (bool present = given.has_initial; from < to; from += 32) {
                const Value x = next;
                next = super(from + 32 + unsigned(lane));
                const int count = to - from < 32 ? int(to - from) : 32;
#pragma unroll 8
                for (int j = 0; j < 32; ++j) {
                    const Value one = shuffle(x, j);
                    if (j < count) sum = present ? given.combine()(sum, one) : one;
                    present = true;
                }
            }
            if (lane == source) given.store(bin, sum);
        }
    }
}

}  // namespace detail

}  // namespace upsweep::cuda
