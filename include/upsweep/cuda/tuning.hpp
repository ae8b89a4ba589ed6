// Which algorithm runs, as named data. None of it changes a bit of a result.
#pragma once

#include <cstdint>

namespace upsweep::cuda {

// Below this many bytes read and written, look-back's single tiles a block start and finish sooner than the
// ring of look-ahead fills. Measured on an H200 (docs/performance.md).
inline constexpr std::uint64_t look_ahead_from_bytes = 24 << 20;

}  // namespace upsweep::cuda
