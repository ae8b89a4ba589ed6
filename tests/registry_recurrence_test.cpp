// Scanners of linear recurrences: types, blocks, segments and axes, against the scalar reference.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "registry/recurrence_scanner.hpp"
#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/random.hpp"
#include "support/recurrence_reference.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"
#include "upsweep/recurrence.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::recurrence_request;
using registry::scan_types;
using registry::value;

template <class T>
std::vector<T> within_one(std::size_t n, std::uint64_t seed) {
    random_bits random(seed);
    std::vector<T> made(n);
    for (T& x : made) x = T(static_cast<float>(random.between(-1, 1)));
    return made;
}

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want) {
    ASSERT_EQ(got.size(), want.size());
    const std::size_t at = first_difference(got.data(), want.data(), got.size());
    ASSERT_EQ(at, got.size()) << describe(got[at]) << " instead of " << describe(want[at]);
}

TEST(registry_recurrence, types) {
    const auto types = [](auto... words) { return registry::resolve_recurrence_types(words...); };
    EXPECT_EQ(types(dtype::float32), (scan_types{dtype::float32, dtype::float32, dtype::float32}));
    EXPECT_EQ(types(dtype::float16), (scan_types{dtype::float16, dtype::float32, dtype::float16}));
    EXPECT_EQ(types(dtype::bfloat16), (scan_types{dtype::bfloat16, dtype::float32, dtype::bfloat16}));
    EXPECT_EQ(types(dtype::float64), (scan_types{dtype::float64, dtype::float64, dtype::float64}));
    EXPECT_EQ(types(dtype::int8), (scan_types{dtype::int8, dtype::float64, dtype::float64}));
    EXPECT_EQ(types(dtype::bool8), (scan_types{dtype::bool8, dtype::float64, dtype::float64}));
    EXPECT_EQ(types(dtype::float32, dtype::int64),
              (scan_types{dtype::float32, dtype::float32, dtype::float32}));
    EXPECT_EQ(types(dtype::float32, dtype::float64),
              (scan_types{dtype::float32, dtype::float64, dtype::float32}));
    const std::optional<dtype> none;
    EXPECT_EQ(types(dtype::float64, none, dtype::float16),
              (scan_types{dtype::float64, dtype::float32, dtype::float16}));
    EXPECT_EQ(types(dtype::float32, none, dtype::float64),
              (scan_types{dtype::float32, dtype::float64, dtype::float64}));
    EXPECT_EQ(types(dtype::float32, none, none, dtype::float64),
              (scan_types{dtype::float32, dtype::float64, dtype::float32}));
    EXPECT_EQ(types(dtype::int16, none, none, dtype::float32),
              (scan_types{dtype::int16, dtype::float32, dtype::float32}));
    EXPECT_THROW(static_cast<void>(types(dtype::complex64)), error);
    EXPECT_THROW(static_cast<void>(types(dtype::float32, dtype::complex128)), error);
    EXPECT_THROW(static_cast<void>(types(dtype::float32, none, dtype::int32)), error);
    EXPECT_THROW(static_cast<void>(types(dtype::float32, none, dtype::complex64)), error);
    EXPECT_THROW(static_cast<void>(types(dtype::float32, none, none, dtype::float16)), error);
    EXPECT_THROW(static_cast<void>(types(dtype::float32, none, none, dtype::int64)), error);
}

// From the front, or from the end in reverse.
template <class In, class Out>
std::vector<Out> in_blocks(const registry::device& device, const recurrence_request& request,
                           const std::vector<In>& in, const std::vector<float>& a, std::size_t block) {
    const auto scanner = registry::make_recurrence_scanner(device, request);
    EXPECT_EQ(scanner->multiple(), core::super_size);
    const std::size_t n = in.size();
    std::vector<Out> got(n);
    for (int turn = 0; turn < 2; ++turn) {  // again after a restart
        scanner->restart();
        for (std::size_t done = 0; done < n; done += std::min(block, n - done)) {
            const std::size_t count = std::min(block, n - done);
            const std::size_t first = request.reverse ? n - done - count : done;
            scanner->take_coefficients(a.data() + first);
            scanner->scan(in.data() + first, got.data() + first, count);
        }
    }
    EXPECT_EQ(scanner->count(), n);
    return got;
}

