// What tests of calls by bins have in common: functions that change their minds, and arguments that are
// refused.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "cuda/device_array.cuh"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "upsweep/bin_range.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::test {

// Says bin 0 until it has been asked `from` times, and the last one then.
struct changing_bins {
    unsigned* asked;
    unsigned from, bins;
    __device__ unsigned operator()(float) const { return atomicAdd(asked, 1u) >= from ? bins - 1 : 0; }
};

// call(executor, in, out, offsets, function) extracts elements, or what lies beside them, into so many bins:
// any order may come of it, but nothing is written outside `out`.
template <class Call>
void expect_written_inside(std::initializer_list<unsigned> numbers_of_bins, const Call& call) {
    const std::size_t n = repetitions(300'007, 20'007), around = 1024;
    const device_array<float> in = random_array<float>(n, 5);
    device_array<float> out(n + 2 * around);
    const std::vector<float> sentinels(out.size(), 7.0f);
    device_array<unsigned> asked(1);
    cuda::executor ex;
    for (const unsigned bins : numbers_of_bins) {
        device_array<std::uint64_t> offsets(bins + 1);
        for (const unsigned from : {unsigned(n / 2), unsigned(n), unsigned(n) + 1}) {
            out.assign(sentinels);
            asked.assign({0});
            call(ex, in.view(), out.span().subspan(around, n), offsets.span(),
                 changing_bins{asked.data(), from, bins});
            const std::vector<float> got = out.read();
            for (std::size_t i = 0; i < around; ++i) {
                ASSERT_EQ(got[i], 7.0f);
                ASSERT_EQ(got[around + n + i], 7.0f);
            }
        }
    }
}

// Arrays for calls that refuse them, and write nothing.
class bins_refusals : public ::testing::Test {
  protected:
    void refused(const std::string& beginning, const std::function<void()>& call) {
        expect_refused(beginning, call);
        EXPECT_EQ(out.read(), std::vector<float>(100, 7.0f));
        EXPECT_EQ(numbers.read(), std::vector<std::uint64_t>(5, 3));
    }

    cuda::executor ex;
    device_array<float> x{std::vector<float>(100, 0.5f)};
    device_array<float> out{std::vector<float>(100, 7.0f)};
    device_array<std::uint64_t> numbers{std::vector<std::uint64_t>(5, 3)};
    cuda::device_span<std::uint64_t> offsets = numbers.span();
    bin_range<float> range{0, 1, 4};
};

}  // namespace upsweep::test
