// The first steps of a selection from a long sequence: a bound that very probably has at least k records at
// or below it, and not many more, from a sample; and one pass over all keys that finds these records.
#pragma once

#include <cstdint>

#include "top_k_block.cuh"
#include "top_k_elements.cuh"
#include "top_k_plan.hpp"
#include "upsweep/cuda/count_bins.cuh"

namespace upsweep::cuda::detail {

inline constexpr unsigned filter_threads = 256;

// What a stage of select_records_kernel does.
template <class Record>
struct select_stage {
    record_range<Record> range;  // has the k-th record
    std::uint64_t below;         // records below the range
    std::uint64_t collects;      // not 0: records up to the range's last are appended to the result
};

// What a selection's kernels share in device memory, cleared before.
template <class Record>
struct top_k_state {
    Record bound;               // by the sample
    unsigned long long count;   // records appended, or that were to be
    unsigned long long lowest;  // of their words the least one's complement
    unsigned sampled_blocks;

    // Of select_records_kernel: tickets, shares that are done of the stage at hand, stages that are.
    unsigned finished_shares;
    unsigned published;
    unsigned long long ticket;
    unsigned long long selected;  // records appended to the result
    select_stage<Record> plan;
    unsigned long long counters[selected_digits];
};

struct selected_sizes {
    std::uint64_t n;
    unsigned word_bits, index_bits;
};

// Where record i of `count` samples is taken from, one from every n / count elements.
__device__ __forceinline__ std::uint64_t sampled_index(unsigned i, std::uint64_t n, unsigned count) {
    const std::uint64_t every = n / count;
    std::uint64_t mixed = (i + 1) * std::uint64_t{0x9e3779b97f4a7c15};
    mixed = (mixed ^ mixed >> 29) * std::uint64_t{0xbf58476d1ce4e5b9};
    return i * every + __umul64hi(mixed, every);
}

template <class Order, class Record>
__global__ void __launch_bounds__(select_threads)
    sample_keys_kernel(const typename Order::Key* keys, selected_sizes sizes, Order order, sample_ranks ranks,
                       record_array<Record> samples, top_k_state<Record>* state) {
    __shared__ block_choice choice;
    const unsigned own = blockIdx.x * select_threads + threadIdx.x;
    const std::uint64_t index = sampled_index(own, sizes.n, sampled_records);
    samples.put(own, Record::of(order.order(keys[index]), index));
    if (!finishes_last(&state->sampled_blocks, choice.appended)) return;
    const auto for_each = [&](const auto& use) {
#pragma unroll 8
        for (unsigned i = threadIdx.x; i < sampled_records; i += select_threads) use(samples.get(i));
    };
    const auto found =
        select_bound<Record>(for_each, ranks.least, ranks.most,
                             record_range<Record>::all(sizes.word_bits, sizes.index_bits), choice);
    if (threadIdx.x == 0) state->bound = found.bound;
}

// Appends the records up to the bound, as long as there is room.
template <class Order, class Record>
__global__ void __launch_bounds__(filter_threads)
    filter_keys_kernel(const typename Order::Key* keys, std::uint64_t n, Order order,
                       record_array<Record> candidates, std::uint64_t capacity, top_k_state<Record>* state) {
    using Key = typename Order::Key;
    using Word = typename Order::Word;
    constexpr int each = keys_at_once<Key>;
    __shared__ Record held[filter_threads / 32 * record_appender<Record>::held];
    __shared__ unsigned long long lowest;
    if (threadIdx.x == 0) lowest = 0;
    __syncthreads();
    const Record bound = state->bound;
    const auto bound_word = static_cast<Word>(bound.word());
    record_appender<Record> appender(held, candidates, &state->count, capacity);
    unsigned long long own_lowest = 0;
    const key_share share{std::uint64_t(blockIdx.x) * filter_threads + threadIdx.x,
                          std::uint64_t(gridDim.x) * filter_threads};
    see_keys<4>(keys, n, share, [&](const Key(&some)[each], unsigned count, std::uint64_t first) {
        // Behind the bound's index a word as great as its own is above it.
        const bool is_behind = first > bound.index();
        if (is_behind && bound_word == 0) count = 0;
        const Word most = is_behind ? bound_word - 1 : bound_word;
        Word words[each];
        unsigned below = 0;
#pragma unroll
        for (int m = 0; m < each; ++m) {
            words[m] = order.order(some[m]);
            below |= words[m] <= most ? 1u << m : 0u;
        }
        below &= (1u << count) - 1;
        if (__any_sync(0xffffffffu, below != 0) == 0) return true;
#pragma unroll
        for (int m = 0; m < each; ++m) {
            const Record record = Record::of(words[m], first + m);
            const bool has = (below >> m & 1) != 0 && record <= bound;
            if (has) own_lowest = max(own_lowest, ~static_cast<unsigned long long>(words[m]));
            if (!appender.append(has, record)) return false;
        }
        return true;
    });
    appender.flush();
    if (own_lowest != 0) atomicMax(&lowest, own_lowest);
    __syncthreads();
    if (threadIdx.x == 0 && lowest != 0) atomicMax(&state->lowest, lowest);
}

}  // namespace upsweep::cuda::detail
