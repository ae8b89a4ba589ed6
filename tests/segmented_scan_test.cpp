// Segmented scans by offsets, head flags and keys, against the scan of the pairs (head, value) that
// docs/numerics.md defines them by.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/build.hpp"
#include "support/near_each_other.hpp"
#include "support/segment_check.hpp"
#include "support/sweep.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {
namespace {

// All three ways to describe the segments, or head flags alone.
enum class descriptions { all, flags };

template <class In, class Op, descriptions Described, class Acc>
void compare(std::size_t n, double mean_length, Acc initial, const Op& op) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", segments of about " + std::to_string(mean_length));
    const segmentation cut(n, mean_length, n + 5);
    const auto raw = sequence<In, Op>(n, 61);
    const std::vector<In> x(std::begin(raw), std::end(raw));
    std::vector<std::int32_t> keys(n);
    for (std::size_t i = 1; i < n; ++i) keys[i] = keys[i - 1] ^ cut.heads[i];
    const std::vector<std::uint32_t> narrow_offsets(cut.offsets.begin(), cut.offsets.end());
    for (const bool exclusive : {false, true}) {
        for (const bool reverse : {false, true}) {
            for (const bool with_initial : {false, true}) {
                if (exclusive && !with_initial && !has_identity<Op, Acc>) continue;
                SCOPED_TRACE(std::string(exclusive ? "exclusive" : "inclusive") +
                             (reverse ? ", reverse" : "") + (with_initial ? ", initial" : ""));
                const std::optional<Acc> start = with_initial ? std::optional<Acc>(initial) : std::nullopt;
                const std::vector<Acc> expected =
                    expected_results<Acc>(x, cut.heads, exclusive, reverse, op, start);
                std::vector<In> results;
                for (const Acc& value : expected) results.push_back(cpu::convert<In>(value));
                for_each_backend(coverage::threads, [&](const auto& backend) {
                    auto& ex = *backend.executor;
                    if (!takes<Op, Acc>(ex)) return;
                    const batch_options<Acc> options{start, reverse};
                    guarded<In> out;
                    const auto compare = [&](const auto& segments, bool in_place = false) {
                        out.reset(n, n % 8);
                        if (in_place) std::copy(x.begin(), x.end(), out.data());
                        const std::span<const In> in =
                            in_place ? std::span<const In>(out.span()) : std::span<const In>(x);
                        if (exclusive)
                            exclusive_segmented_scan(ex, segments, in, out.span(), op, options);
                        else
                            inclusive_segmented_scan(ex, segments, in, out.span(), op, options);
                        const std::size_t wrong = first_difference(out.data(), results.data(), n);
                        if (wrong != n && !excuse<Op, Acc>(ex).empty())
                            GTEST_SKIP() << "not a bit-conforming driver: " << (excuse<Op, Acc>(ex));
                        ASSERT_EQ(wrong, n) << "got " << describe(out.data()[wrong]) << ", expected "
                                            << describe(results[wrong]);
                        EXPECT_TRUE(out.sentinels_intact());
                    };
                    compare(by_head_flags(cut.heads), n % 2 == 0);
                    if constexpr (Described == descriptions::all) {
                        compare(by_offsets(cut.offsets));
                        compare(by_offsets(narrow_offsets), true);
                        compare(by_keys(keys), n % 2 == 1);
                    }
                });
            }
        }
    }
}

template <class In, class Op, descriptions Described = descriptions::flags,
          class Acc = core::accumulator_for<deduced, In, Op>>
void check(std::size_t n, double mean_length, std::type_identity_t<Acc> initial, const Op& op = {}) {
    if constexpr (has_scan<In, Op, In, Acc>)
        compare<In, Op, Described>(n, mean_length, initial, op);
    else
        report_lack<In, In, Acc>();
}

