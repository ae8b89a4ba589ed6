// Selections by floats.
#include "top_k_keys.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SELECTED_KEYS(std::uint32_t, true);

}  // namespace upsweep::cuda::detail
