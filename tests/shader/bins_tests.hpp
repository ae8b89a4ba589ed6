// The tests of bin extraction on OpenGL and Vulkan, for a device of either (gl_bins_device.hpp,
// vulkan_bins_device.hpp): every element, index and offset is the CPU's, and nothing else is written.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "shader/bins_device.hpp"
#include "support/binned.hpp"
#include "support/build.hpp"
#include "support/random.hpp"
#include "support/refused.hpp"
#include "upsweep/bins.hpp"

namespace upsweep::test {

template <class Device>
class shader_bins : public ::testing::Test {
  protected:
    // Other types than float and double, where there is time for them.
    using word = std::conditional_t<Device::brief, float, std::uint32_t>;
    using signed_word = std::conditional_t<Device::brief, float, std::int32_t>;
    using long_word = std::conditional_t<Device::brief, double, std::int64_t>;

    static std::size_t count_of(const auto& by) {
        if constexpr (requires { by.edges; })
            return by.count();
        else
            return by.count;
    }
    static std::vector<std::uint32_t> words(const std::vector<std::uint64_t>& from) {
        return {from.begin(), from.end()};
    }
    // `got` begins with the first of `wanted`, as many as it has room for, and goes on with what was there.
    template <class T>
    static void expect_front(const std::vector<T>& got, const std::vector<T>& wanted,
                             const std::vector<T>& before) {
        const std::size_t written = std::min(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            const T& expected = i < written ? wanted[i] : before[i];
            ASSERT_EQ(std::memcmp(&got[i], &expected, sizeof(T)), 0) << "at " << i << " of " << written;
        }
    }

