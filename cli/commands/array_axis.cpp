// Axes counted in the order of the file.
#include "cli/commands/array_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cli/usage.hpp"

namespace upsweep::cli {

array_extents extents_of(const array_header& header, int axis) {
    std::vector<std::uint64_t> shape = header.shape;
    auto along = static_cast<std::size_t>(axis);
    if (header.fortran_order) {
        std::reverse(shape.begin(), shape.end());
        along = shape.size() - 1 - along;
    }
    array_extents extents;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        (k < along ? extents.outer : k == along ? extents.length : extents.inner) *= shape[k];
    }
    return extents;
}

int axis_in_range(int axis, const array_reader& reader) {
    const auto rank = static_cast<int>(reader.header().open_ended ? 1 : reader.header().shape.size());
    if (axis < -rank || axis >= rank) {
        throw usage_error(fmt::format("--axis {}: {} has {} dimension{}, so it must be from {} to {}", axis,
                                      reader.source().name(), rank, rank == 1 ? "" : "s", -rank, rank - 1));
    }
    return axis < 0 ? axis + rank : axis;
}

}  // namespace upsweep::cli
