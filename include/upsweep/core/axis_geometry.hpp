// The shape of an axis scan, from views of its inputs and its output: the sequences along the axis, and the
// other dimensions in the order in which they are walked.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

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

// The checks of an axis scan that do not depend on where arrays lie, for engines of every kind of memory.
//
// Throws upsweep::error, invalid_argument, unless the axis is one of the arrays' (an input of that name, and
// the output), their shapes are equal and no stride of 0 has many results stored in one place. Other strides
// may as well, such as (1, 1), and are not looked at. Returns the axis counted from 0.
int check_axis(const char* name, std::span<const std::int64_t> in_shape,
               std::span<const std::int64_t> out_shape, std::span<const std::int64_t> out_strides, int axis);
[[noreturn]] void throw_views_overlap(const char* name);

// [lowest, highest]: where the elements of a view without extents of 0 lie, counted from the one with indices
// 0.
struct view_reach {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
};
constexpr view_reach reach_of(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
    view_reach all;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const std::int64_t reach = (shape[k] - 1) * strides[k];
        (reach < 0 ? all.lowest : all.highest) += reach;
    }
    return all;
}

// [first byte, past the last byte) that a view touches whose elements take so many bytes: those of T, or of
// something else where T is a byte, which strides count then.
template <class T>
std::pair<const char*, const char*> extent_of(const strided_view<T>& view,
                                              std::size_t element_bytes = sizeof(T)) {
    const view_reach reach = reach_of(view.shape(), view.strides());
    return {reinterpret_cast<const char*>(view.data() + reach.lowest),
            reinterpret_cast<const char*>(view.data() + reach.highest) + element_bytes};
}

// Checks everything about the views of an input, of that name, and of the output, with elements of so many
// bytes; returns whether they are the same memory.
template <class In, class Out>
bool check_views(const strided_view<In>& in, const strided_view<Out>& out, int& axis, const char* name = "in",
                 std::size_t in_bytes = sizeof(In), std::size_t out_bytes = sizeof(Out)) {
    axis = check_axis(name, in.shape(), out.shape(), out.strides(), axis);
    if (in.size() == 0) return false;
    const auto [in_first, in_last] = extent_of(in, in_bytes);
    const auto [out_first, out_last] = extent_of(out, out_bytes);
    const std::less<const char*> before;
    if (!before(in_first, out_last) || !before(out_first, in_last)) return false;
    if (static_cast<const void*>(in.data()) == static_cast<const void*>(out.data()) &&
        in_bytes == out_bytes && std::ranges::equal(in.strides(), out.strides())) {
        return true;
    }
    throw_views_overlap(name);
}

}  // namespace upsweep::detail
