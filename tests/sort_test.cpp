// Sorting: the elements, indices and values of std::stable_sort by an order of its own, bit for bit, and
// nothing else is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "support/sorted.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {
namespace {

// sort and sort_indices, elsewhere and in place.
template <class T>
void check_keys(coverage wanted, std::string_view kind, std::size_t n) {
    SCOPED_TRACE(std::to_string(n) + " keys, " + std::string(kind));
    const std::vector<T> x = keys_of<T>(kind, n, n + kind.size());
    guarded<T> in(n, n % 5), out;
    guarded<std::uint32_t> indices;
    std::copy(x.begin(), x.end(), in.data());
    for (const bool descending : {false, true}) {
        const std::vector<std::size_t> order = sorted_indices(x, descending);
        const std::vector<T> expected = taken(x, order);
        const std::vector<std::uint32_t> places = converted<std::uint32_t>(order);
        for_each_backend(wanted, [&](const auto& backend) {
            out.reset(n, n % 7);
            sort(*backend.executor, in.span(), out.span(), {.descending = descending});
            expect_same(expected, out);
            std::copy(x.begin(), x.end(), out.data());
            sort(*backend.executor, out.span(), out.span(), {.descending = descending});
            expect_same(expected, out);
            indices.reset(n, n % 3);
            sort_indices(*backend.executor, in.span(), indices.span(), {.descending = descending});
            expect_same(places, indices);
            EXPECT_TRUE(same_bytes<T>(x, in.span()));
        });
    }
}

template <class T>
class sort_of_type : public testing::Test {};
using key_types = std::conditional_t<on_ranks, some_keys, every_key>;
TYPED_TEST_SUITE(sort_of_type, key_types);

TYPED_TEST(sort_of_type, every_small_size) {
    for (std::size_t n = 0; n <= repetitions(300, 70, 40); ++n) {
        check_keys<TypeParam>(coverage::levels, key_kinds[n % key_kinds.size()], n);
        check_keys<TypeParam>(coverage::levels, key_kinds[(n + 3 * n / 9 + 1) % key_kinds.size()], n);
    }
}
TYPED_TEST(sort_of_type, every_kind) {
    if (thread_sanitizer && sizeof(TypeParam) != 4) return;  // between threads they are all alike
    const std::size_t n = repetitions(40'011, 9'011, 9'011);
    for (const std::string_view kind : key_kinds) check_keys<TypeParam>(coverage::threads, kind, n);
}

// From where threads share, one thread no longer sorts in its caches, and elements are stored past those.
template <class T>
void check_sizes(std::initializer_list<std::size_t> bytes) {
    for (const std::size_t each : bytes) {
        for (const std::ptrdiff_t d : {-1, 0, 1}) {
            const auto n = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(each / sizeof(T)) + d);
            check_keys<T>(coverage::threads, key_kinds[(each / 1024 + n) % key_kinds.size()], n);
        }
    }
}
TEST(sort, around_thresholds) {
    check_sizes<float>({128 << 10, 256 << 10});
    if (thread_sanitizer || in_brief) return;
    if (!sanitized) check_sizes<std::uint16_t>({128 << 10, 256 << 10});
    check_sizes<std::int64_t>({128 << 10, 256 << 10});
}
// The executors under test do so from fewer bytes on.
TEST(sort, beyond_the_caches) {
    const std::size_t bytes = small_streamed_bytes / 2;
    const bool few = sanitized || in_brief;
    for (const std::string_view kind : {"any bits", "halves", "one outlier", "few values"}) {
        // Under a sanitizer one kind of each: with as many digits as are sorted by, and with one.
        if (!few || kind == "few values")
            check_keys<std::uint32_t>(coverage::threads, kind, bytes / 4 + 1001);
        if (!few || kind == "one outlier") check_keys<double>(coverage::threads, kind, bytes / 8 + 501);
    }
}
TEST(sort, millions) {
    const std::size_t n = repetitions(5'000'011, 200'011, 400'011);
    const std::vector<std::uint32_t> x = keys_of<std::uint32_t>("any bits", n, 1);
    std::vector<std::uint32_t> expected = x, out(n);
    std::sort(expected.begin(), expected.end());
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::fill(out.begin(), out.end(), 1u);
        sort(*backend.executor, x, out);
        EXPECT_TRUE(out == expected);
    });
}

