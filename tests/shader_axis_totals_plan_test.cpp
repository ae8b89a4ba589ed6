// Plans of totals along an axis, for devices and arrays that no test machine has: every element is read once,
// from its place, and every total is stored once, at its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shader/axis_arguments.hpp"
#include "shader/plan.hpp"
#include "support/axis_plan_reader.hpp"
#include "support/plan_limits.hpp"
#include "support/refused.hpp"
#include "support/strided_layout.hpp"

namespace upsweep::test {
namespace {

using shader::axis_way;
using shader::dispatch;

shader::axis_request request_of(const extents& shape, const layout& in, const extents& left,
                                const layout& out, int axis, axis_way way) {
    const shader::operation op = shader::operation_of<plus, float>();
    shader::axis_request request =
        shader::check_total_arguments(op, {4 * in.first + 64, shape, in.strides},
                                      {4 * out.first + 20, left, out.strides}, false, axis)
            .request;
    request.way = way;
    return request;
}

// Returns how often each stage is dispatched.
std::map<std::string, int> check_totals_plan(const extents& shape, const layout& in, const layout& out,
                                             int axis, const shader::limits& device, axis_way way) {
    SCOPED_TRACE(text_of(shape) + ", axis " + std::to_string(axis) + ", from " + in.name);
    extents left = shape;
    left.erase(left.begin() + axis);
    const shader::axis_request request = request_of(shape, in, left, out, axis, way);
    const std::vector<dispatch> plan = shader::plan_axis_scan(request, device);
    check_limits(plan, device);

    layout results = out;  // with the axis, along which they are one element
    results.strides.insert(results.strides.begin() + axis, 0);
    std::map<std::uint64_t, int> reads, stores;
    const auto along = static_cast<std::size_t>(axis);
    extents slices = shape;
    slices[along] = 1;  // of no elements there are totals, too
    for_each_slice(slices, along, in, results, [&](std::int64_t a, std::int64_t b) {
        for (std::int64_t i = 0; i < shape[along]; ++i)
            reads[16 + static_cast<std::uint64_t>(a + i * in.strides[along])] = 0;
        stores[5 + static_cast<std::uint64_t>(b)] = 0;
    });
    const std::size_t elements = reads.size(), totals = stores.size();

    axis_plan_reader stage(4);
    std::map<std::string, int> ran;
    for (const dispatch& d : plan) {
        ++ran[std::string(name(d))];
        if (d.which == shader::stage::axis_shape) stage.write_shape(d);
        const bool lanes = d.which == shader::stage::lane_scan;
        const bool last = lanes ? (d.parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_CONTINUES) == 0
                                : d.which == shader::stage::tile_scan;
        if (!lanes && !last && d.which != shader::stage::tile_totals) continue;
        const std::uint32_t sequences = d.parameters[UPSWEEP_P_SEQUENCES];
        const std::uint32_t tiles = d.parameters[UPSWEEP_P_GROUPS] / sequences;  // if there are any
        const std::uint32_t length = d.parameters[UPSWEEP_P_LENGTH];
        for (std::uint32_t s = 0; s < sequences; ++s) {
            const axis_plan_reader::places at = stage.begin(d, s);
            for (std::uint32_t i = 0; i < (lanes ? length : std::min(length, 4096 * tiles)); ++i) {
                const std::uint64_t from = at.in + static_cast<std::uint64_t>(i * at.in_step);
                stage.expect_bound(d, UPSWEEP_INPUT, from);
                ++reads[from];
            }
            if (!last) continue;
            EXPECT_NE(d.parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_ONLY_TOTAL, 0u);
            stage.expect_bound(d, lanes ? UPSWEEP_OUTPUT : UPSWEEP_TOTAL, at.out);
            ++stores[at.out];
        }
    }
    const auto once = [](const auto& counted) { return counted.second == 1; };
    EXPECT_TRUE(std::ranges::all_of(reads, once) && reads.size() == elements) << "elements";
    EXPECT_TRUE(std::ranges::all_of(stores, once) && stores.size() == totals) << "totals";
    return ran;
}

TEST(shader_axis_totals_plan, every_element_once) {
    const shader::limits roomy, few_groups{std::uint64_t{1} << 27, 256, 3, 2, 100, 300},
        small_bindings{200000, 16, 65535, 65535, 100, 1000};
    unsigned turn = 0;
    for (const shader::limits* device : {&roomy, &few_groups, &small_bindings}) {
        for (const extents& shape : {extents{5}, extents{9000}, extents{7, 9}, extents{3, 4097},
                                     extents{4096, 5}, extents{2, 9000, 3}, extents{2, 3, 2, 2, 2, 3, 4}}) {
            for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis, ++turn) {
                extents left = shape;
                left.erase(left.begin() + axis);
                const layout in("some", shape,
                                turn % 2 == 0 ? c_order(shape.size()) : fortran_order(shape.size()), 1,
                                turn % 4, 2);
                const layout out("some", left, c_order(left.size()), 2, turn % 3);
                for (const axis_way way :
                     {axis_way::automatic, axis_way::lanes, axis_way::turned_lanes, axis_way::tiles})
                    check_totals_plan(shape, in, out, axis, *device, way);
            }
        }
    }
}

TEST(shader_axis_totals_plan, the_last_tiles_are_read_by_the_last_stage) {
    const extents shape{3, 40000};
    const layout in("C", shape, c_order(2), 1, 0), out("C", {3}, c_order(1), 1, 0);
    const auto ran = check_totals_plan(shape, in, out, 1, {}, axis_way::automatic);
    EXPECT_EQ(ran, (std::map<std::string, int>{{"tile_totals", 1}, {"tile_scan", 1}}));
}

TEST(shader_axis_totals_plan, of_no_elements) {
    const extents shape{4, 0, 5}, left{4, 5};
    const layout in("C", shape, c_order(3), 1, 0), out("C", left, c_order(2), 1, 0);
    for (const axis_way way : {axis_way::automatic, axis_way::turned_lanes, axis_way::tiles}) {
        const auto ran = check_totals_plan(shape, in, out, 1, {}, way);
        EXPECT_EQ(ran, (std::map<std::string, int>{{"lane_scan", 1}}));
    }
    shader::axis_request request = request_of(shape, in, left, out, 1, axis_way::automatic);
    request.op.has_identity = false;
    expect_refused("options.initial: the total of no elements needs an initial value",
                   [&] { (void)shader::plan_axis_scan(request, {}); });
    request.has_initial = true;
    EXPECT_EQ(shader::plan_axis_scan(request, {}).size(), 1u);
    EXPECT_TRUE(shader::plan_axis_scan(request_of({0, 3}, layout("C", {0, 3}, c_order(2), 1, 0), {0},
                                                  layout("C", {0}, c_order(1), 1, 0), 1, axis_way::automatic),
                                       {})
                    .empty());
}

}  // namespace
}  // namespace upsweep::test
