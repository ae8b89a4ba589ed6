// The tests of sorting on OpenGL and Vulkan, one text for both: gl_sort_test.cpp and vulkan_sort_test.cpp
// each name the devices that they run on. Results are compared byte for byte with those of the CPU's sorts.
//
// A Device is as in shader_orders.hpp, with the three sorts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/build.hpp"
#include "support/refused.hpp"
#include "support/shader_orders.hpp"
#include "support/sort_records.hpp"
#include "support/sorted.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {

template <class Device>
class shader_sort : public shader_order<Device> {
  public:
    template <class T>
    using memory = typename Device::template memory<T>;
    using base = shader_order<Device>;
    using base::device;
    using typename base::length_memory;
    using typename base::words;
    static constexpr bool briefest = Device::brief && sanitized;

    // A call's length is the first min(n, length) elements; SIZE_MAX: no length.
    struct asked {
        bool descending = false;
        std::size_t length = SIZE_MAX;
        Device* device = nullptr;  // another one
        int only = -1;             // of check_keys: 0 sort, 1 sort_indices, 2 sort in place; all three
        std::size_t merged = 0;    // up to so many keys of 4 bytes are
    };

    // What the CPU makes of the first `used` elements: where those stand that come one after the other.
    template <class Key>
    static words expected_indices(const std::vector<Key>& x, std::size_t used, bool descending) {
        static cpu::executor cpu(1);
        words made(used);
        upsweep::sort_indices(cpu, std::span(x).first(used), made, {.descending = descending});
        return made;
    }

    // sort and sort_indices of x, elsewhere and in place.
    template <class Key>
    static void check_keys(const std::vector<Key>& x, std::size_t offset, const asked& options = {}) {
        const std::size_t n = x.size(), used = std::min(n, options.length);
        SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes, " +
                     std::to_string(used) + " of them" + (options.descending ? ", descending" : ""));
        Device& on = options.device != nullptr ? *options.device : device();
        const length_memory length(on, options.length);
        const words order = expected_indices(x, used, options.descending);
        static cpu::executor cpu(1);
        std::vector<Key> sorted(used);
        upsweep::sort(cpu, std::span(x).first(used), sorted, {.descending = options.descending});

