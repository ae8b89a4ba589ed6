// What calls on arrays of run-time types come to on held accumulators, and where these lie.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

#include "registry/cuda/kernels.hpp"
#include "registry/held.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/views.hpp"

namespace upsweep::registry::gpu {

// What a request comes to on held accumulators.
struct held_scan {
    explicit held_scan(const scan_request& request)
        : types(request.types),
          as(hold(request)),
          initial(request.initial ? &as.start : nullptr),
          loads(!is_held_as(types.input, types.accumulator, as.held)),
          // Exclusive results are made of inclusive ones when they are stored.
          stores(request.exclusive || !is_held_as(types.output, types.accumulator, as.held)),
          order{request.exclusive, request.reverse, as.start, nullptr, nullptr} {}
    held_scan(const held_scan&) = delete;
    held_scan& operator=(const held_scan&) = delete;

    scan_types types;
    held_request as;
    const value* initial;  // null: none
    bool loads, stores;    // whether elements and results are converted
    result_order order;

    [[nodiscard]] conversion load() const { return {types.input, types.accumulator, as.held}; }
    [[nodiscard]] conversion store() const { return {types.output, types.accumulator, as.held}; }
};

// Strides of an array that lies as `like` does, but has no gaps: the same order of dimensions.
inline std::array<std::int64_t, max_rank> packed_strides(std::span<const std::int64_t> shape,
                                                         std::span<const std::int64_t> like) {
    std::array<std::size_t, max_rank> order{};
    for (std::size_t k = 0; k < shape.size(); ++k) order.at(k) = k;
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(shape.size());
    std::stable_sort(order.begin(), end,
                     [&](std::size_t a, std::size_t b) { return std::abs(like[a]) > std::abs(like[b]); });
    std::array<std::int64_t, max_rank> strides{};
    std::int64_t stride = 1;
    for (auto k = end; k != order.begin();) {
        strides.at(*--k) = stride;
        stride *= shape[*k];
    }
    return strides;
}

inline std::size_t count_of(std::span<const std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    return count;
}

// Two arrays as one sequence, where they lie in the same order, each with equal steps from element to
// element.
inline std::optional<core::axis_geometry> line_of(std::span<const std::int64_t> shape,
                                                  std::span<const std::int64_t> from,
                                                  std::span<const std::int64_t> to) {
    const auto packed = packed_strides(shape, to);
    std::int64_t from_step = 1, to_step = 1;
    for (std::size_t k = 0; k < shape.size(); ++k)
        if (shape[k] > 1 && packed.at(k) == 1) from_step = from[k], to_step = to[k];
    for (std::size_t k = 0; k < shape.size(); ++k)
        if (shape[k] > 1 && (from[k] != from_step * packed.at(k) || to[k] != to_step * packed.at(k)))
            return std::nullopt;
    const auto count = static_cast<std::int64_t>(count_of(shape));
    return core::axis_geometry({&count, 1}, {&from_step, 1}, {&to_step, 1}, 0);
}
inline core::axis_geometry conversion_between(std::span<const std::int64_t> shape,
                                              std::span<const std::int64_t> from,
                                              std::span<const std::int64_t> to, std::size_t axis) {
    const auto line = line_of(shape, from, to);
    return line ? *line : core::axis_geometry(shape, from, to, axis);
}

}  // namespace upsweep::registry::gpu
