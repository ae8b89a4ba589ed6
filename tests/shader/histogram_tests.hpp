// The tests of histograms on OpenGL and Vulkan, for a device of either (gl_bins_device.hpp,
// vulkan_bins_device.hpp): every count is the CPU's.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "shader/bins_device.hpp"
#include "support/binned.hpp"
#include "support/build.hpp"
#include "support/random.hpp"
#include "support/refused.hpp"
#include "upsweep/histogram.hpp"

namespace upsweep::test {

template <class Device>
class shader_histogram : public ::testing::Test {
  protected:
    // Other types than float and double, where there is time for them.
    using word = std::conditional_t<Device::brief, float, std::uint32_t>;
    using long_word = std::conditional_t<Device::brief, double, std::int64_t>;

    static std::string description(const auto& range) {
        return std::to_string(range.count) + " bins of [" + std::to_string(range.lo) + ", " +
               std::to_string(range.hi) + (range.clamp ? "), clamped" : ")");
    }
    static std::size_t count_of(const auto& bins) {
        if constexpr (requires { bins.edges; })
            return bins.count();
        else
            return bins.count;
    }
    // What the CPU counts.
    template <class T>
    static std::vector<std::uint32_t> expected(const std::vector<T>& x, const auto& bins) {
        static cpu::executor one(1);
        std::vector<std::uint64_t> counts(count_of(bins));
        upsweep::histogram(one, x, counts, bins);
        return {counts.begin(), counts.end()};
    }
    static void expect_equal(const std::vector<std::uint32_t>& got,
                             const std::vector<std::uint32_t>& wanted) {
        ASSERT_EQ(got.size(), wanted.size());
        const auto at = std::mismatch(got.begin(), got.end(), wanted.begin());
        if (at.first == got.end()) return;
        ADD_FAILURE() << "bin " << at.first - got.begin() << " of " << got.size() << " has " << *at.first
                      << ", expected " << *at.second;
    }

