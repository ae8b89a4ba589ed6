// Stable partition: both parts arrive in order, bit for bit, and nothing else is written.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/sizes.hpp"
#include "upsweep/partition.hpp"

namespace upsweep::test {
namespace {

template <class T>
void check_flags(coverage wanted, std::size_t n, const choosing& how) {
    SCOPED_TRACE(std::to_string(n) + " elements of " + std::to_string(sizeof(T)) +
                 " bytes, chosen: " + how.name);
    const std::vector<T> x = random_elements<T>(n, n + 1);
    const std::vector<std::uint8_t> flags = flags_of(how, n, n + 2);
    const std::vector<T> expected = partitioned(x, flags);
    const std::size_t chosen = those(x, flags, true).size();
    guarded<T> in(n, n % 5), out;
    std::copy(x.begin(), x.end(), in.data());
    for_each_backend(wanted, [&](const auto& backend) {
        out.reset(n, n % 7);
        EXPECT_EQ(partition(*backend.executor, flags, in.span(), out.span()), chosen);
        EXPECT_TRUE(same_bytes<T>(out.span(), expected));
        EXPECT_TRUE(out.sentinels_intact());
    });
}

template <class T>
class partition_elements : public testing::Test {};
using element_types = testing::Types<std::uint8_t, std::int16_t, float, double, record_of<3>, record_of<80>>;
TYPED_TEST_SUITE(partition_elements, element_types);

TYPED_TEST(partition_elements, small) {
    for (const std::size_t n : tile_sizes())
        check_flags<TypeParam>(coverage::levels, n, choosings()[n % choosings().size()]);
}
TYPED_TEST(partition_elements, every_choice) {
    for (const choosing& how : choosings()) {
        check_flags<TypeParam>(coverage::levels, 1000, how);
        check_flags<TypeParam>(coverage::all,
                               repetitions(300'001, 30'011, 60'011) / (1 + sizeof(TypeParam) / 32), how);
    }
}

// Results that are stored past the caches, by one thread and by several.
TEST(partition, past_the_caches) {
    for (const choosing& how : choosings()) {
        check_flags<std::uint8_t>(coverage::threads, repetitions(3'000'017, 400'017, 100'017), how);
        check_flags<double>(coverage::threads, repetitions(700'003, 130'003, 50'003), how);
        check_flags<record_of<80>>(coverage::threads, repetitions(50'003, 5'003, 20'003), how);
    }
}

struct is_below_1000 {
    constexpr bool operator()(std::int32_t x) const { return x < 1000; }
};
TEST(partition, by_predicates) {
    const std::size_t n = repetitions(200'003, 50'003, 50'003);
    const std::vector<std::int32_t> x = random_elements<std::int32_t>(n, 9);
    std::vector<std::uint8_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = x[i] < 1000;
    for_each_backend(coverage::all, [&](const auto& backend) {
        std::vector<std::int32_t> out(n);
        std::vector<double> converted(n);
        EXPECT_EQ(partition_if(*backend.executor, x, out, less_than(1000)), those(x, flags, true).size());
        EXPECT_EQ(out, partitioned(x, flags));
        EXPECT_EQ(partition_if(*backend.executor, x, converted, is_below_1000{}),
                  those(x, flags, true).size());
        EXPECT_TRUE(std::equal(out.begin(), out.end(), converted.begin()));
        std::vector<std::uint32_t> at(n);
        const std::vector<std::uint32_t> all = indices_of<std::uint32_t>(n);
        EXPECT_EQ(partition_indices_if(*backend.executor, x, at, less_than(1000)),
                  those(x, flags, true).size());
        EXPECT_EQ(at, partitioned(all, flags));
        EXPECT_EQ(partition_indices(*backend.executor, flags, at), those(x, flags, true).size());
        EXPECT_EQ(at, partitioned(all, flags));
    });
}

TEST(partition, of_nothing) {
    std::vector<int> none;
    for_each_backend([&](const auto& backend) {
        EXPECT_EQ(partition_if(*backend.executor, none, none, less_than(5)), 0u);
        EXPECT_EQ(partition_indices(*backend.executor, none, none), 0u);
    });
}

}  // namespace
}  // namespace upsweep::test
