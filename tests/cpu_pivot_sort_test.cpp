// Keys alone that are more than one thread sorts in its caches, or several threads': divided by pivots of a
// sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {
namespace {

template <class Key>
class pivot_sort_of : public testing::Test {};
using keys_of_words = testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(pivot_sort_of, keys_of_words);

// From so many bytes on several threads divide, and one alone: cpu/sort.cpp.
constexpr std::size_t shared_bytes = std::size_t{64} << 10, alone_bytes = std::size_t{1} << 20;

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

TYPED_TEST(pivot_sort_of, sizes_around_thresholds) {
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
TYPED_TEST(pivot_sort_of, keys_that_crowd) {
    random_bits random(17);
    constexpr int bits = std::numeric_limits<std::make_unsigned_t<TypeParam>>::digits;
    constexpr TypeParam least = std::numeric_limits<TypeParam>::lowest(),
                        most = std::numeric_limits<TypeParam>::max();
    const std::size_t n = repetitions(100'003, 20'011, 20'011);
    std::vector<TypeParam> skewed(n), repeated(n), ends(n), close(n), slope(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto any = static_cast<TypeParam>(random());
        skewed[i] = static_cast<TypeParam>(random() >> (64 - bits) >> std::countr_zero(random() | 1u << 31));
        repeated[i] = random.below(10) == 0 ? any : TypeParam(7);
        ends[i] = random.below(20) == 0 ? any : random.below(2) == 0 ? least : most;
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
TYPED_TEST(pivot_sort_of, a_sample_that_misleads) {
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
