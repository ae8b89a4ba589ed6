// The bits of rows' first elements.
#include "upsweep/cuda/equal_rows.hpp"

#include <algorithm>
#include <cstdint>

#include "upsweep/cuda/segment_heads.cuh"

namespace upsweep::cuda::detail {
namespace {

constexpr unsigned mark_rows_threads = 256;

// A bit for each of n elements, of the first in each row, and zeros up to the last of so many words.
__global__ void __launch_bounds__(mark_rows_threads)
    mark_rows_kernel(std::uint64_t length, std::uint64_t n, std::uint32_t* words, std::uint64_t count) {
    const std::uint64_t step = std::uint64_t(gridDim.x) * mark_rows_threads;
    for (std::uint64_t i = std::uint64_t(blockIdx.x) * mark_rows_threads + threadIdx.x; i < count;
         i += step) {
        std::uint32_t bits = 0;
        const std::uint64_t begin = i * 32, end = min(begin + 32, n);
        for (std::uint64_t at = (begin + length - 1) / length * length; at < end; at += length)
            bits |= 1u << (at - begin);
        words[i] = bits;
    }
}

}  // namespace

void equal_rows::make(const void* maker, std::uint32_t* words) {
    const auto& self = *static_cast<const equal_rows*>(maker);
    const std::uint64_t count = marked_heads::count(self.n);
    const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(
        (count - 1) / mark_rows_threads + 1, std::uint64_t(self.ex.multiprocessors()) * 8));
    mark_rows_kernel<<<blocks, mark_rows_threads, 0, self.ex.stream()>>>(self.length, self.n, words, count);
}

}  // namespace upsweep::cuda::detail
