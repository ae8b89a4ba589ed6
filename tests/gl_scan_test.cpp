// What scans in OpenGL 4.3 and OpenGL ES 3.1 have beyond those of the CPU, whose tests run here too
// (shader/): limits, stages, algorithms and workspaces.
#include "shader/backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/gl_scanner.hpp"
#include "support/random.hpp"
#include "support/shader_sweep.hpp"
#include "support/sweep.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

template <class T>
using gl_check = scan_check<T, T, T, gl_scanner>;
template <class T, class Op>
gl_check<T> check_of(std::size_t longest, T initial) {
    return {operation<T, T, T, gl_scanner>::of(Op()), span_of(sequence<T, Op>(longest, 7 + sizeof(T))),
            initial};
}

class gl_scan : public gl_test {
  protected:
    gl_scanner scanner() const { return {GetParam(), executor()}; }
};
UPSWEEP_IN_BOTH_CONTEXTS(gl_scan);

TEST_P(gl_scan, embedded_systems_have_no_sums_of_doubles) {
    const gl_memory<double> memory(gl(), 4);
    if (!es()) {
        inclusive_scan(executor(), memory.span(), memory.span());
        return;
    }
    try {
        inclusive_scan(executor(), memory.span(), memory.span());
        ADD_FAILURE() << "OpenGL ES scanned doubles";
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::unsupported);
    }
}

// More than 1024 tiles, so that totals of supers are folded by a stage of their own: 4.2 million elements are
// 33 supers.
TEST_P(gl_scan, more_than_a_batch_of_tiles) {
    if (sanitized) GTEST_SKIP() << "long, and run without sanitizers";
    constexpr std::size_t n = 33 * core::super_size + 4099;
    auto floats = check_of<float, plus>(n, 1.0f);
    gl::executor reducing(at().loader(), {.way = gl::sequence_way::reduce_then_scan});
    gl_scanner ex(GetParam(), reducing);
    floats.run(ex, n, {.exclusive = true, .initial = true, .in_place = true});
    EXPECT_EQ(ex.stages(),
              (std::vector<std::string>{"tile_totals", "super_totals", "super_prefixes", "tile_scan"}));
    ex.settings.length_in_buffer = true;
    floats.run(ex, n, {.reverse = true});
}

// What a device with small limits makes a host do: many windows and rows of work groups.
TEST_P(gl_scan, small_limits) {
    gl::executor few_groups(at().loader(), {.max_groups_x = 3, .max_groups_y = 2});
    gl::executor small_bindings(at().loader(),
                                {.max_groups_x = 7, .max_groups_y = 1, .max_binding_bytes = 40000});
    auto floats = check_of<float, plus>(200001, 1.0f);
    unsigned turn = 0;
    for (gl::executor* ex : {&few_groups, &small_bindings}) {
        gl_scanner limited(GetParam(), *ex);
        for (const std::size_t n : {1u, 4097u, 24577u, 200001u}) {
            for (int k = 0; k < 3; ++k, ++turn)
                floats.run(limited, n, floats.make_mode(turn * 5), turn % 5, turn % 3);
        }
    }
    EXPECT_EQ(few_groups.device().max_groups_x, 3u);
    gl_scanner limited(GetParam(), small_bindings);
    if (!brief()) check_sizes<std::uint32_t, plus, std::uint8_t>(limited, 5, {24577, 70003});
}

TEST_P(gl_scan, a_thousand_in_a_row) {
    random_bits random(5);
    const array_of<std::uint32_t> given = sequence<std::uint32_t, plus>(4500, 3);
    const array_of<std::uint32_t> expected = prefixes<std::uint32_t>(span_of(given), plus{});
    const gl_memory<std::uint32_t> in(gl(), span_of(given)), out(gl(), 4500);
    for (int i = 0; i < 1000; ++i) {
        const std::size_t n = 1 + random.below(4500);
        inclusive_scan(executor(), in.span().part(0, n), out.span().part(0, n));
        if (i % 50 != 0) continue;
        const std::vector<std::uint32_t> results = out.read();
        ASSERT_TRUE(std::equal(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(n),
                               std::begin(expected) + 1))
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

TEST_P(gl_scan, blelloch_gives_the_same_for_exact_operators) {
    unsigned turn = 0;
    auto sums = check_of<std::uint32_t, plus>(70001, 9);
    auto maxima = check_of<float, maximum>(70001, -2.0f);
    gl_scanner ex = scanner();
    ex.settings.algorithm = gl::scan_algorithm::blelloch;
    for (const std::uint32_t group_size : {1u, 3u, 100u, 256u}) {
        ex.settings.work_group_size = group_size;
        for (const std::size_t n : {0u, 1u, 2u, 5u, 199u, 200u, 201u, 513u, 3001u, 70001u}) {
            if (group_size == 1 && n > 5000) continue;
            scan_mode mode = sums.make_mode(turn++);
            mode.exclusive = true;
            ex.settings.length_in_buffer = turn % 3 == 0;
            ASSERT_TRUE(sums.run(ex, n, mode, turn % 3, turn % 5)) << "group size " << group_size;
            if (brief() || group_size != 100) continue;
            ASSERT_TRUE(maxima.run(ex, n, mode, turn % 3, turn % 5));
        }
    }
}

TEST_P(gl_scan, a_workspace_of_the_callers) {
    const array_of<std::uint32_t> given = sequence<std::uint32_t, plus>(50000, 3);
    const array_of<std::uint32_t> expected = prefixes<std::uint32_t>(span_of(given), plus{});
    const gl_memory<std::uint32_t> in(gl(), span_of(given)), out(gl(), 50000);
    const auto op = shader::operation_of<plus, std::uint32_t>();
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
    EXPECT_EQ(first_difference(out.read().data(), std::begin(expected) + 1, 50000), 50000u);
    static_cast<void>(workspace.read());  // nothing outside it
}

}  // namespace
}  // namespace upsweep::test
