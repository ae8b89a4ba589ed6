// Histograms in OpenGL.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shader/gl_bins_device.hpp"
#include "shader/histogram_tests.hpp"
#include "shader/residues.hpp"

namespace upsweep::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(core43, shader_histogram, core43);
INSTANTIATE_TYPED_TEST_SUITE_P(es31, shader_histogram, es31);

template <class Device>
class gl_histogram : public ::testing::Test {};
TYPED_TEST_SUITE(gl_histogram, both_kinds);

// A bin function of the user's, which reads the user's own buffer.
TYPED_TEST(gl_histogram, by_a_function_of_the_users) {
    TypeParam device;
    const gl::user_bins residues(device.executor(), residues_of_the_users);
    const std::vector<std::uint32_t> values = words_for_residues(30'001);
    const auto in = device.memory(values);
    device.bind_users(in);
    for (const std::size_t bins : {1u, 30u, 5000u, 40'000u}) {
        for (const std::size_t n : {0u, 1u, 4097u, 30'001u}) {
            for (const std::uint32_t divisor : {29u, 10'000u}) {
                const auto counts = device.template memory<std::uint32_t>(bins, 1);
                histogram_by(device.executor(), residues, n, counts.span(), {.user = {divisor}});
                EXPECT_EQ(counts.read(), count_residues(values, n, divisor, bins)) << bins << " bins, " << n;
            }
        }
    }
    const auto length = device.memory(std::vector<std::uint32_t>{9'999});
    const auto counts = device.template memory<std::uint32_t>(10);
    histogram_by(device.executor(), residues, values.size(), counts.span(),
                 {.length = length.span(), .user = {10}});
    EXPECT_EQ(counts.read(), count_residues(values, 9'999, 10, 10));
    histogram_by(device.executor(), residues, values.size(), counts.span().part(0, 0),
                 {.user = {10}});  // no bins
    EXPECT_EQ(counts.read(), count_residues(values, 9'999, 10, 10));
    device.forget_users();
    expect_refused(
        "OpenGL: the stage count_bins with the bins' text does not compile",
        [&] { const gl::user_bins wrong(device.executor(), "uint bin(uint item) { return nothing; }"); },
        errc::device);
    static_cast<void>(
        gl_context::of(TypeParam::kind).take_complaints());  // the driver's words, if it has any
}

TYPED_TEST(gl_histogram, refuses) {
    TypeParam device;
    const auto in = device.memory(std::vector<std::uint32_t>(100, 1));
    const auto counts = device.template memory<std::uint32_t>(4);
    const bin_range<std::uint32_t> range{0, 8, 4};
    const auto call = [&](gl::buffer_span<std::uint32_t> from, gl::buffer_span<std::uint32_t> to,
                          const gl::histogram_options& options = {}) {
        return
            [&device, from, to, range, options] { histogram(device.executor(), from, to, range, options); };
    };
    const gl::buffer_span<std::uint32_t> good = counts.span();
    expect_refused("counts: expected it to be disjoint from in", call(in.span(), in.span().part(96, 4)));
    expect_refused("counts: expected it to be disjoint from options.length",
                   call(in.span(), good, {.length = good.part(3, 1)}));
    expect_refused("options.workspace: expected it to be disjoint from in",
                   call(in.span(), good, {.workspace = in.span().region()}));
    expect_refused("options.length: expected at least 4 bytes",
                   call(in.span(), good, {.length = in.span().part(0, 0)}));
    expect_refused(
        "options.workspace: expected at least 16 bytes, but it has 8",
        call(in.span(), good, {.workspace = device.template memory<std::uint32_t>(2).span().region()}));
    expect_refused("in: expected a buffer object", call({0, 100, 0}, good));
    expect_refused("in: expected to end within buffer", call({in.name(), 100'000, 0}, good));
    expect_refused("in: expected an offset that is a multiple of 4 bytes, but it is 514",
                   call({in.name(), 10, 514}, good));
    expect_refused("counts: expected an offset that is a multiple of 4 bytes",
                   call(in.span(), {good.buffer, 4, 514}));
    expect_refused("in: expected fewer than 2^62 bytes", call({in.name(), std::uint64_t{1} << 62, 0}, good));
    EXPECT_TRUE(counts.untouched());
}

}  // namespace
}  // namespace upsweep::test