// Values of every size, that follow their keys.
template <class Key, class Value>
void check_values(std::string_view kind, std::size_t n) {
    SCOPED_TRACE(std::to_string(n) + " values of " + std::to_string(sizeof(Value)) + " bytes");
    const std::vector<Key> keys = keys_of<Key>(kind, n, n);
    const std::vector<Value> values = random_elements<Value>(n, n + 1);
    const std::vector<std::size_t> order = sorted_indices(keys, false);
    const std::vector<Key> sorted_keys = taken(keys, order);
    const std::vector<Value> sorted_values = taken(values, order);
    guarded<Key> to;
    guarded<Value> out;
    for_each_backend(coverage::threads, [&](const auto& backend) {
        to.reset(n, 3);
        out.reset(n, 1);
        sort_by_key(*backend.executor, keys, values, to.span(), out.span());
        expect_same(sorted_keys, to);
        expect_same(sorted_values, out);
        std::copy(keys.begin(), keys.end(), to.data());
        std::copy(values.begin(), values.end(), out.data());
        sort_by_key(*backend.executor, to.span(), out.span(), to.span(), out.span());
        expect_same(sorted_keys, to);
        expect_same(sorted_values, out);
    });
}
TEST(sort, values_follow_their_keys) {
    for (const std::size_t n : {std::size_t{7}, std::size_t{33}, repetitions(30'001, 9'001, 9'001)}) {
        check_values<std::int8_t, std::uint8_t>("any bits", n);
        check_values<float, std::uint16_t>("special", n);
        check_values<std::uint32_t, std::uint32_t>("few values", n);
        check_values<float16, std::uint64_t>("special", n);
        check_values<double, std::uint32_t>("halves", n);
        check_values<std::int64_t, std::uint64_t>("few bits", n);
        check_values<std::int16_t, record_of<3>>("any bits", n);
        check_values<std::uint64_t, record_of<24>>("few bits", n);
    }
}

// A key that many elements have.
struct half_of_first_byte {
    template <class T>
    UPSWEEP_HOST_DEVICE std::int16_t operator()(const T& e) const {
        return static_cast<std::int16_t>(reinterpret_cast<const signed char&>(e) / 2);
    }
};
// Elements of any size, by a key of theirs.
template <class T>
void check_elements(std::size_t n) {
    const std::vector<T> x = random_elements<T>(n, 8);
    const half_of_first_byte key;
    std::vector<std::int16_t> keys(n);
    std::transform(x.begin(), x.end(), keys.begin(), key);
    const std::vector<T> up = taken(x, sorted_indices(keys, false));
    const std::vector<T> down = taken(x, sorted_indices(keys, true));
    guarded<T> out;
    for_each_backend(coverage::threads, [&](const auto& backend) {
        out.reset(n, 1);
        sort_by(*backend.executor, x, out.span(), key);
        expect_same(up, out);
        std::copy(x.begin(), x.end(), out.data());
        sort_by(*backend.executor, out.span(), out.span(), key, {.descending = true});
        expect_same(down, out);
    });
}
TEST(sort, elements_of_any_size) {
    check_elements<std::uint8_t>(repetitions(50'003, 20'003, 20'003));
    check_elements<record_of<3>>(repetitions(30'003, 10'003, 10'003));
    check_elements<std::uint64_t>(repetitions(30'003, 10'003, 10'003));
    check_elements<record_of<80>>(repetitions(5'003, 3'003, 3'003));
}

TEST(sort, truth_values) {
    const std::size_t n = 9'001;
    guarded<bool> x(n), out(n, 1);
    std::vector<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = (bytes[i] = i % 7 % 2) != 0;
    const std::vector<std::uint32_t> order = converted<std::uint32_t>(sorted_indices(bytes, true));
    for_each_backend(coverage::threads, [&](const auto& backend) {
        sort(*backend.executor, x.span(), out.span(), {.descending = true});
        EXPECT_TRUE(std::is_sorted(out.data(), out.data() + n, std::greater<>()));
        EXPECT_EQ(std::count(out.data(), out.data() + n, true), std::count(bytes.begin(), bytes.end(), 1));
        std::vector<std::uint32_t> indices(n);
        sort_indices(*backend.executor, x.span(), indices, {.descending = true});
        EXPECT_EQ(indices, order);
    });
}

}  // namespace
}  // namespace upsweep::test
