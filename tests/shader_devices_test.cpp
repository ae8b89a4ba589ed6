// What is refused of a device whose driver has other bits, on a device made up for it.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "registry/shader/device.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;
using registry::operation;

// Copies instead of scanning, so that what comes out shows the conversions; its total is the first element.
// Of arrays it takes those of two dimensions and 32 bits.
class made_up final : public registry::shader_device {
  public:
    explicit made_up(std::vector<std::string> findings) : shader_device("made up") {
        conformance_.findings = std::move(findings);
    }
    void scan(const registry::shader_scan& how, std::span<const std::byte> in, std::span<std::byte> out,
              std::span<std::byte> total) override {
        latest = how;
        if (in.data() != out.data()) std::memcpy(out.data(), in.data(), in.size());
        std::memcpy(total.data(), in.data(), total.size());
    }
    void scan_axis(const registry::shader_scan& how, const registry::shader_array& in,
                   const registry::shader_array& out, int axis) override {
        latest = how;
        latest_axis = axis;
        const auto place = [](const registry::shader_array& array, std::int64_t i, std::int64_t j) {
            const std::int64_t at = i * array.strides[0] + j * array.strides[1];
            return array.bytes.data() + (static_cast<std::int64_t>(array.first) + at) * 4;
        };
        for (std::int64_t i = 0; i < in.shape[0]; ++i)
            for (std::int64_t j = 0; j < in.shape[1]; ++j) std::memcpy(place(out, i, j), place(in, i, j), 4);
    }
    registry::shader_scan latest;
    int latest_axis = -1;

  protected:
    const shader::conformance& conformance() override { return conformance_; }
    bool supports(const shader::operation& op) const override {
        return op.type != shader::element_type::float64;
    }
    std::unique_ptr<registry::timed_scan> make_timing(const registry::shader_scan&,
                                                      std::span<const std::byte>, std::size_t) override {
        return nullptr;
    }

  private:
    shader::conformance conformance_;
};

// Empty if the scan is accepted.
std::string refusal(made_up& device, operation op, dtype input) {
    const registry::scan_request request{op, registry::resolve_types(op, input)};
    try {
        static_cast<void>(device.make_scanner(request, "gl"));
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::unsupported);
        return problem.what();
    }
    return {};
}

TEST(shader_devices, sums_with_other_bits_are_refused) {
    made_up device(
        {"float sums: subnormal results become zero", "affine maps: a product and a sum are fused"});
    const std::string words =
        "device gl: plus in float32 would not have the CPU's bits there: float sums: subnormal results "
        "become "
        "zero";
    EXPECT_EQ(refusal(device, operation::plus, dtype::float32), words);
    EXPECT_EQ(refusal(device, operation::plus, dtype::bfloat16), words);
    EXPECT_EQ(refusal(device, operation::plus, dtype::int32), "");
    EXPECT_EQ(refusal(device, operation::multiplies, dtype::float32), "");
    EXPECT_EQ(refusal(device, operation::maximum, dtype::float16), "");
    EXPECT_THROW(static_cast<void>(device.prepare(operation::plus, dtype::float32, 1, false)), error);
}

TEST(shader_devices, what_the_stages_or_the_device_lack_is_named) {
    made_up device({});
    EXPECT_EQ(refusal(device, operation::plus, dtype::float32), "");
    EXPECT_EQ(refusal(device, operation::plus, dtype::float64),
              "device gl: plus in float64 is unsupported there; the cpu has it");
    EXPECT_EQ(refusal(device, operation::multiplies, dtype::complex64),
              "device gl: multiplies in complex64 is unsupported there; the cpu has it");
    EXPECT_EQ(refusal(device, operation::logical_and, dtype::complex64), "");
}

TEST(shader_devices, what_reaches_the_device) {
    made_up device({});
    registry::scan_request request{operation::minimum,
                                   registry::resolve_types(operation::minimum, dtype::int8)};
    request.exclusive = true;
    const auto scanner = device.make_scanner(request, "gl");
    std::vector<std::int8_t> x(131072, -3), y(x.size());
    scanner->scan(x.data(), y.data(), x.size());
    EXPECT_EQ(device.latest.op.type, shader::element_type::int32);
    EXPECT_TRUE(device.latest.exclusive && !device.latest.reverse && !device.latest.initial);
    EXPECT_EQ(y.front(), 127) << "the identity of int8, not of int32";
    EXPECT_EQ(y.back(), -3);
    EXPECT_EQ(registry::format_value(scanner->total()), "-3");
    // The next block starts from the total of this one.
    scanner->scan(x.data(), y.data(), 5);
    ASSERT_TRUE(device.latest.initial.has_value());
    EXPECT_EQ(device.latest.initial->front(), 0xfffffffdu);
    EXPECT_EQ(y.front(), -3);
}

TEST(shader_devices, what_reaches_the_device_along_an_axis) {
    made_up device({});
    registry::scan_request request{operation::maximum,
                                   registry::resolve_types(operation::maximum, dtype::int8)};
    request.reverse = true;
    const std::array<std::int64_t, 2> shape{3, 4}, rows{4, 1}, columns{1, 3};
    std::vector<std::int8_t> x(12), y(12);
    std::iota(x.begin(), x.end(), std::int8_t{-6});
    device.make_scanner(request, "gl")->scan_axis(x.data(), y.data(), {shape, rows, columns, -2});
    EXPECT_EQ(device.latest.op.type, shader::element_type::int32);
    EXPECT_TRUE(device.latest.reverse && !device.latest.exclusive);
    EXPECT_EQ(device.latest_axis, 0);
    // Elements came and went as int32, to where the strides of the results say.
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(y[i % 4 * 3 + i / 4], x[i]);
}

}  // namespace
}  // namespace upsweep::test