        const memory<Key> in(on, std::span<const Key>(x), offset), out(on, n, offset % 3);
        const memory<std::uint32_t> indices(on, n, offset % 5);
        const std::vector<Key> poison = out.read();
        const words word_poison = indices.read();
        const auto wants = [&](int call) { return options.only < 0 || options.only == call; };
        if (wants(0)) {
            on.sort(in, out, options.descending, length.get());
            check_stages(on, sizeof(Key), n, options);
            EXPECT_TRUE(same_memory(in_front_of(poison, sorted), out.read())) << "sort";
        }
        if (wants(1)) {
            on.sort_indices(in, indices, options.descending, length.get());
            check_stages(on, sizeof(Key), n, options);
            EXPECT_EQ(in_front_of(word_poison, order), indices.read()) << "sort_indices";
        }
        EXPECT_TRUE(same_memory(x, in.read())) << "changed the input";
        if (wants(2)) {
            on.sort(in, in, options.descending, length.get());
            check_stages(on, sizeof(Key), n, options);
            EXPECT_TRUE(same_memory(placed(x, order, x), in.read())) << "in place";
        }
    }

    // sort_by_key, elsewhere and in place.
    template <class Key, class Value>
    static void check_values(const std::vector<Key>& x, std::size_t offset, const asked& options = {}) {
        const std::size_t n = x.size(), used = std::min(n, options.length);
        SCOPED_TRACE(std::to_string(n) + " values of " + std::to_string(sizeof(Value)) +
                     " bytes by keys of " + std::to_string(sizeof(Key)) + ", " + std::to_string(used) +
                     " of them");
        Device& on = options.device != nullptr ? *options.device : device();
        const length_memory length(on, options.length);
        const words order = expected_indices(x, used, options.descending);
        const std::vector<Value> y = numbered<Value>(n);

        const memory<Key> keys(on, std::span<const Key>(x), offset % 4), keys_out(on, n, offset % 3);
        const memory<Value> values(on, std::span<const Value>(y), offset), values_out(on, n, offset % 2);
        const std::vector<Key> sorted = placed(x, order, keys_out.read());
        const std::vector<Value> moved = placed(y, order, values_out.read());
        on.sort_by_key(keys, values, keys_out, values_out, options.descending, length.get());
        EXPECT_TRUE(same_memory(sorted, keys_out.read())) << "keys_out";
        EXPECT_TRUE(same_memory(moved, values_out.read())) << "values_out";
        EXPECT_TRUE(same_memory(x, keys.read())) << "changed the keys";
        EXPECT_TRUE(same_memory(y, values.read())) << "changed the values";

        on.sort_by_key(keys, values, keys, values, options.descending, length.get());
        EXPECT_TRUE(same_memory(placed(x, order, x), keys.read())) << "keys in place";
        EXPECT_TRUE(same_memory(placed(y, order, y), values.read())) << "values in place";
    }

  private:
    // A pass for each byte of a key, none left out; or the stages that merge.
    static void check_stages(const Device& on, std::size_t key_bytes, std::size_t n, const asked& options) {
        const auto count = [&](std::string_view name) { return count_of_stages(on, name); };
        const bool merges = n <= options.merged * (key_bytes == 8 ? 4 : 1);
        EXPECT_GE(count("sort_count"), n == 0 || merges ? 0 : key_bytes);
        EXPECT_EQ(count("sort_count"), count("sort_move"));
        EXPECT_EQ(count("segment_sort"), merges && n != 0 ? 1u : 0u);
        EXPECT_EQ(count("sort_count") == 0, merges || n == 0);
        EXPECT_EQ(on.stages().empty(), n == 0);
    }
};
TYPED_TEST_SUITE_P(shader_sort);

TYPED_TEST_P(shader_sort, the_device_is_what_it_claims) {
    EXPECT_TRUE(TestFixture::device().is_what_it_claims()) << TestFixture::device().name();
}

// Each size with a type, kind, order, offset and call of its own.
TYPED_TEST_P(shader_sort, small_sizes) {
    const auto check = []<class Key>(std::size_t n, std::size_t turn) {
        TestFixture::check_keys(
            keys_of<Key>(key_kinds[turn % key_kinds.size()], n, n), turn % 7,
            {.descending = turn % 4 == 1, .only = static_cast<int>((turn + turn / 9) % 3)});
    };
    TestFixture::template for_small_sizes<std::uint32_t, float, std::int64_t, std::int32_t, double>(check);
}

TYPED_TEST_P(shader_sort, around_tiles) {
    std::size_t turn = 0;
    for (const std::size_t n : {4095u, 4096u, 4097u, 8191u, 8192u, 8193u, 12289u}) {
        if (TestFixture::briefest && n > 4097) break;
        TestFixture::check_keys(keys_of<std::uint32_t>("any bits", n, n), turn++ % 7);
        TestFixture::check_keys(keys_of<float>("special", n, n), turn++ % 7, {.descending = n % 2 == 0});
        if (TestFixture::brief && n > 4097) continue;
        TestFixture::check_keys(keys_of<std::int64_t>("few bits", n, n), turn++ % 7);
    }
}

// Signs, NaNs, zeros of both signs, equal keys, keys in order and in the opposite one; both orders.
TYPED_TEST_P(shader_sort, every_type_and_kind) {
    const std::size_t n = 5003;
    std::size_t turn = 0;
    for_each_key_type([&]<class Key>() {
        ++turn;  // so that each kind meets each call
        for (std::size_t k = 0; k < key_kinds.size(); ++k) {
            SCOPED_TRACE(key_kinds[k]);
            const std::vector<Key> x = keys_of<Key>(key_kinds[k], n, k);
            const bool special = key_kinds[k] == "special";
            if (TestFixture::brief && sizeof(Key) == 8 && !special) continue;
            TestFixture::check_keys(x, k % 5,
                                    {.descending = k % 2 == 0, .only = static_cast<int>((k + turn) % 3)});
            if (special) TestFixture::check_keys(x, 0, {.descending = k % 2 != 0});
        }
    });
}

