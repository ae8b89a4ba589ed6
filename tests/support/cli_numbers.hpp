// Elements for files, and what one sequence of them adds up to by the scalar reference.
#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <type_traits>
#include <vector>

#include "upsweep/core/reference.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {

// Any integers; other numbers near 1, so that sums round and products neither vanish nor overflow.
template <class T>
std::vector<T> numbers_near_one(std::size_t n, unsigned seed = 7) {
    std::mt19937 random(seed);
    const auto part = [&] { return static_cast<float>(random() % 201) / 8192.0f - 0.0122f; };
    std::vector<T> made(n);
    for (T& x : made) {
        if constexpr (is_complex<T>)
            x = T(static_cast<typename T::value_type>(1 + part()),
                  static_cast<typename T::value_type>(part()));
        else if constexpr (std::is_integral_v<T>)
            x = static_cast<T>(random());
        else
            x = T(1 + part());
    }
    return made;
}

// The last result of an inclusive scan; of no elements what an exclusive one would begin with.
template <class Acc, class Out, class In, class Op = plus>
Out folded(const std::vector<In>& in, std::optional<Acc> initial = {}, Op op = {}) {
    core::odometer<Acc, Op> total(op, initial);
    for (const In& x : in) total.take(cpu::convert<Acc>(x));
    return cpu::convert<Out>(total.value() ? *total.value() : identity_of<Acc>(op));
}

}  // namespace upsweep::test
