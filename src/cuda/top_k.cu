// Selections: which kernels take the keys, and how much scratch they need.
#include <algorithm>
#include <cstdint>

#include "top_k_launch.cuh"
#include "upsweep/cuda/top_k_records.hpp"

namespace upsweep::cuda {
void select_top(executor& ex, const core::key_order& order, const top_k_records& all) {
    if (all.rows == 0 || all.k == 0) return;
    detail::use_keys(order, [&](auto key) { detail::select_top_of<decltype(key)>(ex, order, all); });
}

std::size_t top_k_scratch_bytes(std::uint64_t rows, std::uint64_t length, std::uint64_t k,
                                std::size_t key_bytes) {
    using namespace detail;
    if (rows == 0 || k == 0) return 0;
    const std::uint64_t selected = std::min(k, length / least_share_selected);
    const std::uint64_t sorted = std::min(length, least_share_of_keys * k);
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
