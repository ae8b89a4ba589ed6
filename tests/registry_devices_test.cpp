// Scans of run-time types on every device of this build and machine: every operator on every triple of types,
// block by block and piece by piece, with the bytes of the CPU's scanner.
//
// Devices that this build has no back end for are skipped, GPUs of CUDA too where there is none; OpenGL and
// Vulkan have software drivers, so their absence is a failure. tests/cuda builds this file too.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "registry/back_end.hpp"
#include "registry/measure.hpp"
#include "support/build.hpp"
#include "support/registry_scans.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::operation;

constexpr std::size_t super = 131072;

const registry::device& cpu() {
    static const registry::device opened("cpu");
    return opened;
}

const registry::device_info& info_of(const std::string& name) {
    static const std::vector<registry::device_info> all = [] {
        registry::add_back_ends();
        return registry::list_devices();
    }();
    for (const registry::device_info& info : all) {
        if (info.name == name) return info;
    }
    throw_error(errc::invalid_argument, name + " is not listed");
}

class registry_devices : public ::testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        const registry::device_info& info = info_of(GetParam());
        const bool built = info.reason != "this build has no back end for it";
        ASSERT_TRUE(info.available || !built || GetParam() == "cuda") << info.reason;
        if (!info.available) GTEST_SKIP() << info.reason;
    }
    static const registry::device& device() {
        static std::map<std::string, registry::device> opened;
        return opened.try_emplace(GetParam(), GetParam()).first->second;
    }
    // OpenGL and Vulkan have no complex numbers.
    static bool lacks(dtype accumulator) {
        return GetParam() != "cuda" && registry::is_complex_type(accumulator);
    }
};

TEST_P(registry_devices, every_operator_on_every_triple_of_types) {
    unsigned turn = 0, refused = 0;
    for (const operation op : registry::operations()) {
        // Under a sanitizer a few triples: the drivers, which compile for each, are not seen.
        unsigned seen = 0;
        for (int from = 0; from <= static_cast<int>(dtype::complex128); ++from) {
            for (int in = 0; in <= static_cast<int>(dtype::complex128); ++in) {
                for (int to = 0; to <= static_cast<int>(dtype::complex128); ++to) {
                    // The CPU converts for OpenGL and Vulkan, elements and results by themselves.
                    if (GetParam() != "cuda" && from != in && to != in) continue;
                    registry::scan_request request;
                    request.op = op;
                    try {
                        request.types = registry::resolve_types(
                            op, static_cast<dtype>(from), static_cast<dtype>(to), static_cast<dtype>(in));
                    } catch (const error&) {
                        continue;
                    }
                    if (sanitized && seen++ % 29 != 0) continue;
                    ++turn;
                    request.exclusive = turn % 2 != 0;
                    request.reverse = turn / 2 % 2 != 0;
                    if (turn / 4 % 2 != 0)
                        request.initial = registry::parse_value(
                            request.types.accumulator == dtype::bool8 ? "1" : "3", request.types.accumulator);
                    SCOPED_TRACE(describe_request(request));
                    if (lacks(request.types.accumulator)) {
                        ++refused;
                        EXPECT_THROW(static_cast<void>(registry::make_scanner(device(), request)), error);
                        continue;
                    }
                    // More than a tile takes two more programs of the operator on the accumulator, whose only
                    // line of their own one tile's program has too; where it rounds, they decide the
                    // grouping.
                    const dtype accumulator = request.types.accumulator;
                    const bool exact = accumulator == dtype::bool8 || registry::is_integer_type(accumulator);
                    const bool tiles = GetParam() == "cuda" || op == operation::plus || !exact;
                    expect_equal_scans(cpu(), device(), request, tiles && turn % 3 == 0 ? 5000 : turn % 700,
                                       super);
                    if (HasFailure()) return;
                }
            }
        }
    }
    EXPECT_GT(turn - refused, GetParam() == "cuda" ? 1800u : sanitized ? 10u : 400u);
}

TEST_P(registry_devices, blocks_and_pieces_continue_each_other) {
    for (const auto& [op, type] :
         {std::pair(operation::plus, dtype::float32), std::pair(operation::plus, dtype::int8),
          std::pair(operation::maximum, dtype::float16), std::pair(operation::minimum, dtype::bool8),
          std::pair(operation::multiplies, dtype::complex128)}) {
        for (unsigned mode = 0; mode < 8; ++mode) {
            registry::scan_request request{
                op, registry::resolve_types(op, type), (mode & 1) != 0, (mode & 2) != 0, {}};
            const bool is_short = sanitized || type != dtype::float32;
            if (lacks(request.types.accumulator) || (is_short && mode != 1 && mode != 7)) continue;
            if (sanitized && (type == dtype::int8 || (type != dtype::float32 && mode == 1))) continue;
            if ((mode & 4) != 0) request.initial = registry::parse_value("1", request.types.accumulator);
            SCOPED_TRACE(describe_request(request));
            for (const std::size_t n : {std::size_t{0}, std::size_t{1}, super, 2 * super + 777}) {
                if (sanitized && n == super) continue;
                expect_equal_scans(cpu(), device(), request, n, super);
            }
            request.piece_bytes = 1;  // a super
            expect_equal_scans(cpu(), device(), request, 3 * super + 1, 2 * super);
        }
    }
    // Several pieces of the usual size in one block.
    const registry::scan_request request{operation::plus,
                                         registry::resolve_types(operation::plus, dtype::float64)};
    expect_equal_scans(cpu(), device(), request, 9 * super + 5, 9 * super + 5);
}

