// Selections by unsigned integers of eight bytes, which signed ones become.
#include "top_k_keys.cuh"

namespace upsweep::cuda::detail {

UPSWEEP_SELECTED_KEYS(std::uint64_t, false);

}  // namespace upsweep::cuda::detail