// What is decided by one of a double's two words alone: the least NaN and the greatest, of both signs, beside
// infinity; zeros beside subnormal numbers.
TYPED_TEST_P(shader_sort, halves_of_doubles) {
    std::vector<double> x;
    for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1} << 63}) {
        for (const std::uint64_t high :
             {0u, 1u, 0x80000u, 0x3ff00000u, 0x7fefffffu, 0x7ff00000u, 0x7ff00001u, 0x7fffffffu}) {
            for (const std::uint64_t low : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu})
                x.push_back(std::bit_cast<double>(sign | high << 32 | low));
        }
    }
    for (std::size_t i = 0; i < 300; ++i) x.push_back(x[i * i % 80]);
    TestFixture::check_keys(x, 0);
    TestFixture::check_keys(x, 1, {.descending = true});
}

// Of a word they go along with their keys; wider ones are fetched at the end.
TYPED_TEST_P(shader_sort, values_of_any_width) {
    std::size_t turn = 0;
    for (const std::size_t n : {0u, 1u, 255u, 4097u, 9001u}) {
        if (TestFixture::brief && n > 4097) break;
        const auto x = keys_of<float>("special", n, n);
        TestFixture::template check_values<float, std::uint32_t>(x, turn++ % 5, {.descending = true});
        TestFixture::template check_values<float, sort_record<2>>(x, turn++ % 5);
        TestFixture::template check_values<float, sort_record<3>>(x, turn++ % 5);
        TestFixture::template check_values<float, sort_record<17>>(x, turn++ % 5, {.descending = true});
        const auto wide = keys_of<std::uint64_t>("few bits", n, n);
        TestFixture::template check_values<std::uint64_t, float>(wide, turn++ % 5);
        TestFixture::template check_values<std::uint64_t, double>(wide, turn++ % 5);
    }
}

// Only what is in front of the length is read and written.
TYPED_TEST_P(shader_sort, length_from_a_buffer) {
    const std::size_t n = 9001;
    const auto x = keys_of<std::int32_t>("few values", n, 1);
    const auto wide = keys_of<double>("special", n, 2);
    for (const std::size_t length : {0u, 1u, 4096u, 5000u, 9001u, 9002u, 0xffffffffu}) {
        TestFixture::check_keys(x, 1, {.length = length});
        if (TestFixture::brief && length != 0 && length != 5000) continue;
        TestFixture::check_keys(wide, 1, {.descending = true, .length = length});
        TestFixture::template check_values<std::int32_t, std::uint32_t>(x, 2, {.length = length});
        TestFixture::template check_values<double, sort_record<3>>(wide, 3, {.length = length});
    }
}

// Keys may be sorted in place and values not, and the other way round.
TYPED_TEST_P(shader_sort, one_of_two_in_place) {
    auto& on = TestFixture::device();
    const std::size_t n = 4500;
    const auto x = keys_of<std::uint32_t>("few values", n, 3);
    const auto order = TestFixture::expected_indices(x, n, false);
    const auto check = [&]<class Value>() {
        const auto y = numbered<Value>(n);
        const auto sorted = placed(x, order, x);
        const auto moved = placed(y, order, y);
        using keys_memory = typename TestFixture::template memory<std::uint32_t>;
        using values_memory = typename TestFixture::template memory<Value>;
        const keys_memory keys(on, std::span<const std::uint32_t>(x)), keys_out(on, n);
        const values_memory values(on, std::span<const Value>(y)), values_out(on, n);
        on.sort_by_key(keys, values, keys_out, values, false, nullptr);
        EXPECT_TRUE(same_memory(sorted, keys_out.read()));
        EXPECT_TRUE(same_memory(moved, values.read()));
        EXPECT_TRUE(same_memory(x, keys.read()));
        const values_memory again(on, std::span<const Value>(y));
        on.sort_by_key(keys, again, keys, values_out, false, nullptr);
        EXPECT_TRUE(same_memory(sorted, keys.read()));
        EXPECT_TRUE(same_memory(moved, values_out.read()));
        EXPECT_TRUE(same_memory(y, again.read()));
    };
    check.template operator()<std::uint32_t>();
    check.template operator()<sort_record<4>>();
}

