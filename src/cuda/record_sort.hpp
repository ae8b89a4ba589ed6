// A sort of records in scratch of the caller's.
#pragma once

#include "upsweep/cuda/sort_records.hpp"

namespace upsweep::cuda::detail {

// Enqueues it; n is not 0, and `scratch` has sort_scratch_bytes(), and those of made keys, on a boundary of
// 256.
void sort_records_in(executor& ex, const core::key_order& order, const records& all, char* scratch);

// The same of every segment by itself, with segmented_sort_scratch_bytes().
void sort_segments_in(executor& ex, const core::key_order& order, const segmented_records& all,
                      char* scratch);

}  // namespace upsweep::cuda::detail
