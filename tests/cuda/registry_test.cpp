// Scans of run-time types on a GPU: every operator on every triple of types, block by block, with the bytes
// of the CPU's scanner.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "registry/back_end.hpp"
#include "registry/measure.hpp"
#include "registry/scanner.hpp"
#include "registry/visit.hpp"
#include "support/bits.hpp"
#include "support/random.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::operation;

constexpr std::size_t super = 131072;

const registry::device& gpu() {
    static const registry::device opened = [] {
        registry::add_cuda();
        return registry::device("cuda");
    }();
    return opened;
}
const registry::device& cpu() {
    static const registry::device opened("cpu");
    return opened;
}

// Small numbers of both signs, with fractions where there are any, and few large ones.
std::vector<std::byte> random_elements(dtype type, std::size_t n, std::uint64_t seed) {
    std::vector<std::byte> bytes(n * registry::size_of(type));
    random_bits random(seed);
    registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < n; ++i) {
            T x;
            if constexpr (std::is_same_v<T, bool>)
                x = random.below(3) != 0;
            else if constexpr (std::is_integral_v<T>)
                x = static_cast<T>(random() >> random.below(64));
            else if constexpr (is_complex<T>)
                x = T(static_cast<typename T::value_type>(random.between(-1, 1)),
                      static_cast<typename T::value_type>(random.between(-1, 1)));
            else
                x = T(static_cast<float>(random.between(-1.5, 1.5)));
            std::memcpy(bytes.data() + i * sizeof(T), static_cast<const void*>(&x), sizeof(T));
        }
    });
    return bytes;
}

// Blocks of `block` elements, in scan order.
std::vector<std::byte> scan(registry::scanner& scanner, const registry::scan_request& request,
                            const std::vector<std::byte>& in, std::size_t n, std::size_t block) {
    const std::size_t in_size = registry::size_of(request.types.input),
                      out_size = registry::size_of(request.types.output);
    std::vector<std::byte> out(n * out_size, std::byte{0xcb});
    for (std::size_t done = 0; done < n; done += std::min(block, n - done)) {
        const std::size_t count = std::min(block, n - done);
        const std::size_t first = request.reverse ? n - done - count : done;
        scanner.scan(in.data() + first * in_size, out.data() + first * out_size, count);
    }
    return out;
}

void expect_the_cpus_bytes(const registry::scan_request& request, std::size_t n, std::size_t block) {
    const std::vector<std::byte> in = random_elements(request.types.input, n, n + block);
    const auto one = registry::make_scanner(cpu(), request), other = registry::make_scanner(gpu(), request);
    const std::vector<std::byte> expected = scan(*one, request, in, n, n),
                                 got = scan(*other, request, in, n, block);
    registry::visit_type(request.types.output, [&]<class T>(std::type_identity<T>) {
        const auto* x = reinterpret_cast<const T*>(expected.data());
        const auto* y = reinterpret_cast<const T*>(got.data());
        const std::size_t wrong = first_difference(y, x, n);
        EXPECT_EQ(wrong, n) << "out[" << wrong << "] is " << describe(y[wrong]) << ", expected "
                            << describe(x[wrong]);
    });
    EXPECT_EQ(registry::format_value(other->total()), registry::format_value(one->total()));
    EXPECT_EQ(other->total().type(), request.types.accumulator);
    EXPECT_EQ(other->count(), n);
}

std::string describe(const registry::scan_request& request) {
    return std::string(name(request.op)) + " from " + std::string(name(request.types.input)) + " in " +
           std::string(name(request.types.accumulator)) + " to " + std::string(name(request.types.output)) +
           (request.exclusive ? ", exclusive" : "") + (request.reverse ? ", reverse" : "") +
           (request.initial ? ", initial value" : "");
}

TEST(cuda_registry, every_operator_on_every_triple_of_types) {
    unsigned turn = 0;
    for (const operation op : registry::operations()) {
        for (int from = 0; from <= static_cast<int>(dtype::complex128); ++from) {
            for (int in = 0; in <= static_cast<int>(dtype::complex128); ++in) {
                for (int to = 0; to <= static_cast<int>(dtype::complex128); ++to) {
                    registry::scan_request request;
                    request.op = op;
                    try {
                        request.types = registry::resolve_types(
                            op, static_cast<dtype>(from), static_cast<dtype>(to), static_cast<dtype>(in));
                    } catch (const error&) {
                        continue;
                    }
                    ++turn;
                    request.exclusive = turn % 2 != 0;
                    request.reverse = turn / 2 % 2 != 0;
                    if (turn / 4 % 2 != 0)
                        request.initial = registry::parse_value(
                            request.types.accumulator == dtype::bool8 ? "1" : "3", request.types.accumulator);
                    SCOPED_TRACE(describe(request));
                    expect_the_cpus_bytes(request, turn % 3 == 0 ? 5000 : turn % 700, super);
                    if (HasFailure()) return;
                }
            }
        }
    }
    EXPECT_GT(turn, 2000u);
}

