// The registry's totals along an axis, against the last results of its scans along it, of every type.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "registry/array_reducer.hpp"
#include "registry/reducer.hpp"
#include "registry/scanner.hpp"
#include "support/build.hpp"
#include "support/dtypes.hpp"
#include "support/registry_scans.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::operation;
using numbers3 = std::array<std::int64_t, 3>;

std::int64_t count_of(const numbers3& shape) { return shape[0] * shape[1] * shape[2]; }
std::int64_t offset_of(const numbers3& index, const numbers3& strides) {
    return index[0] * strides[0] + index[1] * strides[1] + index[2] * strides[2];
}

// Arrays of three dimensions: of the elements, in any order in memory, and of the totals, every second
// element of some memory, from back to front.
struct reduction {
    numbers3 shape;
    numbers3 in_strides;
    int axis;

    [[nodiscard]] std::size_t along() const { return static_cast<std::size_t>(axis < 0 ? axis + 3 : axis); }
    [[nodiscard]] numbers3 totals_shape() const {
        numbers3 made = shape;
        made[along()] = 1;
        return made;
    }
    // The axis's is not to be looked at.
    [[nodiscard]] numbers3 out_strides() const {
        const numbers3 of = totals_shape();
        numbers3 made{-2 * of[1] * of[2], -2 * of[2], -2};
        made[along()] = std::int64_t{1} << 40;
        return made;
    }
};

template <class Visitor>
void for_each_index(const numbers3& shape, const Visitor& visit) {
    numbers3 index{};
    for (index[0] = 0; index[0] < shape[0]; ++index[0])
        for (index[1] = 0; index[1] < shape[1]; ++index[1])
            for (index[2] = 0; index[2] < shape[2]; ++index[2]) visit(index);
}

void check_reduction(const registry::device& device, const registry::scan_request& request,
                     const reduction& of) {
    SCOPED_TRACE(describe_request(request) + ", axis " + std::to_string(of.axis) + " of " +
                 std::to_string(of.shape[0]) + " x " + std::to_string(of.shape[1]) + " x " +
                 std::to_string(of.shape[2]));
    const auto size = static_cast<std::ptrdiff_t>(registry::size_of(request.types.output));
    const auto count = static_cast<std::size_t>(count_of(of.shape));
    const std::vector<std::byte> in = random_elements(request.types.input, count, 7);
    const numbers3 rows{of.shape[1] * of.shape[2], of.shape[2], 1};
    std::vector<std::byte> scanned(count * static_cast<std::size_t>(size));
    registry::make_scanner(device, request)
        ->scan_axis(in.data(), scanned.data(), {of.shape, of.in_strides, rows, of.axis});

    const numbers3 totals = of.totals_shape(), strides = of.out_strides();
    const std::int64_t total_count = count_of(totals);
    std::vector<std::byte> out(static_cast<std::size_t>((2 * total_count + 1) * size), std::byte{0xcb});
    std::vector<std::byte> expected = out;
    for_each_index(totals, [&](const numbers3& index) {
        numbers3 last = index;
        last[of.along()] = of.shape[of.along()] - 1;
        std::memcpy(expected.data() + (2 * total_count + offset_of(index, strides)) * size,
                    scanned.data() + offset_of(last, rows) * size, static_cast<std::size_t>(size));
    });
    registry::reduce_array(device, request, in.data(), out.data() + 2 * total_count * size,
                           {of.shape, of.in_strides, strides, of.axis});
    expect_equal_elements(request.types.output, out, expected);
}

// Sequences side by side, in one piece, and scattered.
void check_layouts(const registry::device& device, const registry::scan_request& request, std::int64_t n) {
    check_reduction(device, request, {{2, n, 5}, {5 * n, 5, 1}, 1});
    check_reduction(device, request, {{3, 2, n}, {2 * n, n, 1}, -1});
    check_reduction(device, request, {{n, 2, 3}, {2, 1, 2 * n}, 0});
}

TEST(registry_array_reducer, every_type_and_operator) {
    const registry::device device("cpu", 2);
    int checked = 0;
    for (const operation op : registry::operations()) {
        if (sanitized && op != operation::plus && op != operation::maximum) continue;
        for (const dtype input : all_types) {
            registry::scan_request request;
            request.op = op;
            try {
                request.types = registry::resolve_types(op, input);
            } catch (const error&) {
                continue;  // not defined
            }
            check_layouts(device, request, 300);
            request.initial = registry::parse_value("1", request.types.accumulator);
            check_layouts(device, request, 7);
            ++checked;
        }
    }
    EXPECT_GT(checked, sanitized ? 20 : 80);
}

