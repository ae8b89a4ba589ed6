// Edges of bins that tables of cells suit, and edges that they do not; and numbers to look up among them.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/random.hpp"
#include "upsweep/core/arithmetic.hpp"

namespace upsweep::test {

template <class T, class F>
std::vector<T> edges_of(std::size_t count, const F& edge) {
    std::vector<T> edges;
    for (std::size_t i = 0; i < count; ++i) edges.push_back(static_cast<T>(edge(static_cast<double>(i))));
    return edges;
}

template <class T>
std::vector<std::vector<T>> edge_sets() {
    if constexpr (std::floating_point<T>) {
        constexpr T inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::denorm_min();
        return {
            {0, 1},
            {5, 5},
            {T(-0.0), T(0.0), 1},
            {T(0.5), 1, 2, 2, 2, 50},
            {-inf, 0, 1, inf},
            {-inf, inf},
            {inf, inf},
            {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()},
            {tiny, 3 * tiny},
            edges_of<T>(1001, [](double i) { return i / 1000; }),
            edges_of<T>(300, [](double i) { return std::pow(1.2, i - 150); }),    // geometric
            edges_of<T>(300, [](double i) { return 1 + i * 0x1p-20; }),           // in few octaves
            edges_of<T>(300, [](double i) { return i < 299 ? i : 1e30; }),        // one far away
            edges_of<T>(300, [](double i) { return std::floor(i / 7); }),         // many alike
            edges_of<T>(40, [](double i) { return i < 20 ? i * 0x1p-100 : i; }),  // on two scales
        };
    } else {
        constexpr T least = core::smallest<T>(), most = core::largest<T>();
        return {
            {0, 1},
            {7, 7},
            {least, most},
            {least, 1, 2, 3, most},
            {3, 3, 3, 3, 3, 3, 9},
            edges_of<T>(100, [](double i) { return i; }),
            edges_of<T>(11, [](double i) { return i * i; }),
        };
    }
}

// The edges, their neighbours, numbers between them and far away, NaNs.
template <class T>
std::vector<T> numbers_around(const std::vector<T>& edges) {
    std::vector<T> x{T(0), core::smallest<T>(), core::largest<T>(), std::numeric_limits<T>::lowest(),
                     std::numeric_limits<T>::max()};
    for (const T edge : edges) {
        x.push_back(edge);
        if constexpr (std::floating_point<T>) {
            x.push_back(std::nextafter(edge, core::smallest<T>()));
            x.push_back(std::nextafter(edge, core::largest<T>()));
        } else {
            if (edge != core::smallest<T>()) x.push_back(static_cast<T>(edge - 1));
            if (edge != core::largest<T>()) x.push_back(static_cast<T>(edge + 1));
        }
    }
    if constexpr (std::floating_point<T>) x.insert(x.end(), {T(-0.0), std::numeric_limits<T>::quiet_NaN()});
    random_bits random(edges.size());
    for (std::size_t i = 0; i < 3000; ++i) {
        const auto k = static_cast<std::size_t>(random.below(edges.size() - 1));
        const double share = random.between(0, 1);
        const double between =
            static_cast<double>(edges[k]) * (1 - share) + static_cast<double>(edges[k + 1]) * share;
        if (between < static_cast<double>(core::largest<T>())) x.push_back(static_cast<T>(between));
    }
    return x;
}

}  // namespace upsweep::test
