// Input for scans and the check of what they leave: bit-exact for integers and for maxima; for floating-point
// sums, where every peer groups as it likes, close to the sum in double over the first million elements and
// finite after them.
#pragma once

#include "../peers/peers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace bench {

template <class T>
constexpr const char* type_name() {
    if constexpr (std::is_same_v<T, float>)
        return "float";
    else if constexpr (std::is_same_v<T, double>)
        return "double";
    else if constexpr (sizeof(T) == 1)
        return "int8";
    else if constexpr (sizeof(T) == 2)
        return "int16";
    else if constexpr (sizeof(T) == 4)
        return "int32";
    else
        return "int64";
}

// Uniform in [0, 1) for floating point, in [0, 100) for integers; the same for every run.
template <class T>
void fill(T* data, std::size_t n) {
    std::uint64_t state = 88172645463325252u;
    for (std::size_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto high = static_cast<std::uint32_t>(state >> 40);  // 24 bits
        if constexpr (std::is_floating_point_v<T>)
            data[i] = static_cast<T>(high) / static_cast<T>(1 << 24);
        else
            data[i] = static_cast<T>(high % 100);
    }
}

// Expected values of a scan at every position up to `dense`, and at every `stride`-th after it.
template <class T>
class expectation {
  public:
    expectation(scan_work work, const T* in, std::size_t n) : work_(work), n_(n) {
        running sum{};
        T largest{};
        for (std::size_t i = 0; i < n; ++i) {
            const running before = sum;
            sum = add(sum, in[i]);
            largest = i == 0 || largest < in[i] ? in[i] : largest;
            if (!watched(i)) continue;
            if (work == scan_work::maximum)
                expected_.push_back(static_cast<running>(largest));
            else
                expected_.push_back(work == scan_work::inclusive ? sum : before);
        }
    }

    // Overwrites what `matches` reads, so that a previous contender's output does not pass for this one's.
    void poison(T* out) const {
        for (std::size_t i = 0; i < n_; ++i)
            if (watched(i)) std::memset(out + i, 0x5a, sizeof(T));
    }

    bool matches(const T* out) const {
        std::size_t next = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            if (!watched(i)) continue;
            const running expected = expected_[next++];
            if (!agrees(i, out[i], expected)) return false;
        }
        return true;
    }

  private:
    static constexpr std::size_t dense = 1'000'000;
    static constexpr std::size_t stride = 61;
    // Floating-point sums run in double, integer ones modulo 2^64.
    using running = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

    static running add(running sum, T value) { return sum + static_cast<running>(value); }
    bool watched(std::size_t i) const { return i < dense || i % stride == 0 || i + 1 == n_; }

    bool agrees(std::size_t i, T value, running expected) const {
        if (std::is_integral_v<T> || work_ == scan_work::maximum) return value == static_cast<T>(expected);
        const auto got = static_cast<double>(value);
        if (i >= dense) return std::isfinite(got) && got > 0;
        return std::abs(got - static_cast<double>(expected)) <= 1e-3 + 1e-2 * static_cast<double>(expected);
    }

    scan_work work_;
    std::size_t n_;
    std::vector<running> expected_;
};

}  // namespace bench
