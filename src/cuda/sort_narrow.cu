// Sorts by keys of one and two bytes.
#include "sort_words.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SORTED_KEYS(std::uint8_t, false);
UPSWEEP_SORTED_KEYS(std::uint16_t, false);
UPSWEEP_SORTED_KEYS(std::uint16_t, true);

}  // namespace upsweep::cuda::detail
