// Layouts of n-dimensional arrays in memory, and the slices along their axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test {

using extents = std::vector<std::int64_t>;

inline std::string text_of(const extents& values) {
    std::string text = "(";
    for (const std::int64_t v : values) text += (text.size() > 1 ? ", " : "") + std::to_string(v);
    return text + ")";
}

// How an array of a shape lies in memory: strides in elements, where element (0, 0, ...) is, and how much
// room it takes.
struct layout {
    std::string name;
    extents strides;
    std::size_t first = 0;
    std::size_t room = 0;

    // Dimensions laid out in `order`, the last fastest, `gap` times as far apart as they need be, with `pad`
    // elements between lines; those with a bit in `negative` run backwards.
    layout(std::string called, const extents& shape, const std::vector<std::size_t>& order, std::int64_t gap,
           unsigned negative, std::int64_t pad = 0)
        : name(std::move(called)), strides(shape.size()) {
        std::int64_t stride = gap;
        for (std::size_t k = order.size(); k-- != 0;) {
            strides[order[k]] = stride;
            stride = stride * shape[order[k]] + pad;
        }
        room = static_cast<std::size_t>(stride);
        for (std::size_t k = 0; k < shape.size(); ++k) {
            if ((negative >> k & 1u) == 0) continue;
            first += static_cast<std::size_t>((shape[k] - 1) * strides[k]);
            strides[k] = -strides[k];
        }
    }
};

inline std::vector<std::size_t> c_order(std::size_t rank) {
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}
inline std::vector<std::size_t> fortran_order(std::size_t rank) {
    const auto order = c_order(rank);
    return {order.rbegin(), order.rend()};
}

// The ways in which tests of an axis lay out arrays of a shape.
inline std::vector<layout> layouts_of(const extents& shape) {
    const std::size_t rank = shape.size();
    return {
        {"C", shape, c_order(rank), 1, 0},
        {"Fortran", shape, fortran_order(rank), 1, 0},
        {"padded C", shape, c_order(rank), 2, 0, 3},
        {"backwards", shape, c_order(rank), 1, ~0u},
        {"half backwards", shape, fortran_order(rank), 1, 5u},
        {"lines apart", shape, c_order(rank), 1, 0, 3},
    };
}

// Calls visit(offset of a slice's first element in a, in b) for every slice along `axis`.
template <class Visit>
void for_each_slice(const extents& shape, std::size_t axis, const layout& a, const layout& b,
                    const Visit& visit) {
    extents index(shape.size(), 0);
    for (const std::int64_t extent : shape) {
        if (extent == 0) return;
    }
    for (;;) {
        std::int64_t in_a = static_cast<std::int64_t>(a.first), in_b = static_cast<std::int64_t>(b.first);
        for (std::size_t k = 0; k < shape.size(); ++k) {
            in_a += index[k] * a.strides[k];
            in_b += index[k] * b.strides[k];
        }
        visit(in_a, in_b);
        std::size_t k = shape.size();
        for (; k-- != 0;) {
            if (k == axis) continue;
            if (++index[k] < shape[k]) break;
            index[k] = 0;
        }
        if (k == static_cast<std::size_t>(-1)) return;
    }
}

}  // namespace upsweep::test