// Behind a block the accumulator goes on, not the float16 that was stored of it.
TEST(registry_recurrence, blocks) {
    const registry::device device("cpu", 3);
    const std::size_t n = (sanitized ? 1 : 2) * core::super_size + 4097;
    const auto in = within_one<float16>(n, 1);
    const auto a = within_one<float>(n, 2);
    for (const bool reverse : {false, true}) {
        SCOPED_TRACE(reverse);
        const auto with_own = recurred<float16>(a, as_accumulators<float>(in), 0.75f, reverse);
        const auto with_one = recurred_by<float, float16>(0.9375f, in, 0, reverse);
        const auto smooth = smoothed<float, float>(0.1f, in, reverse);
        for (const std::size_t block : {core::super_size, n}) {
            if (sanitized && reverse && block == n) continue;
            recurrence_request request{.types = registry::resolve_recurrence_types(dtype::float16),
                                       .coefficients = dtype::float32,
                                       .x0 = value::of(dtype::float32, 0.75f),
                                       .reverse = reverse};
            expect_same(in_blocks<float16, float16>(device, request, in, a, block), with_own);
            request.coefficients.reset();
            request.x0.reset();
            request.coefficient = value::of(dtype::float32, 0.9375f);
            expect_same(in_blocks<float16, float16>(device, request, in, a, block), with_one);
            request.coefficient.reset();
            request.weight = value::of(dtype::float32, 0.1f);
            request.types.output = dtype::float32;
            expect_same(in_blocks<float16, float>(device, request, in, a, block), smooth);
        }
    }
}

TEST(registry_recurrence, last_results) {
    const registry::device device("cpu", 2);
    recurrence_request request{.types = registry::resolve_recurrence_types(dtype::float32),
                               .coefficient = value::of(dtype::float32, 0.5f),
                               .x0 = value::of(dtype::float32, 8.0f)};
    const std::vector<float> in = {1, 2};
    std::vector<float> out(2);
    auto scanner = registry::make_recurrence_scanner(device, request);
    EXPECT_EQ(scanner->total().as<float>(), 8);
    scanner->scan(in.data(), out.data(), 2);
    EXPECT_EQ(out, (std::vector<float>{5, 4.5f}));
    EXPECT_EQ(scanner->total().as<float>(), 4.5f);
    EXPECT_EQ(scanner->total().type(), dtype::float32);
    EXPECT_THROW(scanner->scan(in.data(), out.data(), 1), error);
    const std::uint8_t heads[] = {1, 0};
    EXPECT_THROW(scanner->scan_segments(in.data(), heads, out.data(), 2), error);
    // Rounded to float16 it would be 2048.
    request.types.output = dtype::float16;
    request.x0 = value::of(dtype::float32, 4096.0f);
    std::vector<float16> half(2);
    scanner = registry::make_recurrence_scanner(device, request);
    scanner->scan(in.data(), half.data(), 1);
    EXPECT_EQ(scanner->total().as<float>(), 2049);
    EXPECT_EQ(static_cast<float>(half[0]), 2048);
    request.x0 = value::of(dtype::float64, 1.0);
    EXPECT_THROW(static_cast<void>(registry::make_recurrence_scanner(device, request)), error);
}

TEST(registry_recurrence, segments_are_sequences) {
    const registry::device device("cpu", 3);
    const std::size_t n = 9000;
    const auto in = within_one<double>(n, 3);
    const auto a = within_one<double>(n, 4);
    std::vector<std::uint8_t> heads(n);
    for (std::size_t i = 0; i < n; ++i) heads[i] = i == 1 || i == 2 || i == 8000 || (i > 100 && i % 977 == 0);
    for (const bool reverse : {false, true}) {
        for (const bool smooth : {false, true}) {
            SCOPED_TRACE(std::string(smooth ? "smooth" : "coefficients") + (reverse ? " reverse" : ""));
            recurrence_request request{.types = registry::resolve_recurrence_types(dtype::float64),
                                       .reverse = reverse};
            if (smooth) {
                request.weight = value::of(dtype::float64, 0.3);
            } else {
                request.coefficients = dtype::float64;
                request.x0 = value::of(dtype::float64, 0.5);
            }
            std::vector<double> want;
            for (std::size_t first = 0, end = 0; first < n; first = end) {
                for (end = first + 1; end < n && heads[end] == 0;) ++end;
                const auto part = [&](const std::vector<double>& of) {
                    return std::vector<double>(of.begin() + static_cast<std::ptrdiff_t>(first),
                                               of.begin() + static_cast<std::ptrdiff_t>(end));
                };
                const auto some = smooth ? smoothed<double, double>(0.3, part(in), reverse)
                                         : recurred<double>(part(a), part(in), 0.5, reverse);
                want.insert(want.end(), some.begin(), some.end());
            }
            std::vector<double> got(n);
            const auto scanner = registry::make_recurrence_scanner(device, request);
            scanner->take_coefficients(a.data());
            scanner->scan_segments(in.data(), heads.data(), got.data(), n);
            expect_same(got, want);
            EXPECT_EQ(scanner->count(), n);
        }
    }
}

