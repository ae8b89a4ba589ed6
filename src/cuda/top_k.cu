// Selections: which kernels take the keys, and how much scratch they need.
#include <algorithm>
#include <cstdint>

#include "top_k_launch.cuh"
#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/cuda/top_k_records.hpp"

namespace upsweep::cuda {
namespace detail {
namespace {

constexpr unsigned row_heads_threads = 256;

// A bit for each of n elements, of the first in each row, and zeros up to the last of so many words.
__global__ void __launch_bounds__(row_heads_threads)
    mark_rows_kernel(std::uint64_t length, std::uint64_t n, std::uint32_t* words, std::uint64_t count) {
    const std::uint64_t step = std::uint64_t(gridDim.x) * row_heads_threads;
    for (std::uint64_t i = std::uint64_t(blockIdx.x) * row_heads_threads + threadIdx.x; i < count;
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
        (count - 1) / row_heads_threads + 1, std::uint64_t(self.ex.multiprocessors()) * 8));
    mark_rows_kernel<<<blocks, row_heads_threads, 0, self.ex.stream()>>>(self.length, self.n, words, count);
}

}  // namespace detail

void select_top(executor& ex, const core::key_order& order, const top_k_records& all) {
    if (all.rows == 0 || all.k == 0) return;
    detail::use_keys(order, [&](auto key) { detail::select_top_of<decltype(key)>(ex, order, all); });
}

std::size_t top_k_scratch_bytes(std::uint64_t rows, std::uint64_t length, std::uint64_t k,
                                std::size_t key_bytes) {
    using namespace detail;
    if (rows == 0 || k == 0) return 0;
    const std::uint64_t selected = std::min(k, length / least_share_selected);
    const std::uint64_t sorted = std::min(length, least_share_selected * k);
    std::size_t bytes = std::max(selection_layout(length, selected, key_bytes, sizeof(largest_top_k_state),
                                                  selected_at_least, std::min(rows, rows_selected_together))
                                     .bytes,
                                 sort_all_layout(sorted, key_bytes).bytes);
    if (rows > 1 && k > row_most_selected<wide_record>) {
        // Rows of up to this length are sorted some at a time.
        const std::uint64_t sorted_length = std::min(length, longest_sorted_row);
        const std::uint64_t most = std::max(sorted_length, sorted_row_elements);
        const bool fit = rows <= most / sorted_length;
        bytes = std::max(bytes, sort_rows_layout(fit ? rows * sorted_length : most, key_bytes).bytes);
    }
    return bytes;
}

}  // namespace upsweep::cuda
