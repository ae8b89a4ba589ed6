// The CPU engine's tuning, as data. Measured in docs/performance.md; nothing here changes a bit of any
// result.
#pragma once

#include <cstddef>

namespace upsweep::cpu::tuning {

// "Bytes" are those read and written by a call, unless said otherwise.

// Below this a call is done by its caller alone. A sleeping thread takes some 35 us to come, of which 10 are
// the caller's; and in calls one after the other, between which it stays awake, two threads took 2.6 times as
// long as one for 1e5 int32 and twice as long for 1e6 int8.
inline constexpr std::size_t parallel_bytes = 4 * 1024 * 1024;
// What every thread should find to do at least, as a part of those bytes: 2 MiB where threads have to be
// woken, 128 KiB where they are awake.
inline constexpr std::size_t asleep_thread_part = 2;
inline constexpr std::size_t awake_thread_part = 32;
// What a byte costs the generic engine, in times of what it costs one with kernels.
inline constexpr std::size_t generic_cost = 4;
// Two threads split a scan up to this size; larger ones are chained, for they would be read from memory
// twice.
inline constexpr std::size_t split_bytes = 16 * 1024 * 1024;
// Bytes of input that a thread takes at once. In a split: small enough to notice a helper soon. In the chain:
// large enough that a hop is lost in it, small enough that the scan finds in its cache what the summary read.
inline constexpr std::size_t split_chunk_bytes = 16 * 1024;
inline constexpr std::size_t smallest_chunk_bytes = 32 * 1024;
inline constexpr std::size_t chunk_bytes = 128 * 1024;
// Chunks that every thread of the chain should get at least, so that they finish together.
inline constexpr std::size_t chunks_per_thread = 6;
// Bytes from which results are stored past the caches, as a multiple of the last-level cache.
inline constexpr double streaming_cache_share = 1.0;

// A caller that waits so long for its turn in a chain, or for helpers to leave, waits for threads that have
// lost their processors: more than any chunk takes, less than a time slice of the operating system.
inline constexpr int late_turn_microseconds = 300;
inline constexpr int late_leave_microseconds = 100;
// For how long calls then do without helpers: at first, and at most after it has happened again and again.
inline constexpr int first_penalty_microseconds = 20'000;
inline constexpr int most_penalty_microseconds = 1'000'000;
// Pauses for which an idle thread watches for work before it sleeps: 20 to 90 us.
inline constexpr int idle_pauses = 2000;

}  // namespace upsweep::cpu::tuning
