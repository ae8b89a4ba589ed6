// The shape of an axis scan, from views of its inputs and its output: the sequences along the axis, and the
// other dimensions in the order in which they are walked.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "upsweep/error.hpp"
#include "upsweep/views.hpp"

namespace upsweep::core {

// Strides count elements. `others` are the dimensions besides the axis: merged where they can be, without
// extents of one, the one that runs fastest in the output last. Those that run backwards in all arrays are
// walked from their other end. `second` is another input, as linear recurrences have; without one it is as
// the first.
struct axis_geometry {
    struct dimension {
        std::size_t extent;
        std::ptrdiff_t in_stride;
        std::ptrdiff_t out_stride;
        std::ptrdiff_t second_stride = 0;
    };
    struct offsets {
        std::ptrdiff_t in;
        std::ptrdiff_t out;
        std::ptrdiff_t second = 0;
    };

    std::size_t length = 0;  // of the axis
    std::ptrdiff_t in_stride = 0;
    std::ptrdiff_t out_stride = 0;
    std::ptrdiff_t second_stride = 0;
    std::array<dimension, max_rank> others{};
    std::size_t other_count = 0;
    std::size_t sequence_count = 1;
    offsets origin{0, 0, 0};  // where the first sequence begins

    // All arrays have one shape; `axis` is within their rank.
    axis_geometry(std::span<const std::int64_t> shape, std::span<const std::int64_t> in_strides,
                  std::span<const std::int64_t> out_strides, std::size_t axis)
        : axis_geometry(shape, in_strides, in_strides, out_strides, axis) {}
    axis_geometry(std::span<const std::int64_t> shape, std::span<const std::int64_t> in_strides,
                  std::span<const std::int64_t> second_strides, std::span<const std::int64_t> out_strides,
                  std::size_t axis);

    // Where sequence number `sequence` begins.
    [[nodiscard]] constexpr offsets begin(std::size_t sequence) const {
        offsets at = origin;
        for (std::size_t k = other_count; k-- != 0;) {
            const auto index = static_cast<std::ptrdiff_t>(k == 0 ? sequence : sequence % others[k].extent);
            if (k != 0) sequence /= others[k].extent;
            at.in += index * others[k].in_stride;
            at.out += index * others[k].out_stride;
            at.second += index * others[k].second_stride;
        }
        return at;
    }
    // Walks sequences from their ends: returns how far from their first elements the last ones are.
    constexpr offsets turn() {
        const auto last = static_cast<std::ptrdiff_t>(length) - 1;
        const offsets first{last * in_stride, last * out_stride, last * second_stride};
        in_stride = -in_stride;
        out_stride = -out_stride;
        second_stride = -second_stride;
        return first;
    }
    [[nodiscard]] constexpr dimension fastest() const {
        return other_count == 0 ? dimension{1, 1, 1, 1} : others[other_count - 1];
    }
};

}  // namespace upsweep::core

namespace upsweep::detail {

// [first byte, past the last byte) that a view touches.
template <class T>
std::pair<const char*, const char*> extent_of(const strided_view<T>& view) {
    std::ptrdiff_t lowest = 0;
    std::ptrdiff_t highest = 0;
    for (std::size_t k = 0; k < view.rank(); ++k) {
        const std::ptrdiff_t reach = (view.shape()[k] - 1) * view.strides()[k];
        (reach < 0 ? lowest : highest) += reach;
    }
    return {reinterpret_cast<const char*>(view.data() + lowest),
            reinterpret_cast<const char*>(view.data() + highest + 1)};
}

// Checks everything about the views of an input, of that name, and of the output; returns whether they are
// the same memory.
template <class In, class Out>
bool check_views(const strided_view<In>& in, const strided_view<Out>& out, int& axis,
                 const char* name = "in") {
    const auto rank = static_cast<int>(in.rank());
    if (rank == 0)
        throw_error(errc::invalid_argument,
                    std::string(name) + ": a 0-dimensional array has no axis to scan");
    if (axis < -rank || axis >= rank) {
        throw_error(errc::invalid_argument, "axis: expected " + std::to_string(-rank) + " to " +
                                                std::to_string(rank - 1) + " for " + std::to_string(rank) +
                                                " dimensions, but it is " + std::to_string(axis));
    }
    if (axis < 0) axis += rank;
    if (!std::ranges::equal(in.shape(), out.shape()))
        throw_error(errc::invalid_argument, "out: its shape differs from that of " + std::string(name));
    if (in.size() == 0) return false;
    for (std::size_t k = 0; k < out.rank(); ++k) {
        if (out.strides()[k] == 0 && out.shape()[k] > 1) {
            throw_error(errc::invalid_argument, "out: stride 0 in dimension " + std::to_string(k) +
                                                    " would store many results in one element");
        }
    }
    const auto [in_first, in_last] = extent_of(in);
    const auto [out_first, out_last] = extent_of(out);
    const std::less<const char*> before;
    if (!before(in_first, out_last) || !before(out_first, in_last)) return false;
    if (static_cast<const void*>(in.data()) == static_cast<const void*>(out.data()) &&
        sizeof(In) == sizeof(Out) && std::ranges::equal(in.strides(), out.strides())) {
        return true;
    }
    throw_error(errc::invalid_argument,
                "out: overlaps " + std::string(name) +
                    "; it must be the same array (equal pointers and strides) or disjoint from it");
}

}  // namespace upsweep::detail
