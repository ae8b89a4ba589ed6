// Totals along an axis given some rows at a time, against the last results of scans of each sequence, of
// every type and operator, for parts of every level.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "registry/axis_reducer.hpp"
#include "registry/reducer.hpp"
#include "support/build.hpp"
#include "support/dtypes.hpp"
#include "support/registry_scans.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::operation;

// Column k scanned as a sequence of its own.
std::vector<std::byte> last_results(const registry::device& device, const registry::scan_request& request,
                                    const std::vector<std::byte>& in, std::size_t rows, std::size_t width) {
    const std::size_t from = registry::size_of(request.types.input),
                      to = registry::size_of(request.types.output);
    std::vector<std::byte> last;
    std::vector<std::byte> column(rows * from), out(rows * to);
    for (std::size_t k = 0; k < width; ++k) {
        for (std::size_t i = 0; i < rows; ++i)
            std::memcpy(column.data() + i * from, in.data() + (i * width + k) * from, from);
        registry::make_scanner(device, request)->scan(column.data(), out.data(), rows);
        last.insert(last.end(), out.end() - static_cast<std::ptrdiff_t>(to), out.end());
    }
    return last;
}

std::vector<std::byte> reduced(registry::axis_reducer& totals, const registry::scan_request& request,
                               const std::vector<std::byte>& in, std::size_t rows, std::size_t parts) {
    const std::size_t row = totals.width() * registry::size_of(request.types.input);
    for (std::size_t done = 0; done < rows;) {
        const std::size_t count = std::min(parts * totals.multiple(), rows - done);
        totals.add(in.data() + done * row, count);
        done += count;
    }
    std::vector<std::byte> out(totals.width() * registry::size_of(request.types.output), std::byte{0xcb});
    totals.finish(out.data());
    return out;
}

TEST(axis_reducer, every_type_and_operator) {
    const registry::device device("cpu", 2);
    constexpr std::size_t width = 3, rows = 4500;
    for (const operation op : registry::operations()) {
        if (sanitized && op != operation::plus && op != operation::maximum) continue;
        for (const dtype type : all_types) {
            registry::scan_request request;
            request.op = op;
            try {
                request.types = registry::resolve_types(op, type);
            } catch (const error&) {
                continue;  // not defined
            }
            SCOPED_TRACE(std::string(registry::name(op)) + " of " + std::string(registry::name(type)));
            const auto in = random_elements(type, rows * width, 5);
            for (const bool starts : {false, true}) {
                if (starts) request.initial = registry::parse_value("1", request.types.accumulator);
                const auto want = last_results(device, request, in, rows, width);
                for (const std::size_t most : {1u, 127u, 4096u}) {
                    if (sanitized && most == 1) continue;
                    registry::axis_reducer totals(device, request, width, most);
                    expect_equal_elements(request.types.output, reduced(totals, request, in, rows, 2), want);
                }
            }
        }
    }
}

// Lengths around every level, each reducer for several sequences one after the other.
TEST(axis_reducer, every_level) {
    const registry::device device("cpu", 2);
    registry::scan_request request;
    request.types = registry::resolve_types(operation::plus, dtype::float32);
    constexpr std::size_t width = 2;
    std::vector<std::size_t> lengths{1,    3,    4,    5,      127,    128,    129,
                                     4095, 4096, 4097, 131071, 131072, 131073, 270000};
    const auto in = random_elements(dtype::float32, lengths.back() * width, 9);
    std::vector<std::vector<std::byte>> want;
    for (const std::size_t rows : lengths) want.push_back(last_results(device, request, in, rows, width));
    const std::vector<std::pair<std::size_t, std::size_t>> levels = {
        {1, 1},      {3, 1},       {4, 4},         {127, 4},         {128, 128},
        {4095, 128}, {4096, 4096}, {131071, 4096}, {131072, 131072}, {10000000, 131072}};
    for (const auto& [most, multiple] : levels) {
        SCOPED_TRACE(most);
        registry::axis_reducer totals(device, request, width, most);
        EXPECT_EQ(totals.multiple(), multiple);
        for (std::size_t k = 0; k < lengths.size(); ++k) {
            if (sanitized && lengths[k] > 5000 && multiple < 4096) continue;
            expect_equal_elements(dtype::float32, reduced(totals, request, in, lengths[k], 1 + k % 3),
                                  want[k]);
        }
    }
}

TEST(axis_reducer, of_no_rows) {
    const registry::device device("cpu", 1);
    for (const operation op : {operation::plus, operation::minimum, operation::logical_and}) {
        registry::scan_request request;
        request.op = op;
        request.types = registry::resolve_types(op, dtype::float16);
        for (const bool starts : {false, true}) {
            if (starts) request.initial = registry::parse_value("1", request.types.accumulator);
            registry::axis_reducer totals(device, request, 2, 100);
            const auto nothing = registry::total_of_nothing(request);
            const auto* bytes = nothing.data();
            const std::size_t size = registry::size_of(nothing.type());
            std::vector<std::byte> want(bytes, bytes + size);
            want.insert(want.end(), bytes, bytes + size);
            EXPECT_EQ(reduced(totals, request, {}, 0, 1), want);
        }
    }
}

TEST(axis_reducer, rows_that_are_no_multiple) {
    const registry::device device("cpu", 1);
    registry::scan_request request;
    request.types = registry::resolve_types(operation::plus, dtype::int8);
    registry::axis_reducer totals(device, request, 1, 4);
    const std::vector<std::byte> in(8, std::byte{1});
    totals.add(in.data(), 4);
    totals.add(in.data(), 3);
    EXPECT_THROW(totals.add(in.data(), 1), error);
    std::int64_t sum = 0;
    totals.finish(&sum);
    EXPECT_EQ(sum, 7);
}

}  // namespace
}  // namespace upsweep::test
