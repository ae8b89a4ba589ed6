// Stream compaction: what is chosen arrives, in order, bit for bit, and nothing else is written.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/sizes.hpp"
#include "upsweep/compact.hpp"

namespace upsweep::test {
namespace {

// By flags: to memory that has room for just as many as are chosen, for more, and for fewer; in place.
template <class T>
void check_flags(coverage wanted, std::size_t n, const choosing& how) {
    SCOPED_TRACE(std::to_string(n) + " elements of " + std::to_string(sizeof(T)) +
                 " bytes, chosen: " + how.name);
    const std::vector<T> x = random_elements<T>(n, n + 1);
    const std::vector<std::uint8_t> flags = flags_of(how, n, n + 2);
    const std::vector<T> expected = compacted(x, flags);
    guarded<T> in(n, n % 5), out;
    std::copy(x.begin(), x.end(), in.data());
    for_each_backend(wanted, [&](const auto& backend) {
        const std::size_t chosen = expected.size();
        for (const std::size_t room : {chosen, chosen + 3, chosen - chosen / 3}) {
            out.reset(room, (n + room) % 7);
            EXPECT_EQ(compact(*backend.executor, flags, in.span(), out.span()), chosen);
            const std::size_t written = std::min(room, chosen);
            EXPECT_TRUE(same_bytes<T>(out.span().first(written), std::span(expected).first(written)));
            EXPECT_TRUE(out.sentinels_intact());
            const guarded<T> poison(room - written, (n + room) % 7);
            EXPECT_TRUE(same_bytes<T>(out.span().subspan(written), poison.span()) || room == written);
        }
        out.reset(n, n % 3);
        std::copy(x.begin(), x.end(), out.data());
        EXPECT_EQ(compact(*backend.executor, flags, out.span(), out.span()), chosen);
        EXPECT_TRUE(same_bytes<T>(out.span().first(chosen), expected));
        EXPECT_TRUE(out.sentinels_intact());
    });
}

template <class T>
class compact_elements : public testing::Test {};
using element_types = testing::Types<std::uint8_t, std::int16_t, float, double, record_of<3>,
                                     std::complex<double>, record_of<80>>;
TYPED_TEST_SUITE(compact_elements, element_types);

TYPED_TEST(compact_elements, small) {
    for (const std::size_t n : tile_sizes())
        check_flags<TypeParam>(coverage::levels, n, choosings()[n % choosings().size()]);
}
TYPED_TEST(compact_elements, every_choice) {
    for (const choosing& how : choosings()) {
        check_flags<TypeParam>(coverage::levels, 1000, how);
        check_flags<TypeParam>(coverage::all, repetitions(300'001, 30'011) / (1 + sizeof(TypeParam) / 32),
                               how);
    }
}

// Results that are stored past the caches, by one thread and by several.
TEST(compact, past_the_caches) {
    for (const choosing& how : choosings()) {
        check_flags<std::uint8_t>(coverage::threads, repetitions(3'000'017, 400'017), how);
        check_flags<double>(coverage::threads, repetitions(700'003, 130'003), how);
        check_flags<record_of<80>>(coverage::threads, repetitions(50'003, 5'003), how);
    }
}

template <class Flag>
void check_flag_type() {
    const std::size_t n = 5'003;
    const std::vector<Flag> flags = flags_of<Flag>(choosings()[3], n, 8);
    const std::vector<int> x = indices_of<int>(n);
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::vector<int> out(n);
        out.resize(compact(*backend.executor, flags, x, out));
        EXPECT_EQ(out, compacted(x, flags));
    });
}
TEST(compact, flags_of_any_type) {
    check_flag_type<std::uint16_t>();
    check_flag_type<float>();
    if constexpr (tests_every_pair) {
        check_flag_type<std::int8_t>();
        check_flag_type<std::uint32_t>();
        check_flag_type<std::int64_t>();
    }
    const bool flags[] = {true, false, true};
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::array<int, 2> out{};
        EXPECT_EQ(compact(*backend.executor, flags, std::array{7, 8, 9}, out), 2u);
        EXPECT_EQ(out, (std::array{7, 9}));
    });
}

