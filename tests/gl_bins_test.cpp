// Extraction of bins in OpenGL.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "shader/bins_tests.hpp"
#include "shader/gl_bins_device.hpp"
#include "shader/residues.hpp"
#include "support/gl_linked.hpp"

namespace upsweep::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(core43, shader_bins, core43);
INSTANTIATE_TYPED_TEST_SUITE_P(es31, shader_bins, es31);

template <class Device>
class gl_bins : public ::testing::Test {};
TYPED_TEST_SUITE(gl_bins, both_kinds);

// Records and indices by a bin function of the user's, which reads the user's own buffer.
TYPED_TEST(gl_bins, by_a_function_of_the_users) {
    TypeParam device;
    const gl::user_bins residues(device.executor(), residues_of_the_users);
    const std::vector<std::uint32_t> values = words_for_residues(9'001);
    const auto in = device.memory(values);
    device.bind_users(in);
    std::vector<std::uint32_t> all(values.size());
    std::iota(all.begin(), all.end(), 0u);
    const auto records = device.memory(records_at(all), 1);
    for (const std::size_t bins : {1u, 30u, 256u, 5000u}) {
        for (const std::size_t n : {0u, 1u, 4097u, 9'001u}) {
            for (const std::uint32_t divisor : {29u, 1'000'000u}) {
                SCOPED_TRACE(std::to_string(bins) + " bins, " + std::to_string(n));
                const residue_order expected = order_residues(values, n, divisor, bins);
                const auto offsets = device.template memory<std::uint32_t>(bins + 1, 1);
                const auto indices = device.template memory<std::uint32_t>(expected.indices.size(), 1);
                bin_indices_by(device.executor(), residues, n, indices.span(), offsets.span(),
                               {.user = {divisor}});
                EXPECT_EQ(indices.read(), expected.indices);
                EXPECT_EQ(offsets.read(), expected.offsets);
                const auto packed = device.template memory<three_words>(expected.indices.size(), 1);
                const auto length = device.memory(std::vector<std::uint32_t>{static_cast<std::uint32_t>(n)});
                bins_by(device.executor(), residues, records.span(), packed.span(), offsets.span(),
                        {.length = length.span(), .user = {divisor}});
                EXPECT_EQ(packed.read(), records_at(expected.indices));
                EXPECT_EQ(offsets.read(), expected.offsets);
            }
        }
    }
    device.forget_users();
    const auto one = device.template memory<std::uint32_t>(1);
    expect_refused("offsets: expected at least 2, one more than bins",
                   [&] { bin_indices_by(device.executor(), residues, 1, one.span(), one.span()); });
}

// After prepare_bins no extraction from such elements, and no histogram, compiles anything.
TEST(gl_bins_prepared, compiles_nothing_later) {
    const gl_context& context = gl_context::of(gl::api::desktop);
    gl::executor ex = counting_executor(context, {.way = gl::sequence_way::reduce_then_scan});
    gl::prepare_histogram<float>(ex);
    EXPECT_EQ(programs_linked, 2);
    gl::prepare_bins<float>(ex);
    EXPECT_EQ(programs_linked, 13);
    const std::size_t n = 70'000;
    const gl_memory<float> in(context.gl(), n), out(context.gl(), n);
    const gl_memory<std::uint32_t> indices(context.gl(), n), few(context.gl(), 257), many(context.gl(), 5001);
    histogram(ex, in.span(), many.span(), {.lo = 0, .hi = 1, .count = 5001});
    bins(ex, in.span(), out.span(), few.span(), {.lo = 0, .hi = 1, .count = 256});
    bin_indices(ex, in.span(), indices.span(), few.span(), {.lo = 0, .hi = 1, .count = 256});
    bins(ex, in.span(), out.span(), many.span(), {.lo = 0, .hi = 1, .count = 5000});
    bin_indices(ex, in.span(), indices.span(), many.span(), {.lo = 0, .hi = 1, .count = 5000});
    EXPECT_EQ(programs_linked, 13);
    const gl_memory<std::int32_t> others(context.gl(), 100);
    histogram(ex, others.span(), few.span(), {.lo = 0, .hi = 1000, .count = 257});
    EXPECT_EQ(programs_linked, 14);
}

TYPED_TEST(gl_bins, refuses) {
    TypeParam device;
    const auto in = device.memory(std::vector<std::uint32_t>(100, 1));
    const auto out = device.template memory<std::uint32_t>(100),
               offsets = device.template memory<std::uint32_t>(5);
    using span = gl::buffer_span<std::uint32_t>;
    const auto call = [&](span from, span to, span begins, const gl::bins_options& options = {}) {
        return [&device, from, to, begins, options] {
            bins(device.executor(), from, to, begins, {0, 8, 4}, options);
        };
    };
    const span from = in.span(), to = out.span(), begins = offsets.span();
    expect_refused("out: expected it to be disjoint from in", call(from, from.part(50, 10), begins));
    expect_refused("offsets: expected it to be disjoint from in", call(from, to, from.part(0, 5)));
    expect_refused("offsets: expected it to be disjoint from out", call(from, to, to.part(95, 5)));
    expect_refused("out: expected it to be disjoint from options.length",
                   call(from, to, begins, {.length = to.part(1, 1)}));
    expect_refused("options.workspace: expected it to be disjoint from offsets",
                   call(from, to, begins, {.workspace = begins.region()}));
    expect_refused(
        "options.workspace: expected at least",
        call(from, to, begins, {.workspace = device.template memory<std::uint32_t>(8).span().region()}));
    expect_refused("out: expected a buffer object", call(from, {0, 10, 0}, begins));
    expect_refused("offsets: expected an offset that is a multiple of 4 bytes",
                   call(from, to, {begins.buffer, 5, 514}));
    expect_refused("out: expected an offset that is a multiple of 4 bytes",
                   call(from, {to.buffer, 5, 514}, begins));
    EXPECT_TRUE(out.untouched());
    EXPECT_TRUE(offsets.untouched());
}

}  // namespace
}  // namespace upsweep::test