TEST_P(registry_devices, a_scanner_begins_anew) {
    registry::scan_request request{operation::plus, registry::resolve_types(operation::plus, dtype::float32)};
    const auto scanner = registry::make_scanner(device(), request);
    EXPECT_EQ(registry::format_value(scanner->total()), "-0");
    EXPECT_EQ(scanner->multiple(), super);
    const std::vector<float> ones(1000, 1.0f);
    std::vector<float> out(1000);
    for (int k = 0; k < 5; ++k) {
        scanner->scan(ones.data(), out.data(), 1000);
        EXPECT_EQ(out[999], 1000.0f);
        EXPECT_EQ(registry::format_value(scanner->total()), "1000");
        EXPECT_THROW(scanner->scan(ones.data(), out.data(), 1), error)
            << "the block before was not whole supers";
        scanner->restart();
        EXPECT_EQ(scanner->count(), 0u);
        EXPECT_EQ(registry::format_value(scanner->total()), "-0");
    }
    // In place.
    std::vector<float> both = ones;
    scanner->scan(both.data(), both.data(), 1000);
    EXPECT_EQ(both[999], 1000.0f);
    // Two scanners of one device at once.
    const auto other = registry::make_scanner(device(), request);
    scanner->restart();
    scanner->scan(ones.data(), out.data(), 10);
    other->scan(ones.data(), both.data(), 20);
    EXPECT_EQ(registry::format_value(scanner->total()), "10");
    EXPECT_EQ(registry::format_value(other->total()), "20");
    request.initial = registry::value::of(dtype::float64, 1.0);
    EXPECT_THROW(static_cast<void>(registry::make_scanner(device(), request)), error);
}

TEST_P(registry_devices, every_operator_along_an_axis) {
    // Turned round, with gaps in both arrays and steps backwards, in memory as in the results' order or not.
    struct layout {
        std::vector<std::int64_t> shape, in, out;
        int axis;
        std::size_t in_first, out_first, in_size, out_size;
    };
    const std::vector<layout> layouts = {
        {{3, 70, 5}, {350, 5, 1}, {350, 5, 1}, 1, 0, 0, 1050, 1050},
        {{7, 150}, {150, 1}, {150, 1}, 1, 0, 0, 1050, 1050},
        {{7, 150}, {1, 7}, {151, 1}, 0, 0, 0, 1050, 1060},
        {{5, 9, 20}, {-180, 20, -1}, {1, 5, 46}, -1, 4 * 180 + 19, 0, 900, 45 * 20 + 50},
        {{1100}, {-2}, {3}, 0, 2198, 0, 2200, 3300},
        {{4, 0, 2}, {0, 2, 1}, {0, 2, 1}, 0, 0, 0, 1, 1}};
    unsigned turn = 0, number = 0;
    std::size_t triples = 0;
    for (const operation op : registry::operations()) {
        std::vector<registry::scan_request> requests;
        for (int triple = 0; triple < 15 * 15 * 15; ++triple) {
            registry::scan_request request;
            request.op = op;
            try {
                request.types = registry::resolve_types(op, static_cast<dtype>(triple % 15),
                                                        static_cast<dtype>(triple / 15 % 15),
                                                        static_cast<dtype>(triple / 225));
            } catch (const error&) {
                continue;
            }
            if (!lacks(request.types.accumulator)) requests.push_back(request);
        }
        triples += requests.size();
        // The CPU converts for OpenGL and Vulkan, elements and results by themselves, and a software driver
        // compiles programs for each operator and accumulator: one triple an operator, each of other types.
        if (GetParam() != "cuda") {
            const std::size_t operators = registry::operations().size();
            const std::size_t place = (operators - 1 + 4 * number++) % operators;
            requests = {requests.at(requests.size() * place / operators)};
        }
        for (registry::scan_request& request : requests) {
            const layout& how = layouts.at(turn % layouts.size());
            request.exclusive = turn % 2 != 0;
            request.reverse = turn / 2 % 2 != 0;
            if (turn / 4 % 2 != 0)
                request.initial = registry::parse_value(request.types.accumulator == dtype::bool8 ? "1" : "3",
                                                        request.types.accumulator);
            ++turn;
            SCOPED_TRACE(describe_request(request) + ", layout " +
                         std::to_string((turn - 1) % layouts.size()));
            const std::size_t in_size = registry::size_of(request.types.input),
                              out_size = registry::size_of(request.types.output);
            const std::vector<std::byte> in = random_elements(request.types.input, how.in_size, turn);
            const auto scanned_by = [&](const registry::device& where) {
                std::vector<std::byte> out(how.out_size * out_size, std::byte{1});
                registry::make_scanner(where, request)
                    ->scan_axis(in.data() + how.in_first * in_size, out.data() + how.out_first * out_size,
                                {how.shape, how.in, how.out, how.axis});
                return out;
            };
            expect_equal_elements(request.types.output, scanned_by(device()), scanned_by(cpu()));
            if (HasFailure()) return;
        }
    }
    EXPECT_GT(triples, GetParam() == "cuda" ? 1800u : 1500u);
    EXPECT_EQ(turn, GetParam() == "cuda" ? triples : registry::operations().size());
    // Long enough for several tiles, blocks and launches, and in place.
    for (const dtype type : {dtype::float32, dtype::uint8, dtype::bfloat16}) {
        if (sanitized && type == dtype::uint8) continue;
        const registry::scan_request request{operation::plus,
                                             registry::resolve_types(operation::plus, type, type), true};
        for (const int axis : {0, 1}) {
            std::vector<std::byte> got = random_elements(type, 3 * 100'003, 5), want = got;
            const std::vector<std::int64_t> shape{axis == 0 ? 100'003 : 3, axis == 0 ? 3 : 100'003};
            const std::vector<std::int64_t> strides{shape[1], 1};
            registry::make_scanner(device(), request)
                ->scan_axis(got.data(), got.data(), {shape, strides, strides, axis});
            registry::make_scanner(cpu(), request)
                ->scan_axis(want.data(), want.data(), {shape, strides, strides, axis});
            SCOPED_TRACE("axis " + std::to_string(axis));
            expect_equal_elements(type, got, want);
        }
    }
}

TEST_P(registry_devices, what_it_does_not_do_is_refused) {
    const registry::scan_request request{operation::plus,
                                         registry::resolve_types(operation::plus, dtype::float32)};
    const auto scanner = registry::make_scanner(device(), request);
    const std::vector<float> in(4);
    std::vector<float> out(4, 7.0f);
    const std::vector<std::uint8_t> heads(4);
    const auto refusal = [](const auto& call) {
        try {
            call();
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::unsupported);
            return std::string(problem.what());
        }
        return std::string("nothing was refused");
    };
    const std::string prefix = "device " + GetParam() + ": ";
    EXPECT_EQ(refusal([&] {
                  scanner->scan_segments(in.data(), heads.data(), out.data(), 4);
              }).find(prefix + "scans of groups"),
              0u);
    EXPECT_EQ(out, std::vector<float>(4, 7.0f));
    EXPECT_THROW(registry::device(GetParam() + ":99"), error);
    EXPECT_EQ(registry::device(GetParam() + ":0").name(), GetParam());
}

