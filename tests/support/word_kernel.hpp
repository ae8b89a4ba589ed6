// A kernel for run_chain that can be looked into.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <string>
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
            EXPECT_EQ(out[i], expected) << "chunk " << i;
            EXPECT_EQ(scanned[i].load(), 1) << "chunk " << i;
            EXPECT_LE(summarised[i].load(), 1) << "chunk " << i;
        }
        EXPECT_EQ(last, expected);
    }
};

}  // namespace upsweep::test
