// Elements repeated as often as counts say: bit for bit, and nothing else is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "support/sizes.hpp"
#include "upsweep/repeat.hpp"

namespace upsweep::test {
namespace {

// How counts are spread.
struct spread {
    std::string name;
    double share;          // of the counts that are not 0
    std::uint64_t most;    // which those are at most
    std::uint64_t middle;  // count of the element in the middle, unless 0
};
const std::vector<spread>& spreads() {
    static const std::vector<spread> all{{"ones", 1, 1, 0},          {"up to 3", 0.8, 3, 0},
                                         {"up to 90", 0.9, 90, 0},   {"few", 0.01, 100, 0},
                                         {"up to 400", 0.9, 400, 0}, {"none", 0, 1, 0},
                                         {"one", 0, 1, 90'001},      {"one of many", 0.7, 4, 30'011}};
    return all;
}
template <class Count>
std::vector<Count> counts_of(const spread& how, std::size_t n, std::uint64_t seed) {
    random_bits random(seed);
    std::vector<Count> made(n);
    for (Count& count : made)
        count = random.unit() < how.share ? static_cast<Count>(1 + random.below(how.most)) : Count(0);
    constexpr std::uint64_t most = std::numeric_limits<Count>::max();
    if (how.middle != 0 && n != 0) made[n / 2] = static_cast<Count>(std::min(how.middle, most));
    return made;
}

// The index of the element that each result is of.
template <class Count>
std::vector<std::size_t> owners_of(const std::vector<Count>& counts) {
    std::vector<std::size_t> made;
    for (std::size_t i = 0; i < counts.size(); ++i)
        made.insert(made.end(), static_cast<std::size_t>(counts[i]), i);
    return made;
}

// The first results that there is room for are expected(owner), and nothing else is written.
template <class T, class Expected>
void expect_results(const guarded<T>& out, const std::vector<std::size_t>& owners, const Expected& expected) {
    const std::size_t written = std::min(out.size(), owners.size());
    std::vector<T> wanted(written);
    for (std::size_t k = 0; k < written; ++k) wanted[k] = static_cast<T>(expected(owners[k]));
    EXPECT_TRUE(same_bytes<T>(out.span().first(written), wanted));
    EXPECT_TRUE(out.sentinels_intact());
    const guarded<T> poison(out.size() - written);
    EXPECT_TRUE(same_bytes<T>(out.span().subspan(written), poison.span())) << "wrote behind the results";
}

template <class T, class Count, class Index = std::int32_t>
void check(coverage wanted, std::size_t n, const spread& how) {
    SCOPED_TRACE(std::to_string(n) + " elements of " + std::to_string(sizeof(T)) + " bytes, counts of " +
                 std::to_string(sizeof(Count)) + ": " + how.name);
    const std::vector<T> x = random_elements<T>(n, n + 5);
    const std::vector<Count> counts = counts_of<Count>(how, n, n + 6);
    const std::vector<std::size_t> owners = owners_of(counts);
    std::vector<std::uint32_t> offsets{0};
    for (const Count count : counts) offsets.push_back(offsets.back() + static_cast<std::uint32_t>(count));
    guarded<T> in(n, n % 5), out;
    guarded<Count> from(n, n % 3);
    guarded<Index> indices;
    std::copy(x.begin(), x.end(), in.data());
    std::copy(counts.begin(), counts.end(), from.data());
    const auto element = [&](std::size_t i) { return x[i]; };
    const auto index = [](std::size_t i) { return i; };
    const std::size_t all = owners.size();
    for_each_backend(wanted, [&](const auto& backend) {
        auto& ex = *backend.executor;
        for (const std::size_t room : {all, all + 3, all - all / 3}) {
            out.reset(room, (n + room) % 7);
            EXPECT_EQ(repeat(ex, in.span(), from.span(), out.span()), all);
            expect_results(out, owners, element);
            indices.reset(room, n % 4);
            EXPECT_EQ(repeat_indices(ex, from.span(), indices.span()), all);
            expect_results(indices, owners, index);
        }
        out.reset(all, n % 6);
        EXPECT_EQ(repeat(ex, in.span(), by_offsets(offsets), out.span()), all);
        expect_results(out, owners, element);
        indices.reset(all, n % 2);
        EXPECT_EQ(repeat_indices(ex, by_offsets(offsets), indices.span()), all);
        expect_results(indices, owners, index);
    });
}

TEST(repeat, small_example) {
    const std::vector<int> x{5, 7, 9};
    const std::vector<std::int64_t> counts{2, 0, 3};
    for_each_backend([&](const auto& backend) {
        std::vector<int> out(5), few(2);
        EXPECT_EQ(repeat(*backend.executor, x, counts, out), 5u);
        EXPECT_EQ(out, (std::vector{5, 5, 9, 9, 9}));
        EXPECT_EQ(repeat(*backend.executor, x, by_offsets(std::vector{0, 1, 1, 4}), few), 4u);
        EXPECT_EQ(few, (std::vector{5, 9}));
        std::vector<std::uint8_t> indices(5);
        EXPECT_EQ(repeat_indices(*backend.executor, counts, indices), 5u);
        EXPECT_EQ(indices, (std::vector<std::uint8_t>{0, 0, 2, 2, 2}));
        std::vector<double> halves(4);
        EXPECT_EQ(repeat(*backend.executor, x, 2, halves), 6u);
        EXPECT_EQ(halves, (std::vector<double>{5, 5, 7, 7}));
        EXPECT_EQ(repeat(*backend.executor, x, std::uint8_t{0}, halves), 0u);
        EXPECT_EQ(repeat(*backend.executor, std::vector<int>{}, counts_of<int>(spreads()[0], 0, 1), out), 0u);
        EXPECT_EQ(out, (std::vector{5, 5, 9, 9, 9}));
    });
}

TEST(repeat, small_sizes) {
    const std::vector<std::size_t> sizes = tile_sizes();
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        check<std::uint32_t, std::int32_t>(coverage::levels, sizes[k], spreads()[k % spreads().size()]);
        if (sizes[k] % 8 == 1)
            check<std::uint8_t, std::uint16_t, std::uint16_t>(coverage::levels, sizes[k],
                                                              spreads()[k / 8 % spreads().size()]);
        if (HasFailure()) return;
    }
}
TEST(repeat, many_elements) {
    for (const spread& how : spreads()) {
        const auto elements = [&](std::size_t n) { return n / (how.most > 50 ? 20 : 1); };
        check<float, std::int32_t>(coverage::all, elements(repetitions(70'001, 7'001)), how);
        check<record_of<12>, std::uint8_t, std::int64_t>(coverage::threads,
                                                         elements(repetitions(30'003, 3'007)), how);
        if constexpr (tests_every_pair) {
            check<std::uint16_t, std::int64_t, std::uint32_t>(coverage::all,
                                                              elements(repetitions(60'001, 6'011)), how);
            check<double, std::uint32_t, std::uint64_t>(coverage::all, elements(repetitions(50'001, 5'011)),
                                                        how);
        }
        if (HasFailure()) return;
    }
}
// Where all counts are the same nothing is read of them.
TEST(repeat, one_count_for_all) {
    const std::size_t n = repetitions(50'021, 5'021);
    const std::vector<std::uint16_t> x = random_elements<std::uint16_t>(n, 8);
    for_each_backend([&](const auto& backend) {
        for (const std::size_t count : {0, 1, 2, 31}) {
            const std::vector<std::size_t> owners = owners_of(std::vector<std::size_t>(n, count));
            guarded<std::uint16_t> out(n * count + count / 2, count);
            EXPECT_EQ(repeat(*backend.executor, x, count, out.span()), n * count);
            expect_results(out, owners, [&](std::size_t i) { return x[i]; });
        }
    });
}
TEST(repeat, sums_that_pass_32_bits) {
    const std::vector<std::uint8_t> x{1, 2, 3};
    const std::vector<std::uint64_t> counts{3, (std::uint64_t{1} << 33) + 1, 5};
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::vector<std::uint8_t> out(5);
        EXPECT_EQ(repeat(*backend.executor, x, counts, out), (std::size_t{1} << 33) + 9);
        EXPECT_EQ(out, (std::vector<std::uint8_t>{1, 1, 1, 2, 2}));
    });
}

}  // namespace
}  // namespace upsweep::test
