// Sorting in runs, for what memory does not hold at once: each run is sorted by itself, then all of them are
// merged, a part of each in memory at a time.
//
// The order is that of sort.hpp, and so are the bits: among equal elements those of an earlier run come
// first. Types, devices and errors are those of sorter.hpp.
//
// A merge goes by windows. Each run has a part of its elements in memory. Of the parts behind which a run
// goes on, one ends with the least element, the bound: what is less than it, in all parts, is all that is
// less, as every run is sorted. That is taken as the window, together with what equals the bound in that
// part and the earlier ones; then that part is used up. Taken one behind the other, the pieces of a window
// are sorted by sort(), which is stable. A tree of losers makes fewer comparisons, log2 of the number of runs
// for each element, but one after the other: in windows that stay in a near cache 26 runs of floats took 0.16
// of its time, by one thread, and of int64 0.31.
//
// Sources: Knuth, The Art of Computer Programming, volume 3, sections 5.4.1 (multiway merging) and 5.4.6,
// where the least of the last elements tells which run is read next (forecasting).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "registry/device.hpp"
#include "registry/dtype.hpp"

namespace upsweep::registry {

// Sorts n keys where they are. Unless it is null, indices[i] = first + the index that keys[i] had.
void sort_run(const device& where, dtype type, void* keys, std::int64_t* indices, std::size_t n,
              std::int64_t first, bool descending);

// What is in memory of a sorted run, from the first element that has not been taken.
struct run_part {
    const void* keys = nullptr;
    const std::int64_t* indices = nullptr;  // null: there are none
    std::size_t count = 0;                  // not 0 unless it is the last
    bool is_last = false;                   // nothing of the run follows
    std::size_t taken = 0;
};

// Takes the next window of a merge of runs in their order: keys and, unless it is null, indices get so many
// elements as are returned, all parts' at most; 0 at the end. Sets `taken` of each part.
std::size_t merge_window(const device& where, dtype type, std::span<run_part> parts, void* keys,
                         std::int64_t* indices, bool descending);

// Bytes that an element takes with its index, if there is one, and scratch, while its run is sorted and as
// one of a window. Sorts take up to a sixtieth more, and something for each thread (sort.hpp); a run of more
// than 2^32 elements with indices takes twice as much.
[[nodiscard]] std::size_t run_element_bytes(dtype type, bool with_indices);
[[nodiscard]] std::size_t window_element_bytes(dtype type, bool with_indices);

}  // namespace upsweep::registry
