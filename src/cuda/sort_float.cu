// Sorts by floats.
#include "sort_words.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SORTED_KEYS(std::uint32_t, true);

}  // namespace upsweep::cuda::detail
