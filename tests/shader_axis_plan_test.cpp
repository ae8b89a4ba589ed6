// Plans of scans along an axis, for devices and arrays that no test machine has. A model of the stages'
// addresses follows each dispatch: every element of every sequence is taken once, in order, from its place to
// its place, within what is bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shader/axis_arguments.hpp"
#include "shader/plan.hpp"
#include "support/axis_plan_reader.hpp"
#include "support/plan_limits.hpp"
#include "support/sizes.hpp"
#include "support/strided_layout.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using shader::axis_way;
using shader::dispatch;
using shader::resource;

struct array {
    extents shape;
    layout in, out;
    std::uint64_t in_offset = 0, out_offset = 0;  // bytes
    int axis = 0;
};

shader::axis_request request_of(const array& given, axis_way way, std::uint32_t words = 1,
                                shader::input_type input = shader::input_type::same) {
    shader::operation op = shader::operation_of<plus, float>();
    op.element_words = words;
    op.input = input;
    const std::uint64_t size = 4 * words;
    shader::axis_request request =
        shader::check_axis_arguments(
            op, {given.in_offset + given.in.first * shader::input_bytes(op), given.shape, given.in.strides},
            {given.out_offset + given.out.first * size, given.shape, given.out.strides}, false, given.axis)
            .request;
    request.way = way;
    return request;
}

// Returns how often each stage is dispatched.
std::map<std::string, int> check_plan(const array& given, const shader::limits& device, axis_way way,
                                      bool reverse, std::uint32_t words = 1,
                                      shader::input_type input = shader::input_type::same) {
    SCOPED_TRACE(text_of(given.shape) + ", axis " + std::to_string(given.axis) + ", " + given.in.name +
                 " to " + given.out.name);
    const std::uint64_t size = 4 * words;
    shader::axis_request request = request_of(given, way, words, input);
    const std::uint64_t input_size = shader::input_bytes(request.op);
    request.reverse = reverse;
    const std::uint64_t workspace = shader::axis_workspace_bytes(request, device);
    request.workspace_offset = 4096;
    const std::vector<dispatch> plan = shader::plan_axis_scan(request, device);
    check_limits(plan, device);

    // By the place of a result: the place of its element, its position, and how often it was taken.
    struct element {
        std::uint64_t from;
        std::uint64_t position;
        int scanned = 0;
        int summed = 0;
    };
    std::map<std::uint64_t, element> expected;
    const auto along = static_cast<std::size_t>(given.axis);
    const std::int64_t length = given.shape[along];
    for_each_slice(given.shape, along, given.in, given.out, [&](std::int64_t a, std::int64_t b) {
        for (std::int64_t i = 0; i < length; ++i) {
            const std::int64_t at = reverse ? length - 1 - i : i;
            expected[given.out_offset / size +
                     static_cast<std::uint64_t>(b + at * given.out.strides[along])] = {
                given.in_offset / input_size + static_cast<std::uint64_t>(a + at * given.in.strides[along]),
                static_cast<std::uint64_t>(i)};
        }
    });

    axis_plan_reader stage(input_size, size);
    std::map<std::string, int> ran;
    for (const dispatch& d : plan) {
        ++ran[std::string(name(d))];
        EXPECT_EQ(d.shape, shader::form::axis);
        for (const shader::binding& bound : d.bindings) {
            if (bound.from != resource::workspace) continue;
            EXPECT_LE(bound.offset + bound.bytes, 4096 + workspace);
        }
        if (d.which == shader::stage::axis_shape) stage.write_shape(d);
        const bool lanes = d.which == shader::stage::lane_scan;
        const bool sums = d.which == shader::stage::tile_totals;
        if (!lanes && !sums && d.which != shader::stage::tile_scan) continue;
        const std::uint32_t sequences = d.parameters[UPSWEEP_P_SEQUENCES];
        const std::uint32_t count = d.parameters[UPSWEEP_P_LENGTH];
        const std::uint32_t groups = d.parameters[UPSWEEP_P_GROUPS];
        if (lanes) {
            EXPECT_LE(count, device.lane_elements_per_dispatch);
            EXPECT_EQ(groups, (sequences + 63) / 64);
        } else {
            EXPECT_EQ(groups % sequences, 0u);
        }
        for (std::uint32_t s = 0; s < sequences; ++s) {
            const axis_plan_reader::places at = stage.begin(d, s);
            const std::uint32_t taken = lanes ? count : std::min(count, groups / sequences * 4096);
            for (std::uint32_t i = 0; i < taken; ++i) {
                const auto in = static_cast<std::uint64_t>(static_cast<std::int64_t>(at.in) + i * at.in_step);
                const auto out =
                    static_cast<std::uint64_t>(static_cast<std::int64_t>(at.out) + i * at.out_step);
                const auto found = expected.find(out);
                if (found == expected.end()) {
                    ADD_FAILURE() << "a result at " << out;
                    return ran;
                }
                stage.expect_bound(d, UPSWEEP_INPUT, in);
                stage.expect_bound(d, UPSWEEP_OUTPUT, out);
                EXPECT_EQ(found->second.from, in);
                const std::uint64_t position =
                    lanes ? d.parameters[UPSWEEP_P_BEFORE] + i
                          : std::uint64_t{d.parameters[UPSWEEP_P_FIRST_GROUP]} * 4096 + i;
                if (lanes && found->second.position >= 131072) {
                    EXPECT_EQ(position, found->second.position % 131072 + 131072);
                } else {
                    EXPECT_EQ(position, found->second.position);
                }
                // Totals are there before anything is scanned, in place too.
                if (sums) {
                    EXPECT_EQ(found->second.scanned, 0);
                }
                ++(sums ? found->second.summed : found->second.scanned);
                if (::testing::Test::HasFailure()) return ran;
            }
        }
    }
    for (const auto& [place, each] : expected) {
        EXPECT_EQ(each.scanned, 1) << place;
        const std::uint64_t tiles = (static_cast<std::uint64_t>(length) + 4095) / 4096;
        const bool is_summed = way == axis_way::tiles && each.position < (tiles - 1) * 4096;
        EXPECT_EQ(each.summed, is_summed ? 1 : 0) << place;
        if (::testing::Test::HasFailure()) return ran;
    }
    return ran;
}

