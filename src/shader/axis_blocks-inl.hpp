// Parts of the sequences along an axis, and how far they reach in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "upsweep/core/axis_geometry.hpp"

namespace upsweep::shader {

using dimension = core::axis_geometry::dimension;

inline std::uint64_t magnitude(std::ptrdiff_t stride) {
    return stride < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(stride)
                      : static_cast<std::uint64_t>(stride);
}
inline std::uint64_t larger_stride(const dimension& d) {
    return std::max(magnitude(d.in_stride), magnitude(d.out_stride));
}

// Elements of the lowest and the highest address, from some element on.
struct reach {
    std::int64_t low = 0;
    std::int64_t high = 0;

    void add(std::uint64_t extent, std::ptrdiff_t stride) {
        const std::int64_t distance = static_cast<std::int64_t>(extent - 1) * stride;
        (distance < 0 ? low : high) += distance;
    }
    [[nodiscard]] std::uint64_t elements() const { return static_cast<std::uint64_t>(high - low) + 1; }
};

// A box of sequences; the dimensions are in the order of axis_geometry, the fastest last.
struct block {
    std::array<dimension, max_rank> dimensions{};
    std::size_t count = 0;
    core::axis_geometry::offsets first{0, 0};  // where its first sequence begins

    [[nodiscard]] std::uint64_t sequences() const {
        std::uint64_t product = 1;
        for (std::size_t k = 0; k < count; ++k) product *= dimensions[k].extent;
        return product;
    }
};

}  // namespace upsweep::shader
