// Selections by unsigned integers of four bytes, which signed ones become.
#include "top_k_keys.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SELECTED_KEYS(std::uint32_t, false);

}  // namespace upsweep::cuda::detail