// Layouts of a shape in turn.
array some_array(const extents& shape, int axis, unsigned turn) {
    const std::size_t rank = shape.size();
    const std::vector<layout> layouts{
        {"C", shape, c_order(rank), 1, 0},
        {"Fortran", shape, fortran_order(rank), 1, 0},
        {"padded C", shape, c_order(rank), 2, 0, 3},
        {"backwards", shape, c_order(rank), 1, ~0u},
        {"half backwards", shape, fortran_order(rank), 1, 5u},
        {"lines apart", shape, c_order(rank), 1, 0, 3},
    };
    return {shape, layouts[turn % layouts.size()], layouts[(turn / 2 + 3 * turn) % layouts.size()], 40, 24,
            axis};
}

// Limits of a few groups, and bindings that hold a tile or two.
const shader::limits few_groups{std::uint64_t{1} << 27, 256, 3, 2, 16384, 8192};
const shader::limits small_bindings{40000, 16, 65535, 65535, 16384, 8192};
const shader::limits short_lanes{std::uint64_t{1} << 27, 64, 65535, 65535, 16384, 7};

TEST(shader_axis_plan, every_element_once_and_in_order) {
    unsigned turn = 0;
    for (const extents& shape :
         {extents{1}, extents{5}, extents{9000}, extents{131075}, extents{7, 9}, extents{300, 70},
          extents{1, 40}, extents{40, 1}, extents{3, 4, 5}, extents{5, 4100}, extents{9, 3, 40, 2}}) {
        for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
            for (const axis_way way : {axis_way::lanes, axis_way::turned_lanes, axis_way::tiles}) {
                for (const shader::limits* device : {&few_groups, &short_lanes}) {
                    if (++turn % 3 != 0 && few_shapes()) continue;
                    // Elements of two words, of two bytes, of one, and from the end, in turn.
                    constexpr std::array inputs{shader::input_type::same, shader::input_type::uint16,
                                                shader::input_type::same, shader::input_type::int8};
                    check_plan(some_array(shape, axis, turn), *device, way, turn % 4 < 2, 1 + turn % 2,
                               inputs.at(turn / 4 % inputs.size()));
                    if (HasFailure()) return;
                }
            }
        }
    }
}

