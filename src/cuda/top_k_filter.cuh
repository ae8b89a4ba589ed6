// The first steps of a selection from a long sequence: a bound that very probably has at least k records at
// or below it, and not many more, from a sample; and one pass over all keys that finds these records.
#pragma once

#include <cstdint>

#include "top_k_block.cuh"
#include "top_k_elements.cuh"
#include "top_k_plan.hpp"
#include "top_k_word_bound.cuh"
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
    unsigned long long lowest;  // of their words the least one's complement; 0: that has all bits
    unsigned sampled_blocks;

    // Of select_records_kernel: tickets, shares that are done of the stage at hand, stages that are.
    unsigned finished_shares;
    unsigned published;
    unsigned long long ticket;
    unsigned long long selected;  // records appended to the result
    select_stage<Record> plan;
    unsigned long long counters[selected_digits];
};

template <class Order, class Record>
__global__ void __launch_bounds__(select_threads)
    sample_keys_kernel(const typename Order::Key* keys, selected_sizes sizes, Order order, sample_ranks ranks,
                       record_array<Record> samples, top_k_state<Record>* state) {
    __shared__ block_choice choice;
    keys += blockIdx.y * sizes.n;
    samples = samples.behind(std::uint64_t{blockIdx.y} * sampled_records);
    state += blockIdx.y;
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

// Appends the records up to the bound, as long as there is room. Of several rows, one to each blockIdx.y, as
// in all kernels here.
template <class Order, class Record>
__global__ void __launch_bounds__(filter_threads)
    filter_keys_kernel(const typename Order::Key* keys, std::uint64_t n, Order order,
                       record_array<Record> candidates, std::uint64_t capacity, top_k_state<Record>* state) {
    using Key = typename Order::Key;
    using Word = typename Order::Word;
    constexpr int each = keys_at_once<Key>;
    keys += blockIdx.y * n;
    candidates = candidates.behind(blockIdx.y * capacity);
    state += blockIdx.y;
    __shared__ Record held[filter_threads / 32 * record_appender<Record>::held];
    __shared__ unsigned long long lowest;
    if (threadIdx.x == 0) lowest = 0;
    __syncthreads();
    const Record bound = state->bound;
    const word_bound<Order> up_to(order, bound);
    record_appender<Record> appender(held, candidates, &state->count, capacity);
    Word own_lowest = ~Word{0};
    const key_share share{std::uint64_t(blockIdx.x) * filter_threads + threadIdx.x,
                          std::uint64_t(gridDim.x) * filter_threads};
    see_keys<4>(keys, n, share, [&](const Key(&some)[each], unsigned count, std::uint64_t first) {
        if (__any_sync(0xffffffffu, count != 0 && up_to.has_any(some, first)) == 0) return true;
        // Each lane's keys that may be, one after the other: mostly there is one.
        unsigned may_be = up_to.which(some, first) & ((1u << count) - 1);
        while (__any_sync(0xffffffffu, may_be != 0) != 0) {
            const int m = __ffs(static_cast<int>(may_be)) - 1;
            Key own = some[0];
#pragma unroll
            for (int i = 1; i < each; ++i)
                if (i == m) own = some[i];
            const Word word = order.order(own);
            const Record record = Record::of(word, first + unsigned(m));
            const bool has = may_be != 0 && record <= bound;
            if (has) own_lowest = min(own_lowest, word);
            if (!appender.append(has, record)) return false;
            may_be &= may_be - 1;
        }
        return true;
    });
    appender.flush();
    for (int mask = 16; mask != 0; mask /= 2)
        own_lowest = min(own_lowest, __shfl_xor_sync(0xffffffffu, own_lowest, mask));
    if (threadIdx.x % 32 == 0 && own_lowest != ~Word{0})
        atomicMax(&lowest, ~static_cast<unsigned long long>(own_lowest));
    __syncthreads();
    if (threadIdx.x == 0 && lowest != 0) atomicMax(&state->lowest, lowest);
}

}  // namespace upsweep::cuda::detail