TEST(segmented_scan, small_example) {
    const std::vector<int> x{1, 2, 3, 4, 5, 6};
    const std::vector<int> offsets{0, 2, 2, 5, 6};
    for_each_backend([&](const auto& backend) {
        std::vector<int> out(6);
        inclusive_segmented_scan(*backend.executor, by_offsets(offsets), x, out);
        EXPECT_EQ(out, (std::vector{1, 3, 3, 7, 12, 6}));
        exclusive_segmented_scan(*backend.executor, by_offsets(offsets), x, out, plus{}, {.initial = 10});
        EXPECT_EQ(out, (std::vector{10, 11, 10, 13, 17, 10}));
        inclusive_segmented_scan(*backend.executor,
                                 by_head_flags(std::array<bool, 6>{false, false, true, false, false, true}),
                                 x, out, plus{}, {.reverse = true});
        EXPECT_EQ(out, (std::vector{3, 2, 12, 9, 5, 6}));
        inclusive_segmented_scan(*backend.executor, by_keys(std::vector<char>{'a', 'a', 'b', 'b', 'b', 'a'}),
                                 x, out, multiplies{});
        EXPECT_EQ(out, (std::vector{1, 2, 3, 12, 60, 6}));
        inclusive_scan_by_key(*backend.executor, std::array{7, 7, 8, 8, 8, 7}, x, out, maximum{});
        EXPECT_EQ(out, (std::vector{1, 2, 3, 4, 5, 6}));
        exclusive_scan_by_key(*backend.executor, std::array{7, 7, 8, 8, 8, 7}, x, out);
        EXPECT_EQ(out, (std::vector{0, 1, 0, 3, 7, 0}));
    });
}

TEST(segmented_scan, sums_at_all_small_sizes) {
    for (std::size_t n = 0; n <= repetitions(300, 40, 70); ++n) {
        check<float, plus, descriptions::all>(n, n % 3 == 0 ? 1.5 : n % 3 == 1 ? 9 : 1e9, 0.3f);
        if (HasFailure()) return;
    }
}
TEST(segmented_scan, around_the_levels_of_the_tree) {
    for (const std::size_t n : {1000u, 4095u, 4096u, 4097u, 12291u}) {
        if (sanitized && n < 4097 && (thread_sanitizer || n > 1000)) continue;
        check<float, plus, descriptions::all>(n, 100, 0.3f);
    }
    for (const std::size_t n : {std::size_t{131071}, std::size_t{131073}}) {
        // Offsets and keys become flags, whatever the number of elements.
        check<float, plus, sanitized ? descriptions::flags : descriptions::all>(n, n % 4 == 3 ? 3000 : 3,
                                                                                0.3f);
        if (sanitized) break;
    }
}
// One segment that spans supers, and chunks without any head.
TEST(segmented_scan, very_long_segments) {
    check<double, plus>(repetitions(300007, 140000, 140000), 90000, 0.3);
}

TEST(segmented_scan, grouping_and_order) {
    for (const std::size_t n : {77u, 4099u, 40000u}) {
        check<std::uint64_t, fingerprint>(n, 40, std::uint64_t{7});
        check<word, concatenate>(n, 5, word::letter('!'));
    }
}
TEST(segmented_scan, other_types_and_operators) { check<std::int32_t, maximum>(20000, 30, -5); }

TEST(segmented_scan, keys_are_compared_with_the_neighbour) {
    // Not with the first of the segment: 1, 2, 3 are neighbours within 1, so one segment.
    const near_each_other near;
    const std::vector<int> keys{1, 2, 3, 7, 8, 3}, ones(6, 1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::vector<int> out(6);
        inclusive_segmented_scan(*backend.executor, by_keys(keys, near), ones, out);
        EXPECT_EQ(out, (std::vector{1, 2, 3, 1, 2, 1}));
        // A NaN key equals nothing, itself included.
        inclusive_segmented_scan(*backend.executor, by_keys(std::vector{nan, nan, 1.0, 1.0, nan, nan}), ones,
                                 out);
        EXPECT_EQ(out, (std::vector{1, 1, 1, 2, 1, 1}));
    });
}

TEST(segmented_scan, element_0_starts_a_segment_whatever_its_flag) {
    for_each_backend(coverage::levels, [&](const auto& backend) {
        auto& ex = *backend.executor;
        std::vector<float> out(3);
        exclusive_segmented_scan(ex, by_head_flags(std::vector<std::uint8_t>{0, 0, 1}),
                                 std::vector<float>{1, 2, 3}, out);
        EXPECT_TRUE(same_bits(out[0], -0.0f));
        EXPECT_EQ(out[1], 1.0f);
        EXPECT_TRUE(same_bits(out[2], -0.0f));
        inclusive_segmented_scan(ex, by_head_flags(std::vector<std::uint8_t>{255, 0, 2}),
                                 std::vector<float>{1, 2, 3}, out);
        EXPECT_EQ(out, (std::vector{1.0f, 3.0f, 3.0f}));
    });
}

}  // namespace
}  // namespace upsweep::test
