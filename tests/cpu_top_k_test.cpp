// What finds the first k keys on the CPU: intervals of bits, at every level, and samples that tell nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "src/cpu/key_interval.hpp"
#include "src/cpu/key_search.hpp"
#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/sorted.hpp"
#include "upsweep/top_k.hpp"

namespace upsweep::test {
namespace {

// Every key of 16 bits, and one more vector's worth.
std::vector<std::uint16_t> all_words() {
    std::vector<std::uint16_t> made(65536 + 77);
    std::iota(made.begin(), made.end(), std::uint16_t{0});
    return made;
}

template <class Key>
class interval_of : public testing::Test {};
using halves_and_integers = testing::Types<float16, bfloat16, std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(interval_of, halves_and_integers);

TYPED_TEST(interval_of, every_key_within_any_bound) {
    constexpr bool floating = is_half<TypeParam>;
    const std::vector<std::uint16_t> keys = all_words();
    std::vector<std::uint32_t> expected, found(keys.size() + cpu::found_at_once);
    for (const bool descending : {false, true}) {
        const cpu::keys_in_order<std::uint16_t, floating> words(core::order_of<TypeParam>(descending));
        std::vector<std::uint32_t> bounds{0, 1, 2, 32766, 32767, 32768, 65533, 65534, 65535};
        for (const std::uint32_t key :
             {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x0001, 0x8001, 0x7fff})
            for (const int by : {-1, 0, 1})
                bounds.push_back((words(static_cast<std::uint16_t>(key)) + static_cast<std::uint32_t>(by)) %
                                 65536);
        const auto step = static_cast<std::uint32_t>(repetitions(997, 9973));
        for (std::uint32_t bound = 5; bound < 65536; bound += step) bounds.push_back(bound);
        for (const std::uint32_t bound : bounds) {
            SCOPED_TRACE("bound " + std::to_string(bound) + (descending ? ", descending" : ""));
            expected.clear();
            for (std::size_t i = 0; i < keys.size(); ++i)
                if (words(keys[i]) <= bound) expected.push_back(static_cast<std::uint32_t>(i + 3));
            const auto interval = words.up_to(static_cast<std::uint16_t>(bound));
            ASSERT_EQ(interval.has_value(), !expected.empty());
            if (!interval) continue;
            for (const cpu::simd_level level : cpu::supported_simd_levels()) {
                const auto find = cpu::find_keys_for<std::uint16_t, floating>(level);
                const cpu::found_keys some =
                    find(keys.data(), keys.size(), *interval, 3, found.data(), found.size());
                EXPECT_EQ(some.examined, keys.size());
                ASSERT_EQ(some.found, expected.size());
                EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin()));
            }
        }
    }
}

// It ends where there may not be room for more, and not before.
TEST(find_keys, ends_early) {
    const std::vector<float> keys(1000, 1.0f);
    const auto* const bits = reinterpret_cast<const std::uint32_t*>(keys.data());
    const cpu::keys_in_order<std::uint32_t, true> words(core::order_of<float>(true));
    const auto interval = words.up_to(words(bits[0]));
    ASSERT_TRUE(interval);
    std::vector<std::uint32_t> places(300, 7);
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        const auto find = cpu::find_keys_for<std::uint32_t, true>(level);
        std::fill(places.begin(), places.end(), 7);
        const cpu::found_keys some = find(bits, keys.size(), *interval, 0, places.data(), 200);
        EXPECT_EQ(some.examined, 192u);
        EXPECT_EQ(some.found, 192u);
        EXPECT_EQ(places[191], 191u);
        EXPECT_TRUE(std::all_of(places.begin() + 200, places.end(), [](auto place) { return place == 7; }));
    }
}

