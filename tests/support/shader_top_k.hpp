// The tests of the first k of an order on OpenGL and Vulkan, one text for both: gl_top_k_test.cpp and
// vulkan_top_k_test.cpp each name the devices that they run on. Results are compared byte for byte with those
// of the CPU.
//
// A Device is as in shader_orders.hpp, with the five functions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.hpp"
#include "support/refused.hpp"
#include "support/shader_orders.hpp"
#include "support/sort_records.hpp"
#include "support/sorted.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/top_k.hpp"

namespace upsweep::test {

// How they are found, as the stages tell.
enum class top_k_way { none, by_groups, sorted, selected };

template <class Device>
class shader_top_k : public shader_order<Device, 1 << 18> {
  public:
    template <class T>
    using memory = typename Device::template memory<T>;
    using base = shader_order<Device, 1 << 18>;
    using base::device;
    using typename base::length_memory;
    using typename base::words;

    // A call's length is the first min(n, length) elements; SIZE_MAX: no length.
    struct asked {
        bool smallest = false;
        std::size_t length = SIZE_MAX;
        Device* device = nullptr;         // another one
        int only = -1;                    // 0 top_k, 1 top_k_indices, 2 top_k_by_key; all three
        top_k_way way = top_k_way::none;  // none: any
    };

    // The first k of x, of what the length leaves, and values of one word or more.
    template <class Value = std::uint32_t, class Key>
    static void check(const std::vector<Key>& x, std::size_t k, const asked& options = {}) {
        const std::size_t n = x.size(), used = std::min(n, options.length), found = std::min(k, used);
        SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n) + " keys of " +
                     std::to_string(sizeof(Key)) + " bytes, " + std::to_string(used) + " of them" +
                     (options.smallest ? ", the smallest" : ""));
        Device& on = options.device != nullptr ? *options.device : device();
        const length_memory length(on, options.length);
        static cpu::executor cpu(1);
        words places(found);
        std::vector<Key> first(found);
        const top_k_options order{.smallest = options.smallest};
        upsweep::top_k_indices(cpu, std::span(x).first(used), places, order);
        upsweep::top_k(cpu, std::span(x).first(used), first, order);

        const memory<Key> in(on, std::span<const Key>(x), n % 5);
        const auto wants = [&](int call) { return options.only < 0 || options.only == call; };
        if (wants(0)) {
            const memory<Key> out(on, k, n % 3);
            const std::vector<Key> expected = in_front_of(out.read(), first);
            on.top_k(in, out, options.smallest, length.get());
            check_stages(on, sizeof(Key), k, options.way);
            EXPECT_TRUE(same_memory(expected, out.read())) << "top_k";
        }
        if (wants(1)) {
            const memory<std::uint32_t> out(on, k, n % 7);
            const words expected = in_front_of(out.read(), places);
            on.top_k_indices(in, out, options.smallest, length.get());
            check_stages(on, sizeof(Key), k, options.way);
            EXPECT_EQ(expected, out.read()) << "top_k_indices";
        }
        if (wants(2)) {
            const std::vector<Value> y = numbered<Value>(n);
            const memory<Value> values(on, std::span<const Value>(y), n % 2), values_out(on, k, n % 4);
            const memory<Key> keys_out(on, k, n % 3);
            const std::vector<Key> expected_keys = in_front_of(keys_out.read(), first);
            const std::vector<Value> expected = placed(y, places, values_out.read());
            on.top_k_by_key(in, values, keys_out, values_out, options.smallest, length.get());
            check_stages(on, sizeof(Key), k, options.way);
            EXPECT_TRUE(same_memory(expected_keys, keys_out.read())) << "keys_out";
            EXPECT_TRUE(same_memory(expected, values_out.read())) << "values_out";
            EXPECT_TRUE(same_memory(y, values.read())) << "changed the values";
        }
        EXPECT_TRUE(same_memory(x, in.read())) << "changed the input";
    }

    // Of every row of x, elements and indices; a length is that of each.
    template <class Key>
    static void check_rows(const std::vector<Key>& x, std::size_t rows, std::size_t k,
                           const asked& options = {}) {
        const std::size_t n = rows == 0 ? 0 : x.size() / rows, used = std::min(n, options.length);
        const std::size_t found = std::min(k, used);
        SCOPED_TRACE(std::to_string(k) + " of each of " + std::to_string(rows) + " rows of " +
                     std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes, " +
                     std::to_string(used) + " of them");
        Device& on = options.device != nullptr ? *options.device : device();
        const length_memory length(on, options.length);
        const memory<Key> in(on, std::span<const Key>(x), n % 5), out(on, rows * k, k % 3);
        const memory<std::uint32_t> indices(on, rows * k, k % 7);
        std::vector<Key> expected = out.read();
        words places = indices.read();
        static cpu::executor cpu(1);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto from = std::span(x).subspan(row * n, used);
            const top_k_options order{.smallest = options.smallest};
            upsweep::top_k(cpu, from, std::span(expected).subspan(row * k, found), order);
            upsweep::top_k_indices(cpu, from, std::span(places).subspan(row * k, found), order);
        }
        on.top_k_rows(rows, in, out, options.smallest, length.get());
        check_stages(on, sizeof(Key), rows * k, options.way);
        EXPECT_TRUE(same_memory(expected, out.read())) << "top_k_rows";
        on.top_k_row_indices(rows, in, indices, options.smallest, length.get());
        check_stages(on, sizeof(Key), rows * k, options.way);
        EXPECT_EQ(places, indices.read()) << "top_k_row_indices";
        EXPECT_TRUE(same_memory(x, in.read())) << "changed the input";
    }

  private:
    // Everything is sorted, or selected from by a pass for each byte of a key and one more, or by work groups
    // that each have a sequence.
    static void check_stages(const Device& on, std::size_t key_bytes, std::size_t k, top_k_way wanted) {
        const auto count = [&](std::string_view name) { return count_of_stages(on, name); };
        const top_k_way way = on.stages().empty()          ? top_k_way::none
                              : count("select_count") != 0 ? top_k_way::selected
                              : count("select_rows") != 0  ? top_k_way::by_groups
                                                           : top_k_way::sorted;
        EXPECT_EQ(way == top_k_way::none, k == 0);
        if (wanted != top_k_way::none && k != 0) {
            EXPECT_EQ(way, wanted);
        }
        const bool selects = way == top_k_way::selected;
        EXPECT_EQ(count("select_count") >= key_bytes + 1, selects);
        EXPECT_EQ(count("select_vote") != 0, selects);
        EXPECT_EQ(count("compact") != 0, selects);
        const std::size_t sorts = count("sort_move") + count("segment_sort");
        EXPECT_EQ(sorts == 0,
                  way == top_k_way::by_groups || (selects && count("select_rows") != 0) || k == 0);
    }
};
TYPED_TEST_SUITE_P(shader_top_k);

