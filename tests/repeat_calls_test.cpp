// Repeated elements on the CPU: those that own memory, assignments that throw, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/choices.hpp"
#include "support/random.hpp"
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

// Kernels of every level, those that stream among them: the results that have room, at any place, and what
// is left of the counts.
template <class Word>
void check_kernels(const cpu::repeat_kernels& kernels, std::size_t n, std::uint64_t most,
                   std::size_t skipped) {
    SCOPED_TRACE(std::to_string(n) + " words of " + std::to_string(sizeof(Word)) + " bytes, up to " +
                 std::to_string(most) + " times each, " + std::to_string(skipped) + " bytes behind a line");
    random_bits random(n + most);
    const std::vector<Word> x = random_elements<Word>(n, n + 3);
    std::vector<std::uint64_t> counts(n);
    for (std::uint64_t& count : counts) count = random.below(most + 1);
    if (n > 5) counts[5] = 3 * most;  // more than is stored at once of the others
    const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    for (const std::size_t room :
         {std::size_t{0}, std::size_t{1}, all / 3, all - std::min<std::size_t>(all, 1), all, all + 70}) {
        std::vector<Word> expected(all + 1);
        std::vector<std::uint64_t> left = counts, found_left = counts;
        const cpu::repeated wanted = cpu::repeat_each(expected.data(), room, x.data(), left.data(), n);
        constexpr std::byte poison{0x5a};
        std::vector<std::byte> bytes(128 + skipped + room * sizeof(Word) + 64, poison);
        void* start = bytes.data();
        std::size_t space = bytes.size();
        std::byte* const to = static_cast<std::byte*>(std::align(64, 1, start, space)) + skipped;
        const cpu::repeated found =
            kernels.repeat[std::countr_zero(sizeof(Word))](to, room, x.data(), found_left.data(), n);
        EXPECT_EQ(found.results, wanted.results) << room;
        EXPECT_EQ(std::memcmp(to, expected.data(), wanted.results * sizeof(Word)), 0) << room;
        EXPECT_TRUE(std::all_of(bytes.data(), to, [=](std::byte b) { return b == poison; })) << room;
        const std::byte* const last = to + room * sizeof(Word);
        EXPECT_TRUE(std::all_of(last, std::as_const(bytes).data() + bytes.size(), [=](std::byte b) {
            return b == poison;
        })) << room;
        // An element without results counts as done or not.
        const auto to_do = [&](const cpu::repeated& done, std::vector<std::uint64_t>& of) {
            std::fill_n(of.begin(), done.elements, 0);
            return of;
        };
        EXPECT_EQ(to_do(found, found_left), to_do(wanted, left)) << room;
    }
}
TEST(repeat_calls, kernels_of_every_level) {
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        SCOPED_TRACE(cpu::name(level));
        for (const auto* kernels :
             {&cpu::repeat_kernels_for(level), &cpu::streaming_repeat_kernels_for(level)}) {
            for (const std::size_t n : {0, 1, 16, 17, 41, 256}) {
                for (const std::uint64_t most : {2, 9, 17, 33, 70, 300}) {
                    const std::size_t skipped = 8 * ((n + most) % 8);
                    check_kernels<std::uint8_t>(*kernels, n, most, skipped + 3);
                    check_kernels<std::uint16_t>(*kernels, n, most, skipped + 2);
                    check_kernels<std::uint32_t>(*kernels, n, most, skipped + 4);
                    check_kernels<std::uint64_t>(*kernels, n, most, skipped);
                    if (level != cpu::simd_level::portable)  // of alignment 1
                        check_kernels<std::uint64_t>(*kernels, n, most, skipped + 5);
                }
            }
        }
        if (HasFailure()) return;
    }
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