// An array larger than a binding: blocks of sequences, parts of sequences where their elements are far apart.
TEST(shader_axis_plan, arrays_larger_than_a_binding) {
    for (const extents& shape : {extents{30000}, extents{300, 300}, extents{9000, 11}, extents{20, 40, 50}}) {
        for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
            for (unsigned turn = 0; turn < (few_shapes() ? 1u : 6u); ++turn) {
                const array given = some_array(shape, axis, turn);
                const auto ran = check_plan(given, small_bindings, axis_way::lanes, turn % 2 == 1);
                EXPECT_GT(ran.at("lane_scan"), 1);
                if (HasFailure()) return;
            }
        }
    }
    // Tiles of contiguous elements fit; of columns they do not, so that lanes are chosen, and tiles refused.
    const array rows{{12, 5000}, {"C", {12, 5000}, {0, 1}, 1, 0}, {"C", {12, 5000}, {0, 1}, 1, 0}, 0, 0, 1};
    EXPECT_EQ(shader::choose_axis_way(request_of(rows, axis_way::automatic), small_bindings),
              axis_way::tiles);
    EXPECT_EQ(check_plan(rows, small_bindings, axis_way::tiles, false).at("tile_scan"), 12);
    const array columns{{5000, 12}, {"C", {5000, 12}, {0, 1}, 1, 0}, {"C", {5000, 12}, {0, 1}, 1, 0}, 0, 0,
                        0};
    EXPECT_EQ(shader::choose_axis_way(request_of(columns, axis_way::automatic), small_bindings),
              axis_way::lanes);
    EXPECT_THROW((void)shader::plan_axis_scan(request_of(columns, axis_way::tiles), small_bindings), error);
}

// More outer dimensions than the parameters have room for.
TEST(shader_axis_plan, many_dimensions) {
    const extents shape{2, 3, 2, 2, 3, 2, 2, 2, 3, 2, 2};
    for (const int axis : {0, 4, 10}) {
        for (const axis_way way : {axis_way::lanes, axis_way::tiles}) {
            const layout apart("lines apart", shape, c_order(shape.size()), 1, 0, 3);
            const layout other("half backwards", shape, fortran_order(shape.size()), 2, 0x155u, 1);
            const auto ran = check_plan({shape, apart, other, 16, 0, axis}, few_groups, way, axis == 4);
            EXPECT_GE(ran.at("axis_shape"), 2) << "six dimensions more, four at a time";
            if (HasFailure()) return;
        }
    }
}

std::vector<dispatch> plan_of(const extents& shape, int axis, const shader::limits& device,
                              std::uint64_t* workspace = nullptr, bool fortran = false) {
    const std::vector<std::size_t> order = fortran ? fortran_order(shape.size()) : c_order(shape.size());
    const layout packed("packed", shape, order, 1, 0);
    const shader::axis_request request = request_of({shape, packed, packed, 0, 0, axis}, axis_way::automatic);
    if (workspace != nullptr) *workspace = shader::axis_workspace_bytes(request, device);
    return shader::plan_axis_scan(request, device);
}
std::string stages_of(const std::vector<dispatch>& plan) {
    std::string all;
    for (const dispatch& d : plan) all += (all.empty() ? "" : " ") + std::string(name(d));
    return all;
}

TEST(shader_axis_plan, the_way_is_chosen_by_shape) {
    const shader::limits device{std::uint64_t{1} << 32, 256, 65535, 65535, 16384, 8192};
    // Many columns, many short lines, few lines, lines of more than a tile, few columns.
    EXPECT_EQ(stages_of(plan_of({1000, 20000}, 0, device)), "lane_scan");
    EXPECT_EQ(stages_of(plan_of({1 << 20, 16}, 1, device)), "turned_lane_scan");
    EXPECT_EQ(stages_of(plan_of({1 << 20, 16}, 1, device, nullptr, true)), "lane_scan");
    EXPECT_EQ(stages_of(plan_of({4096, 4096}, 1, device)), "tile_scan");
    EXPECT_EQ(stages_of(plan_of({4096, 8192}, 1, device)), "tile_totals tile_scan");
    EXPECT_EQ(stages_of(plan_of({1 << 20, 16}, 0, device)), "tile_totals super_totals tile_scan");
    EXPECT_EQ(stages_of(plan_of({1 << 24, 3}, 0, device)),
              "tile_totals super_totals super_prefixes tile_scan");
    EXPECT_EQ(stages_of(plan_of({50000, 100}, 1, device)), "turned_lane_scan");
    EXPECT_EQ(stages_of(plan_of({50, 100}, 0, device)), "lane_scan");
    EXPECT_EQ(stages_of(plan_of({50, 0}, 0, device)), "");
    EXPECT_EQ(stages_of(plan_of({0, 50}, 0, device)), "");
}

