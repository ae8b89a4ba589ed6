// Totals of segments by offsets, head flags and keys, against the last results of the scan of the pairs
// (head, value) that docs/numerics.md defines segmented scans by.
#include <gtest/gtest.h>

#include <algorithm>
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
#include "upsweep/segmented_reduce.hpp"

namespace upsweep::test {
namespace {

// What the calls are to give: the last inclusive result of every segment that has elements.
template <class Acc, class Out, class In, class Op>
std::vector<Out> expected_totals(const std::vector<In>& x, const std::vector<std::uint8_t>& heads,
                                 const Op& op, const std::optional<Acc>& initial) {
    const std::vector<Acc> scanned = expected_segments<Acc>(x, heads, false, op, initial);
    std::vector<Out> totals;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (i + 1 == x.size() || heads[i + 1] != 0) totals.push_back(cpu::convert<Out>(scanned[i]));
    return totals;
}

// The first `written` of `out` are those of `expected`, and nothing else is written.
template <class T>
void expect_written(const guarded<T>& out, const std::vector<T>& expected, std::size_t written) {
    const std::size_t wrong = first_difference(out.data(), expected.data(), written);
    ASSERT_EQ(wrong, written) << "got " << describe(out.data()[wrong]) << ", expected "
                              << describe(expected[wrong]);
    EXPECT_TRUE(out.sentinels_intact());
    const guarded<T> poison(out.size() - written);
    EXPECT_TRUE(std::equal(reinterpret_cast<const std::byte*>(out.data() + written),
                           reinterpret_cast<const std::byte*>(out.data() + out.size()),
                           reinterpret_cast<const std::byte*>(poison.data())))
        << "wrote behind the results";
}

template <class In, class Op, class Out, class Acc>
void check(coverage wanted, std::size_t n, double mean_length, bool with_initial, Acc initial,
           const Op& op = {}) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", segments of about " + std::to_string(mean_length) +
                 (with_initial ? ", initial" : ""));
    const segmentation cut(n, mean_length, n + 5);
    const auto raw = sequence<In, Op>(n, 61);
    const std::vector<In> x(std::begin(raw), std::end(raw));
    std::vector<std::int32_t> keys(n), first_keys;
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = i == 0 ? 7 : keys[i - 1] ^ cut.heads[i];
        if (i == 0 || cut.heads[i] != 0) first_keys.push_back(keys[i]);
    }
    const std::optional<Acc> start = with_initial ? std::optional<Acc>(initial) : std::nullopt;
    const std::vector<Out> expected = expected_totals<Acc, Out>(x, cut.heads, op, start);
    const std::size_t count = expected.size();
    const reduce_options<Acc> options{start};
    for_each_backend(wanted, [&](const auto& backend) {
        auto& ex = *backend.executor;
        guarded<Out> out;
        guarded<std::int32_t> keys_out;
        for (const std::size_t room : {count, count + 3, count - count / 3}) {
            const std::size_t written = std::min(room, count);
            out.reset(room, (n + room) % 7);
            EXPECT_EQ(segmented_reduce<Acc>(ex, by_head_flags(cut.heads), x, out.span(), op, options), count);
            expect_written(out, expected, written);
            out.reset(count, n % 5);
            keys_out.reset(room, n % 3);
            EXPECT_EQ(reduce_by_key<Acc>(ex, keys, x, keys_out.span(), out.span(), op, options), count);
            expect_written(out, expected, count);
            expect_written(keys_out, first_keys, written);
        }
        out.reset(count, n % 4);
        EXPECT_EQ(segmented_reduce<Acc>(ex, by_keys(keys), x, out.span(), op, options), count);
        expect_written(out, expected, count);
        // By offsets, without empty segments,
        std::vector<std::uint32_t> distinct(cut.offsets.begin(), cut.offsets.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        out.reset(count, n % 6);
        EXPECT_EQ(segmented_reduce<Acc>(ex, by_offsets(distinct), x, out.span(), op, options), count);
        expect_written(out, expected, count);
        // and with some.
        if constexpr (has_identity<Op, Acc>) {
            const Out nothing = cpu::convert<Out>(with_initial ? initial : identity_of<Acc>(op));
            std::vector<Out> by_offset;
            for (std::size_t k = 0, next = 0; k + 1 < cut.offsets.size(); ++k)
                by_offset.push_back(cut.offsets[k] == cut.offsets[k + 1] ? nothing : expected[next++]);
            out.reset(by_offset.size(), n % 3);
            EXPECT_EQ(segmented_reduce<Acc>(ex, by_offsets(cut.offsets), x, out.span(), op, options),
                      by_offset.size());
            expect_written(out, by_offset, by_offset.size());
        }
    });
}
template <class In, class Op, class Out = In, class Acc = core::accumulator_for<deduced, In, Op>>
void check(coverage wanted, std::size_t n, double mean_length, std::type_identity_t<Acc> initial,
           const Op& op = {}) {
    check<In, Op, Out, Acc>(wanted, n, mean_length, n % 2 == 1, initial, op);
}