TEST_P(registry_devices, is_listed_and_measured) {
    const registry::device_info& info = info_of(GetParam());
    EXPECT_FALSE(info.model.empty());
    EXPECT_FALSE(info.details.empty());
    EXPECT_FALSE(info.facts.empty());
    EXPECT_EQ(device().name(), GetParam());
    EXPECT_EQ(device().summary(), info.model);
    EXPECT_EQ(device().findings(), std::vector<std::string>());
    EXPECT_GT(registry::copy_bandwidth(device()), 1e7);
    for (const dtype type : {dtype::float32, dtype::int64}) {
        const registry::measurement seen =
            registry::measure_scan(device(), operation::plus, type, 1 << 18, false, 0.02);
        EXPECT_GT(seen.seconds, 0);
        EXPECT_GT(seen.copy_seconds, 0);
        EXPECT_GE(seen.rounds, 5);
    }
    EXPECT_THROW(static_cast<void>(
                     registry::measure_scan(device(), operation::plus, dtype::float16, 100, false, 0.01)),
                 error);
}

INSTANTIATE_TEST_SUITE_P(devices, registry_devices, ::testing::Values("cuda", "gl", "vulkan"),
                         [](const auto& test) { return test.param; });

TEST(registry_device_names, are_read_and_told) {
    for (const char* wrong : {"", "abacus", "cpu:1", "auto:0", "cuda:", "cuda:x", "cuda:-1", "gl:1x", ":1"}) {
        try {
            registry::device device(wrong);
            ADD_FAILURE() << wrong;
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::invalid_argument) << wrong;
        }
    }
    EXPECT_EQ(registry::device().name(), "cpu");
    EXPECT_EQ(registry::device("cpu").accelerated(), nullptr);
}

TEST(registry_device_names, auto_is_the_gpu_that_is_there) {
    registry::add_back_ends();
    const std::vector<registry::device_info> all = registry::list_devices();
    const bool gpu = std::any_of(all.begin(), all.end(), [](const registry::device_info& one) {
        return one.name == "cuda" && one.available;
    });
    const registry::device chosen("auto");
    EXPECT_EQ(chosen.name(), gpu ? "cuda" : "cpu");
    EXPECT_EQ(chosen.accelerated() != nullptr, gpu);
}

}  // namespace
}  // namespace upsweep::test
