// The tests of sorting segments on OpenGL and Vulkan, one text for both, on devices as shader_orders.hpp has
// them, which name the descriptions of segments and have the three segmented sorts too. Results are compared
// byte for byte with those of the CPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/refused.hpp"
#include "support/segment_lengths.hpp"
#include "support/shader_orders.hpp"
#include "support/sort_records.hpp"
#include "support/sorted.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/segmented_sort.hpp"
#include "upsweep/shader/segments.hpp"

namespace upsweep::test {

template <class Device>
class shader_segmented_sort : public shader_order<Device> {
  public:
    template <class T>
    using memory = typename Device::template memory<T>;
    using base = shader_order<Device>;
    using base::device;
    using typename base::length_memory;
    using typename base::words;

    struct asked {
        bool descending = false;
        std::size_t length = SIZE_MAX;  // the first min(n, length) elements; SIZE_MAX: no length
        Device* device = nullptr;       // another one
        int only = -1;                  // 0 the sort, 1 the indices, 2 the sort in place; all three
    };

    // Calls body(segments) with these offsets, with flags, or with keys.
    template <class Body>
    static void describe(shader::segments_by kind, const std::vector<std::int64_t>& offsets, Device& on,
                         const Body& body) {
        words described;
        if (kind == shader::segments_by::offsets) {
            described.assign(offsets.begin(), offsets.end());
            const memory<std::uint32_t> given(on, std::span<const std::uint32_t>(described), 3);
            body(typename Device::by_offsets(given.span()));
            EXPECT_EQ(described, given.read()) << "changed the offsets";
            return;
        }
        const bool by_flags = kind == shader::segments_by::head_flags;
        for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
            for (std::int64_t i = offsets[k]; i < offsets[k + 1]; ++i)
                described.push_back(by_flags ? (i == offsets[k] ? 128u : 0u)
                                             : static_cast<std::uint32_t>(7 * k));
        }
        const memory<std::uint32_t> given(on, std::span<const std::uint32_t>(described), 1);
        if (by_flags)
            body(typename Device::by_head_flags(given.span()));
        else
            body(typename Device::by_keys(given.span()));
        EXPECT_EQ(described, given.read()) << "changed the flags or keys";
    }

    // What the CPU makes of the first `used` elements: where those stand that come one after the other.
    template <class Key>
    static words expected_indices(const std::vector<Key>& x, std::vector<std::int64_t> offsets,
                                  std::size_t used, bool descending) {
        static cpu::executor cpu(1);
        for (std::int64_t& each : offsets) each = std::min(each, static_cast<std::int64_t>(used));
        words made(used);
        segmented_sort_indices(cpu, by_offsets(offsets), std::span(x).first(used), made,
                               {.descending = descending});
        return made;
    }