    // `room` elements fit; the first `used` count, if `length` is there.
    template <class T>
    static void check_room(Device& device, const std::vector<T>& x, const auto& by, std::size_t room,
                           bool measured = false, std::size_t used = 0) {
        SCOPED_TRACE(std::to_string(x.size()) + " elements of " + std::to_string(sizeof(T)) + " bytes, " +
                     std::to_string(count_of(by)) + " bins, room for " + std::to_string(room));
        static cpu::executor one(1);
        const std::vector<T> counted(x.begin(),
                                     measured ? x.begin() + static_cast<std::ptrdiff_t>(used) : x.end());
        std::vector<T> elements(x.size());
        std::vector<std::uint32_t> indices(x.size());
        std::vector<std::uint64_t> begins(count_of(by) + 1);
        const std::size_t found = upsweep::bins(one, counted, elements, begins, by);
        upsweep::bin_indices(one, counted, indices, begins, by);
        elements.resize(found);
        indices.resize(found);

        const auto in = device.memory(x, x.size() % 5);
        const auto length = device.memory(std::vector<std::uint32_t>{static_cast<std::uint32_t>(used)}, 3);
        {
            const auto out = device.template memory<T>(room, room % 3);
            const auto offsets = device.template memory<std::uint32_t>(begins.size(), x.size() % 3);
            const std::vector<T> before = out.read();
            device.bins(in, out, offsets, by, measured ? &length : nullptr);
            EXPECT_EQ(offsets.read(), words(begins));
            expect_front(out.read(), elements, before);
        }
        const auto out = device.template memory<std::uint32_t>(room, room % 3);
        const auto offsets = device.template memory<std::uint32_t>(begins.size(), x.size() % 3);
        const std::vector<std::uint32_t> before = out.read();
        device.bins(in, out, offsets, by, measured ? &length : nullptr, true);
        EXPECT_EQ(offsets.read(), words(begins));
        expect_front(out.read(), indices, before);
        EXPECT_TRUE(x.empty() || std::memcmp(in.read().data(), x.data(), x.size() * sizeof(T)) == 0)
            << "changed the input";
    }
    template <class T>
    static void check(Device& device, const std::vector<T>& x, const auto& by) {
        check_room(device, x, by, x.size());
    }
    template <class T>
    static void check_range(Device& device, const bin_range<T>& range, std::size_t n) {
        SCOPED_TRACE("[" + std::to_string(range.lo) + ", " + std::to_string(range.hi) +
                     (range.clamp ? "), clamped" : ")"));
        check(device, numbers_about(range, n, n + range.count), range);
    }
};

TYPED_TEST_SUITE_P(shader_bins);

TYPED_TEST_P(shader_bins, runs_where_it_claims) {
    TypeParam device;
    EXPECT_TRUE(device.is_what_it_claims());
    const auto in = device.memory(std::vector<float>{0.9f, 0.1f, 2, 0.2f, 0.6f});
    const auto out = device.template memory<float>(4);
    const auto few = device.template memory<std::uint32_t>(3);
    device.bins(in, out, few, bin_range<float>{0, 1, 2});
    EXPECT_EQ(device.take_stages(),
              (std::vector<std::string>{"bins_count", "tile_scan", "bins_move", "bins_offsets"}));
    EXPECT_EQ(few.read(), (std::vector<std::uint32_t>{0, 2, 4}));
    EXPECT_EQ(out.read(), (std::vector<float>{0.1f, 0.2f, 0.9f, 0.6f}));
    const auto many = device.template memory<std::uint32_t>(301);
    device.bins(in, out, many, bin_range<float>{0, 1, 300});
    EXPECT_EQ(device.take_stages(),
              (std::vector<std::string>{"clear_counts", "count_bins", "tile_scan", "bins_number",
                                        "sort_count", "tile_scan", "sort_move", "sort_count", "tile_scan",
                                        "sort_move", "sort_gather"}));
    EXPECT_EQ(out.read(), (std::vector<float>{0.1f, 0.2f, 0.6f, 0.9f}));
}

TYPED_TEST_P(shader_bins, any_length) {
    TypeParam device;
    std::vector<std::size_t> sizes{0,   1,   2,   3,    4,    5,    31,   33,  255,
                                   256, 257, 300, 4095, 4096, 4097, 8191, 8193};
    for (std::size_t n = 6; n < 300 && !sanitized; n += 41) sizes.push_back(n);
    std::uint32_t bins = 1;
    for (const std::size_t n : sizes) {
        bins = bins % 9 + 1;
        this->check_range(device, ranges_of<float>(bins)[n % 8], n);
        this->check_range(device, ranges_of<typename TestFixture::long_word>(n % 2 == 0 ? bins : 300)[n % 6],
                          n);
    }
}

TYPED_TEST_P(shader_bins, any_number_of_bins) {
    TypeParam device;
    const auto check_type = [&]<class T>(std::type_identity<T>) {
        std::vector<std::uint32_t> counts{1, 2, 3, 8, 100, 255, 256, 257, 1000, 5000, 65535, 65536};
        if (sanitized) counts = {1, 256, 257, 65536};
        std::size_t turn = sizeof(T);
        for (const std::uint32_t bins : counts) {
            const std::vector<bin_range<T>> ranges = ranges_of<T>(bins);
            this->check_range(device, ranges[turn % ranges.size()], 5003);
            turn += 5;
        }
    };
    check_type(std::type_identity<float>());
    check_type(std::type_identity<double>());
    if (TypeParam::brief) return;
    check_type(std::type_identity<std::uint32_t>());
    check_type(std::type_identity<std::int32_t>());
    check_type(std::type_identity<std::int64_t>());
    check_type(std::type_identity<std::uint64_t>());
}

// Every bit of an element arrives: of NaNs, which have no bin, nothing, of zeros the sign.
TYPED_TEST_P(shader_bins, special_numbers) {
    TypeParam device;
    const auto check_type = [&]<class T>(std::type_identity<T>) {
        using limits = std::numeric_limits<T>;
        const T inf = limits::infinity(), tiny = limits::denorm_min();
        const std::vector<T> kinds{limits::quiet_NaN(), T(0), -T(0), tiny,  -tiny, limits::min(), inf, -inf,
                                   limits::max(),       T(1), T(-1), T(0.5)};
        std::vector<T> x;
        for (std::size_t i = 0; i < 5000; ++i) x.push_back(kinds[i * 7 % kinds.size()]);
        for (const bool clamp : {false, true}) {
            this->check(device, x, bin_range<T>{0, 1, 4, clamp});
            this->check(device, x, bin_range<T>{-tiny, 4 * tiny, 5, clamp});
            this->check(device, x, bin_range<T>{-1, 1, 257, clamp});
        }
        for (const std::vector<T>& edges : std::vector<std::vector<T>>{
                 {-inf, inf}, {-inf, -T(0), T(0), tiny, inf}, {-1, -T(0)}, {0, tiny, limits::min()}})
            this->check(device, x, bin_edges<T>{edges});
        std::vector<T> many;
        for (int i = 0; i <= 400; ++i) many.push_back(static_cast<T>(i / 2) / 100 - 1);
        this->check(device, x, bin_edges<T>{many});
    };
    check_type(std::type_identity<float>());
    check_type(std::type_identity<double>());
}

TYPED_TEST_P(shader_bins, any_room) {
    TypeParam device;
    for (const std::uint32_t bins : {7u, 300u}) {
        const bin_range<typename TestFixture::signed_word> range{-50, 1000, bins};
        const auto x = numbers_about(range, 9000, bins);
        for (const std::size_t room : {0u, 1u, 2u, 4095u, 5000u, 9000u, 12'000u})
            this->check_room(device, x, range, room);
        const bin_range<double> wide{0, 1, bins, true};
        const std::vector<double> y = numbers_about(wide, 5000, bins);
        for (const std::size_t room : {0u, 3u, 4097u, 6000u}) this->check_room(device, y, wide, room);
    }
}

// Elements in the order of their bins, backwards, and all in one.
TYPED_TEST_P(shader_bins, neighbours_in_one_bin) {
    TypeParam device;
    const std::size_t n = repetitions(50'000, 9'000);
    for (const std::uint32_t bins : {5u, 256u, 1500u}) {
        const bin_range<float> range{0, 1, bins};
        std::vector<float> x(n);
        for (const int kind : {0, 1, 2}) {
            for (std::size_t i = 0; i < n; ++i) {
                const float share = static_cast<float>(i) / static_cast<float>(n + 9);
                x[i] = kind == 0 ? 0.3f : kind == 1 ? share : 1 - share;
            }
            this->check(device, x, range);
        }
    }
}

TYPED_TEST_P(shader_bins, length_from_a_buffer) {
    TypeParam device;
    for (const std::uint32_t bins : {3u, 300u}) {
        const bin_range<double> range{-3, 8, bins};
        const std::vector<double> x = numbers_about(range, 9000, 1);
        for (const std::size_t n : {0u, 1u, 4095u, 4096u, 4097u, 9000u})
            this->check_room(device, x, range, 9000, true, n);
        const auto in = device.memory(x), out = device.template memory<double>(9000);
        const auto length = device.memory(std::vector<std::uint32_t>{0xffffffffu});
        const auto offsets = device.template memory<std::uint32_t>(bins + 1);
        device.bins(in, out, offsets, range, &length);
        const std::vector<std::uint32_t> measured = offsets.read();
        device.bins(in, out, offsets, range);
        EXPECT_EQ(measured, offsets.read());  // more than there are count as all
    }
}

// A device with few work groups and small bindings takes several dispatches.
TYPED_TEST_P(shader_bins, in_several_dispatches) {
    TypeParam device(device_limits{3, 2, 0});
    for (const std::uint32_t bins : {3u, 256u, 4500u})
        this->check_range(device, bin_range<float>{-1, 2, bins, true}, 33'001);
    device.take_stages();
    const auto in = device.memory(std::vector<float>(33'001, 0.5f));
    const auto out = device.template memory<float>(33'001);
    const auto offsets = device.template memory<std::uint32_t>(4);
    device.bins(in, out, offsets, bin_range<float>{0, 1, 3});
    const std::vector<std::string> stages = device.take_stages();
    EXPECT_EQ(std::count(stages.begin(), stages.end(), "bins_count"),
              2);  // nine tiles, six work groups at once
    EXPECT_EQ(std::count(stages.begin(), stages.end(), "bins_move"), 2);
}

TYPED_TEST_P(shader_bins, a_quarter_of_a_million) {
    TypeParam device;
    const std::size_t n = repetitions(262'147, 20'003);
    this->check_range(device, bin_range<float>{-1.5f, 2.5f, 10}, n);
    this->check_range(device, bin_range<typename TestFixture::word>{1000, 4'000'000'000u, 256, true}, n);
    this->check_range(device, bin_range<float>{-1.5f, 2.5f, 3000}, n);
}

// What the CPU refuses, in its words; nothing has been written then.
TYPED_TEST_P(shader_bins, refuses_what_the_cpu_refuses) {
    TypeParam device;
    const auto in = device.memory(std::vector<float>{0.25f, 0.5f});
    const auto out = device.template memory<float>(2);
    const auto offsets = device.template memory<std::uint32_t>(4);
    const auto with = [&](const auto& by) {
        return [&device, &in, &out, &offsets, by] { device.bins(in, out, offsets, by); };
    };
    using range = bin_range<float>;
    expect_refused("range: expected a count of bins that is not 0", with(range{0, 1, 0}));
    expect_refused("range: expected lo < hi, but lo is 1 and hi is 1", with(range{1, 1, 3}));
    expect_refused("offsets: expected 5 elements for these bins, but it has 4", with(range{0, 1, 4}));
    const std::vector<float> one{1}, falling{1, 2, 1, 3}, three{0, 1, 2};
    expect_refused("edges: expected at least two", with(bin_edges<float>{one}));
    expect_refused("edges: expected ascending numbers, but number 2 is not", with(bin_edges<float>{falling}));
    expect_refused("offsets: expected 3 elements for these bins, but it has 4",
                   with(bin_edges<float>{three}));
    EXPECT_TRUE(out.untouched());
    EXPECT_TRUE(offsets.untouched());
    // More elements than the device binds at once.
    TypeParam small(device_limits{0, 0, 100'000});
    const auto doubles = small.memory(std::vector<double>(20'000));
    const auto packed = small.template memory<double>(20'000);
    expect_refused(
        "in: expected at most 100000 bytes, what this device can bind at once, but it takes",
        [&] {
            small.bins(doubles, packed, offsets, bin_range<double>{0, 1, 3});
        },
        errc::unsupported);
    EXPECT_TRUE(packed.untouched());
}

REGISTER_TYPED_TEST_SUITE_P(shader_bins, runs_where_it_claims, any_length, any_number_of_bins,
                            special_numbers, any_room, neighbours_in_one_bin, length_from_a_buffer,
                            in_several_dispatches, a_quarter_of_a_million, refuses_what_the_cpu_refuses);

}  // namespace upsweep::test
