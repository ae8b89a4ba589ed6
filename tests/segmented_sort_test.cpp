// Sorting of segments by offsets, head flags and keys: the elements, indices and values of std::stable_sort
// of each segment, bit for bit, and nothing else is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "support/sorted.hpp"
#include "upsweep/segmented_sort.hpp"

namespace upsweep::test {
namespace {

// Segments of n elements, described in every way; by offsets there may be empty ones besides.
struct described_segments {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint8_t> flags;
    std::vector<std::int32_t> keys;

    // Of length() elements each, what is left in the last one.
    template <class Length>
    described_segments(std::size_t n, const Length& length) : flags(n), keys(n) {
        for (std::size_t begin = 0; begin < n;) {
            const std::size_t size = std::min<std::size_t>(length(), n - begin);
            if (size != 0) flags[begin] = 1;
            begin += size;
            offsets.push_back(static_cast<std::int64_t>(begin));
        }
        for (std::size_t i = 0; i < n; ++i) keys[i] = i == 0 ? 5 : keys[i - 1] ^ flags[i];
        if (n % 3 == 0) offsets.push_back(static_cast<std::int64_t>(n));
    }
};

constexpr std::array<std::string_view, 7> cuts{"all their own", "one of all", "any lengths",  "short",
                                               "one huge",      "about 32",   "few and empty"};
described_segments segments_of(std::string_view cut, std::size_t n) {
    random_bits random(n + cut.size());
    std::size_t turn = 0;
    return described_segments(n, [&]() -> std::size_t {
        ++turn;
        if (cut == "all their own") return 1;
        if (cut == "one of all") return n;
        if (cut == "any lengths") return random.below(std::uint64_t{2} << random.below(10));
        if (cut == "short") return 2 + random.below(39);
        if (cut == "one huge") return turn == 12 ? n * 3 / 4 : random.below(9);
        if (cut == "about 32") return 31 + random.below(3);
        return random.below(3) == 0 ? 0
                                    : 1 + n / 5 + random.below(n / 7 + 1);  // moves on, however small n is
    });
}

// segmented_sort and segmented_sort_indices, elsewhere and in place.
template <class T>
void check_keys(coverage wanted, std::string_view kind, const described_segments& segments) {
    const std::size_t n = segments.flags.size();
    const std::vector<T> x = keys_of<T>(kind, n, n + kind.size());
    guarded<T> in(n, n % 5), out;
    guarded<std::uint32_t> indices;
    std::copy(x.begin(), x.end(), in.data());
    for (const bool descending : {false, true}) {
        const std::vector<std::size_t> order = sorted_indices(x, segments.offsets, descending);
        const std::vector<T> expected = taken(x, order);
        const std::vector<std::uint32_t> places = converted<std::uint32_t>(order);
        std::size_t turn = n;
        for_each_backend(wanted, [&](const auto& backend) {
            auto& ex = *backend.executor;
            // Every description in turn for every call.
            const auto by = [&](const auto& call) {
                if (turn % 3 == 0)
                    call(by_offsets(segments.offsets));
                else if (turn % 3 == 1)
                    call(by_head_flags(segments.flags));
                else
                    call(by_keys(segments.keys));
                ++turn;
            };
            by([&](const auto& described) {
                out.reset(n, n % 7);
                segmented_sort(ex, described, in.span(), out.span(), {.descending = descending});
                expect_same(expected, out);
            });
            by([&](const auto& described) {
                std::copy(x.begin(), x.end(), out.data());
                segmented_sort(ex, described, out.span(), out.span(), {.descending = descending});
                expect_same(expected, out);
            });
            by([&](const auto& described) {
                indices.reset(n, n % 3);
                segmented_sort_indices(ex, described, in.span(), indices.span(), {.descending = descending});
                expect_same(places, indices);
            });
            ++turn;
            EXPECT_TRUE(same_bytes<T>(x, in.span()));
        });
    }
}
template <class T>
void check_keys(coverage wanted, std::string_view kind, std::string_view cut, std::size_t n) {
    SCOPED_TRACE(std::to_string(n) + " keys, " + std::string(kind) + ", segments: " + std::string(cut));
    check_keys<T>(wanted, kind, segments_of(cut, n));
}

TEST(segmented_sort, small_example) {
    const std::vector<int> x{3, 1, 2, 9, 8, 4};
    const std::vector<std::int64_t> offsets{0, 0, 3, 5, 5, 6};
    for_each_backend([&](const auto& backend) {
        auto& ex = *backend.executor;
        std::vector<int> out(6), to(6), indices(6);
        segmented_sort(ex, by_offsets(offsets), x, out);
        EXPECT_EQ(out, (std::vector{1, 2, 3, 8, 9, 4}));
        segmented_sort_indices(ex, by_offsets(offsets), x, indices);
        EXPECT_EQ(indices, (std::vector{1, 2, 0, 4, 3, 5}));
        const std::vector<int> values{10, 11, 12, 13, 14, 15};
        segmented_sort_by_key(ex, by_offsets(offsets), x, values, out, to, {.descending = true});
        EXPECT_EQ(out, (std::vector{3, 2, 1, 9, 8, 4}));
        EXPECT_EQ(to, (std::vector{10, 12, 11, 13, 14, 15}));
    });
}

template <class T>
class segmented_sort_of_type : public testing::Test {};
using key_types = std::conditional_t<in_brief || sanitized, some_keys, every_key>;
TYPED_TEST_SUITE(segmented_sort_of_type, key_types);

TYPED_TEST(segmented_sort_of_type, every_small_size) {
    for (std::size_t n = 0; n <= repetitions(100, 40, 40); ++n) {
        for (const std::size_t turn : {n, n + 3 * n / 7 + 1})
            check_keys<TypeParam>(coverage::levels, key_kinds[(turn + n / 7) % key_kinds.size()],
                                  cuts[turn % cuts.size()], n);
    }
}
TYPED_TEST(segmented_sort_of_type, every_cut) {
    if (thread_sanitizer && sizeof(TypeParam) != 4) return;  // between threads they are all alike
    const std::size_t n = repetitions(30'011, 9'011, 9'011);
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        check_keys<TypeParam>(coverage::threads, "special", cuts[k], n);
        check_keys<TypeParam>(coverage::all, key_kinds[k], cuts[k], n);
    }
}

// Where marks come in words and blocks, few records are exchanged or ranked, and tasks have borders.
TEST(segmented_sort, lengths_and_borders) {
    const std::size_t n = repetitions(70'000, 20'000, 20'000);
    std::vector<std::size_t> lengths{2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1024, 16'384};
    if (sanitized || in_brief) lengths = {4, 5, 32, 33, 64, 512};
    for (const std::size_t length : lengths) {
        SCOPED_TRACE("segments of " + std::to_string(length));
        check_keys<std::uint32_t>(coverage::threads, "any bits",
                                  described_segments(n + length % 7, [&] { return length; }));
        // All borders elsewhere than at multiples.
        std::size_t turn = 0;
        check_keys<float>(coverage::threads, "special",
                          described_segments(n, [&] { return turn++ == 0 ? 1 : length; }));
    }
}
// From where on a segment is for all threads, or does not fit a thread's caches.
template <class T>
void check_thresholds(std::initializer_list<std::size_t> bytes) {
    for (const std::size_t each : bytes) {
        for (const std::ptrdiff_t d : {-1, 0, 1}) {
            const auto length = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(each / sizeof(T)) + d);
            SCOPED_TRACE("a segment of " + std::to_string(length));
            std::size_t turn = 0;
            const std::size_t after = repetitions(2 * length, 1'000, 1'000);
            check_keys<T>(coverage::threads, key_kinds[(each / 1024 + length) % key_kinds.size()],
                          described_segments(777 + length + after,
                                             [&] { return turn++ == 259 ? length : std::size_t{3}; }));
        }
    }
}
TEST(segmented_sort, around_thresholds) {
    check_thresholds<float>({128 << 10, 256 << 10});
    if (thread_sanitizer || in_brief || sanitized) return;
    check_thresholds<std::uint16_t>({256 << 10});
    check_thresholds<std::int64_t>({128 << 10, 256 << 10});
}
TEST(segmented_sort, in_order_already) {
    const std::size_t n = repetitions(200'000, 100'000, 20'000);
    const std::vector<std::uint32_t> x = indices_of<std::uint32_t>(n);
    const described_segments segments(n, [&] { return n / 2 - 5; });
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<std::uint32_t> out(n, 1);
        segmented_sort(*backend.executor, by_offsets(segments.offsets), x, out);
        EXPECT_TRUE(out == x);
    });
}
TEST(segmented_sort, millions) {
    const std::size_t n = repetitions(3'000'011, 200'011, 400'011);
    const std::vector<std::uint32_t> x = keys_of<std::uint32_t>("any bits", n, 1);
    for (const std::string_view cut : {"short", "one huge", "any lengths", "few and empty"}) {
        const described_segments segments = segments_of(cut, n);
        std::vector<std::uint32_t> expected = x, out(n);
        for (std::size_t k = 0; k + 1 < segments.offsets.size(); ++k)
            std::sort(expected.begin() + segments.offsets[k], expected.begin() + segments.offsets[k + 1]);
        for_each_backend(coverage::threads, [&](const auto& backend) {
            std::fill(out.begin(), out.end(), 1u);
            segmented_sort(*backend.executor, by_head_flags(segments.flags), x, out);
            EXPECT_TRUE(out == expected) << cut;
        });
    }
}

// Values of every size, that follow their keys.
template <class Key, class Value>
void check_values(std::string_view kind, std::string_view cut, std::size_t n) {
    SCOPED_TRACE(std::to_string(n) + " values of " + std::to_string(sizeof(Value)) + " bytes");
    const described_segments segments = segments_of(cut, n);
    const std::vector<Key> keys = keys_of<Key>(kind, n, n);
    const std::vector<Value> values = random_elements<Value>(n, n + 1);
    const std::vector<std::size_t> order = sorted_indices(keys, segments.offsets, false);
    const std::vector<Key> sorted_keys = taken(keys, order);
    const std::vector<Value> sorted_values = taken(values, order);
    guarded<Key> to;
    guarded<Value> out;
    for_each_backend(coverage::threads, [&](const auto& backend) {
        auto& ex = *backend.executor;
        to.reset(n, 3);
        out.reset(n, 1);
        segmented_sort_by_key(ex, by_offsets(segments.offsets), keys, values, to.span(), out.span());
        expect_same(sorted_keys, to);
        expect_same(sorted_values, out);
        std::copy(keys.begin(), keys.end(), to.data());
        std::copy(values.begin(), values.end(), out.data());
        segmented_sort_by_key(ex, by_keys(segments.keys), to.span(), out.span(), to.span(), out.span());
        expect_same(sorted_keys, to);
        expect_same(sorted_values, out);
    });
}
TEST(segmented_sort, values_follow_their_keys) {
    for (const std::size_t n : {std::size_t{7}, std::size_t{33}, repetitions(20'001, 7'001, 7'001)}) {
        check_values<std::int8_t, std::uint8_t>("any bits", "any lengths", n);
        check_values<float, std::uint16_t>("special", "short", n);
        check_values<std::uint32_t, std::uint32_t>("few values", "one huge", n);
        check_values<float16, std::uint64_t>("special", "about 32", n);
        check_values<double, std::uint32_t>("halves", "few and empty", n);
        check_values<std::int64_t, std::uint64_t>("few bits", "short", n);
        check_values<std::int16_t, record_of<3>>("any bits", "one huge", n);
        check_values<std::uint64_t, record_of<16>>("few bits", "any lengths", n);
    }
}

// Elements of any size, by a key of theirs.
template <class T>
void check_elements(std::size_t n) {
    const described_segments segments = segments_of("any lengths", n);
    const std::vector<T> x = random_elements<T>(n, 8);
    const first_byte key;
    std::vector<int> keys(n);
    std::transform(x.begin(), x.end(), keys.begin(), key);
    const std::vector<T> up = taken(x, sorted_indices(keys, segments.offsets, false));
    const std::vector<T> down = taken(x, sorted_indices(keys, segments.offsets, true));
    guarded<T> out;
    for_each_backend(coverage::threads, [&](const auto& backend) {
        auto& ex = *backend.executor;
        out.reset(n, 1);
        segmented_sort_by(ex, by_head_flags(segments.flags), x, out.span(), key);
        expect_same(up, out);
        std::copy(x.begin(), x.end(), out.data());
        segmented_sort_by(ex, by_offsets(segments.offsets), out.span(), out.span(), key,
                          {.descending = true});
        expect_same(down, out);
    });
}
TEST(segmented_sort, elements_of_any_size) {
    check_elements<std::uint8_t>(repetitions(50'003, 20'003, 20'003));
    check_elements<record_of<3>>(repetitions(30'003, 10'003, 10'003));
    check_elements<std::uint64_t>(repetitions(30'003, 10'003, 10'003));
    check_elements<record_of<80>>(repetitions(5'003, 3'003, 3'003));
}

}  // namespace
}  // namespace upsweep::test
