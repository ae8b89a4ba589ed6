// The checks of an axis scan of two arrays in buffers, or of totals, and the request for its plan.
#pragma once

#include <cstdint>
#include <span>

#include "shader/plan.hpp"

namespace upsweep::shader {

// A view without its buffer and its type.
struct array_description {
    std::uint64_t offset;  // bytes, of the element with indices 0
    std::span<const std::int64_t> shape;
    std::span<const std::int64_t> strides;
};
struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;  // 0: nothing
};

struct axis_arguments {
    axis_request request;
    byte_range in, out;  // what the views span
};

// Throws upsweep::error, invalid_argument, for what the CPU's axis scans refuse too (an axis that is not
// there, other shapes, stride 0 in `out`, an overlap in `same_buffer` that is not the whole) and for elements
// in front of the buffer. That they end within it is for the caller to see.
[[nodiscard]] axis_arguments check_axis_arguments(const operation& op, const array_description& in,
                                                  const array_description& out, bool same_buffer, int axis);
// The same of totals, by what the CPU's refuse: `out` lacks the axis and is disjoint from `in`.
[[nodiscard]] axis_arguments check_total_arguments(const operation& op, const array_description& in,
                                                   const array_description& out, bool same_buffer, int axis);

}  // namespace upsweep::shader