TEST(cuda_registry, blocks_and_pieces_continue_each_other) {
    for (const auto& [op, type] :
         {std::pair(operation::plus, dtype::float32), std::pair(operation::plus, dtype::int8),
          std::pair(operation::maximum, dtype::float16),
          std::pair(operation::multiplies, dtype::complex128)}) {
        for (unsigned mode = 0; mode < 8; ++mode) {
            registry::scan_request request{
                op, registry::resolve_types(op, type), (mode & 1) != 0, (mode & 2) != 0, {}};
            if ((mode & 4) != 0) request.initial = registry::parse_value("2", request.types.accumulator);
            SCOPED_TRACE(describe(request));
            expect_the_cpus_bytes(request, 5 * super + 777, super);
            expect_the_cpus_bytes(request, 5 * super + 777, 2 * super);
            expect_the_cpus_bytes(request, 40 * super + 5, 40 * super + 5);  // several pieces in one block
        }
    }
}

TEST(cuda_registry, a_scanner_begins_anew) {
    const registry::scan_request request{operation::plus,
                                         registry::resolve_types(operation::plus, dtype::float32)};
    const auto scanner = registry::make_scanner(gpu(), request);
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
    }
    // In place.
    std::vector<float> both = ones;
    scanner->scan(both.data(), both.data(), 1000);
    EXPECT_EQ(both[999], 1000.0f);
}

TEST(cuda_registry, what_the_gpu_does_not_do_is_refused) {
    const registry::scan_request request{operation::plus,
                                         registry::resolve_types(operation::plus, dtype::float32)};
    const auto scanner = registry::make_scanner(gpu(), request);
    const std::vector<float> in(4);
    std::vector<float> out(4);
    const std::vector<std::uint8_t> heads(4);
    EXPECT_THROW(scanner->scan_segments(in.data(), heads.data(), out.data(), 4), error);
    const std::vector<std::int64_t> shape{2, 2}, strides{2, 1};
    EXPECT_THROW(scanner->scan_axis(in.data(), out.data(), {shape, strides, strides, 0}), error);
    EXPECT_THROW(registry::device("cuda:99"), error);
    EXPECT_THROW(registry::device("cuda:x"), error);
    EXPECT_THROW(registry::device("cuda:"), error);
}

TEST(cuda_registry, lists_and_measures_gpus) {
    gpu();
    const auto all = registry::list_devices();
    ASSERT_GE(all.size(), 4u);
    EXPECT_EQ(all[1].name, "cuda");
    EXPECT_TRUE(all[1].available) << all[1].reason;
    EXPECT_GT(all[1].memory_bytes, std::uint64_t{1} << 30);
    EXPECT_GT(all[1].multiprocessors, 0);
    EXPECT_FALSE(all[1].model.empty());
    EXPECT_GT(registry::copy_bandwidth(gpu()), 1e10);
    const registry::measurement seen =
        registry::measure_scan(gpu(), operation::plus, dtype::float32, 1 << 20, true, 0.05);
    EXPECT_GT(seen.seconds, 0);
    EXPECT_GT(seen.copy_seconds, 0);
    EXPECT_GE(seen.rounds, 5);
    EXPECT_THROW(
        static_cast<void>(registry::measure_scan(gpu(), operation::plus, dtype::float16, 100, false, 0.01)),
        error);
}

TEST(cuda_registry, auto_takes_a_gpu_for_large_sequences_alone) {
    gpu();  // adds the back end
    const auto settled = [](const registry::workload& work) {
        registry::device device("auto");
        EXPECT_EQ(device.name(), "cpu");
        device.settle(work);
        return std::string(device.name());
    };
    EXPECT_EQ(settled({std::uint64_t{1} << 40, true}), "cuda");
    EXPECT_EQ(settled({std::uint64_t{1} << 40, false}), "cpu");
    EXPECT_EQ(settled({std::uint64_t{1} << 20, true}), "cpu");
    EXPECT_EQ(settled({0, true}), "cpu");
    registry::device device("cpu");
    device.settle({std::uint64_t{1} << 40, true});
    EXPECT_EQ(device.name(), "cpu");
}

}  // namespace
}  // namespace upsweep::test