TEST(registry_array_reducer, every_length) {
    const registry::device device("cpu", 3);
    for (const dtype input : {dtype::int8, dtype::float16, dtype::float32, dtype::complex64}) {
        registry::scan_request request;
        request.types = registry::resolve_types(operation::plus, input, dtype::complex128);
        for (const std::int64_t n : {1, 3, 4, 127, 128, 129, 4095, 4096, 4097, 131'072, 131'075}) {
            if (sanitized && n > 5000) continue;
            check_reduction(device, request, {{1, n, 1}, {n, 1, 1}, 1});
            check_reduction(device, request, {{n, 1, 3}, {3, 3, 1}, 0});
        }
    }
}

TEST(registry_array_reducer, of_no_elements) {
    const registry::device device("cpu", 1);
    for (const operation op : {operation::plus, operation::minimum, operation::logical_and}) {
        registry::scan_request request;
        request.op = op;
        request.types = registry::resolve_types(op, dtype::float16);
        for (const bool starts : {false, true}) {
            if (starts) request.initial = registry::parse_value("1", request.types.accumulator);
            const registry::value nothing = registry::total_of_nothing(request);
            const std::size_t size = registry::size_of(nothing.type());
            std::vector<std::byte> out(6 * size, std::byte{0xcb}), expected = out;
            for (const std::size_t k : {0u, 2u, 4u}) std::memcpy(&expected[k * size], nothing.data(), size);
            const numbers3 shape{1, 3, 0};
            registry::reduce_array(device, request, nullptr, out.data(),
                                   {shape, numbers3{0, 0, 1}, numbers3{6, 2, 9}, 2});
            EXPECT_EQ(out, expected);
            registry::reduce_array(device, request, nullptr, out.data(),
                                   {shape, numbers3{0, 0, 1}, numbers3{6, 0, 1}, 1});
            EXPECT_EQ(out, expected);  // there are no sequences
        }
    }
}

TEST(registry_array_reducer, what_is_refused) {
    const registry::device device("cpu", 1);
    const registry::scan_request request;  // of doubles
    std::vector<double> memory(8, 1.0);
    const std::vector<std::int64_t> one{1}, two{2, 1}, shape{2, 2}, none, many(65, 1);
    const auto reduce = [&](const auto& extents, const auto& in, const auto& out, int axis, double* to) {
        registry::reduce_array(device, request, memory.data(), to, {extents, in, out, axis});
    };
    double* const behind = memory.data() + 4;
    EXPECT_THROW(reduce(shape, two, two, 2, behind), error);
    EXPECT_THROW(reduce(shape, two, two, -3, behind), error);
    EXPECT_THROW(reduce(shape, two, one, 0, behind), error);
    EXPECT_THROW(reduce(shape, one, two, 0, behind), error);
    EXPECT_THROW(reduce(none, none, none, 0, behind), error);
    EXPECT_THROW(reduce(many, many, many, 0, behind), error);
    EXPECT_THROW(reduce(shape, two, std::vector<std::int64_t>{1, 0}, 0, behind), error);
    EXPECT_THROW(reduce(shape, two, two, 0, memory.data() + 3), error);
    // Bytes within the last element alone.
    registry::scan_request narrow = request;
    narrow.types.output = dtype::float32;
    EXPECT_THROW(registry::reduce_array(device, narrow, memory.data(),
                                        reinterpret_cast<float*>(memory.data()) + 7, {shape, two, two, 0}),
                 error);
    registry::scan_request wrong = request;
    wrong.op = operation::bit_and;
    EXPECT_THROW(registry::reduce_array(device, wrong, memory.data(), behind, {shape, two, two, 0}), error);
    EXPECT_EQ(memory, std::vector<double>(8, 1.0));
    reduce(shape, two, two, 0, behind);
    EXPECT_EQ(memory, (std::vector<double>{1, 1, 1, 1, 2, 2, 1, 1}));
}

}  // namespace
}  // namespace upsweep::test
