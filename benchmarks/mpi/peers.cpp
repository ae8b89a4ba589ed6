#include "peers.hpp"

namespace peers {
namespace {

template <class T>
T sum(const T* x, T* y, std::size_t n) {
    T total{};
    for (std::size_t i = 0; i < n; ++i) y[i] = total += x[i];
    return total;
}
template <class T>
void add(T* y, std::size_t n, T value) {
    for (std::size_t i = 0; i < n; ++i) y[i] += value;
}

}  // namespace

float running_sum(const float* x, float* y, std::size_t n) { return sum(x, y, n); }
std::int32_t running_sum(const std::int32_t* x, std::int32_t* y, std::size_t n) { return sum(x, y, n); }
void add_to_all(float* y, std::size_t n, float value) { add(y, n, value); }
void add_to_all(std::int32_t* y, std::size_t n, std::int32_t value) { add(y, n, value); }

}  // namespace peers
