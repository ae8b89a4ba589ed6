// Sorts by unsigned integers of four bytes, which signed ones become.
#include "sort_words.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SORTED_KEYS(std::uint32_t, false);

}  // namespace upsweep::cuda::detail
