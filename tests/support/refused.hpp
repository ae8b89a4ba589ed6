// Calls that must be refused.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "upsweep/error.hpp"

namespace upsweep::test {

// `call` must throw upsweep::error, whose message begins as told.
template <class Call>
void expect_refused(const std::string& beginning, const Call& call, errc code = errc::invalid_argument) {
    try {
        call();
        ADD_FAILURE() << "accepted; expected: " << beginning;
    } catch (const error& e) {
        EXPECT_EQ(e.code(), code) << e.what();
        EXPECT_EQ(std::string(e.what()).substr(0, beginning.size()), beginning) << e.what();
    }
}

}  // namespace upsweep::test
