// What goes wrong on one rank is heard of on all, and nothing has been written then.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "upsweep/error.hpp"
#include "upsweep/mpi/executor.hpp"

namespace upsweep::test {

// call(is_guilty) throws `words` on every rank in turn, which others hear of.
template <class Call, class Unwritten>
void expect_of_each(const mpi::executor& ex, const std::string& words, const Call& call,
                    const Unwritten& expect_unwritten) {
    for (int guilty = 0; guilty < ex.size(); ++guilty) {
        const bool is_guilty = ex.rank() == guilty;
        std::string found;
        try {
            call(is_guilty);
        } catch (const std::exception& e) {
            found = e.what();
        }
        const std::string expected = (is_guilty ? "" : "rank " + std::to_string(guilty) + ": ") + words;
        EXPECT_EQ(found.substr(0, expected.size()), expected);
        expect_unwritten();
    }
}
// All throw the same.
template <class Call, class Unwritten>
void expect_on_all(const std::string& words, const Call& call, const Unwritten& expect_unwritten) {
    std::string found;
    try {
        call();
    } catch (const error& e) {
        found = e.what();
    }
    EXPECT_EQ(found.substr(0, words.size()), words);
    expect_unwritten();
}

}  // namespace upsweep::test
