// Segmented scans on the CPU: keys that own memory, and what is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/guarded.hpp"
#include "support/refused.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {
namespace {

TEST(segmented_calls, keys_that_own_memory) {
    cpu::executor ex(2);
    const std::vector<int> x{1, 2, 3, 4, 5, 6};
    std::vector<int> out(6);
    inclusive_segmented_scan(ex, by_keys(std::vector<std::string>{"a", "a", "b", "b", "b", "a"}), x, out,
                             multiplies{});
    EXPECT_EQ(out, (std::vector{1, 2, 3, 12, 60, 6}));
}

TEST(segmented_calls, refuses_what_describes_no_segments) {
    cpu::executor ex(2);
    const std::vector<float> x(6, 1.0f);
    guarded<float> out(6), small(5);
    using offsets = std::vector<std::int32_t>;
    for (const offsets& wrong : {offsets{}, offsets{1, 6}, offsets{0, 5}, offsets{0, 7}, offsets{0, 4, 3, 6},
                                 offsets{0}, offsets{0, -1, 6}}) {
        expect_refused("segments: ", [&] { inclusive_segmented_scan(ex, by_offsets(wrong), x, out.span()); });
    }
    expect_refused("segments: ", [&] {
        inclusive_segmented_scan(ex, by_head_flags(std::vector<std::uint8_t>(5)), x, out.span());
    });
    expect_refused("segments: ",
                   [&] { exclusive_segmented_scan(ex, by_keys(std::vector<int>(7)), x, out.span()); });
    expect_refused("out: ",
                   [&] { exclusive_segmented_scan(ex, by_keys(std::vector<int>(6)), x, small.span()); });
    expect_refused("options.initial: ", [&] {
        exclusive_segmented_scan(ex, by_keys(std::vector<int>(6)), x, out.span(),
                                 [](float a, float) { return a; });
    });
    EXPECT_TRUE(out.untouched() && small.untouched());
    std::vector<float> memory(9);
    expect_refused("out: ", [&] {
        inclusive_segmented_scan(ex, by_offsets(offsets{0, 6}), std::span(memory).first(6),
                                 std::span(memory).last(6));
    });
    std::vector<std::int32_t> words(12, 1);
    const std::span<std::int32_t> front = std::span(words).first(6), part = std::span(words).subspan(5, 6);
    const std::vector<std::int32_t> y(6, 1), before = words;
    expect_refused("out: overlaps segments", [&] { inclusive_segmented_scan(ex, by_keys(front), y, part); });
    expect_refused("out: overlaps segments",
                   [&] { exclusive_segmented_scan(ex, by_head_flags(front), front, front); });
    words[4] = 0, words[5] = 6;
    expect_refused("out: overlaps segments", [&] {
        inclusive_segmented_scan(ex, by_offsets(std::span(words).subspan(4, 2)), y, part);
    });
    words[4] = 1, words[5] = 1;
    EXPECT_EQ(words, before);
    const std::vector<float> none;
    EXPECT_NO_THROW(inclusive_segmented_scan(ex, by_offsets(offsets{0}), none, std::span<float>()));
    EXPECT_NO_THROW(inclusive_segmented_scan(ex, by_offsets(offsets{0, 0, 0}), none, std::span<float>()));
}

}  // namespace
}  // namespace upsweep::test
