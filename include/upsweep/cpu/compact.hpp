// The CPU engine for compaction and partition: choose, count, move to what is found to be the place.
//
// Elements are chosen as bits, a few thousand at a time. A chunk's bits are counted when it is summarised;
// the chain (chain.hpp) tells how many were chosen before it, so where its own belong; then they are moved
// there. What follows does not depend on types: it is compiled once, and calls what does once a piece.
//
// Complexity: O(n); the elements are read once through memory and the chosen ones written once, elements are
// asked about once for compaction and twice for partition, which counts all of them first. Memory of a
// thread: less than 100 KiB of stack.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu {

// Which elements of a sequence are chosen.
struct choice {
    const void* context;
    // Sets bit i % 64 of bits[i / 64] for every i < count if element first + i is chosen, and clears the
    // other bits of these words.
    void (*mark)(const choice&, const memory_kernels&, std::size_t first, std::size_t count,
                 std::uint64_t* bits);
    // What it reads of an array of its own, for an element.
    std::size_t bytes;
};

// How chosen elements get from one array to another.
struct transfer {
    const void* in;  // null: nothing is read
    void* out;
    std::size_t in_bytes, out_bytes;  // of an element
    // As compress_kernels::compress, for elements [first, first + count) of `in`, where dst points at
    // elements as those of `out`.
    std::size_t (*move)(const transfer&, const compress_kernels&, std::size_t first, std::size_t count,
                        const std::uint64_t* bits, void* dst, std::size_t room);
    // Elements of `out` are nothing but their bytes, so that they may take their way through a buffer.
    bool is_plain;
};

// Moves the chosen ones of n elements to out[0], out[1], ..., `room` of them at most; returns how many were
// chosen. With in_place, out is in.
std::size_t run_compact(executor& ex, const choice& which, const transfer& way, std::size_t n,
                        std::size_t room, bool in_place);

// Moves the chosen ones of n elements to out[0], out[1], ..., and the others behind them; returns how many
// were chosen. If an element is chosen at one time and not at another, which is which is unspecified.
std::size_t run_partition(executor& ex, const choice& which, const transfer& way, std::size_t n);

}  // namespace upsweep::cpu