    // The sort, its indices and the sort in place.
    template <class Key>
    static void check_keys(const std::vector<Key>& x, const std::vector<std::int64_t>& offsets,
                           shader::segments_by kind, std::size_t offset, const asked& options = {}) {
        const std::size_t n = x.size(), used = std::min(n, options.length);
        SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes, " +
                     std::to_string(used) + " of them, in " + std::to_string(offsets.size() - 1) +
                     " segments of kind " + std::to_string(static_cast<int>(kind)) +
                     (options.descending ? ", descending" : ""));
        Device& on = options.device != nullptr ? *options.device : device();
        const length_memory length(on, options.length);
        const words order = expected_indices(x, offsets, used, options.descending);
        const memory<Key> in(on, std::span<const Key>(x), offset), out(on, n, offset % 3);
        const memory<std::uint32_t> indices(on, n, offset % 5);
        const std::vector<Key> poison = out.read();
        const words word_poison = indices.read();
        const auto wants = [&](int call) { return options.only < 0 || options.only == call; };
        describe(kind, offsets, on, [&](const auto& segments) {
            if (wants(0)) {
                on.segmented_sort(segments, in, out, options.descending, length.get());
                if (&on == &device()) check_stages(n * sizeof(Key));
                EXPECT_TRUE(same_memory(placed(x, order, poison), out.read())) << "segmented_sort";
            }
            if (wants(1)) {
                on.segmented_sort_indices(segments, in, indices, options.descending, length.get());
                if (&on == &device()) check_stages(n * sizeof(Key));
                EXPECT_EQ(in_front_of(word_poison, order), indices.read()) << "segmented_sort_indices";
            }
            EXPECT_TRUE(same_memory(x, in.read())) << "changed the input";
            if (wants(2)) {
                on.segmented_sort(segments, in, in, options.descending, length.get());
                EXPECT_TRUE(same_memory(placed(x, order, x), in.read())) << "in place";
            }
        });
    }

    // With values: elsewhere, both in place, and one of the two.
    template <class Key, class Value>
    static void check_values(const std::vector<Key>& x, const std::vector<std::int64_t>& offsets,
                             shader::segments_by kind, std::size_t offset, const asked& options = {}) {
        const std::size_t n = x.size(), used = std::min(n, options.length);
        SCOPED_TRACE(std::to_string(n) + " values of " + std::to_string(sizeof(Value)) +
                     " bytes by keys of " + std::to_string(sizeof(Key)) + ", " + std::to_string(used) +
                     " of them");
        Device& on = options.device != nullptr ? *options.device : device();
        const length_memory length(on, options.length);
        const words order = expected_indices(x, offsets, used, options.descending);
        const std::vector<Value> y = numbered<Value>(n);
        const auto check = [&](bool keys_in_place, bool values_in_place) {
            const memory<Key> keys(on, std::span<const Key>(x), offset % 4), keys_other(on, n, offset % 3);
            const memory<Value> values(on, std::span<const Value>(y), offset),
                values_other(on, n, offset % 2);
            const memory<Key>& keys_out = keys_in_place ? keys : keys_other;
            const memory<Value>& values_out = values_in_place ? values : values_other;
            const std::vector<Key> sorted = placed(x, order, keys_out.read());
            const std::vector<Value> moved = placed(y, order, values_out.read());
            describe(kind, offsets, on, [&](const auto& segments) {
                on.segmented_sort_by_key(segments, keys, values, keys_out, values_out, options.descending,
                                         length.get());
            });
            EXPECT_TRUE(same_memory(sorted, keys_out.read())) << "keys_out";
            EXPECT_TRUE(same_memory(moved, values_out.read())) << "values_out";
            if (!keys_in_place) {
                EXPECT_TRUE(same_memory(x, keys.read())) << "changed the keys";
            }
            if (!values_in_place) {
                EXPECT_TRUE(same_memory(y, values.read())) << "changed the values";
            }
        };
        check(offset % 2 == 1, offset % 2 == 1);
        check(offset % 3 == 0, offset % 3 != 0);
    }

  private:
    // Tiles of 8192 bytes are sorted once and merged as often as their number can be halved.
    static void check_stages(std::size_t bytes) {
        std::size_t levels = 0;
        for (std::size_t reach = 8192; reach < bytes; reach *= 2) ++levels;
        EXPECT_EQ(count_of_stages(device(), "segment_sort"), bytes == 0 ? 0u : 1u);
        EXPECT_EQ(count_of_stages(device(), "segment_merge"), levels);
        EXPECT_EQ(device().stages().empty(), bytes == 0);
    }
};
TYPED_TEST_SUITE_P(shader_segmented_sort);

TYPED_TEST_P(shader_segmented_sort, the_device_is_what_it_claims) {
    EXPECT_TRUE(TestFixture::device().is_what_it_claims()) << TestFixture::device().name();
}

// Each size with a type, kind, description, order, offset and call of its own.
TYPED_TEST_P(shader_segmented_sort, small_sizes) {
    const auto check = []<class Key>(std::size_t n, std::size_t turn) {
        TestFixture::check_keys(
            keys_of<Key>(key_kinds[turn % key_kinds.size()], n, n),
            offsets_of(segment_kinds[turn / 2 % 3], n, n), segment_descriptions[(turn + turn / 3) % 3],
            turn % 7, {.descending = turn % 4 == 1, .only = static_cast<int>((turn + turn / 9) % 3)});
    };
    TestFixture::template for_small_sizes<std::uint32_t, float, std::int64_t, double>(check);
}

