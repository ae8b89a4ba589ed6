// For tests of what sorts refuse: arrays of 100 elements, and that nothing has been written then.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuda/device_array.cuh"
#include "support/refused.hpp"

namespace upsweep::test {

class sort_refusals : public ::testing::Test {
  protected:
    void refused(const std::string& beginning, const std::function<void()>& call) {
        expect_refused(beginning, call);
        EXPECT_EQ(out.read(), std::vector<float>(100, 7.0f));
        EXPECT_EQ(numbers.read(), std::vector<std::uint32_t>(100, 3));
    }
    cuda::executor ex;
    device_array<float> x{std::vector<float>(100, 0.5f)};
    device_array<float> out{std::vector<float>(100, 7.0f)};
    device_array<std::uint32_t> numbers{std::vector<std::uint32_t>(100, 3)};
};

}  // namespace upsweep::test
