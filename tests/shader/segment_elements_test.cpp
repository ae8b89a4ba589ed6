// What segmented scans and totals of segments have in OpenGL and Vulkan beyond the CPU's tests of them:
// types, an operator that does not commute, kinds of keys, offsets in any order.
#include "shader/reduce_backend.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "support/segment_check.hpp"

namespace upsweep::test {
namespace {

// The first has every mode; each mode takes a software driver a while to compile.
constexpr std::array every_mode{0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u};
constexpr std::array some_modes{0u, 3u, 5u, 6u};

template <class T, class Op>
void run_some(const T& initial, std::span<const unsigned> modes, std::vector<std::size_t> sizes) {
    for (const std::size_t n : sizes) {
        const segmentation cut(n, 40, n);
        const auto raw = sequence<T, Op>(n, 5);
        const std::vector<T> x(std::begin(raw), std::end(raw));
        for_each_backend([&](const auto& backend) {
            auto& ex = *backend.executor;
            if (!takes<Op, T>(ex)) return;
            for (const unsigned mode : modes) {
                SCOPED_TRACE("n = " + std::to_string(n) + ", mode " + std::to_string(mode));
                const bool exclusive = (mode & 1) != 0, reverse = (mode & 2) != 0;
                const std::optional<T> start = (mode & 4) != 0 ? std::optional<T>(initial) : std::nullopt;
                const std::vector<T> expected =
                    expected_results<T>(x, cut.heads, exclusive, reverse, Op(), start);
                std::vector<T> out(n);
                if (exclusive)
                    exclusive_segmented_scan(ex, by_head_flags(cut.heads), x, out, Op(), {start, reverse});
                else
                    inclusive_segmented_scan(ex, by_head_flags(cut.heads), x, out, Op(), {start, reverse});
                const std::size_t wrong = first_difference(out.data(), expected.data(), n);
                if (wrong != n && !excuse<Op, T>(ex).empty())
                    GTEST_SKIP() << "not a bit-conforming driver: " << (excuse<Op, T>(ex));
                ASSERT_EQ(wrong, n) << "got " << describe(out[wrong]) << ", expected "
                                    << describe(expected[wrong]);
                if (exclusive || reverse) continue;
                std::vector<T> last;
                for (std::size_t i = 0; i < n; ++i)
                    if (i + 1 == n || cut.heads[i + 1] != 0) last.push_back(expected[i]);
                EXPECT_EQ(segmented_reduce(ex, by_head_flags(cut.heads), x, out, Op(), {start}), last.size());
                EXPECT_EQ(first_difference(out.data(), last.data(), last.size()), last.size()) << "totals";
            }
        });
    }
}
TEST(segment_elements, types_and_operators) {
    run_some<std::uint32_t, plus>(7, every_mode, {1000, 4097});
    run_some<std::uint64_t, multiplies>(3, some_modes, {130, 9000});
    run_some<double, plus>(0.3, some_modes, {1000, 9000});
    if (tests_every_pair) run_some<float, minimum>(0.25f, some_modes, {4099});
}
// Rounds and does not commute, and its identity cannot stand for an absent part.
TEST(segment_elements, affine_maps) {
    run_some<affine_map<float>, affine>({0.5f, 0.25f}, every_mode, {7, 130, 4099, 140000});
}

// The running count within each segment shows where it begins.
template <class Keys>
void expect_counts(const Keys& segments, const std::vector<std::uint32_t>& expected) {
    const std::vector<std::uint32_t> ones(expected.size(), 1);
    for_each_backend([&](const auto& backend) {
        std::vector<std::uint32_t> out(expected.size());
        inclusive_segmented_scan(*backend.executor, segments, ones, out);
        EXPECT_EQ(out, expected);
        // Backwards the same segments.
        inclusive_segmented_scan(*backend.executor, segments, ones, out, plus{}, {.reverse = true});
        for (std::size_t i = 0; i < expected.size(); ++i) {
            std::size_t end = i + 1;
            while (end < expected.size() && expected[end] != 1) ++end;
            EXPECT_EQ(out[i], end - i) << i;
        }
    });
}
TEST(segment_elements, keys_of_every_kind) {
    expect_counts(by_keys(std::vector<std::uint32_t>{7, 7, 8, 8, 8, 7}), {1, 2, 1, 2, 3, 1});
    const std::uint64_t high = std::uint64_t{1} << 40;
    expect_counts(by_keys(std::vector<std::uint64_t>{7, 7, 7 + high, 8 + high, 8 + high, 8}),
                  {1, 2, 1, 1, 2, 1});
    expect_counts(by_keys(std::vector<std::int64_t>{-1, -1, -2, 0, 0, 0}), {1, 2, 1, 1, 2, 3});
    // No NaN equals anything, itself included; zeros are equal whatever their sign; infinities are numbers.
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    expect_counts(
        by_keys(std::vector<float>{0.0f, -0.0f, 1e-45f, infinity, infinity, -infinity, nan, nan, 1, 1}),
        {1, 2, 1, 1, 2, 1, 1, 1, 1, 2});
    const double wide = std::numeric_limits<double>::quiet_NaN(),
                 most = std::numeric_limits<double>::infinity();
    expect_counts(by_keys(std::vector<double>{-0.0, 0.0, 5e-324, most, most, -most, wide, wide, 1, 1}),
                  {1, 2, 1, 1, 2, 1, 1, 1, 1, 2});
    // A NaN that only its low word tells from infinity.
    const auto low = std::bit_cast<double>(std::uint64_t{0x7ff0000000000001});
    expect_counts(by_keys(std::vector<double>{low, low, most, most}), {1, 1, 1, 2});
}
// Offsets beyond the end are the end of empty segments; in another order they mean the same.
TEST(segment_elements, offsets_in_any_order) {
    expect_counts(by_offsets(std::vector<std::uint32_t>{0, 2, 2, 5, 6, 6}), {1, 2, 1, 2, 3, 1});
    expect_counts(by_offsets(std::vector<std::uint32_t>{5, 4000000000u, 0, 2, 6}), {1, 2, 1, 2, 3, 1});
    expect_counts(by_offsets(std::vector<std::uint32_t>{0}), {1, 2, 3, 4, 5, 6});
}
// Totals by such offsets are unspecified, but nothing else is written: the call looks at what is around them.
TEST(segment_elements, totals_by_wrong_offsets_stay_where_they_belong) {
    const std::vector<std::uint32_t> ones(9000, 1);
    for_each_backend([&](const auto& backend) {
        if (!takes<plus, std::uint32_t>(*backend.executor)) return;
        for (const std::vector<std::uint32_t>& wrong : {std::vector<std::uint32_t>{5, 4000000000u, 0, 2, 6},
                                                        {0},
                                                        {1, 1, 1},
                                                        {9000, 8999, 2, 1, 0},
                                                        {0xffffffffu, 0xfffffffeu},
                                                        {0, 9001}}) {
            std::vector<std::uint32_t> out(wrong.size() - 1);
            EXPECT_EQ(segmented_reduce(*backend.executor, by_offsets(wrong), ones, out), out.size());
        }
    });
}

}  // namespace
}  // namespace upsweep::test
