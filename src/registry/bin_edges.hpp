// Edges of any numbers, as edges of the numbers that elements are looked at as.
//
// A number x is in [a, b) where it is in [up(a), up(b)), and at most b where it is at most down(b), up being
// the next number of x's type from there on and down the next one back: so bins between 0.5, 1.5 and 2.5 are
// good for integers, and those between doubles for floats, each comparison being that of mathematics.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "registry/binner.hpp"
#include "registry/value.hpp"
#include "upsweep/core/arithmetic.hpp"
#include "upsweep/core/number_order.hpp"

namespace upsweep::registry {

template <class A, class B>
bool is_below(const A& a, const B& b) {
    return core::with_comparable(a, b, [](const auto& x, const auto& y) { return x < y; });
}

// The smallest number that is not below `edge` (Up), or the largest that is not above it; none if there is
// none.
template <class Number, bool Up, class Edge>
std::optional<Number> nearest_number(const Edge& edge) {
    const auto falls_short = [](const auto& x, const auto& y) {
        return Up ? is_below(x, y) : is_below(y, x);
    };
    constexpr Number first = Up ? core::smallest<Number>() : core::largest<Number>();
    constexpr Number last = Up ? core::largest<Number>() : core::smallest<Number>();
    if (falls_short(last, edge)) return {};
    if (!falls_short(first, edge)) return first;
    if constexpr (std::integral<Number> && std::floating_point<Edge>) {
        return static_cast<Number>(Up ? std::ceil(edge) : std::floor(edge));
    } else {
        const auto nearest = static_cast<Number>(edge);
        if constexpr (std::floating_point<Number>)
            return falls_short(nearest, edge) ? std::nextafter(nearest, last) : nearest;
        else
            return nearest;
    }
}

// use(edge) with the number that `edge` is.
template <class Use>
void visit_edge(const value& edge, const Use& use) {
    if (edge.type() == dtype::int64)
        use(edge.as<std::int64_t>());
    else if (edge.type() == dtype::uint64)
        use(edge.as<std::uint64_t>());
    else
        use(edge.as<double>());
}

// The edges of those bins that some number may be in, which are the first ones: none, or two or more. Throws
// upsweep::error (invalid_argument) where bin_limits does not take the edges.
template <class Number>
std::vector<Number> edges_among(const bin_limits& limits) {
    check_edges(limits);
    std::vector<Number> found;
    std::optional<Number> last;
    visit_edge(limits.edges.back(), [&](auto edge) { last = nearest_number<Number, false>(edge); });
    if (limits.clamp) last = core::largest<Number>();
    for (std::size_t i = 0; i < limits.count; ++i) {
        std::optional<Number> first;
        visit_edge(limits.edges[i], [&](auto edge) { first = nearest_number<Number, true>(edge); });
        if (limits.clamp && i == 0) first = core::smallest<Number>();
        if (!first || !last || *first > *last) break;
        found.push_back(*first);
    }
    if (!found.empty()) found.push_back(*last);
    return found;
}

}  // namespace upsweep::registry
