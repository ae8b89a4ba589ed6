// Bin extraction: the elements of every bin arrive in order, bit for bit, and nothing else is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/binned.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "upsweep/bins.hpp"

namespace upsweep::test {
namespace {

template <class T>
struct extracted {
    std::vector<T> elements;
    std::vector<std::int32_t> indices;
    std::vector<std::uint64_t> offsets;
};
// A stable sort by bins, without those that have none.
template <class T>
extracted<T> extract_all(const std::vector<T>& x, const std::vector<std::uint32_t>& found, std::size_t bins) {
    extracted<T> made;
    made.offsets.assign(bins + 1, 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (found[i] >= bins) continue;
        made.indices.push_back(static_cast<std::int32_t>(i));
        ++made.offsets[found[i] + 1];
    }
    for (std::size_t b = 0; b < bins; ++b) made.offsets[b + 1] += made.offsets[b];
    std::stable_sort(made.indices.begin(), made.indices.end(), [&](std::int32_t a, std::int32_t b) {
        return found[static_cast<std::size_t>(a)] < found[static_cast<std::size_t>(b)];
    });
    for (const std::int32_t i : made.indices) made.elements.push_back(x[static_cast<std::size_t>(i)]);
    return made;
}

// extract(out, offsets) to memory that has room for just as many as there are, for more, and for fewer.
template <class T, class Extract>
void check_extraction(const std::vector<T>& expected, const std::vector<std::uint64_t>& offsets,
                      const Extract& extract) {
    const std::size_t all = expected.size();
    guarded<T> out;
    guarded<std::uint64_t> begins;
    for (const std::size_t room : {all, all + 3, all - all / 3}) {
        out.reset(room, (all + room) % 7);
        begins.reset(offsets.size(), room % 3);
        EXPECT_EQ(extract(out.span(), begins.span()), all);
        const std::size_t written = std::min(room, all);
        EXPECT_TRUE(same_bytes<T>(out.span().first(written), std::span(expected).first(written)));
        const guarded<T> poison(room - written, (all + room) % 7);
        EXPECT_TRUE(same_bytes<T>(out.span().subspan(written), poison.span()));
        EXPECT_TRUE(out.sentinels_intact());
        EXPECT_TRUE(std::equal(offsets.begin(), offsets.end(), begins.data()));
        EXPECT_TRUE(begins.sentinels_intact());
    }
}

template <class T>
void check_range(coverage wanted, const bin_range<T>& range, std::size_t n) {
    SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(range.count) + " bins");
    const std::vector<T> x = numbers_about(range, n, n + range.count);
    const extracted<T> expected = extract_all(x, bins_of(range, x), range.count);
    guarded<T> in(n, n % 5);
    std::copy(x.begin(), x.end(), in.data());
    for_each_backend(wanted, [&](const auto& backend) {
        auto& ex = *backend.executor;
        check_extraction(expected.elements, expected.offsets,
                         [&](auto out, auto offsets) { return bins(ex, in.span(), out, offsets, range); });
        check_extraction(expected.indices, expected.offsets, [&](auto out, auto offsets) {
            return bin_indices(ex, in.span(), out, offsets, range);
        });
    });
}

template <class T>
class bins_of_type : public testing::Test {};
using every_number = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::int64_t, float, double>;
using some_numbers = testing::Types<std::int8_t, std::int64_t, float>;
using number_types = std::conditional_t<tests_every_pair, every_number, some_numbers>;
TYPED_TEST_SUITE(bins_of_type, number_types);

TYPED_TEST(bins_of_type, few_elements) {
    for (std::size_t n = 0; n <= repetitions(70, 40, 25); ++n)
        check_range(coverage::levels, ranges_of<TypeParam>(1 + n % 9)[n % 4], n);
}
TYPED_TEST(bins_of_type, every_count) {
    for (const std::uint32_t count : {1u, 2u, 7u, 64u, 256u, 1023u, 1024u, 1025u, 4095u, 4096u})
        check_range(coverage::levels, ranges_of<TypeParam>(count)[2 + count % 2], 3'001);
}
TYPED_TEST(bins_of_type, several_threads) {
    const std::size_t n = repetitions(120'007, 60'007, 60'007);
    for (const std::uint32_t count : {3u, 5000u})
        check_range(sanitized ? coverage::threads : coverage::all, ranges_of<TypeParam>(count)[2], n);
}
// More bins than a thread places at once, so that threads share those too.
TEST(bins, many_bins) {
    check_range(coverage::levels, bin_range<float>{-3, 1, 100'003}, 5'001);
    check_range(coverage::threads, bin_range<std::int32_t>{-50'000, 50'000, 20'001},
                repetitions(400'007, 100'007, 100'007));
}

// Elements of any type, by a key of theirs; those that are no bin are left out.
template <class T>
void check_keys(std::size_t n) {
    const std::vector<T> x = random_elements<T>(n, 8);
    const first_byte key;
    std::vector<std::uint32_t> found;
    for (const T& e : x) found.push_back(static_cast<std::uint32_t>(key(e)));
    const extracted<T> expected = extract_all(x, found, 90);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        auto& ex = *backend.executor;
        check_extraction(expected.elements, expected.offsets,
                         [&](auto out, auto offsets) { return bins_by(ex, x, out, offsets, key); });
        check_extraction(expected.indices, expected.offsets,
                         [&](auto out, auto offsets) { return bin_indices_by(ex, x, out, offsets, key); });
    });
}
TEST(bins, elements_of_any_size) {
    check_keys<std::uint8_t>(repetitions(200'003, 40'003, 40'003));
    check_keys<record_of<3>>(repetitions(100'003, 20'003, 20'003));
    check_keys<std::uint64_t>(repetitions(100'003, 20'003, 20'003));
    check_keys<record_of<80>>(repetitions(20'003, 10'003, 5'003));
}

TEST(bins, conversions) {
    const std::vector<float16> halves{float16(3), float16(-1), float16(0.5f), float16(9)};
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::vector<double> wide(3, -7);
        std::vector<std::uint64_t> offsets(3);
        EXPECT_EQ(bins(*backend.executor, halves, wide, offsets, {0, 4, 2}), 2u);
        EXPECT_EQ(wide, (std::vector<double>{0.5, 3, -7}));
        EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 1, 2}));
    });
}

TEST(bins, edges) {
    const std::vector<int> edges{0, 10, 10, 15, 40};
    const std::vector<int> x{40, 3, 12, -1, 10, 41, 14, 0, 15};
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::vector<int> out(7);
        std::vector<std::uint8_t> indices(7);
        std::vector<std::uint64_t> offsets(5);
        EXPECT_EQ(bins(*backend.executor, x, out, offsets, bin_edges<int>{edges}), 7u);
        EXPECT_EQ(out, (std::vector<int>{3, 0, 12, 10, 14, 40, 15}));
        EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 2, 2, 5, 7}));
        EXPECT_EQ(bin_indices(*backend.executor, x, indices, offsets, bin_edges<int>{edges}), 7u);
        EXPECT_EQ(indices, (std::vector<std::uint8_t>{1, 7, 2, 4, 6, 0, 8}));
    });
}

}  // namespace
}  // namespace upsweep::test
