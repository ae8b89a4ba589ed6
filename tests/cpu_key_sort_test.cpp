// What the CPU sorts by partition and by networks: keys of four and eight bytes alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "support/sorted.hpp"
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

// --- by pivots of a sample: what several threads share, or one alone where partitions are no faster ---

// From so many bytes on several threads divide, and one alone keys of eight bytes without AVX-512:
// cpu/sort.cpp.
constexpr std::size_t shared_bytes = std::size_t{64} << 10, alone_bytes = std::size_t{256} << 10;

// At every level, as both the pivots and what is left of a chunk depend on it, and with every number of
// threads.
template <class Key>
void expect_divided(const std::vector<Key>& x, std::string_view what) {
    std::vector<Key> up = x, down = x;
    std::sort(up.begin(), up.end());
    std::sort(down.begin(), down.end(), std::greater<>());
    guarded<Key> out;
    for_each_backend(coverage::all, [&](const cpu_backend& backend) {
        SCOPED_TRACE(std::string(what) + ", n = " + std::to_string(x.size()));
        out.reset(x.size(), 1);
        sort(*backend.executor, x, out.span());
        expect_same(up, out);
        std::copy(x.begin(), x.end(), out.data());
        sort(*backend.executor, out.span(), out.span(), {.descending = true});
        expect_same(down, out);
    });
}

TYPED_TEST(key_sort_of, sizes_around_thresholds) {
    random_bits random(5);
    for (const std::size_t bytes : {shared_bytes, alone_bytes}) {
        if (bytes == alone_bytes && (sanitized || in_brief)) continue;
        const std::size_t around = bytes / sizeof(TypeParam);
        for (const std::size_t n : {around, around + 1, around + around / 3}) {
            std::vector<TypeParam> x(n);
            for (TypeParam& key : x) key = static_cast<TypeParam>(random());
            expect_divided(x, "any bits");
        }
    }
}

// Parts of very different sizes, empty ones, and such as are nearly all.
TYPED_TEST(key_sort_of, parts_that_crowd) {
    random_bits random(17);
    constexpr int bits = std::numeric_limits<std::make_unsigned_t<TypeParam>>::digits;
    const std::size_t n = repetitions(100'003, 20'011, 20'011);
    std::vector<TypeParam> skewed(n), repeated(n), ends(n), close(n), slope(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto any = static_cast<TypeParam>(random());
        skewed[i] = static_cast<TypeParam>(random() >> (64 - bits) >> std::countr_zero(random() | 1u << 31));
        repeated[i] = random.below(10) == 0 ? any : TypeParam(7);
        ends[i] = random.below(20) == 0 ? any : random.below(2) == 0 ? least<TypeParam> : greatest<TypeParam>;
        close[i] = random.below(5000) == 0 ? any : static_cast<TypeParam>(100 + random.below(50));
        slope[i] = static_cast<TypeParam>(std::min(i, n - i));
    }
    expect_divided(skewed, "skewed");
    expect_divided(repeated, "one key again and again");
    expect_divided(ends, "the least and the greatest key again and again");
    expect_divided(close, "few keys, and some others");
    expect_divided(slope, "up and down");
}

// Where samples look, whatever the number of parts, there are few keys, which tell nothing of the others.
TYPED_TEST(key_sort_of, a_sample_that_misleads) {
    random_bits random(19);
    const std::size_t n = sanitized || in_brief ? std::size_t{1} << 14 : std::size_t{1} << 17;
    for (const std::uint64_t seen : {1u, 1u << 20}) {
        std::vector<TypeParam> x(n);
        for (std::size_t i = 0; i < n; ++i) {
            // One every `stride`, half of that from the beginning, and strides are powers of two.
            const bool is_seen = std::countr_zero(i | n) >= 1 && std::countr_zero(i | n) <= 12;
            x[i] = static_cast<TypeParam>(is_seen ? random.below(seen) : (1u << 30) + random.below(1u << 20));
        }
        expect_divided(x, seen == 1 ? "one key in the sample" : "none of most keys in the sample");
    }
}

}  // namespace
}  // namespace upsweep::test
