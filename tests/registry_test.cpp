// The registry: types of scans, values as text, scanners block by block, segments, axes.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "registry/scanner.hpp"
#include "support/bits.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::operation;
using registry::scan_types;

TEST(registry, types_follow_numpy) {
    const auto types = [](operation op, dtype input) { return registry::resolve_types(op, input); };
    EXPECT_EQ(types(operation::plus, dtype::int8), (scan_types{dtype::int8, dtype::int64, dtype::int64}));
    EXPECT_EQ(types(operation::multiplies, dtype::uint16),
              (scan_types{dtype::uint16, dtype::uint64, dtype::uint64}));
    EXPECT_EQ(types(operation::plus, dtype::bool8), (scan_types{dtype::bool8, dtype::int64, dtype::int64}));
    EXPECT_EQ(types(operation::plus, dtype::float16),
              (scan_types{dtype::float16, dtype::float32, dtype::float16}));
    EXPECT_EQ(types(operation::plus, dtype::complex64),
              (scan_types{dtype::complex64, dtype::complex64, dtype::complex64}));
    EXPECT_EQ(types(operation::maximum, dtype::int8), (scan_types{dtype::int8, dtype::int8, dtype::int8}));
    EXPECT_EQ(types(operation::logical_or, dtype::complex128),
              (scan_types{dtype::complex128, dtype::bool8, dtype::bool8}));
    EXPECT_EQ(registry::resolve_types(operation::plus, dtype::int8, dtype::float16),
              (scan_types{dtype::int8, dtype::float32, dtype::float16}));
    EXPECT_EQ(registry::resolve_types(operation::plus, dtype::int8, {}, dtype::float32),
              (scan_types{dtype::int8, dtype::float32, dtype::float32}));
    EXPECT_THROW(static_cast<void>(types(operation::minimum, dtype::complex64)), error);
    EXPECT_THROW(static_cast<void>(types(operation::bit_and, dtype::float32)), error);
    EXPECT_THROW(static_cast<void>(registry::resolve_types(operation::plus, dtype::float32, dtype::int64)),
                 error);
    EXPECT_THROW(
        static_cast<void>(registry::resolve_types(operation::plus, dtype::float32, {}, dtype::float16)),
        error);
}

TEST(registry, every_operator_scans_every_type_it_accepts) {
    const registry::device device("cpu", 2);
    int scanned = 0;
    for (const operation op : registry::operations()) {
        EXPECT_EQ(registry::parse_operation(registry::name(op)), op);
        for (int from = 0; from <= static_cast<int>(dtype::complex128); ++from) {
            for (int to = 0; to <= static_cast<int>(dtype::complex128); ++to) {
                const auto input = static_cast<dtype>(from);
                scan_types types;
                try {
                    types = registry::resolve_types(op, input, {}, static_cast<dtype>(to));
                } catch (const error&) {
                    continue;
                }
                registry::scan_request request;
                request.op = op;
                request.types = types;
                const auto scanner = registry::make_scanner(device, request);
                const std::vector<std::byte> zeros(6 * 16);
                std::vector<std::byte> out(6 * 16);
                scanner->scan(zeros.data(), out.data(), 6);
                EXPECT_EQ(scanner->count(), 6u);
                EXPECT_EQ(scanner->total().type(), types.accumulator);
                ++scanned;
            }
        }
    }
    EXPECT_GT(scanned, 500);
}

TEST(registry, values_as_text) {
    const auto again = [](const char* text, dtype type) {
        return registry::format_value(registry::parse_value(text, type));
    };
    EXPECT_EQ(again("-128", dtype::int8), "-128");
    EXPECT_EQ(again("+7", dtype::uint8), "7");
    EXPECT_EQ(again("18446744073709551615", dtype::uint64), "18446744073709551615");
    EXPECT_EQ(again("0.1", dtype::float32), "0.1");
    EXPECT_EQ(again("-inf", dtype::float64), "-inf");
    EXPECT_EQ(again("nan", dtype::float16), "nan");
    EXPECT_EQ(again("true", dtype::bool8), "true");
    EXPECT_EQ(again("1.5-2j", dtype::complex64), "1.5-2j");
    EXPECT_EQ(again("2j", dtype::complex128), "0+2j");
    EXPECT_EQ(again("3", dtype::complex128), "3+0j");
    for (const char* text : {"", "x", "1x", "128", "1.0", "--1", "+-1", " 1"})
        EXPECT_THROW(static_cast<void>(registry::parse_value(text, dtype::int8)), error) << text;
    for (const char* text : {"", "1+", "1+2", "1+2j3", "1j2j", "j", "1e999"})
        EXPECT_THROW(static_cast<void>(registry::parse_value(text, dtype::complex128)), error) << text;
    EXPECT_THROW(static_cast<void>(registry::parse_value("2", dtype::bool8)), error);
}

