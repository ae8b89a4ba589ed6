// Sums of counts over all bins whose number has the same digit.
#include "upsweep/cuda/digit_starts.hpp"

#include <algorithm>

#include "upsweep/cuda/count_bins.cuh"

namespace upsweep::cuda {
namespace {

constexpr unsigned threads = 1024;
constexpr unsigned most_digits = 256;
constexpr std::uint64_t bins_a_thread = 4;

struct given_counts {
    const std::uint64_t* counts;
    std::uint64_t bins;
    unsigned bits, places;
    std::uint64_t* starts;
    unsigned* finished_blocks;
};

// The last block to finish turns the sums of all of them into where digits begin.
__global__ void __launch_bounds__(threads) digit_starts_kernel(given_counts given) {
    __shared__ unsigned long long sums[most_digit_places * most_digits];
    __shared__ std::uint32_t shared_word;
    const unsigned sums_size = given.places << given.bits;
    for (unsigned k = threadIdx.x; k < sums_size; k += threads) sums[k] = 0;
    __syncthreads();
    for (std::uint64_t bin = std::uint64_t(blockIdx.x) * threads + threadIdx.x; bin < given.bins;
         bin += std::uint64_t(gridDim.x) * threads) {
        const auto count = static_cast<unsigned long long>(given.counts[bin]);
        if (count == 0) continue;
        for (unsigned place = 0; place < given.places; ++place) {
            const auto digit = static_cast<unsigned>(bin >> (place * given.bits)) & ((1u << given.bits) - 1);
            atomicAdd(sums + (place << given.bits | digit), count);
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < sums_size; k += threads)
        if (sums[k] != 0) atomicAdd(reinterpret_cast<unsigned long long*>(given.starts) + k, sums[k]);
    if (!detail::finishes_last(given.finished_blocks, shared_word)) return;
    const unsigned place = threadIdx.x / 32;
    if (place >= given.places) return;
    std::uint64_t* const starts = given.starts + (place << given.bits);
    detail::exclusive_sums(starts, 1u << given.bits, starts);
}

}  // namespace

std::size_t digit_starts_bytes(unsigned places) {
    return (std::size_t{places} * most_digits + 1) * sizeof(std::uint64_t);
}

void find_digit_starts(executor& ex, const std::uint64_t* counts, std::uint64_t bins, unsigned bits,
                       unsigned places, std::uint64_t* starts) {
    const std::uint64_t wanted = (bins - 1) / (threads * bins_a_thread) + 1;
    const auto blocks = static_cast<unsigned>(std::min(wanted, std::uint64_t(ex.multiprocessors())));
    digit_starts_kernel<<<blocks, threads, 0, ex.stream()>>>(
        {counts, bins, bits, places, starts,
         reinterpret_cast<unsigned*>(starts + std::size_t{places} * most_digits)});
}

}  // namespace upsweep::cuda
