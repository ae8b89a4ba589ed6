// Kernels for run_chain and run_regions that can be looked into.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "upsweep/cpu/chain.hpp"

namespace upsweep::test {

// Chunk i holds one word; its result is the word of everything up to and with it.
struct word_kernel {
    using state = std::string;
    struct summary {
        std::string text = "nothing";
    };
    std::vector<std::string> in;
    mutable std::vector<std::string> out;
    mutable std::vector<std::atomic<int>> scanned, summarised;

    explicit word_kernel(std::size_t chunks) : out(chunks, "poison"), scanned(chunks), summarised(chunks) {
        for (std::size_t i = 0; i < chunks; ++i) in.emplace_back(1 + i % 2, static_cast<char>('a' + i % 26));
    }
    // As if nothing had been done.
    void reset() {
        for (std::size_t i = 0; i < in.size(); ++i) {
            out[i] = "poison";
            scanned[i] = 0;
            summarised[i] = 0;
        }
    }
    void summarise(std::size_t chunk, summary& made) const {
        summarised[chunk].fetch_add(1);
        made.text = in[chunk];
    }
    void advance(state& carried, std::size_t chunk, const summary& made) const {
        EXPECT_EQ(made.text, in[chunk]);
        carried += made.text;
    }
    void scan(std::size_t chunk, state& carried, std::size_t next) const {
        scanned[chunk].fetch_add(1);
        carried += in[chunk];
        out[chunk] = carried;
        if (next == cpu::no_chunk) return;
        EXPECT_GT(next, chunk);
        EXPECT_LT(next, in.size());
    }

    void expect_right(const std::string& initial, const std::string& last) const {
        std::string expected = initial;
        for (std::size_t i = 0; i < in.size(); ++i) {
            expected += in[i];
            if (out[i] == expected && scanned[i].load() == 1 && summarised[i].load() <= 1) continue;
            EXPECT_EQ(out[i], expected) << "chunk " << i;
            EXPECT_EQ(scanned[i].load(), 1) << "chunk " << i;
            EXPECT_LE(summarised[i].load(), 1) << "chunk " << i;
        }
        EXPECT_EQ(last, expected);
    }
};

// Chunks of very different length, so that threads overtake each other.
struct uneven_kernel : word_kernel {
    using word_kernel::word_kernel;
    static void dawdle(std::size_t chunk) {
        for (std::size_t i = 0; i < chunk * 7919 % 13; ++i) std::this_thread::yield();
    }
    void summarise(std::size_t chunk, summary& made) const {
        dawdle(chunk);
        word_kernel::summarise(chunk, made);
    }
    void scan(std::size_t chunk, state& carried, std::size_t next) const {
        word_kernel::scan(chunk, carried, next);
        dawdle(chunk + 5);
    }
};

// Throws in one callback of one chunk.
struct failing_kernel : word_kernel {
    std::size_t failing;
    int step;

    failing_kernel(std::size_t chunks, std::size_t chunk, int where)
        : word_kernel(chunks), failing(chunk), step(where) {}
    void check(std::size_t chunk, int here) const {
        if (chunk == failing && step == here) throw std::runtime_error("chunk " + std::to_string(chunk));
    }
    void summarise(std::size_t chunk, summary& made) const {
        check(chunk, 0);
        word_kernel::summarise(chunk, made);
    }
    void advance(state& carried, std::size_t chunk, const summary& made) const {
        check(chunk, 1);
        word_kernel::advance(carried, chunk, made);
    }
    void scan(std::size_t chunk, state& carried, std::size_t next) const {
        check(chunk, 2);
        word_kernel::scan(chunk, carried, next);
    }
};

// Summarises the next chunk while it scans one.
template <class Kernel>
struct ahead : Kernel {
    using Kernel::Kernel;
    mutable std::atomic<int> times{0};

    [[nodiscard]] bool summarises_ahead() const { return true; }
    void scan_and_summarise(std::size_t chunk, std::string& carried, std::size_t next,
                            word_kernel::summary& of_next) const {
        times.fetch_add(1);
        Kernel::scan(chunk, carried, next);
        Kernel::summarise(next, of_next);
    }
};

// A failure in any callback of any chunk ends run(chunks, kernel), on whatever thread, and arrives.
template <class Kernel = failing_kernel, class Run>
void expect_failures_to_arrive(const Run& run) {
    constexpr std::size_t chunks = 20;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        for (const int step : {0, 1, 2}) {
            const Kernel kernel(chunks, chunk, step);
            try {
                const std::string last = run(chunks, kernel);
                EXPECT_NE(step, 2) << "every chunk is scanned";  // a summary is not always needed
                kernel.expect_right("", last);
            } catch (const std::runtime_error& e) {
                EXPECT_EQ(e.what(), "chunk " + std::to_string(chunk));
            }
        }
    }
}

}  // namespace upsweep::test
