// Selections by doubles.
#include "top_k_keys.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SELECTED_KEYS(std::uint64_t, true);

}  // namespace upsweep::cuda::detail
