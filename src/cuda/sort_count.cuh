// How often each digit occurs in an array of keys, all digits in one reading. The last block to finish turns
// the counts into where each digit's records begin, and plans the passes.
#pragma once

#include <cstdint>

#include "sort_plan.cuh"
#include "upsweep/cuda/count_bins.cuh"

namespace upsweep::cuda::detail {

template <class Order>
struct count_digits_arguments {
    const typename Order::Key* keys;
    array_extent extent;
    Order order;
    sort_needs needs;
    sort_state* state;
    unsigned log_copies;  // of each counter in shared memory
};
// Words of shared memory, where there is room for so many copies.
inline constexpr unsigned sort_counter_words = 8192;

template <class Order>
__global__ void __launch_bounds__(count_threads, 1) count_digits_kernel(count_digits_arguments<Order> given) {
    using Key = typename Order::Key;
    constexpr unsigned passes = sizeof(Key);
    __shared__ std::uint32_t counters[sort_counter_words];
    __shared__ unsigned long long sums[passes * sort_digits / 32];
    const unsigned copies = 1u << given.log_copies;
    const unsigned words = passes * sort_digits << given.log_copies;
    const std::uint64_t n = given.extent.size();
    const shared_work work{blockIdx.x, gridDim.x};
    std::uint32_t* const own = counters + (threadIdx.x & (copies - 1));
    sort_state& state = *given.state;

    bool has_equals = false;
    // So many elements at once that no counter overflows.
    const std::uint64_t most = std::uint64_t(gridDim.x) << 31;
    for (std::uint64_t first = 0; first < n; first += most) {
        for (unsigned k = threadIdx.x; k < words; k += count_threads) counters[k] = 0;
        __syncthreads();
        see_share(given.keys, first, min(n, first + most), work, [&](Key key) {
            has_equals |= given.order.has_equals(key);
            typename Order::Word order = given.order.order(key);
#pragma unroll
            for (unsigned pass = 0; pass < passes; ++pass) {
                const auto digit = static_cast<unsigned>(order) & (sort_digits - 1);
                atomicAdd(own + ((pass * sort_digits + digit) << given.log_copies), 1u);
                if constexpr (sizeof(Key) > 1) order >>= sort_digit_bits;
            }
        });
        __syncthreads();
        for (unsigned at = threadIdx.x; at < words; at += count_threads) {
            std::uint32_t sum = counters[at];
            for (unsigned distance = copies / 2; distance != 0; distance /= 2)
                sum += __shfl_xor_sync(0xffffffffu, sum, int(distance));
            if ((threadIdx.x & (copies - 1)) == 0 && sum != 0)
                atomicAdd(&state.count[0][0] + (at >> given.log_copies),
                          static_cast<unsigned long long>(sum));
        }
        __syncthreads();
    }

    if (__syncthreads_or(has_equals) != 0 && threadIdx.x == 0) state.has_equals = 1;
    if (!finishes_last(&state.finished_blocks, counters[0])) return;
    if (threadIdx.x < passes) state.step[threadIdx.x].runs = 1;
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    for (unsigned at = threadIdx.x; at < passes * sort_digits; at += count_threads) {
        const unsigned pass = at / sort_digits, digit = at % sort_digits;
        const unsigned long long count = __ldcg(&state.count[pass][digit]);
        if (count == n) state.step[pass].runs = 0;
        unsigned long long upto = count;
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const unsigned long long left = __shfl_up_sync(0xffffffffu, upto, distance);
            if (lane >= distance) upto += left;
        }
        if (lane == 31) sums[at / 32] = upto;
        state.start[pass][0][digit] = upto - count;
    }
    __syncthreads();
    for (unsigned at = threadIdx.x; at < passes * sort_digits; at += count_threads) {
        const unsigned pass = at / sort_digits, digit = at % sort_digits;
        unsigned long long before = 0;
        for (unsigned k = pass * (sort_digits / 32); k < at / 32; ++k) before += sums[k];
        state.start[pass][0][digit] += before;
    }
    if (threadIdx.x == 0) plan_passes(state, given.needs, n);
}

}  // namespace upsweep::cuda::detail
