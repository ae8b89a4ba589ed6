// Which algorithm runs, as named data. None of it changes a bit of a result.
#pragma once

#include <cstdint>

namespace upsweep::cuda {

// Below this many bytes read and written, look-back's single tiles a block start and finish sooner than the
// ring of look-ahead fills. Measured on an H200 (docs/performance.md).
inline constexpr std::uint64_t look_ahead_from_bytes = 24 << 20;

// Bytes of tiles, read and written, that lie between look-back's sums and its scan, for a cache of so many:
// far enough apart that nobody waits, near enough that the second reading finds them. Measured on an H200.
constexpr std::uint64_t look_back_bytes_ahead(std::uint64_t cache_bytes) { return cache_bytes / 2; }
// Sums go ahead in arrays of more tiles than this many times the distance.
inline constexpr std::uint64_t look_back_ahead_from_distances = 2;

}  // namespace upsweep::cuda
