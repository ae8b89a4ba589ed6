// Steps of a selection by one block: the digit at which a rank is reached, a bound of a rank, records in
// order.
#pragma once

#include <cstdint>

#include "segment_records.cuh"
#include "top_k_record.cuh"

namespace upsweep::cuda::detail {

// Of all blocks here.
inline constexpr unsigned select_threads = 512;

// The digit of the record of a rank.
template <class Count>
struct chosen_digit {
    unsigned digit;
    Count before, count;  // records of lower digits, and of this one
};
template <class Count>
struct digit_choice {  // in shared memory
    Count sums[select_threads / 32];
    chosen_digit<Count> chosen;
};

// The digit of the record that is the needed-th, counted from 1, where count_of(digit) tells how many there
// are of each. Called by all threads; `shared` may be used again after the next barrier.
template <class Count, class CountOf>
__device__ __forceinline__ chosen_digit<Count> choose_digit(const CountOf& count_of, Count needed,
                                                            digit_choice<Count>& shared) {
    constexpr unsigned each = selected_digits / select_threads;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Count own[each], sum = 0;
#pragma unroll
    for (unsigned j = 0; j < each; ++j) sum += own[j] = count_of(threadIdx.x * each + j);
    Count upto = sum;
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const Count left = __shfl_up_sync(0xffffffffu, upto, distance);
        if (lane >= distance) upto += left;
    }
    if (lane == 31) shared.sums[warp] = upto;
    __syncthreads();
    for (unsigned w = 0; w < warp; ++w) upto += shared.sums[w];
    Count before = upto - sum;
    if (before < needed && needed <= upto) {
#pragma unroll
        for (unsigned j = 0; j < each; ++j) {
            if (before < needed && needed <= before + own[j])
                shared.chosen = {threadIdx.x * each + j, before, own[j]};
            before += own[j];
        }
    }
    __syncthreads();
    return shared.chosen;
}

// What one block uses to select, in shared memory.
struct block_choice {
    std::uint32_t counters[selected_digits];
    digit_choice<std::uint32_t> choice;
    std::uint32_t appended;
};

template <class Record>
struct selected_bound {
    Record bound;
    std::uint32_t count;  // records up to it
};

// A record up to which there are `least` to `most` records of those that for_each(use) shows, each thread its
// own; least <= most, and at least `least` are shown, all in the range. Called by all threads.
template <class Record, class ForEach>
__device__ selected_bound<Record> select_bound(const ForEach& for_each, std::uint32_t least,
                                               std::uint32_t most, record_range<Record> range,
                                               block_choice& shared) {
    std::uint32_t below = 0;
    for (;;) {
        for (unsigned i = threadIdx.x; i < selected_digits; i += select_threads) shared.counters[i] = 0;
        __syncthreads();
        const unsigned shift = range.shift();
        for_each([&](const Record& record) {
            if (range.has(record)) atomicAdd(&shared.counters[range.digit(record, shift)], 1u);
        });
        __syncthreads();
        const auto chosen = choose_digit<std::uint32_t>(
            [&](unsigned digit) { return shared.counters[digit]; }, least - below, shared.choice);
        range.narrow(chosen.digit);
        below += chosen.before;
        if (below + chosen.count <= most) {
            __syncthreads();
            return {range.last(), below + chosen.count};
        }
    }
}

// How many of the first `diagonal` records of two merged runs are of the first one, which are records [begin,
// first_end) and [first_end, end) (Green, McColl and Bader, "GPU merge path", 2012).
template <class Record>
__device__ __forceinline__ unsigned merge_split(const Record* records, unsigned begin, unsigned first_end,
                                                unsigned end, unsigned diagonal) {
    const unsigned seconds = end - first_end;
    unsigned low = diagonal > seconds ? diagonal - seconds : 0, high = min(diagonal, first_end - begin);
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (records[begin + middle] < records[first_end + diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Puts `count` records of shared memory in order, at most Each a thread, by whole warps of threads of which
// this is number `thread`: each puts Each of them in order by a network of comparators, then pairs of runs
// are merged, of which a thread finds where its part begins. sync() is a barrier of all the threads. Called
// when they see the records; they see the result then.
template <unsigned Each, class Record, class Sync>
__device__ __forceinline__ void sort_shared(Record* records, unsigned count, unsigned thread,
                                            const Sync& sync) {
    const unsigned own = thread * Each;
    Record some[Each];
#pragma unroll
    for (unsigned i = 0; i < Each; ++i) some[i] = own + i < count ? records[own + i] : Record::last();
    sort_neighbours<Each>(some);
    const auto store = [&] {
#pragma unroll
        for (unsigned i = 0; i < Each; ++i)
            if (own + i < count) records[own + i] = some[i];
    };
    store();
    for (unsigned run = Each; run < count; run *= 2) {
        // Pairs of short runs are a warp's own.
        const bool is_shared = run >= 32 * Each;
        const auto meet = [&] {
            if (is_shared)
                sync();
            else
                __syncwarp();
        };
        meet();
        const unsigned pair = own & ~(2 * run - 1);
        const unsigned first_end = min(pair + run, count), end = min(pair + 2 * run, count);
        if (own < count) {
            const unsigned diagonal = own - pair;
            const unsigned low = merge_split(records, pair, first_end, end, diagonal);
            unsigned i = pair + low, j = first_end + diagonal - low;
            Record first = i < first_end ? records[i] : Record::last();
            Record second = j < end ? records[j] : Record::last();
#pragma unroll
            for (unsigned k = 0; k < Each; ++k) {
                const bool takes_first = j >= end || (i < first_end && first < second);
                some[k] = takes_first ? first : second;
                if (takes_first) {
                    ++i;
                    if (i < first_end) first = records[i];
                } else {
                    ++j;
                    if (j < end) second = records[j];
                }
            }
        }
        meet();
        store();
    }
    sync();
}
template <unsigned Each = 4, class Record>
__device__ void sort_in_block(Record* records, unsigned count) {
    sort_shared<Each>(records, count, threadIdx.x, [] { __syncthreads(); });
}

// The least power of two that is not below x.
__host__ __device__ constexpr unsigned power_of_two_from(unsigned x) {
    unsigned power = 1;
    while (power < x) power *= 2;
    return power;
}

}  // namespace upsweep::cuda::detail
