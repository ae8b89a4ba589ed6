// Sizes, limits, algorithms and workspaces of scans in OpenGL 4.3 and OpenGL ES 3.1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/gl_sweep.hpp"
#include "support/random.hpp"

namespace upsweep::test {
namespace {

class gl_scan_options : public gl_test {};
UPSWEEP_IN_BOTH_CONTEXTS(gl_scan_options);

TEST_P(gl_scan_options, a_million_and_three) {
    gl_check<float> floats(plus{}, 1000003, 1.0f);
    floats.run(gl(), executor(), 1000003, {.in_place = true}, 1, 0);
    floats.run(gl(), executor(), 1000003, {.exclusive = true, .reverse = true, .initial = true}, 3, 2);
    gl_check<affine_map<float>> maps(affine{}, 1000003, {1.0f, 1.0f});
    maps.run(gl(), executor(), 1000003, {.reverse = true}, 1, 1);
}

// More than 1024 tiles, so that totals of supers are folded by a stage of their own: 4.2 million elements are
// 33 supers.
TEST_P(gl_scan_options, more_than_a_batch_of_tiles) {
    constexpr std::size_t n = 33 * core::super_size + 4099;
    gl_check<float> floats(plus{}, n, 1.0f);
    floats.run(gl(), executor(), n, {.exclusive = true, .initial = true, .in_place = true}, 0, 0);
    floats.run(gl(), executor(), n, {.reverse = true}, 0, 0, {}, 5);
}

// What a device with small limits makes a host do: many windows and rows of work groups.
TEST_P(gl_scan_options, small_limits) {
    gl::executor few_groups(at().loader(), {.max_groups_x = 3, .max_groups_y = 2});
    gl::executor small_bindings(at().loader(),
                                {.max_groups_x = 7, .max_groups_y = 1, .max_binding_bytes = 40000});
    gl_check<float> floats(plus{}, 200001, 1.0f);
    std::size_t turn = 0;
    for (gl::executor* ex : {&few_groups, &small_bindings}) {
        for (const std::size_t n : {1u, 4097u, 24577u, 200001u}) {
            for (int k = 0; k < 3; ++k, ++turn)
                floats.run(gl(), *ex, n, gl_mode(turn * 5), turn % 5, turn % 3);
        }
    }
    EXPECT_EQ(few_groups.device().max_groups_x, 3u);
}

TEST_P(gl_scan_options, a_thousand_in_a_row) {
    random_bits random(5);
    const gl_memory<std::uint32_t> out(gl(), 4500);
    gl_check<std::uint32_t> expected(plus{}, 4500, 1);
    const std::vector<std::uint32_t> given = expected.input(4500, {});
    const gl_memory<std::uint32_t> in(gl(), std::span<const std::uint32_t>(given));
    for (int i = 0; i < 1000; ++i) {
        const std::size_t n = 1 + random.below(4500);
        inclusive_scan(executor(), in.span().part(0, n), out.span().part(0, n));
        if (i % 50 != 0) continue;
        const std::vector<std::uint32_t> results = out.read(), wanted = expected.output(n, {});
        ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), results.begin()))
            << "repetition " << i << ", n = " << n;
    }
    // Each scan reads what the one before wrote: after k of them the last element has seen all.
    const std::vector<std::uint32_t> ones(5000, 1);
    const gl_memory<std::uint32_t> chained(gl(), std::span<const std::uint32_t>(ones));
    std::vector<std::uint32_t> wanted = ones;
    for (int i = 0; i < 100; ++i) {
        inclusive_scan(executor(), chained.span(), chained.span());
        for (std::size_t k = 1; k < wanted.size(); ++k) wanted[k] += wanted[k - 1];
    }
    EXPECT_EQ(chained.read(), wanted);
}

TEST_P(gl_scan_options, blelloch_gives_the_same_for_exact_operators) {
    std::size_t turn = 0;
    gl_check<std::uint32_t> sums(plus{}, 70001, 9);
    gl_check<float> maxima(maximum{}, 70001, -2.0f);
    for (const std::uint32_t group_size : {1u, 3u, 100u, 256u}) {
        for (const std::size_t n : {0u, 1u, 2u, 5u, 199u, 200u, 201u, 513u, 3001u, 70001u}) {
            if (group_size == 1 && n > 5000) continue;
            scan_mode mode = gl_mode(turn++);
            mode.exclusive = true;
            const std::ptrdiff_t slack = turn % 3 == 0 ? 3 : -1;
            ASSERT_TRUE(sums.run(gl(), executor(), n, mode, turn % 3, turn % 5,
                                 {.algorithm = gl::scan_algorithm::blelloch, .work_group_size = group_size},
                                 slack))
                << "group size " << group_size;
            if (brief() || group_size != 100) continue;
            ASSERT_TRUE(maxima.run(gl(), executor(), n, mode, turn % 3, turn % 5,
                                   {.algorithm = gl::scan_algorithm::blelloch, .work_group_size = group_size},
                                   slack));
        }
    }
}

TEST_P(gl_scan_options, a_workspace_of_the_callers) {
    gl_check<float> expected(plus{}, 50000, 0);
    const gl_memory<float> in(gl(), std::span<const float>(expected.input(50000, {}))), out(gl(), 50000);
    const auto op = shader::operation_of<plus, float>();
    const std::uint64_t bytes = executor().scan_workspace_bytes(op, 50000);
    EXPECT_LE(executor().scan_workspace_bytes(op, 49999), bytes);
    EXPECT_LE(bytes, executor().scan_workspace_bytes(op, 60000));
    const gl_memory<std::uint32_t> workspace(gl(), 64 + bytes / 4);
    gl::buffer_region region = workspace.span().region();
    region.offset += 256;
    region.bytes = bytes;
    ASSERT_EQ(region.offset % executor().workspace_alignment(), 0u);
    gl::executor fresh(at().loader());
    inclusive_scan(fresh, in.span(), out.span(), plus{}, {.workspace = region});
    EXPECT_EQ(first_difference(out.read().data(), expected.output(50000, {}).data(), 50000), 50000u);
    static_cast<void>(workspace.read());  // nothing outside it
}

}  // namespace
}  // namespace upsweep::test
