// What is in order already, as data often is: it is looked through, and copied at most.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/cpu/sort_order.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::cpu {

constexpr std::size_t piece_bytes_of_ends = std::size_t{64} << 10;

// Calls body(first, end) of pieces of n records.
template <class Record, class Body>
void for_each_piece_of(executor& ex, std::size_t helpers, std::size_t n, const Body& body) {
    constexpr std::size_t piece = piece_bytes_of_ends / sizeof(Record);
    for_each_task(ex, helpers, (n + piece - 1) / piece,
                  [&](std::size_t task) { body(task * piece, std::min(n, (task + 1) * piece)); });
}

// Whether n records are in order, where look(first, end) tells it of some of them. settle(first, end) is
// called of pieces as they are found to be, while a near cache has them. Looks no further than a few records
// behind the first that is out of order.
template <class Record, class Look, class Settle>
bool settle_in_order(executor& ex, std::size_t helpers, std::size_t n, const Look& look,
                     const Settle& settle) {
    // Most data is told by its beginning, for which no thread is called.
    if (!look(0, std::min<std::size_t>(n, 1024))) return false;
    std::atomic<bool> found{true};
    for_each_piece_of<Record>(ex, helpers, n, [&](std::size_t first, std::size_t end) {
        if (!found.load(std::memory_order_relaxed)) return;
        if (look(first == 0 ? 0 : first - 1, end))
            settle(first, end);
        else
            found.store(false, std::memory_order_relaxed);
    });
    return found.load();
}

// Whether keys [first, end) of an array are in order, in their own type.
template <class Word>
bool keys_lie_in_order(simd_level level, const key_order& order, const Word* keys, std::size_t first,
                       std::size_t end) {
    if constexpr (sizeof(Word) != 1) {
        if (order.is_floating)
            return floating_kernels_for<Word>(level).in_order(keys + first, end - first,
                                                              floating_order<Word>(order));
    }
    return sort_kernels_for<Word, integer_order<Word>>(level).in_order(keys + first, end - first,
                                                                       integer_order<Word>(order));
}
// out = the n keys of `in`, and true, if they are in order; otherwise some of out may have been written.
template <class Word>
bool copy_in_order(executor& ex, std::size_t helpers, const key_order& order, const Word* in, Word* out,
                   std::size_t n) {
    const memory_kernels& memory = memory_kernels_for(ex.simd());
    const bool past_caches = ex.streams(2 * n * sizeof(Word));
    return settle_in_order<Word>(
        ex, helpers, n,
        [&](std::size_t first, std::size_t end) {
            return keys_lie_in_order(ex.simd(), order, in, first, end);
        },
        [&](std::size_t first, std::size_t end) {
            if (in == out) return;
            if (!past_caches) {
                std::memcpy(out + first, in + first, (end - first) * sizeof(Word));
                return;
            }
            memory.stream(out + first, in + first, (end - first) * sizeof(Word), nullptr);
            memory.fence();
        });
}
// The same of records whose keys are in an array: they are loaded and stored.
template <class Record, class Word>
bool pass_in_order(executor& ex, std::size_t helpers, const key_order& order, const record_ends& ends,
                   std::size_t n) {
    const auto* const keys = static_cast<const Word*>(ends.keys);
    const auto look = [&](std::size_t first, std::size_t end) {
        return keys_lie_in_order(ex.simd(), order, keys, first, end);
    };
    if (!settle_in_order<Record>(ex, helpers, n, look, [](std::size_t, std::size_t) {})) return false;
    for_each_piece_of<Record>(ex, helpers, n, [&](std::size_t first, std::size_t end) {
        constexpr std::size_t most = 4096 / sizeof(Record);
        Record some[most];
        for (std::size_t count; first < end; first += count) {
            count = std::min(most, end - first);
            ends.load(ends, first, count, some);
            ends.store(ends, first, count, some);
        }
    });
    return true;
}
template <class Record>
bool pass_in_order(executor& ex, std::size_t helpers, const key_order& order, const record_ends& ends,
                   std::size_t n) {
    switch (order.bytes) {
        case 1:
            return pass_in_order<Record, std::uint8_t>(ex, helpers, order, ends, n);
        case 2:
            return pass_in_order<Record, std::uint16_t>(ex, helpers, order, ends, n);
        case 4:
            return pass_in_order<Record, std::uint32_t>(ex, helpers, order, ends, n);
        default:
            return pass_in_order<Record, std::uint64_t>(ex, helpers, order, ends, n);
    }
}

}  // namespace upsweep::cpu