// Each size with a type, kind, order, call and k of its own: by one work group, in shared memory.
TYPED_TEST_P(shader_top_k, small_sizes) {
    const auto check = []<class Key>(std::size_t n, std::size_t turn) {
        const std::size_t k = turn % 7 == 0 ? n : turn % 7 == 1 ? 0 : turn % 7 == 2 ? n / 20 : n / 3;
        TestFixture::check(keys_of<Key>(key_kinds[turn % key_kinds.size()], n, n), k,
                           {.smallest = turn % 4 == 1,
                            .only = static_cast<int>((turn + turn / 9) % 3),
                            .way = top_k_way::by_groups});
    };
    TestFixture::template for_small_sizes<std::uint32_t, float, std::int64_t, double>(check);
}

// Where tiles begin and end, where shared memory is full, where one work group or all select and where
// everything is sorted; k from one to everything.
TYPED_TEST_P(shader_top_k, around_limits) {
    using enum top_k_way;
    struct limit {
        std::size_t n, k;
        top_k_way way;
    };
    const std::vector<limit> limits{
        {1023, 1023, by_groups},   {1024, 1024, by_groups}, {1025, 1024, by_groups},  {1025, 1025, sorted},
        {4096, 1, by_groups},      {4097, 1023, by_groups}, {8192, 1536, sorted},     {8193, 1536, sorted},
        {12288, 1024, by_groups},  {12288, 1025, sorted},   {12289, 1024, sorted},    {65536, 1, sorted},
        {65537, 1, selected},      {65537, 1025, selected}, {65537, 10922, selected}, {65537, 10923, sorted},
        {69631, 2000, selected},   {69632, 2000, selected}, {69633, 2000, selected},  {69633, 69633, sorted},
        {135169, 21000, selected},
    };
    std::size_t turn = 0;
    for (const limit& each : limits) {
        ++turn;
        if (TestFixture::brief && turn % 3 != 0) continue;
        TestFixture::check(
            keys_of<std::uint32_t>("any bits", each.n, each.n), each.k,
            {.smallest = turn % 2 == 0, .only = static_cast<int>(turn % 4) - 1, .way = each.way});
    }
}

