// Linear recurrences and exponential smoothing of one sequence by the scalar reference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "upsweep/core/reference.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::test {

// y[i] = a[i] y[i-1] + b[i] with y[-1] = x0, or from the end, computed in T.
template <class Out, class T>
std::vector<Out> recurred(std::vector<T> a, std::vector<T> b, T x0, bool reverse = false) {
    if (reverse) {
        std::reverse(a.begin(), a.end());
        std::reverse(b.begin(), b.end());
    }
    core::odometer<affine_map<T>, affine> map(affine{}, affine_map<T>{T(0), x0});
    std::vector<Out> out;
    for (std::size_t i = 0; i < b.size(); ++i) {
        map.take({a[i], b[i]});
        out.push_back(cpu::convert<Out>(map.value()->b));
    }
    if (reverse) std::reverse(out.begin(), out.end());
    return out;
}

template <class T, class In>
std::vector<T> as_accumulators(const std::vector<In>& in) {
    std::vector<T> made;
    for (std::size_t i = 0; i < in.size(); ++i) made.push_back(cpu::convert<T>(In(in[i])));
    return made;
}

// The same with one coefficient for all.
template <class T, class Out, class In>
std::vector<Out> recurred_by(T coefficient, const std::vector<In>& in, T x0, bool reverse = false) {
    return recurred<Out>(std::vector<T>(in.size(), coefficient), as_accumulators<T>(in), x0, reverse);
}

// By weight w: 1 - w and each product are rounded by themselves; from x0, or else from the first element.
template <class T, class Out, class In>
std::vector<Out> smoothed(T weight, const std::vector<In>& in, bool reverse = false,
                          std::optional<T> x0 = {}) {
    std::vector<T> elements = as_accumulators<T>(in);
    if (!x0 && !in.empty()) x0 = reverse ? elements.back() : elements.front();
    for (T& x : elements) {
        const volatile T product = x * weight;
        x = product;
    }
    return recurred<Out>(std::vector<T>(in.size(), T(1) - weight), elements, x0.value_or(T(0)), reverse);
}

}  // namespace upsweep::test
