// The CPU engine for repeated elements: counts are added up, chunk by chunk, and results divided among
// threads.
//
// Chunks' sums tell where the results of each begin, so that any stretch of results can be made by itself.
// They are divided by what they cost, counts read and results written, so that neither many counts of 0 nor
// a large one leaves a thread alone with the work. What follows does not depend on types: it is compiled
// once, and calls what does once a block.
//
// Complexity: O(counts + results); counts are read twice through the caches, elements once, and results are
// written once. Memory of a thread: less than 64 KiB of stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu {

// How many counts are loaded at once.
inline constexpr std::size_t repeat_block = 256;

// Those whose repeat() stores past the caches, for elements most of which have several cache lines of
// results.
const repeat_kernels& streaming_repeat_kernels_for(simd_level level);

// Which elements there are, how often each is repeated, and how they get to the results.
struct repetition {
    std::size_t n;  // elements
    // The sum of the counts of elements [first, first + count) to *sum; false if that cannot be, because one
    // of them is negative or the sum passes 2^64 - 1.
    bool (*sum)(const repetition&, const repeat_kernels&, std::size_t first, std::size_t count,
                std::uint64_t* sum);
    // Those counts themselves, repeat_block at most.
    void (*load)(const repetition&, const repeat_kernels&, std::size_t first, std::size_t count,
                 std::uint64_t* to);
    // As repeat_kernels::repeat, with the elements from the first-th on, repeat_block at most.
    repeated (*write)(const repetition&, const repeat_kernels&, std::size_t first, std::size_t count,
                      std::uint64_t* counts, void* dst, std::size_t room);
    const void* counts;
    const void* in;  // null: nothing is read
    void* out;
    std::size_t count_bytes, in_bytes, out_bytes;  // of one each, as far as they are in memory
    // Elements of `out` are nothing but their bytes, so that they may take their way through a buffer.
    bool is_plain;
    // write() leaves everything to repeat_kernels::repeat, so that other kernels store otherwise.
    bool by_kernels;
};

struct repeat_result {
    bool counted;  // false: a sum cannot be, and nothing has been written
    std::uint64_t results;
};
// Writes the first `room` results at most, and says how many there are.
repeat_result run_repeat(executor& ex, const repetition& of, std::size_t room);

// repeat_kernels::repeat for elements of any type.
template <class Out, class In>
repeated repeat_each(Out* dst, std::size_t room, const In* src, std::uint64_t* counts, std::size_t n) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t part = std::min<std::uint64_t>(counts[i], room - at);
        for (std::size_t k = 0; k < part; ++k) dst[at + k] = static_cast<Out>(src[i]);
        at += part;
        if (part != counts[i]) {
            counts[i] -= part;
            return {i, at};
        }
    }
    return {n, at};
}

}  // namespace upsweep::cpu
