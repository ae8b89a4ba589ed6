// Sorts by unsigned integers of eight bytes, which signed ones become.
#include "sort_words.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SORTED_KEYS(std::uint64_t, false);

}  // namespace upsweep::cuda::detail
