// Totals of others, each written as its own users would write it: of whole arrays, and along either axis of
// two-dimensional ones.
#pragma once

#include "special_loops.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

enum class total_work { sum, maximum };

template <class T>
struct total_peer {
    std::string_view name;
    bool parallel;  // runs on every core
    T (*run)(const T* in, std::size_t n);
};

// T is std::int8_t, std::int32_t, float or double. Sums of signed integers wrap.
template <class T>
std::vector<total_peer<T>> total_peers(total_work work);

// Sums along an axis: of rows one after the other (1), or row after row into all columns (0).
void axis_totals_loop(const float* in, float* out, matrix shape, int axis);
// The same with OpenMP's threads, which share rows (1), or columns if there are many, else rows whose sums
// are then added (0); and with its vectors along rows.
void axis_totals_openmp(const float* in, float* out, matrix shape, int axis);

}  // namespace bench