// Every comparison with values that occur, that do not, and that are no numbers, at every level.
template <class T>
void check_comparisons() {
    std::vector<T> x = random_elements<T>(3'001, 5);
    for (std::size_t i = 0; i < x.size(); i += 3) x[i] = static_cast<T>(static_cast<int>(i % 11));
    std::vector<T> values{
        T(0), T(5), T(11), x[1], std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
    if constexpr (std::floating_point<T>) {
        for (const T special : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                                T(-0.0), std::numeric_limits<T>::denorm_min()}) {
            values.push_back(special);
            x.insert(x.end(), {special, -special, special});
        }
    }
    const auto check = [&](const compared_with<T>& keep, const auto& holds) {
        std::vector<T> expected;
        for (const T& v : x)
            if (holds(v)) expected.push_back(v);
        for_each_backend(coverage::levels, [&](const auto& backend) {
            std::vector<T> out(x.size());
            out.resize(compact_if(*backend.executor, x, out, keep));
            EXPECT_TRUE(same_bytes<T>(out, expected)) << static_cast<int>(keep.how) << " " << +keep.value;
        });
    };
    for (const T value : values) {
        check(less_than(value), [=](T v) { return v < value; });
        check(at_most(value), [=](T v) { return v <= value; });
        check(equal_to(value), [=](T v) { return v == value; });
        check(not_equal_to(value), [=](T v) { return v != value; });
        check(at_least(value), [=](T v) { return v >= value; });
        check(greater_than(value), [=](T v) { return v > value; });
    }
}
TEST(compact, comparisons) {
    check_comparisons<std::int8_t>();
    check_comparisons<std::uint64_t>();
    check_comparisons<float>();
    if constexpr (tests_every_pair) {
        check_comparisons<std::uint8_t>();
        check_comparisons<std::int16_t>();
        check_comparisons<std::uint16_t>();
        check_comparisons<std::int32_t>();
        check_comparisons<std::uint32_t>();
        check_comparisons<std::int64_t>();
        check_comparisons<double>();
    }
}

TEST(compact, converts) {
    const std::vector<std::int16_t> x = random_elements<std::int16_t>(100'003, 3);
    const auto flags = flags_of(choosings()[3], x.size(), 4);
    const std::vector<std::int16_t> kept = compacted(x, flags);
    const std::vector<double> expected(kept.begin(), kept.end());
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<double> out(x.size());
        out.resize(compact(*backend.executor, flags, x, out));
        EXPECT_EQ(out, expected);
    });
}

struct is_set {
    constexpr bool operator()(std::uint32_t flag) const { return flag != 0; }
};
template <class Index>
void check_indices(std::size_t n) {
    const std::vector<Index> all = indices_of<Index>(n);
    for (const choosing& how : choosings()) {
        const auto flags = flags_of<std::uint32_t>(how, n, n);
        const std::vector<Index> expected = compacted(all, flags);
        for_each_backend(coverage::all, [&](const auto& backend) {
            guarded<Index> out(expected.size(), 1);
            EXPECT_EQ(compact_indices(*backend.executor, flags, out.span()), expected.size());
            EXPECT_TRUE(same_bytes<Index>(out.span(), expected));
            EXPECT_TRUE(out.sentinels_intact());
            out.reset(expected.size());
            EXPECT_EQ(compact_indices_if(*backend.executor, flags, out.span(), is_set{}), expected.size());
            EXPECT_TRUE(same_bytes<Index>(out.span(), expected));
        });
    }
}
TEST(compact, indices) {
    check_indices<std::uint8_t>(256);
    check_indices<std::int64_t>(repetitions(200'003, 40'003));
    if constexpr (tests_every_pair) {
        check_indices<std::int16_t>(5'000);
        check_indices<std::uint32_t>(repetitions(200'003, 40'003));
    }
}

// With room for nothing, and of nothing.
TEST(compact, empty) {
    std::vector<int> none;
    const std::vector<int> x(1000, 1);
    for_each_backend([&](const auto& backend) {
        EXPECT_EQ(compact_if(*backend.executor, x, none, less_than(5)), 1000u);
        EXPECT_EQ(compact_if(*backend.executor, none, none, less_than(5)), 0u);
        EXPECT_EQ(compact_indices(*backend.executor, none, none), 0u);
        EXPECT_EQ(compact_indices(*backend.executor, x, none), 1000u);
    });
}

// What is kept of two parts is what is kept of both together.
RC_GTEST_PROP(compact_property, of_a_concatenation, ()) {
    const auto x = *rc::gen::arbitrary<std::vector<std::int32_t>>();
    const auto bound = *rc::gen::arbitrary<std::int32_t>();
    const auto cut = *rc::gen::inRange<std::size_t>(0, x.size() + 1);
    const test_backend& backend = backends().at(*rc::gen::inRange<std::size_t>(0, backends().size()));
    std::vector<std::int32_t> whole(x.size()), parts(x.size());
    const std::span<const std::int32_t> all(x);
    const std::size_t kept = compact_if(*backend.executor, all, whole, at_most(bound));
    const std::size_t front = compact_if(*backend.executor, all.first(cut), parts, at_most(bound));
    const std::size_t back =
        compact_if(*backend.executor, all.subspan(cut), std::span(parts).subspan(front), at_most(bound));
    RC_ASSERT(front + back == kept);
    RC_ASSERT(whole == parts);
}

}  // namespace
}  // namespace upsweep::test
