// What recurrences along an axis start from: one number, or each sequence its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/staging.hpp"

namespace upsweep::cpu {

template <class T>
class recurrence_starts {
  public:
    explicit recurrence_starts(T x0) : x0_(x0) {}
    // Those of sequences that begin `at` elements from where `own` lies.
    recurrence_starts(const source<T>& own, const memory_kernels& memory) : own_(own), memory_(&memory) {}

    [[nodiscard]] T of(std::ptrdiff_t at) const {
        T x0 = x0_;
        of_lanes(at, 1, 1, &x0);
        return x0;
    }
    // Of neighbours, the first of which begins there.
    void of_lanes(std::ptrdiff_t at, std::ptrdiff_t lane_stride, std::size_t lanes, T* to) const {
        if (!own_) return void(std::fill_n(to, lanes, x0_));
        source<T> row = moved(*own_, at);
        row.stride = lane_stride;
        row.load(row, *memory_, 0, lanes, to);
    }

  private:
    T x0_{};
    std::optional<source<T>> own_;
    const memory_kernels* memory_ = nullptr;
};

}  // namespace upsweep::cpu
