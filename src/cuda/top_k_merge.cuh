// Puts some thousand selected records in order: tiles by a block each, then pairs of runs are merged until
// one is left. A radix sort (sort_pass.cuh) has a pass for each byte of a word and of an index, which of so
// few records all take what their launches do.
#pragma once

#include <cstdint>

#include "top_k_block.cuh"
#include "top_k_results.cuh"

namespace upsweep::cuda::detail {

template <class OrderType, class RecordType>
struct merge_arguments {
    using Order = OrderType;
    using Record = RecordType;

    record_array<Record> from, to;
    std::uint64_t count;
    std::uint64_t run;  // records of a run, a multiple of merged_part
    bool stores;        // results instead of records
    Order order;
    top_k_results results;

    __device__ __forceinline__ void put(std::uint64_t i, const Record& record) const {
        if (stores)
            store_record(results, order, record, i, 0);
        else
            to.put(i, record);
    }
};

// Records of a tile, and those that a block merges.
template <class Record>
inline constexpr unsigned sorted_tile = 32768 / sizeof(Record);
inline constexpr unsigned merged_each = 4;
inline constexpr unsigned merged_part = select_threads * merged_each;
static_assert(sorted_tile<wide_record> % merged_part == 0);

template <class Arguments>
__global__ void __launch_bounds__(select_threads) sort_tiles_kernel(const __grid_constant__ Arguments given) {
    using Record = typename Arguments::Record;
    __shared__ Record records[sorted_tile<Record>];
    const std::uint64_t first = std::uint64_t{blockIdx.x} * sorted_tile<Record>;
    const auto count = static_cast<unsigned>(min(std::uint64_t{sorted_tile<Record>}, given.count - first));
    for (unsigned i = threadIdx.x; i < count; i += select_threads) records[i] = given.from.get(first + i);
    __syncthreads();
    sort_in_block<sorted_tile<Record> / select_threads>(records, count);
    for (unsigned i = threadIdx.x; i < count; i += select_threads) given.put(first + i, records[i]);
}

// How many of the first `diagonal` records of two merged runs are of the first one, where comes_first(i, j)
// says whether its record i is before record j of the other. `low` and `high` are bounds. By a warp, which
// asks about 32 places at a time.
template <class ComesFirst>
__device__ __forceinline__ std::uint64_t merge_path(std::uint64_t diagonal, std::uint64_t low,
                                                    std::uint64_t high, const ComesFirst& comes_first) {
    const unsigned lane = threadIdx.x % 32;
    while (low < high) {
        const std::uint64_t step = (high - low + 31) / 32, at = low + lane * step;
        const bool is_before = at < high && comes_first(at, diagonal - 1 - at);
        const auto count = static_cast<unsigned>(__popc(__ballot_sync(0xffffffffu, is_before)));
        if (count == 0) return low;
        high = min(high, low + count * step);
        low += (count - 1) * step + 1;
    }
    return low;
}

template <class Arguments>
__global__ void __launch_bounds__(select_threads) merge_runs_kernel(const __grid_constant__ Arguments given) {
    using Record = typename Arguments::Record;
    __shared__ Record records[merged_part];
    __shared__ std::uint64_t splits[2];
    // The two runs, and which part of their merger is this block's.
    const std::uint64_t begin = std::uint64_t{blockIdx.x} * merged_part;
    const std::uint64_t pair = begin / (2 * given.run) * (2 * given.run);
    const std::uint64_t first_count = min(given.run, given.count - pair);
    const std::uint64_t second_count = min(given.run, given.count - pair - first_count);
    const auto first = given.from.behind(pair), second = given.from.behind(pair + first_count);
    const std::uint64_t from = begin - pair;
    const std::uint64_t end = min(from + merged_part, first_count + second_count);
    if (threadIdx.x < 64) {
        const std::uint64_t diagonal = threadIdx.x < 32 ? from : end;
        const std::uint64_t split = merge_path(
            diagonal, diagonal > second_count ? diagonal - second_count : 0, min(diagonal, first_count),
            [&](std::uint64_t i, std::uint64_t j) { return first.get(i) < second.get(j); });
        if (threadIdx.x % 32 == 0) splits[threadIdx.x / 32] = split;
    }
    __syncthreads();
    const std::uint64_t split = splits[0];
    const auto firsts = static_cast<unsigned>(splits[1] - split);
    const auto all = static_cast<unsigned>(end - from);
    for (unsigned i = threadIdx.x; i < all; i += select_threads)
        records[i] = i < firsts ? first.get(split + i) : second.get(from - split + (i - firsts));
    __syncthreads();
    // Where this thread's records begin, likewise.
    const unsigned own = threadIdx.x * merged_each;
    if (own >= all) return;
    const unsigned low = merge_split(records, 0, firsts, all, own);
    unsigned i = low, j = firsts + own - low;
#pragma unroll
    for (unsigned k = 0; k < merged_each; ++k) {
        if (own + k >= all) return;
        const bool takes_first = j >= all || (i < firsts && records[i] < records[j]);
        given.put(pair + from + own + k, records[takes_first ? i++ : j++]);
    }
}

}  // namespace upsweep::cuda::detail
