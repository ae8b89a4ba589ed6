// How the columns of an axis scan are cut into units, and how these are copied: from shape, strides and
// addresses, on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_column_shape.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

namespace detail {

// Whether a row of the tree of all columns is one stretch of an array with these strides.
inline bool are_blocks(std::int64_t stride, std::int64_t next, const column_plan& plan) {
    return plan.columns == unsigned(plan.width) && (plan.columns == 1 || next == 1) &&
           std::uint64_t(std::abs(stride)) == plan.columns;
}
// Of the input with elements of `size` bytes at `in`, whose strides are `member` of the other dimensions.
inline column_copies copies_of(const core::axis_geometry& all, const void* in, std::int64_t stride,
                               std::int64_t origin, std::ptrdiff_t core::axis_geometry::dimension::*member,
                               int size, const column_plan& plan) {
    const std::int64_t next = all.fastest().*member;
    if (are_blocks(stride, next, plan)) return column_copies::blocks;
    std::int64_t elements = stride | origin | std::int64_t(plan.columns) | plan.width;
    for (std::size_t k = 0; k + 1 < all.other_count; ++k) elements |= all.others[k].*member;
    const std::int64_t bytes = elements * size | std::int64_t(reinterpret_cast<std::uintptr_t>(in));
    return next == 1 && bytes % 16 == 0 ? column_copies::pieces : column_copies::elements;
}

}  // namespace detail

template <class Types>
column_plan plan_columns(const axis_arguments<Types>& arguments, int shared_memory) {
    using shape = column_shape<Types>;
    using dimension = core::axis_geometry::dimension;
    const core::axis_geometry& all = arguments.geometry;
    const std::uint64_t extent = all.fastest().extent;
    column_plan plan{};
    plan.columns = extent;
    plan.full_rows = arguments.scan.n / core::row_size;
    const std::uint64_t groups = (extent + shape::lanes - 1) / shape::lanes;
    // Columns of a unit begin at multiples of 16 bytes where they can.
    constexpr std::uint64_t items = std::max<std::uint64_t>(1, 16 / sizeof(detail::axis_input<Types>));
    std::uint64_t width = (extent + groups - 1) / groups;
    if (groups > 1) width = std::min<std::uint64_t>((width + items - 1) / items * items, shape::lanes);
    plan.width = int(width);
    plan.rows = 1;
    while (2 * plan.rows * plan.width <= shape::lanes) plan.rows *= 2;
    plan.unit_bytes = shape::unit_bytes(plan.width, plan.rows);
    plan.in[0] = detail::copies_of(all, arguments.scan.in[0], all.in_stride, all.origin.in,
                                   &dimension::in_stride, Types::element_size[0], plan);
    if constexpr (Types::inputs == 2)
        plan.in[1] = detail::copies_of(all, arguments.scan.in[1], all.second_stride, all.origin.second,
                                       &dimension::second_stride, Types::element_size[1], plan);
    // Of columns in several units so many warps copy together as make strips wide, if enough teams remain to
    // do something while others wait. Strips of whole lines gain by it where there are many of them alone.
    const std::uint64_t warps = (extent + width - 1) / width;
    const int room = std::min((shared_memory - shape::control_bytes) / plan.unit_bytes, shape::most_warps);
    const bool by_lanes = plan.in[0] == column_copies::elements;
    const int most_bytes = by_lanes ? columns_strip_bytes_by_lanes : columns_strip_bytes;
    const int least_teams = by_lanes ? columns_least_teams_by_lanes : columns_least_teams;
    constexpr int size = *std::max_element(std::begin(Types::element_size), std::end(Types::element_size));
    const bool are_lines = (plan.width * size | all.in_stride * size) % 128 == 0;
    plan.team = 1;
    for (int more = 2; more * plan.width * size <= most_bytes && room / more >= least_teams; more *= 2) {
        const bool divides = !are_lines && warps % std::uint64_t(more) == 0;
        if (divides || warps >= std::uint64_t(4 * more)) plan.team = more;
    }
    plan.groups = std::uint32_t((warps + std::uint64_t(plan.team) - 1) / std::uint64_t(plan.team));
    const std::uint64_t rows = (arguments.scan.n + core::row_size - 1) / core::row_size;
    const std::uint64_t row_units = (rows + std::uint64_t(plan.rows) - 1) / std::uint64_t(plan.rows);
    const std::uint64_t units = row_units * plan.groups * (all.sequence_count / extent);
    plan.row_units = std::uint32_t(std::min<std::uint64_t>(row_units, 0xffffffffu));
    plan.units = std::uint32_t(std::min<std::uint64_t>(units, 0xffffffffu));
    // Whole sectors of memory are stored as well by each lane, straight from its registers. Results that take
    // the places of elements lie in memory in their order.
    const bool sectors = plan.width * int(sizeof(typename Types::Out)) % 32 == 0;
    plan.out = !sectors && all.out_stride == all.in_stride &&
                       detail::are_blocks(all.out_stride, all.fastest().out_stride, plan)
                   ? column_copies::blocks
                   : column_copies::elements;
    // What is written in place of elements would have to be told to the copy engine.
    plan.by_engine = plan.out != column_copies::blocks && plan.in[0] == column_copies::blocks &&
                     (Types::inputs == 1 || plan.in[1] == column_copies::blocks);
    const int loading = plan.by_engine ? columns_loading_bytes_by_engine : columns_loading_bytes;
    plan.permits = std::clamp(loading / (plan.team * plan.unit_bytes), 2,
                              std::min(columns_loading_units, columns_loading_warps / plan.team));
    return plan;
}

}  // namespace upsweep::cuda