// Far more elements than a device can bind, or count in 32 bits.
TEST(shader_axis_plan, huge_arrays) {
    for (const shader::limits& device :
         {shader::limits{}, shader::limits{std::uint64_t{1} << 32, 16, 0x7fffffffu, 65535, 16384, 8192}}) {
        for (const extents& shape : {extents{1 << 17, 1 << 17}, extents{1 << 10, 1 << 24},
                                     extents{1 << 24, 1 << 10}, extents{3000, 3000, 3000}}) {
            for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
                SCOPED_TRACE(text_of(shape) + ", axis " + std::to_string(axis));
                std::uint64_t workspace = 0;
                const std::vector<dispatch> plan = plan_of(shape, axis, device, &workspace);
                check_limits(plan, device);
                EXPECT_LE(workspace, std::uint64_t{1} << 24);
                std::uint64_t scanned = 0, elements = 1;
                for (const std::int64_t extent : shape) elements *= static_cast<std::uint64_t>(extent);
                for (const dispatch& d : plan) {
                    if (d.which != shader::stage::lane_scan && d.which != shader::stage::tile_scan) continue;
                    scanned +=
                        std::uint64_t{d.parameters[UPSWEEP_P_SEQUENCES]} * d.parameters[UPSWEEP_P_LENGTH];
                }
                EXPECT_EQ(scanned, elements);
            }
        }
    }
}

void expect_message(const std::string& start, const extents& in_shape, const extents& in_strides,
                    std::uint64_t in_offset, const extents& out_shape, const extents& out_strides,
                    std::uint64_t out_offset, int axis, bool same_buffer = false) {
    try {
        (void)shader::check_axis_arguments(shader::operation_of<plus, float>(),
                                           {in_offset, in_shape, in_strides},
                                           {out_offset, out_shape, out_strides}, same_buffer, axis);
        ADD_FAILURE() << "accepted, expected: " << start;
    } catch (const error& refused) {
        EXPECT_EQ(refused.code(), errc::invalid_argument);
        EXPECT_EQ(std::string(refused.what()).rfind(start, 0), 0u) << refused.what();
    }
}

TEST(shader_axis_plan, misuse_is_refused) {
    const extents shape{5, 12}, strides{12, 1};
    expect_message("axis: expected -2 to 1", shape, strides, 0, shape, strides, 0, 2);
    expect_message("axis: expected -2 to 1", shape, strides, 0, shape, strides, 0, -3);
    expect_message("in: a 0-dimensional", {}, {}, 0, {}, {}, 0, 0);
    expect_message("out: its shape", shape, strides, 0, {12, 5}, {5, 1}, 0, 0);
    expect_message("out: stride 0", shape, strides, 0, shape, {0, 1}, 0, 0);
    expect_message(
        "in: expected to begin within its buffer, but its lowest element is 44 bytes in front of it", shape,
        {12, -1}, 0, shape, strides, 0, 0);
    expect_message("out: expected to begin within its buffer", shape, strides, 0, shape, {-12, 1}, 100, 0);
    expect_message("in: expected fewer than 2^62 bytes", shape, {std::int64_t{1} << 61, 1}, 0, shape, strides,
                   0, 0);
    // Within one buffer: shifted, turned; side by side, or exactly the same, is allowed.
    expect_message("out: overlaps in", shape, strides, 0, shape, strides, 4, 0, true);
    expect_message("out: overlaps in", {6, 6}, {6, 1}, 0, {6, 6}, {1, 6}, 0, 0, true);
    for (const std::uint64_t offset : {0, 240}) {
        EXPECT_NO_THROW((void)shader::check_axis_arguments(
            shader::operation_of<plus, float>(), {0, shape, strides}, {offset, shape, strides}, true, 0));
    }
    // Offsets within an element, and nothing to store first.
    shader::axis_request request =
        request_of({shape, {"C", shape, {0, 1}, 1, 0}, {"C", shape, {0, 1}, 1, 0}}, {});
    request.input_offset = 2;
    EXPECT_THROW((void)shader::plan_axis_scan(request, {}), error);
    request.input_offset = 0;
    request.op.has_identity = false;
    EXPECT_NO_THROW((void)shader::plan_axis_scan(request, {}));
    request.exclusive = true;
    EXPECT_THROW((void)shader::plan_axis_scan(request, {}), error);
    request.has_initial = true;
    EXPECT_NO_THROW((void)shader::plan_axis_scan(request, {}));
}

}  // namespace
}  // namespace upsweep::test
