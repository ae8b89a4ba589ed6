// The CPU engine's tuning, as data. Measured in docs/performance.md; nothing here changes a bit of any
// result.
#pragma once

#include <cstddef>

namespace upsweep::cpu::tuning {

// "Bytes" are those read and written by a call, unless said otherwise.

// Below this a call is done by its caller alone. A sleeping thread takes some 35 us to come, of which 10 are
// the caller's; and several threads store past the caches.
inline constexpr std::size_t parallel_bytes = 16 * 1024 * 1024;
// The same for two threads, of which the second can save half of the time at most.
inline constexpr std::size_t pair_bytes = 32 * 1024 * 1024;
// What every thread should find to do at least, as a part of those bytes: 4 MiB where threads have to be
// woken, 256 KiB where they are awake.
inline constexpr std::size_t asleep_thread_part = 4;
inline constexpr std::size_t awake_thread_part = 64;
// What a byte costs in times of what it costs a plain scan with kernels.
inline constexpr std::size_t generic_cost = 8;
inline constexpr std::size_t recurrence_cost = 4;
inline constexpr std::size_t segmented_cost = 2;
// Bytes of input that a thread takes at once: large enough that a hop of the chain is lost in them, small
// enough that a cache holds them until they are scanned.
inline constexpr std::size_t smallest_chunk_bytes = 32 * 1024;
inline constexpr std::size_t chunk_bytes = 128 * 1024;
// How far ahead of what it scans a thread alone asks for input: where a far cache has it, and where it comes
// from memory. Below the first size the near caches have it, and asking gains nothing.
inline constexpr std::size_t asking_bytes = 1024 * 1024;
inline constexpr std::size_t cached_lead_bytes = 4 * 1024;
inline constexpr std::size_t lead_bytes = 16 * 1024;
// Chunks that every thread of the chain should get at least, so that they finish together.
inline constexpr std::size_t chunks_per_thread = 6;
// Bytes from which results are stored past the caches, as a multiple of the last-level cache, if one thread
// scans. Several always store so: lines that one core has written are fetched slowly by another.
inline constexpr double streaming_cache_share = 0.5;

// Whether a second thread pays is tried where a scan has so many chunks: the caller does the first of them
// alone, both do the next ones, and those have to take less time each, by this factor.
inline constexpr std::size_t trial_least_chunks = 128;
inline constexpr std::size_t trial_alone_chunks = 5;
inline constexpr std::size_t trial_chunks = 24;
inline constexpr double trial_worthwhile = 0.95;

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