// Shapes of which neighbours are lanes, where they lie and by way of buffers, chained and not, or each a
// sequence by itself; every one starts from its own first element.
TEST(registry_recurrence, axes) {
    const registry::device device("cpu", 4);
    struct layout {
        std::int64_t outer, length, inner;
    };
    for (const layout& extents :
         {layout{3, 700, 1}, layout{1, 9000, 1}, layout{1, 5000, 3}, layout{2, 300, 70}, layout{1, 40, 6000},
          layout{40, 5, 33}, layout{1, sanitized ? 3000 : 70000, 17}, layout{0, 4, 3}}) {
        const std::int64_t outer = extents.outer, length = extents.length, inner = extents.inner;
        SCOPED_TRACE(std::to_string(outer) + " " + std::to_string(length) + " " + std::to_string(inner));
        const auto n = static_cast<std::size_t>(outer * length * inner);
        const auto in = within_one<float>(n, 5);
        const auto a = within_one<float>(n, 6);
        const std::int64_t shape[] = {outer, length, inner};
        const std::int64_t strides[] = {length * inner, inner, 1};
        const auto slices = [&](const auto& make) {
            std::vector<float> all(n);
            for (std::int64_t i = 0; i < outer * inner; ++i) {
                const std::int64_t first = i / inner * length * inner + i % inner;
                std::vector<float> some_a, some;
                for (std::int64_t k = 0; k < length; ++k) {
                    some_a.push_back(a[static_cast<std::size_t>(first + k * inner)]);
                    some.push_back(in[static_cast<std::size_t>(first + k * inner)]);
                }
                some = make(some_a, some);
                for (std::int64_t k = 0; k < length; ++k)
                    all[static_cast<std::size_t>(first + k * inner)] = some[static_cast<std::size_t>(k)];
            }
            return all;
        };
        for (const bool reverse : {false, true}) {
            SCOPED_TRACE(reverse ? "reverse" : "forwards");
            std::vector<float> got(n);
            recurrence_request request{.types = registry::resolve_recurrence_types(dtype::float32),
                                       .weight = value::of(dtype::float32, 0.2f),
                                       .reverse = reverse};
            const auto run = [&](const float* from) {
                const auto scanner = registry::make_recurrence_scanner(device, request);
                scanner->take_coefficients(a.data());
                scanner->scan_axis(from, got.data(), {shape, strides, strides, 1});
                EXPECT_EQ(scanner->count(), 0u);
            };
            const auto want = slices(
                [&](const auto&, const auto& some) { return smoothed<float, float>(0.2f, some, reverse); });
            run(in.data());
            expect_same(got, want);
            got = in;
            run(got.data());  // in place
            expect_same(got, want);
            request.x0 = value::of(dtype::float32, -2.0f);
            run(in.data());
            expect_same(got, slices([&](const auto&, const auto& some) {
                            return smoothed<float, float>(0.2f, some, reverse, -2.0f);
                        }));
            request.weight.reset();
            request.coefficients = dtype::float32;
            run(in.data());
            expect_same(got, slices([&](const auto& some_a, const auto& some) {
                            return recurred<float>(some_a, some, -2.0f, reverse);
                        }));
        }
    }
}

// The same bits as the library's own function, in a type of results that is not the accumulator's too.
TEST(registry_recurrence, as_the_library) {
    cpu::executor executor(2);
    const registry::device device("cpu", 2);
    const std::size_t n = core::super_size + 5;
    const auto in = within_one<float>(n, 7);
    std::vector<float> want(n), got(n);
    linear_recurrence<double>(executor, 0.99, in, 0.25, want);
    const recurrence_request request{
        .types = registry::resolve_recurrence_types(dtype::float32, {}, {}, dtype::float64),
        .coefficient = value::of(dtype::float64, 0.99),
        .x0 = value::of(dtype::float64, 0.25)};
    registry::make_recurrence_scanner(device, request)->scan(in.data(), got.data(), n);
    expect_same(got, want);
}

}  // namespace
}  // namespace upsweep::test
