// Stable partition: both parts arrive in order, bit for bit, and nothing else is written.
#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <cstdint>
#include <stdexcept>
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
        check_flags<TypeParam>(coverage::all, repetitions(300'001, 30'011) / (1 + sizeof(TypeParam) / 32),
                               how);
    }
}

// Results that are stored past the caches, by one thread and by several.
TEST(partition, past_the_caches) {
    for (const choosing& how : choosings()) {
        check_flags<std::uint8_t>(coverage::threads, repetitions(3'000'017, 400'017), how);
        check_flags<double>(coverage::threads, repetitions(700'003, 130'003), how);
        check_flags<record_of<80>>(coverage::threads, repetitions(50'003, 5'003), how);
    }
}

TEST(partition, by_predicates) {
    const std::size_t n = repetitions(200'003, 50'003);
    const std::vector<std::int32_t> x = random_elements<std::int32_t>(n, 9);
    std::vector<std::uint8_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = x[i] < 1000;
    for_each_backend(coverage::all, [&](const auto& backend) {
        std::vector<std::int32_t> out(n);
        std::vector<double> converted(n);
        EXPECT_EQ(partition_if(*backend.executor, x, out, less_than(1000)), those(x, flags, true).size());
        EXPECT_EQ(out, partitioned(x, flags));
        EXPECT_EQ(partition_if(*backend.executor, x, converted, [](std::int32_t v) { return v < 1000; }),
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

TEST(partition, elements_that_own_memory) {
    const std::size_t n = repetitions(60'000, 9'000);
    std::vector<std::string> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = "a string of its own, number " + std::to_string(i);
    const auto keep = [](const std::string& s) { return s.back() == '7'; };
    std::vector<std::string> expected = x;
    std::stable_partition(expected.begin(), expected.end(), keep);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<std::string> out(n);
        EXPECT_EQ(partition_if(*backend.executor, x, out, keep), n / 10);
        EXPECT_EQ(out, expected);
    });
}

// A predicate that changes its mind gets any order, but nothing is written outside `out`.
TEST(partition, a_predicate_that_changes_its_mind) {
    const std::size_t n = repetitions(300'000, 50'000);
    const std::vector<std::uint32_t> x = indices_of<std::uint32_t>(n);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        for (const bool more_later : {false, true}) {
            std::atomic<std::size_t> asked{0};
            const auto keep = [&](std::uint32_t) { return (asked.fetch_add(1) < n) != more_later; };
            guarded<std::uint32_t> out(n, 1);
            EXPECT_LE(partition_if(*backend.executor, x, out.span(), keep), n);
            EXPECT_TRUE(out.sentinels_intact());
        }
    });
}

TEST(partition, passes_exceptions_on) {
    const std::vector<int> x = indices_of<int>(200'000);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        for (const int bad : {0, 777, 199'999}) {
            const auto keep = [=](int i) {
                if (i == bad) throw std::runtime_error("no");
                return i % 2 == 0;
            };
            std::vector<int> out(x.size());
            EXPECT_THROW(partition_if(*backend.executor, x, out, keep), std::runtime_error);
        }
    });
}

TEST(partition, misuse) {
    cpu::executor ex(2);
    std::vector<int> memory(100, 1);
    const std::span<int> all(memory);
    const auto refused = [&](const std::string& beginning, const auto& call) {
        try {
            call();
            ADD_FAILURE() << "accepted";
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::invalid_argument);
            EXPECT_EQ(std::string(e.what()).substr(0, beginning.size()), beginning) << e.what();
        }
        EXPECT_EQ(memory, std::vector<int>(100, 1));
    };
    const std::vector<std::uint8_t> flags(100, 1);
    refused("flags: expected 99", [&] { partition(ex, flags, std::vector<int>(99), all); });
    refused("out: expected 99", [&] { partition_if(ex, std::vector<int>(99), all, less_than(5)); });
    refused("out: expected 99", [&] { partition_indices(ex, std::vector<int>(99), all); });
    refused("out: overlaps in", [&] { partition_if(ex, all, all, less_than(5)); });
    refused("out: overlaps in", [&] { partition_if(ex, all.first(50), all.subspan(1, 50), less_than(5)); });
    refused("out: overlaps flags", [&] { partition(ex, all, std::vector<int>(100), all); });
    refused("out: overlaps flags", [&] { partition_indices(ex, all, all); });
    refused("out: overlaps in", [&] { partition_indices_if(ex, all, all, less_than(5)); });
    std::vector<std::int8_t> narrow(300, 3);
    refused("out: index 299 does not fit", [&] { partition_indices(ex, std::vector<int>(300, 1), narrow); });
    std::vector<int> none;
    EXPECT_EQ(partition_if(ex, none, none, less_than(5)), 0u);
    EXPECT_EQ(partition_indices(ex, none, none), 0u);
}

}  // namespace
}  // namespace upsweep::test