TEST(segmented_reduce, small_example) {
    const std::vector<int> x{1, 2, 3, 4, 5, 6}, offsets{0, 0, 2, 2, 5, 6, 6};
    const std::vector<char> keys{'a', 'a', 'b', 'b', 'b', 'a'};
    for_each_backend([&](const auto& backend) {
        auto& ex = *backend.executor;
        std::vector<int> six(6), three(3);
        std::vector<char> of(3);
        EXPECT_EQ(segmented_reduce(ex, by_offsets(offsets), x, six), 6u);
        EXPECT_EQ(six, (std::vector{0, 3, 0, 12, 6, 0}));
        EXPECT_EQ(segmented_reduce(ex, by_offsets(offsets), x, six, maximum{}, {.initial = 4}), 6u);
        EXPECT_EQ(six, (std::vector{4, 4, 4, 5, 6, 4}));
        EXPECT_EQ(segmented_reduce(ex, by_head_flags(std::array{false, false, true, false, false, true}), x,
                                   three, multiplies{}),
                  3u);
        EXPECT_EQ(three, (std::vector{2, 60, 6}));
        EXPECT_EQ(reduce_by_key(ex, keys, x, of, three), 3u);
        EXPECT_EQ(three, (std::vector{3, 12, 6}));
        EXPECT_EQ(of, (std::vector{'a', 'b', 'a'}));
        EXPECT_EQ(segmented_reduce(ex, by_keys(keys), x, std::span(three).first(0)), 3u);
    });
}

TEST(segmented_reduce, no_elements) {
    const std::vector<float> none;
    for_each_backend([&](const auto& backend) {
        auto& ex = *backend.executor;
        std::vector<float> out(2, 5.0f);
        EXPECT_EQ(segmented_reduce(ex, by_head_flags(std::vector<std::uint8_t>()), none, out), 0u);
        EXPECT_EQ(reduce_by_key(ex, std::vector<int>(), none, std::span<int>(), out), 0u);
        EXPECT_EQ(out, (std::vector{5.0f, 5.0f}));
        EXPECT_EQ(segmented_reduce(ex, by_offsets(std::array{0, 0, 0}), none, out), 2u);
        EXPECT_TRUE(same_bits(out[0], -0.0f) && same_bits(out[1], -0.0f));
        EXPECT_EQ(segmented_reduce(ex, by_offsets(std::array{0}), none, std::span<float>()), 0u);
    });
}

TEST(segmented_reduce, sums_at_small_sizes) {
    for (const std::size_t n : tile_sizes()) {
        check<float, plus>(coverage::levels, n, n % 3 == 0 ? 1.5 : n % 3 == 1 ? 9 : 1e9, 0.3f);
        if (HasFailure()) return;
    }
}
TEST(segmented_reduce, sums_around_supers) {
    std::size_t turn = 0;
    for (const std::size_t n : super_sizes()) {
        const double mean_length = std::array{1.0, 2.5, 40.0, 5000.0, 1e9}[turn++ % 5];
        check<float, plus>(coverage::all, n, mean_length, 0.3f);
        if constexpr (tests_every_pair)
            if (turn % 4 == 0) check<double, plus>(coverage::all, n, mean_length, 0.3);
    }
}
TEST(segmented_reduce, other_types_and_operators) {
    const std::size_t n = repetitions(150'001, 20'001, 20'001);
    check<std::uint8_t, plus, std::uint8_t, std::uint8_t>(coverage::all, n, 300, std::uint8_t{9});
    check<matrix, matrix_product>(coverage::threads, n, 5, matrix{{2, 1, 1, 1}});
    if constexpr (tests_every_pair) {
        for (const double mean_length : {3.0, 400.0}) {
            check<std::int32_t, maximum>(coverage::all, n, mean_length, -5);
            check<float, minimum>(coverage::threads, n, mean_length, 0.3f);
            check<std::uint8_t, bit_xor>(coverage::threads, n, mean_length, std::uint8_t{9});
            check<std::int16_t, multiplies, std::int64_t, std::int64_t>(coverage::threads, n, mean_length, 3);
        }
        check<std::uint64_t, fingerprint>(coverage::threads, n, 4, std::uint64_t{7});
        check<word, concatenate>(coverage::threads, n, 5, word::letter('!'));
        check<std::uint8_t, plus, std::uint64_t, std::uint64_t>(coverage::all, n, 300, std::uint64_t{9});
        check<float16, plus, float, float>(coverage::all, n, 7, 0.3f);
        check<float, plus, double, double>(coverage::all, n, 2, 0.3);
        check<double, multiplies>(coverage::all, n, 7, 0.3);
    }
}

TEST(segmented_reduce, keys_are_compared_with_the_neighbour) {
    const std::vector<int> keys{1, 2, 3, 7, 8, 3}, ones(6, 1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::vector<int> of(3), out(3);
        EXPECT_EQ(reduce_by_key(*backend.executor, keys, ones, of, out, plus{}, {}, near_each_other{}), 3u);
        EXPECT_EQ(of, (std::vector{1, 7, 3}));
        EXPECT_EQ(out, (std::vector{3, 2, 1}));
        out.resize(5);
        EXPECT_EQ(segmented_reduce(*backend.executor, by_keys(std::vector{nan, nan, 1.0, 1.0, -0.0, 0.0}),
                                   ones, out),
                  4u);
        EXPECT_EQ(out, (std::vector{1, 1, 2, 2, 0}));
    });
}

}  // namespace
}  // namespace upsweep::test
