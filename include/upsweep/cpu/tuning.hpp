// The CPU engine's tuning, as data. Measured in docs/performance.md; nothing here changes a bit of any
// result.
#pragma once

#include <cstddef>

namespace upsweep::cpu::tuning {

// "Bytes" are those read and written by a call, unless said otherwise.

// From here on a call wakes threads. A sleeping one takes some 35 us to come, of which 10 are the caller's.
inline constexpr std::size_t parallel_bytes = 6 * 1024 * 1024;
// What follows are parts and multiples of these bytes, so that all sizes move together.
// Calls that begin within burst_microseconds of the end of one another, which a call knows by its bytes, are
// a burst. It has threads woken once calls before the latest have come to 3 MiB: then more of them will come.
inline constexpr int burst_microseconds = 200;
inline constexpr std::size_t least_bytes_per_microsecond = 8000;
inline constexpr std::size_t burst_part = 2;
// From where on a call takes threads that are awake: 614 KiB.
inline constexpr std::size_t awake_part = 10;
// What every thread should find to do at least: 1 MiB where it has to be woken, 128 KiB where it is awake.
inline constexpr std::size_t asleep_thread_part = 6;
inline constexpr std::size_t awake_thread_part = 48;
// From where on the threads' caches do not hold what a call reads and writes: 30 MiB, and some 3.6 MiB for
// every thread if that is more. Then results are stored past them, and threads take chunks in turn.
inline constexpr std::size_t chain_times = 5;
inline constexpr std::size_t thread_cache_tenths = 6;
// What a byte costs in times of what it costs a plain scan with kernels.
inline constexpr std::size_t generic_cost = 8;
inline constexpr std::size_t recurrence_cost = 4;
inline constexpr std::size_t segmented_cost = 2;
inline constexpr std::size_t few_lanes_cost = 2;
inline constexpr std::size_t compact_cost = 2;
inline constexpr std::size_t repeat_cost = 2;
inline constexpr std::size_t histogram_cost = 8;
inline constexpr std::size_t bins_cost = 8;
inline constexpr std::size_t sort_cost = 16;
inline constexpr std::size_t top_k_cost = 1;
// Of totals that round the same, for threads that are awake alone: they take longer than those under exact
// operators, and two threads take 0.7 of the time of one from 3e5 bytes on (floats, two cores of a Zen 5).
inline constexpr std::size_t total_awake_times = 2;
// Bytes of input that a thread takes at once: large enough that a hop of the chain is lost in them, small
// enough that the second-level cache holds them until they are scanned, while results pass through it and
// neighbours use it too: a part of it, up to chunk_bytes.
inline constexpr std::size_t smallest_chunk_bytes = 32 * 1024;
inline constexpr std::size_t chunk_bytes = 128 * 1024;
inline constexpr std::size_t chunk_cache_part = 8;
// The same for the tree of doubles: of a cache of 512 KiB 64 took 1.15 to 1.25 times as long as 32.
inline constexpr std::size_t double_tree_cache_part = 16;
// Where results take the places of elements chunks, and what they have at most, are so many times as large. A
// processor that fetches ahead past the end of its chunk takes lines that another begins to write, at about a
// microsecond a chunk: on two cores of a Zen 5 (1 MiB) 256 KiB took 0.83 to 1 of the time of 128, and of the
// tree of doubles 128 0.84 of that of 64.
inline constexpr std::size_t in_place_chunk_times = 2;
// Chunks that every thread of the chain should get at least, so that they finish together.
inline constexpr std::size_t chunks_per_thread = 6;
// The same of regions, which stay with their threads.
inline constexpr std::size_t smallest_region_bytes = 16 * 1024;
inline constexpr std::size_t region_bytes = 256 * 1024;
inline constexpr std::size_t regions_per_thread = 8;
// What the caller scans before it looks how far helpers are, in percent of what a helper gets: little, as it
// goes on in the first one's regions until they meet.
inline constexpr std::size_t lead_percent = 15;
// How far ahead of what it scans a thread alone asks for input: where a far cache has it, and where it comes
// from memory. Below the first size the near caches have it, and asking gains nothing. Kernels of the tree
// jump from group to group of at most 512 elements, so they ask two groups ahead: with one, doubles that the
// far cache had lost took up to twice as long. What they ask for from memory comes to the second-level cache:
// the first has no room for it beside what is being scanned.
inline constexpr std::size_t asking_bytes = 1024 * 1024;
inline constexpr std::size_t cached_lead_bytes = 4 * 1024;
inline constexpr std::size_t cached_lead_elements = 1024;
inline constexpr std::size_t lead_bytes = 16 * 1024;
// A Zen 5 finds what its last-level cache has by itself, and kernels of the tree are faster without asking
// for it: up to this share of that cache 1e5 to 1e6 floats and doubles took 0.83 to 1 of the time, on two
// threads 3e6 floats 0.85.
inline constexpr double zen5_asking_cache_share = 0.75;
// Elements from which lines of results are asked for; shorter scans are done before that matters.
inline constexpr std::size_t claiming_elements = 2048;
// Bytes from which results are stored past the caches, as a multiple of the last-level cache, if one thread
// scans, or each thread sequences of its own. Whatever that cache's size, from so many bytes for every so
// many threads on: one of hundreds of MiB is of many cores, and no few of them fill it. Those of a chain
// always store so: lines that one core has written are fetched slowly by another.
inline constexpr double streaming_cache_share = 0.5;
inline constexpr std::size_t streaming_most_bytes = 64 * 1024 * 1024;
inline constexpr std::size_t streaming_threads = 4;
// Sequences shorter than so many groups of a kernel of the tree, and of no whole number of them, are streamed
// from a buffer: at either end of what a kernel streams itself is a line that is stored in two ways.
inline constexpr std::size_t streamed_least_groups = 4;
// Elements from which recurrences are.
inline constexpr std::size_t streamed_recurrence = 512;

// Whether a second thread pays is tried where a scan has so many chunks: the caller does the first of them
// alone, both do the next ones, and those have to take less time each, by this factor.
inline constexpr std::size_t trial_least_chunks = 256;
inline constexpr std::size_t trial_alone_chunks = 20;
inline constexpr std::size_t trial_chunks = 192;
inline constexpr double trial_worthwhile = 0.95;

// A caller lets its helpers go when it has waited for its turn for so long, and for such a part of the time
// since the scan began (late_part): they have lost their processors, and what they do costs more than it
// saves. A single hiccup of a long scan is none of that.
inline constexpr int late_turn_microseconds = 1000;
inline constexpr int late_part = 4;
// A caller that waits so long for helpers waits for threads that have lost their processors: more than any
// chunk takes, less than a time slice of the operating system.
inline constexpr int late_microseconds = 100;
// What calls lose by that, in parts of what twice as many threads gain, is a mean of about the latest
// mean_of_calls, none of which counts for more than most_loss: so a call that is late by many times its
// length counts at once, one that takes twice as long now and then does not.
inline constexpr double mean_of_calls = 8;
inline constexpr double most_loss = 31;
// How many times as fast a second thread makes a long scan, where two are all: one of them can nearly take
// what the memory gives. Of many threads half take about half of it.
inline constexpr double second_thread_speed = 1.25;
// For how long calls then do with half of the threads: at first, and at most after it has happened again and
// again.
inline constexpr int first_penalty_microseconds = 25'000;
inline constexpr int most_penalty_microseconds = 1'000'000;
// Pauses for which an idle thread watches for work before it sleeps: 20 to 90 us.
inline constexpr int idle_pauses = 2000;

}  // namespace upsweep::cpu::tuning
