// The first elements of an order: those of std::stable_sort by an order of its own, bit for bit, and nothing
// else is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "support/sorted.hpp"
#include "upsweep/top_k.hpp"

namespace upsweep::test {
namespace {

template <class T>
std::vector<T> first(const std::vector<T>& all, std::size_t k) {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k)};
}

// The first k of x, for each k, elements and indices.
template <class T>
void check_sequence(coverage wanted, std::string_view kind, std::size_t n,
                    const std::vector<std::size_t>& counts) {
    SCOPED_TRACE(std::to_string(n) + " keys, " + std::string(kind));
    const std::vector<T> x = keys_of<T>(kind, n, n + kind.size());
    guarded<T> in(n, n % 5), out;
    guarded<std::uint32_t> indices;
    std::copy(x.begin(), x.end(), in.data());
    for (const bool smallest : {false, true}) {
        const std::vector<std::size_t> order = sorted_indices(x, !smallest);
        for (const std::size_t k : counts) {
            if (k > n) continue;
            SCOPED_TRACE("k = " + std::to_string(k));
            const std::vector<std::size_t> chosen = first(order, k);
            const std::vector<T> expected = taken(x, chosen);
            const std::vector<std::uint32_t> places = converted<std::uint32_t>(chosen);
            for_each_backend(wanted, [&](const auto& backend) {
                out.reset(k, n % 7);
                top_k(*backend.executor, in.span(), out.span(), {.smallest = smallest});
                expect_same(expected, out);
                indices.reset(k, n % 3);
                top_k_indices(*backend.executor, in.span(), indices.span(), {.smallest = smallest});
                expect_same(places, indices);
                EXPECT_TRUE(same_bytes<T>(x, in.span()));
            });
        }
    }
}

template <class T>
class top_k_of_type : public testing::Test {};
using key_types = std::conditional_t<on_ranks, some_keys, every_key>;
TYPED_TEST_SUITE(top_k_of_type, key_types);

TYPED_TEST(top_k_of_type, every_small_size) {
    for (std::size_t n = 0; n <= repetitions(300, 70, 40); ++n) {
        check_sequence<TypeParam>(coverage::levels, key_kinds[n % key_kinds.size()], n, {0, n / 3, n});
        check_sequence<TypeParam>(coverage::levels, key_kinds[(n + 3 * n / 9 + 1) % key_kinds.size()], n,
                                  {1, n / 20, n - n / 5});
    }
}
TYPED_TEST(top_k_of_type, every_kind) {
    if (thread_sanitizer && sizeof(TypeParam) != 4) return;  // between threads they are all alike
    const std::size_t n = repetitions(40'011, 9'011, 9'011);
    for (const std::string_view kind : key_kinds)
        check_sequence<TypeParam>(coverage::threads, kind, n, {1, 17, 1'200, n / 4, n - 1});
}

TEST(top_k, millions) {
    const std::size_t n = repetitions(3'000'017, 200'011, 400'011);
    for (const std::string_view kind : {"any bits", "ascending", "descending", "few values"}) {
        if (in_brief && kind != "any bits") continue;
        check_sequence<std::uint32_t>(coverage::threads, kind, n, {10, 2'000, n / 9});
        check_sequence<double>(coverage::threads, kind, n / 2, {3});
    }
}
// What few elements are sampled of says nothing about the others.
TEST(top_k, elements_that_a_sample_misses) {
    const std::size_t n = repetitions(1'000'003, 100'003, 200'003);
    for (const std::size_t period : {std::size_t{2}, std::size_t{64}, std::size_t{1000}}) {
        std::vector<float> x(n);
        for (std::size_t i = 0; i < n; ++i)
            x[i] = i % period == period - 1 ? static_cast<float>(i % 7) : static_cast<float>(i) + 10.0f;
        const std::vector<std::size_t> order = sorted_indices(x, true);
        for (const std::size_t k : {std::size_t{1}, n / period / 2, n / 30}) {
            const std::vector<std::uint32_t> places = converted<std::uint32_t>(first(order, k));
            guarded<std::uint32_t> out;
            for_each_backend(coverage::threads, [&](const auto& backend) {
                out.reset(k, 0);
                top_k_indices(*backend.executor, x, out.span());
                expect_same(places, out);
            });
        }
    }
}

// Values of every size, that go with their keys.
template <class Key, class Value>
void check_values(std::string_view kind, std::size_t n, std::size_t k) {
    SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n) + " values of " +
                 std::to_string(sizeof(Value)) + " bytes");
    const std::vector<Key> keys = keys_of<Key>(kind, n, n);
    const std::vector<Value> values = random_elements<Value>(n, n + 1);
    for (const bool smallest : {false, true}) {
        const std::vector<std::size_t> order = first(sorted_indices(keys, !smallest), k);
        const std::vector<Key> first_keys = taken(keys, order);
        const std::vector<Value> first_values = taken(values, order);
        guarded<Key> to;
        guarded<Value> out;
        for_each_backend(coverage::threads, [&](const auto& backend) {
            to.reset(k, 3);
            out.reset(k, 1);
            top_k_by_key(*backend.executor, keys, values, to.span(), out.span(), {.smallest = smallest});
            expect_same(first_keys, to);
            expect_same(first_values, out);
        });
    }
}
TEST(top_k, values_go_with_their_keys) {
    for (const std::size_t n : {std::size_t{7}, std::size_t{33}, repetitions(30'001, 9'001, 9'001)}) {
        check_values<std::int8_t, std::uint8_t>("any bits", n, n / 3);
        check_values<float, std::uint16_t>("special", n, 5);
        check_values<std::uint32_t, std::uint32_t>("few values", n, n / 7);
        check_values<float16, std::uint64_t>("special", n, n);
        check_values<double, std::uint32_t>("halves", n, 1);
        check_values<std::int64_t, std::uint64_t>("few bits", n, n / 2);
        check_values<std::int16_t, record_of<3>>("any bits", n, 7);
        check_values<std::uint64_t, record_of<24>>("few bits", n, n / 5);
    }
}

TEST(top_k, nothing) {
    const std::vector<float> none, some{1, 2, 3};
    std::vector<float> out;
    std::vector<int> indices;
    for_each_backend(coverage::threads, [&](const auto& backend) {
        top_k(*backend.executor, none, out);
        top_k(*backend.executor, some, out);
        top_k_indices(*backend.executor, some, indices);
    });
}

TEST(top_k, truth_values) {
    const std::size_t n = 9'001, k = 4'500;
    guarded<bool> x(n), out(k, 1);
    std::vector<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = (bytes[i] = i % 7 % 2) != 0;
    const std::vector<std::size_t> order = first(sorted_indices(bytes, true), k);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        top_k(*backend.executor, x.span(), out.span());
        for (std::size_t i = 0; i < k; ++i) EXPECT_EQ(out.data()[i], bytes[order[i]] != 0) << i;
        std::vector<std::uint32_t> indices(k);
        top_k_indices(*backend.executor, x.span(), indices);
        EXPECT_EQ(indices, converted<std::uint32_t>(order));
    });
}

}  // namespace
}  // namespace upsweep::test