// Signs, NaNs, zeros of both signs, equal keys and keys in order, selected from by one work group and by all.
TYPED_TEST_P(shader_top_k, every_type_and_kind) {
    std::size_t turn = 0;
    for_each_key_type([&]<class Key>() {
        for (const std::string_view kind : key_kinds) {
            SCOPED_TRACE(kind);
            const bool special = kind == "special" || kind == "equal";
            ++turn;
            if (TestFixture::brief && !special && turn % 4 != 0) continue;
            const std::size_t n = 66'003;
            const int call = static_cast<int>(turn / 2 % 3);
            TestFixture::check(keys_of<Key>(kind, n, turn), turn % 3 == 0 ? 2'000 : n / 6,
                               {.smallest = turn % 2 == 0, .only = call, .way = top_k_way::selected});
            TestFixture::check(keys_of<Key>(kind, 5'003, turn), turn % 3 == 0 ? 1 : 777,
                               {.smallest = turn % 2 != 0, .only = call, .way = top_k_way::by_groups});
            if (special)
                TestFixture::check(keys_of<Key>(kind, 10'000, turn), 3'001,
                                   {.smallest = turn % 2 != 0, .only = call, .way = top_k_way::sorted});
        }
    });
}

// Keys that differ in one digit alone, and so many equal ones that it must be known.
TYPED_TEST_P(shader_top_k, decided_by_every_digit) {
    const auto check = [&]<class Key>(std::uint32_t digit) {
        random_bits random(digit);
        for (const bool large : {false, true}) {
            std::vector<Key> x(large ? 70'000 : 9'000);
            for (Key& each : x)
                each =
                    static_cast<Key>(0x5a3c7e11224466a8u) ^ static_cast<Key>((random() & 0xff) << 8 * digit);
            TestFixture::check(x, large ? 5'000 : 900,
                               {.smallest = digit % 2 == 0,
                                .only = static_cast<int>(digit % 3),
                                .way = large ? top_k_way::selected : top_k_way::by_groups});
        }
    };
    for (std::uint32_t digit = 0; digit < 4; ++digit) check.template operator()<std::uint32_t>(digit);
    for (std::uint32_t digit = 0; digit < 8; digit += TestFixture::brief ? 3 : 1)
        check.template operator()<std::uint64_t>(digit);
}

// The k-th is one of many equal ones: those that come first are taken.
TYPED_TEST_P(shader_top_k, the_first_of_equal_ones) {
    const std::size_t many = TestFixture::brief ? 140'003 : (std::size_t{1} << 19) + 1;
    for (const std::size_t n : {std::size_t{12'003}, many}) {
        std::vector<float> x(n, 1.5f);
        for (const std::size_t k : {std::size_t{1}, std::size_t{1'000}, n / 6})
            TestFixture::check(x, k, {.only = 1});
        for (std::size_t i = 0; i < n; i += 1000) x[i] = i % 3000 == 0 ? 2.0f : -1.0f;
        TestFixture::check(x, n / 9, {.only = 1});
        TestFixture::check(x, 1'000, {.smallest = true, .only = 1});
    }
    if (TestFixture::brief) return;
    // As many iterations as a work group ever makes.
    const std::vector<std::uint64_t> longest(std::size_t{10} << 18, 5);
    TestFixture::check_rows(longest, 10, 1'000, {.way = top_k_way::by_groups});
}

TYPED_TEST_P(shader_top_k, values_of_any_width) {
    for (const std::size_t n :
         {std::size_t{255}, std::size_t{9'999}, std::size_t{33'333}, std::size_t{140'001}}) {
        const auto x = keys_of<float>("special", n, n);
        TestFixture::template check<sort_record<2>>(x, n / 7, {.only = 2});
        TestFixture::template check<sort_record<17>>(x, n / 150, {.smallest = true, .only = 2});
        if (TestFixture::brief && n != 33'333) continue;
        TestFixture::template check<sort_record<3>>(keys_of<std::uint64_t>("few bits", n, n), n / 5,
                                                    {.only = 2});
    }
}

// Only what is in front of the length is looked at, and no more is written than there is.
TYPED_TEST_P(shader_top_k, length_from_a_buffer) {
    std::size_t turn = 0;
    struct shape {
        std::size_t n, k;
        top_k_way way;
    };
    for (const shape& each : {shape{9'001, 100, top_k_way::by_groups}, shape{9'001, 4'000, top_k_way::sorted},
                              shape{70'001, 2'000, top_k_way::selected}}) {
        const std::size_t n = each.n, k = each.k;
        const auto x = keys_of<std::int32_t>("few values", n, 1);
        const auto wide = keys_of<double>("special", n, 2);
        for (const std::size_t length : {std::size_t{0}, std::size_t{1}, k - 1, k, k + 1, std::size_t{4'096},
                                         k + 4'097, n - 1, n, n + 1, std::size_t{0xffffffffu}}) {
            ++turn;
            const typename TestFixture::asked options{.smallest = turn % 2 == 0,
                                                      .length = length,
                                                      .only = static_cast<int>(turn % 3),
                                                      .way = each.way};
            TestFixture::check(x, k, options);
            if (!TestFixture::brief || turn % 4 == 0) TestFixture::check(wide, k, options);
        }
    }
}

// By a part of a work group each, by one, in several rounds, and one after the other.
TYPED_TEST_P(shader_top_k, rows) {
    struct shape {
        std::size_t rows, n, k;
        top_k_way way;
    };
    using enum top_k_way;
    const std::vector<shape> shapes{
        {0, 0, 0, none},
        {5, 7, 0, none},
        {1, 1, 1, by_groups},
        {1000, 1, 1, by_groups},
        {333, 3, 2, by_groups},
        {77, 64, 8, by_groups},
        {9, 65, 65, by_groups},
        {13, 1000, 10, by_groups},
        {3, 1024, 1024, by_groups},
        {3, 1025, 5, by_groups},
        {7, 5000, 1024, by_groups},
        {20, 3000, 1700, by_groups},
        {11, 2500, 2500, by_groups},
        {2, 9000, 4000, sorted},
        {2, 70000, 5000, selected},
        {2, 263000, 3, selected},
    };
    std::size_t turn = 0;
    for (const shape& each : shapes) {
        ++turn;
        if (TestFixture::brief && turn % 2 == 0 && each.n < 9000) continue;
        const std::string_view kind = key_kinds[turn % key_kinds.size()];
        const std::size_t all = each.rows * each.n;
        TestFixture::check_rows(keys_of<float>(kind, all, turn), each.rows, each.k, {.way = each.way});
        TestFixture::check_rows(keys_of<std::uint64_t>(kind, all, turn), each.rows, each.k,
                                {.smallest = true, .way = each.way});
        TestFixture::check_rows(keys_of<std::int32_t>("few values", all, turn), each.rows, each.k,
                                {.smallest = true, .length = each.n - each.n / 3, .way = each.way});
    }
}

// Dispatches of few groups in one dimension and then in two, of which each takes several tiles, and bindings
// that hardly hold the keys. Each device compiles all of its own, so one of those that are alike is enough.
TYPED_TEST_P(shader_top_k, small_limits) {
    if (TestFixture::brief) return;
    const std::size_t n = 27 * 4096 + 5;
    TypeParam few(sort_limits{3, 2, 0});
    const auto x = keys_of<float>("any bits", n, 7);
    TestFixture::check(x, 5'000, {.device = &few, .way = top_k_way::selected});
    TestFixture::check(x, 5'000, {.smallest = true, .length = 14 * 4096 + 1, .device = &few, .only = 1});
    TestFixture::check_rows(keys_of<std::int32_t>("any bits", 100 * 300, 1), 100, 7, {.device = &few});
    TestFixture::check_rows(keys_of<std::int32_t>("any bits", 20 * 3000, 1), 20, 1'600, {.device = &few});
    TestFixture::expect_no_complaints(few);

    TypeParam small(sort_limits{0, 0, 8 * n + 512});
    TestFixture::check(keys_of<double>("any bits", n, 8), 2'077, {.device = &small, .only = 2});
    const typename TestFixture::template memory<double> in(small, n + 70), out(small, 10);
    expect_refused(
        "in: expected at most", [&] { small.top_k(in, out, false, nullptr); }, errc::unsupported);
    using record_memory = typename TestFixture::template memory<sort_record<3>>;
    const typename TestFixture::template memory<float> keys(small, n), keys_out(small, 10);
    const record_memory values(small, n), values_out(small, 10);
    expect_refused(
        "values: expected at most",
        [&] { small.top_k_by_key(keys, values, keys_out, values_out, false, nullptr); }, errc::unsupported);
    EXPECT_TRUE(out.untouched() && keys_out.untouched() && values_out.untouched());
    // More rows than it holds.
    TestFixture::check_rows(keys_of<double>("any bits", 70 * 2000, 9), 70, 9, {.device = &small});
    TestFixture::check_rows(keys_of<float>("any bits", 2500 * 99, 9), 2500, 9, {.device = &small});
    TestFixture::expect_no_complaints(small);
}

REGISTER_TYPED_TEST_SUITE_P(shader_top_k, small_sizes, around_limits, every_type_and_kind,
                            decided_by_every_digit, the_first_of_equal_ones, values_of_any_width,
                            length_from_a_buffer, rows, small_limits);

}  // namespace upsweep::test
