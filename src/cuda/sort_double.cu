// Sorts by doubles.
#include "sort_words.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SORTED_KEYS(std::uint64_t, true);

}  // namespace upsweep::cuda::detail