// More counts than one tile of the scan over them.
TYPED_TEST_P(shader_sort, hundreds_of_thousands) {
    const std::size_t n = TestFixture::brief ? 70'003 : 300'007;
    TestFixture::check_keys(keys_of<std::uint32_t>("any bits", n, 5), 1, {.only = 0});
    if (TestFixture::brief) return;
    TestFixture::check_keys(keys_of<double>("any bits", n, 6), 1, {.only = 1});
}

// As one segment is, which starts with no heads.
TYPED_TEST_P(shader_sort, few_keys_are_merged) {
    const std::size_t most = 9001;
    TypeParam merges(sort_limits{.merged_keys = most});
    std::size_t turn = 0;
    for (const std::size_t n : {0u, 1u, 2u, 300u, 2047u, 2049u, 5003u, 9001u, 9002u}) {
        const typename TestFixture::asked options{
            .descending = n % 2 == 0, .device = &merges, .merged = most};
        TestFixture::check_keys(keys_of<float>("special", n, n), turn++ % 7, options);
        if (n == 2049 || n == most + 1) {
            TestFixture::check_keys(keys_of<std::int64_t>("few bits", n, n), turn++ % 7, options);
            const auto x = keys_of<std::uint32_t>("few values", n, n);
            TestFixture::template check_values<std::uint32_t, float>(x, turn % 5, options);
            TestFixture::template check_values<std::uint32_t, sort_record<3>>(x, turn++ % 5, options);
        }
        if (TestFixture::brief && n == 2049) break;
    }
    TestFixture::check_keys(keys_of<std::int32_t>("few values", most, 1), 2,
                            {.length = 4097, .device = &merges, .merged = most});
    TestFixture::expect_no_complaints(merges);
}

// Dispatches of few groups in one dimension and then in two, and bindings that hardly hold the keys.
TYPED_TEST_P(shader_sort, small_limits) {
    const std::size_t n = 7 * 4096 + 5;
    TypeParam few(sort_limits{3, 2, 0});
    const auto x = keys_of<float>("any bits", n, 7);
    TestFixture::check_keys(x, 1, {.device = &few});
    TestFixture::template check_values<float, sort_record<3>>(x, 1, {.device = &few});
    TestFixture::check_keys(x, 1, {.length = 4 * 4096 + 1, .device = &few});
    TestFixture::expect_no_complaints(few);

    TypeParam small(sort_limits{0, 0, 8 * n + 512});
    TestFixture::check_keys(keys_of<double>("any bits", n, 8), 1, {.device = &small});
    const typename TestFixture::template memory<double> in(small, n + 70), out(small, n + 70);
    expect_refused(
        "in: expected at most", [&] { small.sort(in, out, false, nullptr); }, errc::unsupported);
    using record_memory = typename TestFixture::template memory<sort_record<3>>;
    const typename TestFixture::template memory<float> keys(small, n), keys_out(small, n);
    const record_memory values(small, n), values_out(small, n);
    expect_refused(
        "values: expected at most",
        [&] { small.sort_by_key(keys, values, keys_out, values_out, false, nullptr); }, errc::unsupported);
    EXPECT_TRUE(out.untouched() && keys_out.untouched() && values_out.untouched());
    TestFixture::expect_no_complaints(small);
}

REGISTER_TYPED_TEST_SUITE_P(shader_sort, the_device_is_what_it_claims, small_sizes, around_tiles,
                            every_type_and_kind, halves_of_doubles, values_of_any_width, length_from_a_buffer,
                            one_of_two_in_place, hundreds_of_thousands, few_keys_are_merged, small_limits);

}  // namespace upsweep::test
