// What OpenGL and Vulkan have beyond the CPU's tests of elements that are converted: every value of every
// type on its own; and bytes, 16 and 32 bits in the tiles of a sequence.
#include "shader/segments_backend.hpp"
#include "shader/totals_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "support/axis_check.hpp"
#include "support/axis_total_check.hpp"
#include "support/guarded.hpp"
#include "support/segment_check.hpp"
#include "support/special_values.hpp"
#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

// All values of a type of 8 or 16 bits; of a wider one some thousand, and those around every power of two.
template <class In>
std::vector<In> values() {
    std::vector<In> made;
    if constexpr (sizeof(In) == 1) {
        for (unsigned i = 0; i < 256; ++i) made.push_back(std::bit_cast<In>(static_cast<std::uint8_t>(i)));
    } else if constexpr (sizeof(In) == 2) {
        for (unsigned i = 0; i < 65536; ++i) made.push_back(std::bit_cast<In>(static_cast<std::uint16_t>(i)));
    } else {
        random_bits random(7);
        for (int i = 0; i < 4000; ++i)
            made.push_back(std::bit_cast<In>(static_cast<std::uint32_t>(random())));
        for (unsigned shift = 0; shift < 32; ++shift) {
            const std::uint32_t power = std::uint32_t{1} << shift;
            for (const std::uint32_t bits : {power - 1, power, power + 1, ~power, 0u - power})
                made.push_back(std::bit_cast<In>(bits));
        }
        if constexpr (std::is_same_v<In, float>) {
            const std::vector<float> special = special_values<float>(500, true, 3);
            made.insert(made.end(), special.begin(), special.end());
        }
    }
    return made;
}

// The maximum of one element is that element: sequences of one, side by side, show what each becomes.
template <class In, class T>
void check_values() {
    const std::vector<In> x = values<In>();
    const auto count = static_cast<std::int64_t>(x.size());
    std::vector<T> expected;
    for (const In& each : x) expected.push_back(static_cast<T>(each));
    for_each_backend([&](const auto& backend) {
        if (!takes<maximum, T>(*backend.executor)) return;
        guarded<In> in(x.size() + 3, 1);  // the first of them in the middle of a word
        std::copy(x.begin(), x.end(), in.data());
        std::vector<T> out(x.size());
        const strided_view<const In> from(in.data(), {1, count});
        const strided_view<T> to(out.data(), {1, count});
        backend.executor->scan_axis({shader::operation_of<maximum, T, In>(), detail::array_of_view(from),
                                     detail::array_of_view(to), out.data(), 0, false, false, nullptr,
                                     shader::axis_way::lanes});
        const std::size_t wrong = first_difference(out.data(), expected.data(), out.size());
        EXPECT_EQ(wrong, out.size()) << describe(x[wrong]) << " becomes " << describe(out[wrong])
                                     << ", expected " << describe(expected[wrong]);
    });
}
// Each pair is a program of its own, which takes a software driver a while to compile: both signs of every
// size become integers and floating-point numbers, of one word and of two.
TEST(axis_conversion, every_byte) {
    check_values<std::uint8_t, std::uint32_t>();
    check_values<std::int8_t, float>();
    check_values<std::int8_t, std::uint64_t>();
    check_values<std::uint8_t, double>();
}
TEST(axis_conversion, every_integer_of_16_bits) {
    check_values<std::int16_t, std::int32_t>();
    check_values<std::uint16_t, float>();
    check_values<std::uint16_t, std::int64_t>();
    check_values<std::int16_t, double>();
}
TEST(axis_conversion, every_floating_point_number_of_16_bits) {
    check_values<float16, float>();
    check_values<float16, double>();
    check_values<bfloat16, float>();
}
TEST(axis_conversion, numbers_of_32_bits) {
    check_values<std::int32_t, std::int64_t>();
    check_values<std::uint32_t, double>();
    check_values<std::int32_t, double>();
    check_values<float, double>();
}

// Four neighbours in a word or two, in two or three, in four; at every offset, of one word of results and of
// two.
TEST(conversion, bytes) {
    sweep<std::uint8_t, plus, std::int32_t, std::int32_t>(-5);
    further_sweep<std::uint8_t, maximum, std::uint32_t, std::uint32_t>(7, {}, false);
}
TEST(conversion, sixteen_bits) {
    sweep<float16, plus, float, float>(0.3f, {}, false);
    further_sweep<std::uint16_t, plus, std::uint64_t, std::uint64_t>(77, {}, false);
    further_sweep<bfloat16, plus, float, float>(0.3f, {}, false);
}
TEST(conversion, words) { sweep<std::int32_t, plus, std::int64_t, std::int64_t>(-5, {}, false); }

// Those of float16 that are special, in a sequence.
TEST(conversion, special_numbers) {
    for (const std::size_t n : {20u, 5000u}) {
        scan_check<float16, float, float> checked(operation<float16, float, float>::of(plus()),
                                                  special_values<float16>(n, true, n), -0.0f);
        for_each_backend([&](const auto& backend) {
            for (unsigned bits = 0; bits < 8; ++bits)
                if (!checked.run(*backend.executor, n, checked.make_mode(bits), bits, bits)) return;
        });
    }
}

// A summed-area table of 8-bit pixels, whose lines begin anywhere in a word.
TEST(axis_conversion, pictures) {
    const axis_check<std::uint8_t, plus, std::uint32_t, std::uint32_t> sums{{}, 7};
    for (const extents& shape : {extents{33, 70}, extents{5, 8197}, extents{9, 4099}}) sums.run_all(shape);
    totals_check<std::uint8_t, plus, std::uint32_t, std::uint32_t>{7}.run_all({9, 4099});
}

TEST(segment_conversion, bytes) {
    for (const std::size_t n : {70u, 9001u}) {
        const segmentation cut(n, 40, n);
        const auto raw = sequence<std::uint8_t, plus>(n, 5);
        const std::vector<std::uint8_t> given(std::begin(raw), std::end(raw));
        guarded<std::uint8_t> x(n, 3);
        std::copy(given.begin(), given.end(), x.data());
        for_each_backend([&](const auto& backend) {
            auto& ex = *backend.executor;
            if (!takes<plus, std::int32_t>(ex)) return;
            for (const unsigned mode : {0u, 3u, 5u}) {
                SCOPED_TRACE("n = " + std::to_string(n) + ", mode " + std::to_string(mode));
                const bool exclusive = (mode & 1) != 0, reverse = (mode & 2) != 0;
                const std::optional<std::int32_t> start =
                    (mode & 4) != 0 ? std::optional<std::int32_t>(-9) : std::nullopt;
                std::vector<std::int32_t> out(n);
                if (exclusive)
                    exclusive_segmented_scan<std::int32_t>(ex, by_head_flags(cut.heads), x.span(), out,
                                                           plus(), {start, reverse});
                else
                    inclusive_segmented_scan<std::int32_t>(ex, by_head_flags(cut.heads), x.span(), out,
                                                           plus(), {start, reverse});
                EXPECT_EQ(out, expected_results(given, cut.heads, exclusive, reverse, plus(), start));
            }
        });
    }
}

}  // namespace
}  // namespace upsweep::test
