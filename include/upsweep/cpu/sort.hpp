// The CPU engine for sorting: a radix sort from the most significant digit on, whose last step ranks a few
// records at once.
//
// Keys are compared as unsigned integers of the same order (key_order), so what follows is compiled once for
// a width of keys, with and without what goes with them, and not for types.
//
// A piece of n records whose keys are in [lo, hi] is divided into up to 2048 buckets by (key - lo) >> shift:
// counted, the counts' exclusive scan taken, moved. Each bucket is divided again by its own bounds until it
// has 32 records or fewer; then every record's place is the number of records that go before it, which
// vectors count. So digits that are alike are never looked at, and few distinct keys take one division. The
// bounds at least halve with every division, and shrink to one in 2^b where b bits divide, so that no input
// takes more than O(n * bits of a key) work.
//
// One thread divides to memory of its own, which stays in its caches, and ranks from there to the result.
//
// What exceeds a near cache is divided by all threads, each a few chunks of it: counts a chunk, one scan over
// buckets and chunks, then a stable move through a buffer of two cache lines a bucket. Then threads take
// buckets; one too large for that to be fair is divided by all threads again.
//
// Keys of four and eight bytes that nothing goes along with need no stable order. With vectors they are
// partitioned by pivots instead, in place, and up to 256 are sorted by a network. What several threads share
// is divided by the pivots of a sample: each chunk by itself, in a near cache, by as many partitions as halve
// the parts until they are small; then every part of a chunk is copied to where that part of all chunks lies.
//
// Segments are as buckets that have been divided already: a thread takes those that begin in a stretch of the
// elements.
//
// Sources: Blelloch, "Prefix sums and their applications", 1990, section 1.3 (the split radix sort); Knuth,
// The Art of Computer Programming, volume 3, sections 5.2 (sorting by counting, distribution) and 5.2.5
// (radix sorting); Satish, Kim, Chhugani et al., "Fast sort on CPUs and GPUs", 2010, and Polychroniou and
// Ross, "A comprehensive study of main-memory partitioning", 2014 (buffers of cache lines); Wassenberg and
// Sanders, "Engineering a multi-core radix sort", 2011 (dividing by the most significant digit first); Hoare,
// "Quicksort", 1962, and Batcher, "Sorting networks and their applications", 1968; Frazer and McKellar,
// "Samplesort: a sampling approach to minimal storage tree sorting", 1970.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/core/key_order.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/heads.hpp"

namespace upsweep::cpu {

using core::key_order;

// out = the n keys of `in` in order, of order.bytes each; with `segments`, which are not backwards, those of
// each segment in order. out may be in, and does not overlap it otherwise. Throws upsweep::error if there is
// no room for scratch: n keys, a sixtieth more, and up to 640 KiB a thread; none for what one thread
// partitions.
void run_sort(executor& ex, const key_order& order, const void* in, void* out, std::size_t n,
              const head_marks* segments = nullptr);

// A key's bits with what goes along, in words of 32 or 64 bits. Integers are filled up with zeros above their
// bits, floating-point keys with zeros below.
template <class Word>
struct keyed {
    Word bits;
    Word value;
};
// Bits of a key to shift left by when it is filled up so.
constexpr std::size_t key_shift(const key_order& order, std::size_t word_bytes) {
    return order.is_floating ? 8 * (word_bytes - order.bytes) : 0;
}

// Where records come from and go to. Both functions may be called from several threads, and all elements are
// loaded before any is stored, unless all stay where they are.
struct record_ends {
    const void* context;
    // records[i] = that of element first + i, for every i < count.
    void (*load)(const record_ends&, std::size_t first, std::size_t count, void* records);
    // Stores records as elements first + i of the result, for every i < count.
    void (*store)(const record_ends&, std::size_t first, std::size_t count, const void* records);
    bool is_wide;                // records are keyed<std::uint64_t>, otherwise keyed<std::uint32_t>
    const void* keys = nullptr;  // an array of all keys, which tells sooner whether they are in order
};

// Loads n records once each, sorts them, or those of each segment, by key, stably, and stores them once each.
// An exception of load(), store() or marking segments passes through. Throws upsweep::error if there is no
// room for scratch: 2 n records, and as above.
void run_sort_records(executor& ex, const key_order& order, const record_ends& ends, std::size_t n,
                      const head_marks* segments = nullptr);

}  // namespace upsweep::cpu