    // Elements and counts begin anywhere; counts are poisoned before, and guarded.
    template <class T>
    static void check(Device& device, const std::vector<T>& x, const auto& bins) {
        SCOPED_TRACE(std::to_string(x.size()) + " elements of " + std::to_string(sizeof(T)) + " bytes");
        const auto in = device.memory(x, x.size() % 5);
        const auto counts = device.template memory<std::uint32_t>(count_of(bins), x.size() % 3);
        device.take_stages();
        device.histogram(in, counts, bins);
        expect_equal(counts.read(), expected(x, bins));
        EXPECT_TRUE(x.empty() || std::memcmp(in.read().data(), x.data(), x.size() * sizeof(T)) == 0)
            << "changed the input";
        const std::vector<std::string> stages = device.take_stages();
        EXPECT_EQ(stages.front(), "clear_counts");
        EXPECT_EQ(stages.back(), x.empty() ? "clear_counts" : "count_bins");
    }
    template <class T>
    static void check_range(Device& device, const bin_range<T>& range, std::size_t n) {
        SCOPED_TRACE(description(range));
        check(device, numbers_about(range, n, n + range.count), range);
    }
    // Numbers of a range, at its ends and at every edge, and the representable ones next to them.
    template <class T>
    static std::vector<T> around(const std::vector<T>& edges) {
        std::vector<T> x;
        for (const T& edge : edges)
            for (const int step : {-2, -1, 0, 1, 2}) x.push_back(near(edge, step));
        return x;
    }
    // i, but for what is between a quarter and 5/16, or 3/4 and 13/16 of n: there one of both ends.
    static std::size_t crowded(std::size_t i, std::size_t n) {
        if (4 * i > n && 16 * i < 5 * n) return n / 4;
        if (4 * i > 3 * n && 16 * i < 13 * n) return 13 * n / 16;
        return i;
    }
    template <class Check>
    static void for_each_type(const Check& check) {
        check(std::type_identity<float>());
        check(std::type_identity<double>());
        if (Device::brief) return;
        check(std::type_identity<std::uint32_t>());
        check(std::type_identity<std::int32_t>());
        check(std::type_identity<std::uint64_t>());
        check(std::type_identity<std::int64_t>());
    }
};

TYPED_TEST_SUITE_P(shader_histogram);

TYPED_TEST_P(shader_histogram, runs_where_it_claims) {
    TypeParam device;
    EXPECT_TRUE(device.is_what_it_claims());
    const std::vector<float> x{0.1f, 0.2f, 0.6f};
    const auto in = device.memory(x);
    const auto counts = device.template memory<std::uint32_t>(2);
    device.histogram(in, counts, bin_range<float>{0, 1, 2});
    EXPECT_EQ(device.take_stages(), (std::vector<std::string>{"clear_counts", "count_bins"}));
    EXPECT_EQ(counts.read(), (std::vector<std::uint32_t>{2, 1}));
}

TYPED_TEST_P(shader_histogram, any_length) {
    TypeParam device;
    std::vector<std::size_t> sizes{0,   1,   2,    3,    4,    5,    7,    31,   255,  256,
                                   257, 300, 1023, 1025, 4095, 4096, 4097, 8191, 8192, 8193};
    for (std::size_t n = 8; n < 300 && !sanitized; n += 13) sizes.push_back(n);
    std::uint32_t bins = 1;
    for (const std::size_t n : sizes) {
        bins = bins % 9 + 1;
        this->check_range(device, ranges_of<float>(bins)[n % 8], n);
        this->check_range(device, ranges_of<typename TestFixture::long_word>(bins)[n % 6], n);
    }
}

TYPED_TEST_P(shader_histogram, any_number_of_bins) {
    TypeParam device;
    this->for_each_type([&]<class T>(std::type_identity<T>) {
        std::vector<std::uint32_t> counts{1,    2,    3,    8,    256,  257,   1365, 1366,
                                          2048, 2049, 4096, 4097, 5000, 12288, 12289};
        if (sanitized) counts = {1, 257, 2049, 32769};
        std::size_t turn = sizeof(T);
        for (const std::uint32_t bins : counts) {
            const std::vector<bin_range<T>> ranges = ranges_of<T>(bins);
            this->check_range(device, ranges[turn % ranges.size()], 5003);
            this->check_range(device, ranges[(turn + 3) % ranges.size()], 3001);
            turn += 5;
        }
    });
}

TYPED_TEST_P(shader_histogram, every_range) {
    TypeParam device;
    this->for_each_type([&]<class T>(std::type_identity<T>) {
        for (const std::uint32_t bins : {1u, 7u, 100u, 1000u}) {
            for (const bin_range<T>& range : ranges_of<T>(bins)) {
                SCOPED_TRACE(this->description(range));
                std::vector<T> edges{range.lo, range.hi};
                for (std::uint32_t b = 1; b < bins; ++b) {
                    const auto lo = static_cast<long double>(range.lo),
                               hi = static_cast<long double>(range.hi);
                    const long double edge = lo + (hi - lo) * b / bins;
                    edges.push_back(edge < hi ? static_cast<T>(edge) : range.hi);
                }
                this->check(device, this->around(edges), range);
            }
        }
    });
}

// NaNs of both signs, zeros, subnormal numbers, infinities, the largest; everywhere in every kind of bin.
TYPED_TEST_P(shader_histogram, special_numbers) {
    TypeParam device;
    const auto check_type = [&]<class T>(std::type_identity<T>) {
        using limits = std::numeric_limits<T>;
        const T inf = limits::infinity(), nan = limits::quiet_NaN(), tiny = limits::denorm_min();
        const std::vector<T> kinds{nan,
                                   -nan,
                                   T(0),
                                   -T(0),
                                   tiny,
                                   -tiny,
                                   3 * tiny,
                                   limits::min(),
                                   -limits::min(),
                                   limits::min() - tiny,
                                   inf,
                                   -inf,
                                   limits::max(),
                                   limits::lowest(),
                                   T(1),
                                   T(-1),
                                   T(0.5)};
        std::vector<T> x;
        for (std::size_t i = 0; i < 5000; ++i) x.push_back(kinds[i * 7 % kinds.size()]);
        for (const bool clamp : {false, true}) {
            this->check(device, x, bin_range<T>{0, 1, 4, clamp});
            this->check(device, x, bin_range<T>{-T(0), 1, 3, clamp});
            this->check(device, x, bin_range<T>{-1, T(0), 5, clamp});
            this->check(device, x, bin_range<T>{-tiny, 4 * tiny, 5, clamp});
            this->check(device, x, bin_range<T>{0, tiny, 2, clamp});
            this->check(device, x, bin_range<T>{0, limits::min(), 300, clamp});
            this->check(device, x, bin_range<T>{limits::lowest() / 8, limits::max() / 8, 3, clamp});
        }
        const std::vector<std::vector<T>> every_edges{{-inf, inf},
                                                      {-inf, 0, inf},
                                                      {-inf, -T(0), T(0), tiny, inf},
                                                      {-tiny, -T(0), tiny},
                                                      {0, 0},
                                                      {-T(0), T(0), T(0)},
                                                      {inf, inf},
                                                      {-inf, -inf, -1, -1, inf, inf},
                                                      {-1, -T(0)},
                                                      {0, tiny, 2 * tiny, 3 * tiny, limits::min()},
                                                      {1, limits::max()},
                                                      {limits::max(), inf}};
        for (const std::vector<T>& edges : every_edges) {
            SCOPED_TRACE(testing::PrintToString(edges));
            this->check(device, x, bin_edges<T>{edges});
        }
    };
    check_type(std::type_identity<float>());
    check_type(std::type_identity<double>());
}

// What numpy.histogram says of these.
TYPED_TEST_P(shader_histogram, between_edges) {
    TypeParam device;
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> known{-1, 0, 0, 0.5f, 2};
    const auto in =
        device.memory(std::vector<float>{-2, -1, -0.0f, 0, 0.25f, 0.5f, 1.75f, 2, 2.5f, inf, -inf, -inf * 0});
    const auto counts = device.template memory<std::uint32_t>(4);
    device.histogram(in, counts, bin_edges<float>{known});
    EXPECT_EQ(counts.read(), (std::vector<std::uint32_t>{1, 0, 3, 3}));

    this->for_each_type([&]<class T>(std::type_identity<T>) {
        random_bits random(3);
        std::vector<std::size_t> numbers{1, 2, 3, 8, 256, 257, 1400, 3000, 5000};
        if (sanitized) numbers = {1, 8, 5000};
        for (const std::size_t bins : numbers) {
            for (const int kind : {0, 1, 2, 3}) {
                std::vector<T> edges;
                for (std::size_t i = 0; i <= bins; ++i) {
                    const double share = static_cast<double>(i) / static_cast<double>(bins);
                    if (kind == 0)  // of equal width, as many callers have them
                        edges.push_back(static_cast<T>(share * 100'000));
                    else if (kind == 1)  // each as much wider as the next
                        edges.push_back(static_cast<T>(std::exp2(share * 30)));
                    else if (kind == 2)  // many of them equal
                        edges.push_back(static_cast<T>(random.below(bins)));
                    else  // nearly all of equal width, but crowded at two places
                        edges.push_back(static_cast<T>(1'000 * static_cast<double>(this->crowded(i, bins))));
                }
                std::sort(edges.begin(), edges.end());
                std::vector<T> x = this->around(edges);
                const auto top = static_cast<double>(edges.back());
                for (std::size_t i = 0; i < 1000; ++i) x.push_back(static_cast<T>(random.unit() * top * 1.1));
                SCOPED_TRACE(std::to_string(bins) + " bins, kind " + std::to_string(kind));
                this->check(device, x, bin_edges<T>{edges});
            }
        }
        using limits = std::numeric_limits<T>;
        const std::vector<T> all{limits::lowest(), T(0), limits::max()};
        this->check(device, this->around(std::vector<T>{T(0), T(1), T(100)}), bin_edges<T>{all});
        this->check(device, all, bin_edges<T>{all});
    });
}

// Elements in the order of their bins, and all in one: many additions to one counter.
TYPED_TEST_P(shader_histogram, neighbours_in_one_bin) {
    TypeParam device;
    for (const std::uint32_t bins : {1u, 5u, 1500u, 5000u, 40'000u}) {
        const bin_range<float> range{0, 1, bins};
        std::vector<float> x(repetitions(100'000, 9'000));
        for (const bool constant : {true, false}) {
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = constant ? 0.3f : static_cast<float>(i) / static_cast<float>(x.size() - 9);
            SCOPED_TRACE(this->description(range));
            this->check(device, x, range);
        }
    }
}

TYPED_TEST_P(shader_histogram, length_from_a_buffer) {
    TypeParam device;
    const bin_range<double> range{-3, 8, 300};
    const std::vector<double> x = numbers_about(range, 9000, 1);
    const auto in = device.memory(x, 1, 11);
    for (const std::uint32_t n : {0u, 1u, 4095u, 4096u, 4097u, 9000u}) {
        SCOPED_TRACE(n);
        const auto length = device.memory(std::vector<std::uint32_t>{n}, 3);
        const auto counts = device.template memory<std::uint32_t>(300);
        device.histogram(in, counts, range, &length);
        this->expect_equal(counts.read(),
                           this->expected(std::vector<double>(x.begin(), x.begin() + n), range));
    }
    // More than there are count as all.
    const auto all = device.memory(x);
    const auto length = device.memory(std::vector<std::uint32_t>{0xffffffffu});
    const auto counts = device.template memory<std::uint32_t>(300);
    device.histogram(all, counts, range, &length);
    this->expect_equal(counts.read(), this->expected(x, range));
}

// A device with few work groups and small bindings takes several dispatches.
TYPED_TEST_P(shader_histogram, in_several_dispatches) {
    for (const device_limits limits :
         {device_limits{3, 2, 0}, device_limits{1, 1, 0}, device_limits{0, 0, 70'000}}) {
        TypeParam device(limits);
        for (const std::uint32_t bins : {3u, 4500u, 17'000u}) {
            if (limits.binding_bytes != 0 && bins > 10'000) continue;  // counts are bound as a whole
            for (const std::size_t n : {5u, 4097u, 30'001u}) {
                this->check_range(device, bin_range<float>{-1, 2, bins, true}, n);
                this->check_range(device, bin_range<typename TestFixture::long_word>{-100, 20'000, bins}, n);
            }
        }
        const bin_range<float> range{0, 1, 10};
        const std::vector<float> x = numbers_about(range, 30'001, 1);
        const auto in = device.memory(x);
        const auto length = device.memory(std::vector<std::uint32_t>{20'000});
        const auto counts = device.template memory<std::uint32_t>(10);
        device.histogram(in, counts, range, &length);
        this->expect_equal(counts.read(),
                           this->expected(std::vector<float>(x.begin(), x.begin() + 20'000), range));
        device.take_stages();
        device.histogram(in, counts, range);
        const std::vector<std::string> stages = device.take_stages();
        EXPECT_EQ(std::count(stages.begin(), stages.end(), "count_bins"), limits.binding_bytes == 0 ? 1 : 2);
    }
}

TYPED_TEST_P(shader_histogram, a_million_and_three) {
    TypeParam device;
    const std::size_t n = repetitions(1'000'003, 50'003);
    for (const std::uint32_t bins : {10u, 3000u})
        this->check_range(device, bin_range<float>{-1.5f, 2.5f, bins}, n);
    this->check_range(device, bin_range<typename TestFixture::word>{1000, 4'000'000'000u, 256, true}, n);
}

// What the CPU refuses, in its words; nothing has been written then.
TYPED_TEST_P(shader_histogram, refuses_what_the_cpu_refuses) {
    TypeParam device;
    const auto in = device.memory(std::vector<float>{0.25f, 0.5f});
    const auto counts = device.template memory<std::uint32_t>(4);
    const auto with = [&](const auto& bins) {
        return [&device, &in, &counts, bins] { device.histogram(in, counts, bins); };
    };
    using range = bin_range<float>;
    const float inf = std::numeric_limits<float>::infinity(), nan = inf - inf;
    expect_refused("range: expected a count of bins that is not 0", with(range{0, 1, 0}));
    expect_refused("range: expected lo < hi, but lo is 1 and hi is 1", with(range{1, 1, 4}));
    expect_refused("range: expected lo < hi", with(range{0, nan, 4}));
    expect_refused("range: expected bounds with a finite (hi - lo) * count, but lo is 0 and hi is inf",
                   with(range{0, inf, 4}));
    expect_refused("counts: expected 5 elements for these bins, but it has 4", with(range{0, 1, 5}));
    const std::vector<float> one{1}, falling{1, 2, 1, 2, 3}, three{0, 1, 2};
    expect_refused("edges: expected at least two", with(bin_edges<float>{}));
    expect_refused("edges: expected at least two", with(bin_edges<float>{one}));
    expect_refused("edges: expected ascending numbers, but number 2 is not", with(bin_edges<float>{falling}));
    expect_refused("counts: expected 2 elements for these bins, but it has 4", with(bin_edges<float>{three}));
    EXPECT_TRUE(counts.untouched());
    // More thresholds than the device binds at once, but no more counts.
    TypeParam small(device_limits{0, 0, 100'000});
    const auto doubles = small.memory(std::vector<double>{1, 2});
    const auto many = small.template memory<std::uint32_t>(20'000);
    expect_refused(
        "workspace: expected at most 100000 bytes, what this device can bind at once, but it takes 160000",
        [&] {
            small.histogram(doubles, many, bin_range<double>{0, 1, 20'000});
        },
        errc::unsupported);
    EXPECT_TRUE(many.untouched());
}

REGISTER_TYPED_TEST_SUITE_P(shader_histogram, runs_where_it_claims, any_length, any_number_of_bins,
                            every_range, special_numbers, between_edges, neighbours_in_one_bin,
                            length_from_a_buffer, in_several_dispatches, a_million_and_three,
                            refuses_what_the_cpu_refuses);

}  // namespace upsweep::test