// Tiles have 2048 keys of a word and 1024 of two; those of heads are 4096.
TYPED_TEST_P(shader_segmented_sort, around_tiles) {
    std::size_t turn = 0;
    for (const std::size_t n :
         {1023u, 1024u, 1025u, 2047u, 2048u, 2049u, 4095u, 4096u, 4097u, 8192u, 8193u, 12289u}) {
        if (TestFixture::brief && n > 2049) break;
        for (const std::string_view kind : segment_kinds) {
            const auto offsets = offsets_of(kind, n, n + turn);
            const auto by = segment_descriptions[turn % 3];
            const typename TestFixture::asked options{.descending = turn % 2 == 0,
                                                      .only = static_cast<int>(turn / 2 % 3)};
            if (turn % 5 < 3)
                TestFixture::check_keys(keys_of<float>("special", n, n), offsets, by, turn % 7, options);
            else
                TestFixture::check_keys(keys_of<std::int64_t>("few bits", n, n), offsets, by, turn % 7,
                                        options);
            ++turn;
        }
        if (::testing::Test::HasFailure()) return;
    }
}

// Signs, NaNs, zeros of both signs, equal keys, keys in order and in the opposite one; both orders.
TYPED_TEST_P(shader_segmented_sort, every_type_and_kind) {
    const std::size_t n = 5003;
    std::size_t turn = 0;
    for_each_key_type([&]<class Key>() {
        ++turn;  // so that each kind meets each call
        for (std::size_t k = 0; k < key_kinds.size(); ++k) {
            SCOPED_TRACE(key_kinds[k]);
            const bool special = key_kinds[k] == "special";
            if (TestFixture::brief && !special) continue;
            const std::vector<Key> x = keys_of<Key>(key_kinds[k], n, k);
            const auto offsets = offsets_of(segment_kinds[(k + turn) % segment_kinds.size()], n, k);
            const auto by = segment_descriptions[(k + turn) % 3];
            TestFixture::check_keys(x, offsets, by, k % 5,
                                    {.descending = k % 2 == 0, .only = static_cast<int>((k + turn / 2) % 3)});
            if (special) TestFixture::check_keys(x, offsets, by, 0, {.descending = k % 2 != 0});
        }
    });
}

// Every description of segments of every length, of keys most of which are equal.
TYPED_TEST_P(shader_segmented_sort, segments_of_any_length) {
    const std::size_t n = TestFixture::brief ? 9001 : 40'011;
    const auto x = keys_of<std::int32_t>("few values", n, 1);
    const auto wide = keys_of<double>("special", n, 2);
    std::size_t turn = 0;
    for (const std::string_view kind : segment_kinds) {
        for (const shader::segments_by by : segment_descriptions) {
            SCOPED_TRACE(kind);
            const auto offsets = offsets_of(kind, n, turn);
            TestFixture::check_keys(x, offsets, by, turn % 3, {.only = static_cast<int>(turn % 2)});
            if (turn % 3 == 0 && !TestFixture::brief)
                TestFixture::check_keys(wide, offsets, by, turn % 3,
                                        {.only = static_cast<int>(turn / 3 % 3)});
            ++turn;
        }
    }
}

// Runs of keys that are compared as numbers, in one word and in two.
TYPED_TEST_P(shader_segmented_sort, keys_of_segments) {
    auto& on = TestFixture::device();
    const std::size_t n = 5000;
    const auto x = keys_of<std::uint32_t>("any bits", n, 4);
    const auto check = [&]<class Key>(std::string_view kind) {
        const std::vector<Key> keys = keys_of<Key>(kind, n, 5);
        cpu::executor cpu(1);
        std::vector<std::uint32_t> expected(n);
        segmented_sort(cpu, by_keys(keys), x, expected);
        const typename TestFixture::template memory<Key> given(on, std::span<const Key>(keys), 1);
        const typename TestFixture::template memory<std::uint32_t> in(on, std::span<const std::uint32_t>(x)),
            out(on, n);
        on.segmented_sort(typename TypeParam::by_keys(given.span()), in, out, false, nullptr);
        EXPECT_EQ(expected, out.read());
    };
    check.template operator()<float>("special");
    check.template operator()<double>("special");
    check.template operator()<std::int64_t>("few values");
}

TYPED_TEST_P(shader_segmented_sort, values_of_any_width) {
    std::size_t turn = 0;
    for (const std::size_t n : {0u, 1u, 255u, 2049u, 9001u}) {
        if (TestFixture::brief && n > 2049) break;
        const auto x = keys_of<float>("special", n, n);
        const auto wide = keys_of<std::uint64_t>("few bits", n, n);
        const auto check = [&]<class Key, class Value>(const std::vector<Key>& keys, Value) {
            TestFixture::template check_values<Key, Value>(
                keys, offsets_of(segment_kinds[turn % segment_kinds.size()], n, turn),
                segment_descriptions[turn % 3], turn % 7, {.descending = turn % 2 == 0});
            ++turn;
        };
        check(x, std::uint32_t{});
        check(x, sort_record<2>{});
        check(x, sort_record<17>{});
        check(wide, float{});
        check(wide, sort_record<3>{});
    }
}

