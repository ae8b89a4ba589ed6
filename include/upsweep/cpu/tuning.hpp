// The CPU engine's tuning, as data. Measured in docs/performance.md; nothing here changes a bit of any
// result.
#pragma once

#include <cstddef>

namespace upsweep::cpu::tuning {

// Bytes read and written below which one thread finishes before a second would have joined.
inline constexpr std::size_t parallel_bytes = 256 * 1024;
// Bytes of input that a thread takes at once: large enough that a hop of the chain is lost in it, small
// enough that the scan finds in its cache what the summary read.
inline constexpr std::size_t chunk_bytes = 128 * 1024;
inline constexpr std::size_t smallest_chunk_bytes = 32 * 1024;
// Chunks that every thread should get at least, so that they finish together.
inline constexpr std::size_t chunks_per_thread = 6;
// Bytes read and written from which results are stored past the caches, as a multiple of the last-level
// cache.
inline constexpr double streaming_cache_share = 1.0;

}  // namespace upsweep::cpu::tuning
