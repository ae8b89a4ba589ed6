// What a host must do for the first k of an order (plan.hpp says how it is carried out).
#pragma once

#include <cstdint>
#include <vector>

#include "shader/plan.hpp"

namespace upsweep::shader {

// As of a sort, but that only the first of what it makes go to the outputs; nothing is in place. The same of
// every row, without values, where there are several: they lie one behind the other. `items` and the length
// are those of a row, which are below 2^32 in all.
struct top_k_request : sort_request {
    std::uint64_t rows = 1;    // with values one
    std::uint64_t wanted = 0;  // of a row: k, at most `items`; of fewer, by the length, all are given
};

// Of the shape, order's width, rows, items and wanted alone; at least 4.
[[nodiscard]] std::uint64_t top_k_workspace_bytes(const top_k_request& request, const limits& device);
// select_rows, once or until all that are wanted have come; or, row by row, clear_counts; for each byte of a
// key, and for one more, select_count; select_vote; the scan of its counts and compact, which make candidates
// of what was voted for; their sort, or select_rows; sort_gather for what is asked for. Or the sort of
// everything, and sort_gather. Throws upsweep::error as plan_sort does. Empty if nothing is wanted.
[[nodiscard]] std::vector<dispatch> plan_top_k(const top_k_request& request, const limits& device);

}  // namespace upsweep::shader
