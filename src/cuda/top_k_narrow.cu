// Selections by keys of one and two bytes.
#include "top_k_keys.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SELECTED_KEYS(std::uint8_t, false);
UPSWEEP_SELECTED_KEYS(std::uint16_t, false);
UPSWEEP_SELECTED_KEYS(std::uint16_t, true);

}  // namespace upsweep::cuda::detail