// What is sampled is greater than all else, so that too few are found at first.
TEST(cpu_top_k, a_sample_of_the_greatest) {
    for (const std::size_t n : {std::size_t{3'000}, std::size_t{100'003}}) {
        std::vector<float> x(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 1009);
        const std::size_t sampled = cpu::sample_size(n);
        for (std::size_t i = 0; i < sampled; ++i) x[cpu::sample_place(i, sampled, n)] += 5'000;
        const std::vector<std::size_t> order = sorted_indices(x, true);
        for (const std::size_t k : {sampled - 1, sampled + 1, 2 * sampled}) {
            const std::vector<std::size_t> first(order.begin(),
                                                 order.begin() + static_cast<std::ptrdiff_t>(k));
            for_each_backend(coverage::threads, [&](const auto& backend) {
                std::vector<float> out(k);
                top_k(*backend.executor, x, out);
                EXPECT_EQ(out, taken(x, first));
                std::vector<std::size_t> places(k);
                top_k_indices(*backend.executor, x, places);
                EXPECT_EQ(places, first);
            });
        }
    }
}

template <class Call>
void expect_refused(const std::string& what, const Call& call) {
    try {
        call();
        FAIL() << "accepted, but expected: " << what;
    } catch (const error& refused) {
        EXPECT_EQ(refused.code(), errc::invalid_argument);
        EXPECT_EQ(std::string(refused.what()), what);
    }
}

TEST(cpu_top_k, refusals) {
    cpu::executor ex(1);
    std::vector<float> x(6), out(7), values(6), small(2);
    std::vector<int> indices(7);
    const auto part = [](auto& all, std::size_t from, std::size_t size) {
        return std::span(all).subspan(from, size);
    };
    expect_refused("out: expected at most 6 elements, as many as in, but it has 7",
                   [&] { top_k(ex, x, out); });
    expect_refused("out: expected at most 6 elements, as many as in, but it has 7",
                   [&] { top_k_indices(ex, x, indices); });
    expect_refused("out: overlaps in; it must be disjoint from it", [&] { top_k(ex, x, part(x, 1, 2)); });
    expect_refused("out: overlaps in; it must be disjoint from it", [&] { top_k(ex, x, x); });
    std::vector<float> wide(200);
    std::vector<std::int8_t> narrow(3);
    expect_refused("out: index 199 does not fit its elements, which reach 127",
                   [&] { top_k_indices(ex, wide, narrow); });
    expect_refused("values: expected 6 elements, as many as keys, but it has 2",
                   [&] { top_k_by_key(ex, x, small, part(out, 0, 2), part(out, 2, 2)); });
    expect_refused("keys_out: expected at most 6 elements, as many as keys, but it has 7",
                   [&] { top_k_by_key(ex, x, values, out, out); });
    expect_refused("values_out: expected 2 elements, as many as keys_out, but it has 3",
                   [&] { top_k_by_key(ex, x, values, part(out, 0, 2), part(out, 2, 3)); });
    expect_refused("values_out: overlaps keys_out; it must be disjoint from it",
                   [&] { top_k_by_key(ex, x, values, part(out, 0, 2), part(out, 1, 2)); });
    expect_refused("keys_out: overlaps values; it must be disjoint from it",
                   [&] { top_k_by_key(ex, x, values, part(values, 0, 2), part(out, 1, 2)); });
    expect_refused("values_out: overlaps keys; it must be disjoint from it",
                   [&] { top_k_by_key(ex, x, values, small, part(x, 3, 2)); });
    expect_refused("in: expected 4 rows of equal lengths, but it has 6 elements",
                   [&] { top_k_rows(ex, 4, x, small); });
    expect_refused("out: expected 3 rows of equal lengths, but it has 2 elements",
                   [&] { top_k_row_indices(ex, 3, x, part(indices, 0, 2)); });
    expect_refused("in: expected 0 rows of equal lengths, but it has 6 elements",
                   [&] { top_k_rows(ex, 0, x, small); });
    expect_refused("out: expected rows of at most 3 elements, as many as those of in, but they have 4",
                   [&] { top_k_rows(ex, 1, part(x, 0, 3), part(out, 0, 4)); });
    expect_refused("out: overlaps in; it must be disjoint from it",
                   [&] { top_k_rows(ex, 3, x, part(x, 0, 3)); });
}

}  // namespace
}  // namespace upsweep::test
