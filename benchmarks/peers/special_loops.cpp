// The loops as anyone writes them first.
#include "special_loops.hpp"

#include <cstring>

namespace bench {

template <class In, class Out>
void axis_loop(const In* in, Out* out, matrix shape, int axis) {
    for (std::size_t row = 0; row < shape.rows; ++row) {
        const In* from = in + row * shape.columns;
        Out* to = out + row * shape.columns;
        if (axis == 1) {
            Out running = 0;
            for (std::size_t i = 0; i < shape.columns; ++i) to[i] = running += from[i];
        } else if (row == 0) {
            for (std::size_t i = 0; i < shape.columns; ++i) to[i] = from[i];
        } else {
            const Out* before = to - shape.columns;
#pragma omp simd
            for (std::size_t i = 0; i < shape.columns; ++i) to[i] = before[i] + from[i];
        }
    }
}
template void axis_loop(const float*, float*, matrix, int);
template void axis_loop(const std::uint8_t*, std::uint32_t*, matrix, int);

template <class T>
void offsets_loop(const T* in, T* out, const std::int64_t* offsets, std::size_t segment_count) {
    for (std::size_t s = 0; s < segment_count; ++s) {
        T running{};
        for (auto i = offsets[s]; i < offsets[s + 1]; ++i) out[i] = running += in[i];
    }
}

template <class T>
void head_flags_loop(const T* in, T* out, const std::uint8_t* heads, std::size_t n) {
    T running{};
    for (std::size_t i = 0; i < n; ++i) out[i] = running = heads[i] != 0 ? in[i] : running + in[i];
}

template <class T>
void keys_loop(const T* in, T* out, const std::int32_t* keys, std::size_t n) {
    T running{};
    for (std::size_t i = 0; i < n; ++i)
        out[i] = running = i == 0 || keys[i] != keys[i - 1] ? in[i] : running + in[i];
}

template <class T>
void recurrence_loop(const T* a, const T* b, T x, T* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = x = a[i] * x + b[i];
}

template <class T>
void smoothing_loop(T a, const T* b, T x, T* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = x = a * x + b[i];
}

template <class T>
void recurrence_rows_loop(const T* a, const T* b, T x, T* out, std::size_t rows, std::size_t columns) {
    for (std::size_t l = 0; l < columns; ++l) out[l] = a[l] * x + b[l];
    for (std::size_t i = 1; i < rows; ++i) {
        a += columns;
        b += columns;
        const T* const before = out;
        out += columns;
        for (std::size_t l = 0; l < columns; ++l) out[l] = a[l] * before[l] + b[l];
    }
}

template void offsets_loop(const float*, float*, const std::int64_t*, std::size_t);
template void offsets_loop(const std::int32_t*, std::int32_t*, const std::int64_t*, std::size_t);
template void head_flags_loop(const float*, float*, const std::uint8_t*, std::size_t);
template void head_flags_loop(const std::int32_t*, std::int32_t*, const std::uint8_t*, std::size_t);
template void keys_loop(const float*, float*, const std::int32_t*, std::size_t);
template void keys_loop(const std::int32_t*, std::int32_t*, const std::int32_t*, std::size_t);
template void recurrence_loop(const float*, const float*, float, float*, std::size_t);
template void recurrence_loop(const double*, const double*, double, double*, std::size_t);
template void smoothing_loop(float, const float*, float, float*, std::size_t);
template void smoothing_loop(double, const double*, double, double*, std::size_t);
template void recurrence_rows_loop(const float*, const float*, float, float*, std::size_t, std::size_t);
template void recurrence_rows_loop(const double*, const double*, double, double*, std::size_t, std::size_t);

}  // namespace bench
