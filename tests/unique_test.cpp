// Runs of equal neighbours: their first elements and their lengths, bit for bit, and nothing else is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/near_each_other.hpp"
#include "support/sizes.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/unique.hpp"

namespace upsweep::test {
namespace {

// 12 bytes, with an operator of its own: that of record_of is the host's.
struct triple {
    std::uint32_t a, b, c;
    UPSWEEP_HOST_DEVICE friend bool operator==(const triple& x, const triple& y) {
        return x.a == y.a && x.b == y.b && x.c == y.c;
    }
};

// 20 bytes: more than a lane of a GPU has of a run.
struct five_words {
    std::uint32_t word[5];
    UPSWEEP_HOST_DEVICE friend bool operator==(const five_words& x, const five_words& y) {
        for (int k = 0; k < 5; ++k)
            if (x.word[k] != y.word[k]) return false;
        return true;
    }
};

// n elements in runs of about `mean_length`, each of other bits than the one before.
template <class T>
std::vector<T> runs_of(std::size_t n, double mean_length, std::uint64_t seed) {
    random_bits random(seed);
    const std::vector<T> fresh = random_elements<T>(n, seed + 1);
    std::vector<T> made(n);
    for (std::size_t i = 0; i < n; ++i)
        made[i] = i != 0 && random.unit() * mean_length >= 1 ? made[i - 1] : fresh[i];
    return made;
}

template <class T>
struct encoded {
    std::vector<T> elements;
    std::vector<std::size_t> begins, lengths;

    explicit encoded(const std::vector<T>& x) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (i == 0 || !(x[i - 1] == x[i])) {
                elements.push_back(x[i]);
                begins.push_back(i);
                lengths.push_back(0);
            }
            ++lengths.back();
        }
    }
};

// The first `written` of `out` are those of `expected`, and nothing else is written.
template <class T, class U>
void expect_written(const guarded<T>& out, const std::vector<U>& expected, std::size_t written) {
    std::vector<T> wanted(written);
    for (std::size_t k = 0; k < written; ++k) wanted[k] = static_cast<T>(expected[k]);
    EXPECT_TRUE(same_bytes<T>(out.span().first(written), wanted));
    EXPECT_TRUE(out.sentinels_intact());
    const guarded<T> poison(out.size() - written);
    EXPECT_TRUE(same_bytes<T>(out.span().subspan(written), poison.span())) << "wrote behind the results";
}

template <class T, class Length = std::uint64_t>
void check(coverage wanted, std::size_t n, double mean_length) {
    SCOPED_TRACE(std::to_string(n) + " elements of " + std::to_string(sizeof(T)) + " bytes, runs of about " +
                 std::to_string(mean_length));
    const std::vector<T> x = runs_of<T>(n, mean_length, n + 3);
    const encoded<T> runs(x);
    const std::size_t count = runs.elements.size();
    const std::vector<std::int32_t> beside = indices_of<std::int32_t>(n);
    guarded<T> in(n, n % 5), out;
    guarded<Length> lengths;
    guarded<std::int32_t> beside_out;
    std::copy(x.begin(), x.end(), in.data());
    for_each_backend(wanted, [&](const auto& backend) {
        auto& ex = *backend.executor;
        for (const std::size_t room : {count, count + 3, count - count / 3}) {
            const std::size_t written = std::min(room, count), others = count - count / 4;
            out.reset(room, (n + room) % 7);
            EXPECT_EQ(unique(ex, in.span(), out.span()), count);
            expect_written(out, runs.elements, written);
            out.reset(room, n % 4);
            lengths.reset(others, n % 3);
            EXPECT_EQ(run_length_encode(ex, in.span(), out.span(), lengths.span()), count);
            expect_written(out, runs.elements, written);
            expect_written(lengths, runs.lengths, others);
            out.reset(others, n % 6);
            beside_out.reset(room, n % 2);
            EXPECT_EQ(unique_by_key(ex, in.span(), beside, out.span(), beside_out.span()), count);
            expect_written(out, runs.elements, others);
            expect_written(beside_out, runs.begins, written);
        }
    });
}

TEST(unique, small_example) {
    const std::vector<int> x{3, 3, 1, 4, 4, 4, 1, 1};
    for_each_backend([&](const auto& backend) {
        std::vector<int> out(5);
        std::vector<std::int64_t> lengths(4);
        EXPECT_EQ(unique(*backend.executor, x, out), 4u);
        EXPECT_EQ(out, (std::vector{3, 1, 4, 1, 0}));
        EXPECT_EQ(run_length_encode(*backend.executor, x, out, lengths), 4u);
        EXPECT_EQ(lengths, (std::vector<std::int64_t>{2, 1, 3, 2}));
    });
}

TEST(unique, small_sizes) {
    for (const std::size_t n : tile_sizes()) {
        check<std::uint32_t>(coverage::levels, n, n % 3 == 0 ? 1.5 : n % 3 == 1 ? 9 : 1e9);
        if (HasFailure()) return;
    }
}
TEST(unique, many_elements) {
    for (const double mean_length : {1.0, 2.5, 40.0, 5000.0, 1e9}) {
        check<std::uint8_t>(coverage::all, repetitions(400'001, 30'011), mean_length);
        check<triple, std::int32_t>(coverage::threads, repetitions(100'003, 10'007), mean_length);
        check<five_words, std::int16_t>(coverage::threads, repetitions(30'011, 10'007), mean_length);
        if constexpr (tests_every_pair)
            check<std::uint64_t, std::uint32_t>(coverage::all, repetitions(300'001, 30'011), mean_length);
    }
}

// Elements are compared, not bits, and each with the one before it.
struct ascends {
    UPSWEEP_HOST_DEVICE bool operator()(int a, int b) const { return a < b; }
};
TEST(unique, what_is_equal) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> x{-0.0, 0.0, nan, nan, 2, 2};
    const std::vector<int> steps{1, 2, 3, 7, 8, 3};
    for_each_backend(coverage::levels, [&](const auto& backend) {
        auto& ex = *backend.executor;
        std::vector<double> out(6);
        EXPECT_EQ(unique(ex, x, out), 4u);
        EXPECT_TRUE(std::signbit(out[0]) && out[0] == 0 && out[1] != out[1] && out[2] != out[2] &&
                    out[3] == 2);
        std::vector<int> first(3);
        std::vector<std::uint8_t> lengths(3);
        EXPECT_EQ(run_length_encode(ex, steps, first, lengths, near_each_other{}), 3u);
        EXPECT_EQ(first, (std::vector{1, 7, 3}));
        EXPECT_EQ(lengths, (std::vector<std::uint8_t>{3, 2, 1}));
        EXPECT_EQ(unique(ex, steps, first, ascends{}), 2u);  // the earlier one is the first argument
        EXPECT_EQ(first, (std::vector{1, 3, 3}));
    });
}

}  // namespace
}  // namespace upsweep::test
