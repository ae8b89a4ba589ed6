// What the CPU sorts by partition and by networks: keys of four and eight bytes alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/random.hpp"
#include "upsweep/segmented_sort.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {
namespace {

template <class Key>
class key_sort_of : public testing::Test {};
using keys_of_words = testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(key_sort_of, keys_of_words);

template <class Key>
constexpr Key least = std::numeric_limits<Key>::lowest();
template <class Key>
constexpr Key greatest = std::numeric_limits<Key>::max();

template <class Key>
void expect_sorted(const std::vector<Key>& x) {
    std::vector<Key> expected = x;
    std::sort(expected.begin(), expected.end());
    std::vector<Key> out(x.size());
    for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
        std::fill(out.begin(), out.end(), Key(1));
        sort(*backend.executor, x, out);
        EXPECT_EQ(out, expected) << x.size();
        out = x;
        sort(*backend.executor, out, out);
        EXPECT_EQ(out, expected) << x.size() << " in place";
    });
}

// A network that sorts every sequence of two different keys sorts all (Knuth, The Art of Computer
// Programming, volume 3, theorem 5.3.4Z). Sequences are segments of one array.
template <class Key>
void expect_ones_behind(std::size_t length, const std::vector<bool>& ones, bool whole_range) {
    const Key zero = whole_range ? least<Key> : Key(5), one = whole_range ? greatest<Key> : Key(6);
    const std::size_t count = ones.size() / length;
    std::vector<Key> x(ones.size()), expected(ones.size()), out(ones.size());
    std::vector<std::size_t> offsets{0};
    for (std::size_t s = 0; s < count; ++s) {
        const auto at = static_cast<std::ptrdiff_t>(offsets.back()), end = at + std::ptrdiff_t(length);
        const auto set = std::count(ones.begin() + at, ones.begin() + end, true);
        std::transform(ones.begin() + at, ones.begin() + end, x.begin() + at,
                       [&](bool is_one) { return is_one ? one : zero; });
        std::fill(expected.begin() + at, expected.begin() + end - set, zero);
        std::fill(expected.begin() + end - set, expected.begin() + end, one);
        offsets.push_back(static_cast<std::size_t>(end));
    }
    for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
        segmented_sort(*backend.executor, by_offsets(offsets), x, out);
        EXPECT_TRUE(out == expected) << length;
    });
}
TYPED_TEST(key_sort_of, all_sequences_of_zeros_and_ones) {
    for (const std::size_t length : {5u, 8u, 9u, 13u, 16u}) {
        if (sanitized && length > 13) continue;
        std::vector<bool> ones;
        for (std::size_t sequence = 0; sequence < std::size_t{1} << length; ++sequence)
            for (std::size_t i = 0; i < length; ++i) ones.push_back((sequence >> i & 1) != 0);
        expect_ones_behind<TypeParam>(length, ones, length % 2 == 0);
    }
}
TYPED_TEST(key_sort_of, sequences_of_zeros_and_ones) {
    random_bits random(7);
    for (const std::size_t length : {17u, 31u, 32u, 33u, 63u, 64u, 65u, 100u, 127u, 128u, 129u, 255u, 256u}) {
        std::vector<bool> ones;
        // So many ones, anywhere.
        for (std::size_t turn = 0; turn < repetitions(4, 1); ++turn) {
            for (std::size_t set = 0; set <= length; ++set) {
                std::size_t left = set;
                for (std::size_t i = 0; i < length; ++i) {
                    const bool is_one = random.below(length - i) < left;
                    left -= is_one ? 1 : 0;
                    ones.push_back(is_one);
                }
            }
        }
        expect_ones_behind<TypeParam>(length, ones, length % 2 != 0);
    }
}

TYPED_TEST(key_sort_of, sizes_around_networks_and_samples) {
    random_bits random(3);
    for (const std::size_t around : {129u, 256u, 384u, 512u, 1024u, 2048u, 5000u}) {
        for (std::size_t n = around - 3; n < around + 4; ++n) {
            std::vector<TypeParam> x(n);
            for (TypeParam& key : x) key = static_cast<TypeParam>(random());
            expect_sorted(x);
        }
    }
}

// Where samples look there is one key, which tells nothing of the others.
TYPED_TEST(key_sort_of, a_sample_of_one_key) {
    random_bits random(11);
    for (const std::size_t n : {300u, 2047u, 2048u, 6000u}) {
        const std::size_t stride = n / (n < 2048 ? 16 : 64);
        for (const TypeParam seen : {least<TypeParam>, TypeParam(0), greatest<TypeParam>}) {
            std::vector<TypeParam> x(n);
            for (std::size_t i = 0; i < n; ++i)
                x[i] = i % stride == stride / 2 ? seen : static_cast<TypeParam>(random());
            expect_sorted(x);
        }
    }
}
// Medians are bad pivots again and again: half of the keys are below a small bound, half of these below half
// of it, and so on; or nearly all are equal.
TYPED_TEST(key_sort_of, keys_that_crowd) {
    random_bits random(13);
    constexpr int bits = std::numeric_limits<std::make_unsigned_t<TypeParam>>::digits;
    for (const std::size_t n : {700u, 10'000u}) {
        std::vector<TypeParam> x(n), y(n), z(n);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = static_cast<TypeParam>(random() >> (64 - bits) >> std::countr_zero(random() | 1u << 31));
            y[i] = static_cast<TypeParam>(random.below(50) == 0 ? random() : 3);
            z[i] = static_cast<TypeParam>(std::min(i, n - i));  // up and down
        }
        expect_sorted(x);
        expect_sorted(y);
        expect_sorted(z);
        for (TypeParam& key : z) key = greatest<TypeParam>;
        expect_sorted(z);
        z[n / 3] = least<TypeParam>;
        expect_sorted(z);
        z[n / 3] = greatest<TypeParam> - 1;
        expect_sorted(z);
    }
}

}  // namespace
}  // namespace upsweep::test