// Blocks from the front, or from the end in reverse, give what one scan gives.
template <class T, class Op>
void check_segments(operation op, dtype type, bool exclusive, bool reverse, bool initial) {
    SCOPED_TRACE(std::string(registry::name(op)) + (exclusive ? " exclusive" : "") +
                 (reverse ? " reverse" : "") + (initial ? " initial" : ""));
    const std::size_t n = 3 * 4096 + 777;
    std::vector<T> in(n);
    std::vector<std::uint8_t> heads(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto word = static_cast<std::uint32_t>(i) * 2654435761u;
        in[i] = T(static_cast<float>(word >> 24) / 16.0f - 8.0f);
        heads[i] = (word >> 9) % 5000 < 3 || i % 4096 == 4095 ? 1 : 0;
    }
    heads[2 * 4096] = 1;
    cpu::executor executor(3);
    std::vector<T> want(n);
    const batch_options<T> options{initial ? std::optional<T>(T(3)) : std::nullopt, reverse};
    if (exclusive)
        exclusive_segmented_scan(executor, by_head_flags(heads), in, want, Op(), options);
    else
        inclusive_segmented_scan(executor, by_head_flags(heads), in, want, Op(), options);

    const registry::device device("cpu", 3);
    registry::scan_request request{op, {type, type, type}, exclusive, reverse, {}};
    if (initial) request.initial = registry::value::of(type, T(3));
    for (const std::size_t block : {n, std::size_t{4096}, std::size_t{8192}}) {
        const auto scanner = registry::make_scanner(device, request);
        std::vector<T> got(n);
        for (std::size_t done = 0; done < n; done += std::min(block, n - done)) {
            const std::size_t count = std::min(block, n - done);
            const std::size_t first = reverse ? n - done - count : done;
            scanner->scan_segments(in.data() + first, heads.data() + first, got.data() + first, count);
        }
        EXPECT_EQ(first_difference(got.data(), want.data(), n), n);
        EXPECT_EQ(scanner->count(), n);
        EXPECT_THROW(scanner->scan(in.data(), got.data(), 1), error);
    }
}

TEST(registry, segments_block_by_block) {
    for (int mode = 0; mode < 8; ++mode) {
        const bool exclusive = (mode & 1) != 0;
        const bool reverse = (mode & 2) != 0;
        const bool initial = (mode & 4) != 0;
        check_segments<float, plus>(operation::plus, dtype::float32, exclusive, reverse, initial);
        check_segments<std::int32_t, maximum>(operation::maximum, dtype::int32, exclusive, reverse, initial);
        check_segments<std::complex<double>, plus>(operation::plus, dtype::complex128, exclusive, reverse,
                                                   initial);
    }
}

TEST(registry, an_axis_of_strided_memory) {
    const registry::device device;
    registry::scan_request request{
        operation::plus, {dtype::int16, dtype::int64, dtype::int64}, false, false, {}};
    const auto scanner = registry::make_scanner(device, request);
    const std::vector<std::int16_t> in = {1, 2, 3, 4, 5, 6};
    std::vector<std::int64_t> out(6);
    const std::vector<std::int64_t> shape = {2, 3};
    const std::vector<std::int64_t> backwards = {3, -1};
    const std::vector<std::int64_t> fortran = {1, 2};
    scanner->scan_axis(in.data() + 2, out.data(), {shape, backwards, fortran, -1});
    EXPECT_EQ(out, (std::vector<std::int64_t>{3, 6, 5, 11, 6, 15}));
    EXPECT_THROW(scanner->scan_axis(in.data(), out.data(), {shape, backwards, fortran, 2}), error);
    EXPECT_EQ(scanner->count(), 0u);
}

TEST(registry, an_axis_whose_results_begin_or_end_within_an_element) {
    const registry::device device;
    const std::vector<std::int64_t> shape = {3}, step = {1}, steps = {2};
    std::vector<std::int32_t> memory(12, 1);
    const auto scan = [&](dtype input, dtype output, const std::int32_t* in, std::int32_t* out,
                          const std::vector<std::int64_t>& in_strides) {
        const registry::scan_request request{operation::plus, {input, output, output}, false, false, {}};
        registry::make_scanner(device, request)->scan_axis(in, out, {shape, in_strides, step, 0});
    };
    EXPECT_THROW(scan(dtype::int64, dtype::int32, memory.data(), memory.data() + 5, step), error);
    EXPECT_THROW(scan(dtype::int32, dtype::int64, memory.data() + 5, memory.data(), step), error);
    // At the same places, but of other sizes.
    EXPECT_THROW(scan(dtype::int32, dtype::int64, memory.data(), memory.data(), steps), error);
    EXPECT_EQ(memory, std::vector<std::int32_t>(12, 1));
    scan(dtype::int64, dtype::int32, memory.data(), memory.data() + 6, step);
    EXPECT_EQ(memory, (std::vector<std::int32_t>{1, 1, 1, 1, 1, 1, 1, 2, 3, 1, 1, 1}));
}

TEST(registry, devices) {
    EXPECT_THROW(registry::device("cuda"), error);
    EXPECT_THROW(registry::device("abacus"), error);
    // Back ends are there when they have been added.
    const auto all = registry::list_devices();
    ASSERT_EQ(all.size(), 4u);
    EXPECT_TRUE(all[0].available);
    EXPECT_EQ(all[0].facts.at(0).key, "threads");
    EXPECT_GT(std::get<std::uint64_t>(all[0].facts.at(0).value), 0u);
    EXPECT_FALSE(all[1].available);
    EXPECT_EQ(all[1].reason, "this build has no back end for it");
}

}  // namespace
}  // namespace upsweep::test
