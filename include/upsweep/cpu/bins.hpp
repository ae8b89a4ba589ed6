// The CPU engine for histograms and bin extraction: say for a piece of elements to which bins they belong,
// then count the bins, or move the elements to where the bins before theirs end.
//
// What follows does not depend on types: it is compiled once, and calls what does once a piece.
//
// Histogram. Complexity: O(n + bins); one read of the elements. Each thread counts in a table of its own. Up
// to 4095 bins the tables are on the threads' stacks, 32 KiB each; of up to 1023 (2047) bins a thread has
// four (two), which neighbouring elements take in turn, so that counting one bin many times does not wait for
// its counter. Beyond 4095 bins the caller counts where the counts belong, and each helper in 8 bytes a bin
// of the heap; there are as many helpers as find elements enough for that and need no more than
// most_table_bytes.
//
// Extraction. Complexity: O(n + bins); the elements are read twice, classified twice and written once. From
// 64 to 1024 bins pieces of 4096 elements are sorted into a buffer in the near caches first. One thread needs
// no scratch but 60 KiB of its stack; several count their chunks of the elements in 8 bytes a bin
// and chunk of the heap, at most most_table_bytes. Where the heap has no room one thread does all.
//
// Source: Blelloch, "Prefix sums and their applications", 1990, section 1.3; the counting sort of Knuth, The
// Art of Computer Programming, volume 3, section 5.2, algorithm D, with a row of counters for each chunk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/bin_range.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu {

inline constexpr std::size_t most_table_bytes = std::size_t{256} << 20;  // of the heap, in a call

// To which bin each element of a sequence belongs.
struct classifier {
    const void* context;
    // found[i] = the bin of element first + i, or `bins` if it has none, for every i < count.
    void (*classify)(const classifier&, std::size_t first, std::size_t count, std::uint32_t* found);
    std::uint32_t bins;       // their number; not 0
    std::size_t input_bytes;  // of an element
    const void* in;           // the first one; the others follow it
};

// counts[b] = how many of n elements belong to bin b; returns the sum of them. An exception of classify()
// passes through; the counts are then unspecified.
std::size_t run_histogram(executor& ex, const classifier& by, std::size_t n, std::uint64_t* counts);

// How elements get to their places.
struct placement_of_bins {
    const void* in;
    void* out;
    std::size_t out_bytes;  // of an element
    // out[place] = element first + i, with place = at[found[i]]++, for every i < count in turn with
    // place < room.
    void (*move)(const placement_of_bins&, std::size_t first, std::size_t count, const std::uint32_t* found,
                 std::uint64_t* at, std::size_t room);
    // Elements of `out` are nothing but their bytes, so that they may take their way through a buffer.
    bool is_plain;
};

// Moves those of n elements that belong to bin 0 to out[0], out[1], ..., those of bin 1 behind them, and so
// on, `room` of them in all at most; each bin's in order. offsets[b] = where those of bin b begin, b <= bins.
// Returns how many belong to any bin.
std::size_t run_bins(executor& ex, const classifier& by, const placement_of_bins& way, std::size_t n,
                     std::size_t room, std::uint64_t* offsets);

// A range, and what kernels want to know of it beforehand.
template <class T>
struct prepared_range {
    explicit prepared_range(const bin_range<T>& bins);

    bin_range<T> range;
    // Whether the vector kernels give find_bin's bins: bins fit into their 32-bit integers, and integers
    // satisfy what follows.
    bool by_vectors;
    // Integers: the bin is floor((x - lo) * slope + bias). In exact arithmetic that sum is below count, and
    // 0.5 / (hi - lo) or more away from every integer. Three roundings to 53 bits move it by less than count
    // * 2^-51, which is no more than that while (hi - lo) * count is at most 2^50.
    double slope;  // count / (hi - lo)
    double bias;   // 0.5 / (hi - lo)
};

// found[i] = find_bin(range, x[i]), or range.count for no_bin, for every i < count.
template <class T>
using bin_kernel = void (*)(const T* x, std::size_t count, const prepared_range<T>& bins,
                            std::uint32_t* found);
template <class T>
bin_kernel<T> bin_kernel_for(simd_level level);

// The types for which there are such kernels: those of comparisons.
template <class T>
inline constexpr bool has_bin_kernel = has_compare_kernel<T>;
#define UPSWEEP_DECLARE_BINS(T)                                  \
    template <>                                                  \
    prepared_range<T>::prepared_range(const bin_range<T>& bins); \
    template <>                                                  \
    bin_kernel<T> bin_kernel_for<T>(simd_level level);
UPSWEEP_FOR_EACH_COMPARED(UPSWEEP_DECLARE_BINS)
#undef UPSWEEP_DECLARE_BINS

}  // namespace upsweep::cpu
