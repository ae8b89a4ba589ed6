// Repeated elements on the CPU: those that own memory, assignments that throw, and what is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/refused.hpp"
#include "upsweep/repeat.hpp"
#include "upsweep/unique.hpp"

namespace upsweep::test {
namespace {

TEST(repeat_calls, elements_that_own_memory) {
    cpu::executor ex(2);
    const std::vector<std::string> x{"a rather long string of its own", "b", "c"};
    std::vector<std::string> out(4);
    EXPECT_EQ(repeat(ex, x, std::vector{1, 2, 0}, out), 3u);
    EXPECT_EQ(out, (std::vector<std::string>{x[0], "b", "b", ""}));
}

// What run_length_encode takes apart.
TEST(repeat_calls, runs_come_back) {
    cpu::executor ex(2);
    const std::vector<float> x{1, 1, -0.0f, 5, 5, 5, 1};
    std::vector<float> first(4), back(7);
    std::vector<std::uint16_t> lengths(4);
    EXPECT_EQ(run_length_encode(ex, x, first, lengths), 4u);
    EXPECT_EQ(repeat(ex, first, lengths, back), 7u);
    EXPECT_EQ(back, x);
}

struct brittle {
    int value = 0;
    brittle& operator=(const brittle& other) {
        if (other.value == 7) throw std::runtime_error("seven");
        value = other.value;
        return *this;
    }
    brittle(int given = 0) : value(given) {}
    brittle(const brittle&) = default;
};
TEST(repeat_calls, what_an_assignment_throws_passes_through) {
    for (const std::size_t threads : {1, 3}) {
        cpu::executor ex(threads);
        ex.share_from(1024);
        std::vector<brittle> x(5000);
        x[3333] = brittle(3);
        x[3333].value = 7;
        std::vector<brittle> out(10'000);
        EXPECT_THROW(repeat(ex, x, 2, out), std::runtime_error);
        x[3333].value = 3;
        EXPECT_EQ(repeat(ex, x, 2, out), 10'000u);
        EXPECT_EQ(out[6667].value, 3);
    }
}

TEST(repeat_calls, refused) {
    cpu::executor ex(1);
    const std::vector<int> x{1, 2, 3};
    std::vector<int> out(4);
    const auto refuses = [&](const std::string& message, const auto& counts) {
        expect_refused(message, [&] { repeat(ex, x, counts, out); });
    };
    refuses("counts: expected 3 elements, as many as in, but it has 2", std::vector{1, 2});
    refuses("counts: must not be negative, but count 1 is -5", std::vector{1, -5, -6});
    refuses("counts: must not be negative, but count 0 is -128", std::vector<std::int8_t>{-128, 0, 0});
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    refuses("counts: their sum must be less than 2^64", std::vector<std::uint64_t>{1, most, 0});
    refuses("counts: their sum must be less than 2^64", most);
    refuses("count: must not be negative, but it is -1", -1);
    refuses("segments: expected 4 offsets, one more than elements of in, but there are 3",
            by_offsets(std::vector{0, 1, 2}));
    refuses("segments: offsets must begin with 0", by_offsets(std::vector<int>{}));
    refuses("segments: offsets must begin with 0", by_offsets(std::vector{1, 2, 3, 4}));
    refuses("segments: offsets must not decrease, but offset 2 is 1 after 2",
            by_offsets(std::vector{0, 2, 1, 4}));
    expect_refused("out: overlaps in", [&] { repeat(ex, out, std::vector{1, 1, 1, 1}, out); });
    expect_refused("out: overlaps counts", [&] { repeat(ex, x, std::span(out).first(3), out); });
    expect_refused("out: overlaps segments", [&] { repeat(ex, x, by_offsets(out), out); });
    std::vector<std::int8_t> few(4);
    expect_refused("out: index 128 does not fit its elements, which reach 127",
                   [&] { repeat_indices(ex, std::vector<int>(129), few); });
    EXPECT_EQ(out, std::vector<int>(4));
    EXPECT_EQ(repeat(ex, x, std::vector<std::uint64_t>{0, most, 0}, std::span(out).first(0)), most);
}

// Chunks whose sums fit, though all of them together do not.
TEST(repeat_calls, a_sum_of_chunks_that_is_too_large) {
    cpu::executor ex(2);
    std::vector<std::uint64_t> counts(5000);
    counts[0] = counts[4999] = std::uint64_t{1} << 63;
    std::vector<std::uint16_t> out(3);
    expect_refused("counts: their sum must be less than 2^64", [&] { repeat_indices(ex, counts, out); });
}

}  // namespace
}  // namespace upsweep::test
