// The parts of the usual scan over ranks, as plain loops.
#pragma once

#include <cstddef>
#include <cstdint>

namespace peers {

// y[i] = x[0] + ... + x[i]; returns the last.
float running_sum(const float* x, float* y, std::size_t n);
std::int32_t running_sum(const std::int32_t* x, std::int32_t* y, std::size_t n);
// y[i] += value
void add_to_all(float* y, std::size_t n, float value);
void add_to_all(std::int32_t* y, std::size_t n, std::int32_t value);

}  // namespace peers
