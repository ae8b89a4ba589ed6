// The CPU engine's tuning, as data. Measured in docs/performance.md; nothing here changes a bit of any
// result.
#pragma once

#include <cstddef>

namespace upsweep::cpu::tuning {

// "Bytes" are those read and written by a call, unless said otherwise.

// Below this a call is done by its caller alone. A sleeping thread takes some 35 us to come, of which 10 are
// the caller's; and several threads store past the caches. Measured, two of them gained at 16 MB; at 8 MB
// sums that round took as long as on one, and exact operators longer.
inline constexpr std::size_t parallel_bytes = 8 * 1024 * 1024;
// What every thread should find to do at least, as a part of those bytes: 4 MiB where threads have to be
// woken, 256 KiB where they are awake.
inline constexpr std::size_t asleep_thread_part = 2;
inline constexpr std::size_t awake_thread_part = 32;
// What a byte costs the generic engine, in times of what it costs one with kernels.
inline constexpr std::size_t generic_cost = 4;
// Bytes of input that a thread takes at once: large enough that a hop of the chain is lost in them, small
// enough that a cache holds them until they are scanned.
inline constexpr std::size_t smallest_chunk_bytes = 32 * 1024;
inline constexpr std::size_t chunk_bytes = 128 * 1024;
// Bytes after which a thread that reads one place and writes another goes over to the other: few, so that
// both stay under way together.
inline constexpr std::size_t turn_bytes = 4 * 1024;
// Chunks that every thread of the chain should get at least, so that they finish together.
inline constexpr std::size_t chunks_per_thread = 6;
// Bytes from which results are stored past the caches, as a multiple of the last-level cache, if one thread
// scans. Several always store so: lines that one core has written are fetched slowly by another.
inline constexpr double streaming_cache_share = 0.5;

// A caller lets its helpers go when it has waited for its turn for so long, and for such a part of the time
// since the scan began: they have lost their processors, and what they do costs more than it saves. A single
// hiccup of a long scan is none of that.
inline constexpr int late_turn_microseconds = 1000;
inline constexpr int late_turn_part = 4;
// A caller that waits so long for helpers to leave waits for threads that have lost their processors: more
// than any chunk takes, less than a time slice of the operating system.
inline constexpr int late_leave_microseconds = 100;
// For how long calls then do without helpers: at first, and at most after it has happened again and again.
inline constexpr int first_penalty_microseconds = 100'000;
inline constexpr int most_penalty_microseconds = 1'000'000;
// Pauses for which an idle thread watches for work before it sleeps: 20 to 90 us.
inline constexpr int idle_pauses = 2000;

}  // namespace upsweep::cpu::tuning
