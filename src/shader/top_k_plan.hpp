// What a host must do for the first k of an order (plan.hpp says how it is carried out).
#pragma once

#include <cstdint>
#include <vector>

#include "shader/plan.hpp"

namespace upsweep::shader {

// Keys are words of resource::input. Of those that a stable sort puts first, so many go to resource::output,
// with their values, records of shape.value_words words, from resource::values to resource::moved_values; or
// their indices, words, go to resource::output. The same of every row, without values, where there are
// several: they lie one behind the other. No output overlaps an input.
struct top_k_request {
    sort_shape shape{};       // nothing is in place
    core::key_order order{};  // of keys of 4 * shape.key_words bytes
    std::uint64_t rows = 1;   // with values one
    std::uint64_t items = 0;  // of a row; below 2^32 in all; with length_in_buffer the most that there can be
    std::uint64_t wanted = 0;       // of a row: k, at most `items`; of fewer, by the length, all are given
    bool length_in_buffer = false;  // of each row the first min(items, the uint in resource::length) alone
    std::uint64_t input_offset = 0;
    std::uint64_t output_offset = 0;
    std::uint64_t values_offset = 0;
    std::uint64_t moved_values_offset = 0;
    std::uint64_t workspace_offset = 0;
    std::uint64_t length_offset = 0;
};

// Of the shape, order's width, rows, items and wanted alone; at least 4.
[[nodiscard]] std::uint64_t top_k_workspace_bytes(const top_k_request& request, const limits& device);
// select_rows, once or until all that are wanted have come; or, row by row, clear_counts; for each byte of a
// key, and for one more, select_count; select_vote; the scan of its counts and compact, which make candidates
// of what was voted for; their sort, or select_rows; sort_gather for what is asked for. Or the sort of
// everything, and sort_gather. Throws upsweep::error as plan_sort does. Empty if nothing is wanted.
[[nodiscard]] std::vector<dispatch> plan_top_k(const top_k_request& request, const limits& device);

}  // namespace upsweep::shader