// Only what is in front of the length is read and written; it ends the last segment.
TYPED_TEST_P(shader_segmented_sort, length_from_a_buffer) {
    const std::size_t n = 9001;
    const auto x = keys_of<std::int32_t>("few values", n, 1);
    const auto wide = keys_of<double>("special", n, 2);
    std::size_t turn = 0;
    for (const std::size_t length : {0u, 1u, 2048u, 4096u, 5000u, 9001u, 9002u, 0xffffffffu}) {
        if (TestFixture::brief && length != 0 && length != 5000) continue;
        const auto offsets = offsets_of(turn % 2 == 0 ? "long" : "up to 40", n, turn);
        const auto by = turn % 2 == 0 ? shader::segments_by::keys : shader::segments_by::head_flags;
        TestFixture::check_keys(x, offsets, by, 1, {.length = length});
        TestFixture::check_keys(wide, offsets, by, 1, {.descending = true, .length = length, .only = 1});
        TestFixture::template check_values<double, sort_record<3>>(wide, offsets, by, turn,
                                                                   {.length = length});
        ++turn;
    }
}

// Eight merges and more, in which all searches have rounds to go.
TYPED_TEST_P(shader_segmented_sort, hundreds_of_thousands) {
    const std::size_t n = TestFixture::brief ? 70'003 : 300'007;
    const auto x = keys_of<std::uint32_t>("any bits", n, 5);
    TestFixture::check_keys(x, offsets_of("one", n, 1), shader::segments_by::offsets, 1, {.only = 0});
    if (TestFixture::brief) return;
    TestFixture::check_keys(x, {0, 3, 100'000, 100'001, 100'001, 290'000, 300'007},
                            shader::segments_by::head_flags, 1, {.only = 1});
    TestFixture::check_keys(keys_of<double>("any bits", n, 6), offsets_of("of all lengths", n, 1),
                            shader::segments_by::keys, 1, {.only = 2});
}

// Two work groups a dispatch: merges of several tiles each, and of so many that there are several dispatches;
// and bindings that hardly hold the records.
TYPED_TEST_P(shader_segmented_sort, small_limits) {
    if (TypeParam::brief) return;  // the same plans, for executors with programs of their own
    const std::size_t n = 9 * 2048 + 5, more = 66 * 2048 + 5;
    const auto by = shader::segments_by::offsets;
    TypeParam few(sort_limits{1, 2, 0});
    const auto x = keys_of<float>("any bits", n, 7);
    const auto offsets = offsets_of("long", n, 1);
    TestFixture::check_keys(keys_of<float>("few bits", more, 8), offsets_of("of all lengths", more, 1), by, 1,
                            {.device = &few, .only = 1});
    TestFixture::template check_values<float, sort_record<3>>(x, offsets, by, 1, {.device = &few});
    TestFixture::expect_no_complaints(few);

    TypeParam small(sort_limits{0, 0, 8 * n + 512});
    TestFixture::check_keys(x, offsets, by, 1, {.device = &small});
    const typename TestFixture::template memory<double> in(small, n), out(small, n);
    const typename TestFixture::template memory<std::uint32_t> indices(small, n);
    const std::array<std::uint32_t, 2> ends{0, static_cast<std::uint32_t>(n)};
    const typename TestFixture::template memory<std::uint32_t> described(small, std::span(ends));
    const typename TypeParam::by_offsets segments(described.span());
    expect_refused(
        "workspace: expected at most",
        [&] { small.segmented_sort_indices(segments, in, indices, false, nullptr); }, errc::unsupported);
    EXPECT_TRUE(out.untouched() && indices.untouched());
    TestFixture::expect_no_complaints(small);
}

REGISTER_TYPED_TEST_SUITE_P(shader_segmented_sort, the_device_is_what_it_claims, small_sizes, around_tiles,
                            every_type_and_kind, segments_of_any_length, keys_of_segments,
                            values_of_any_width, length_from_a_buffer, hundreds_of_thousands, small_limits);

}  // namespace upsweep::test
