// Plain loops for the works that the peer libraries do not offer: along an axis, by segments, and a
// recurrence. T is float or int32 (std::int32_t) for segments, float or double for recurrences.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

struct matrix {
    std::size_t rows;
    std::size_t columns;
    std::size_t size() const { return rows * columns; }
};

// Along axis 0 the inner loop runs over a row, so that the compiler vectorises it; along axis 1 over a
// sequence. In and Out are float, or std::uint8_t and std::uint32_t.
template <class In, class Out>
void axis_loop(const In* in, Out* out, matrix shape, int axis);

// Segment s is [offsets[s], offsets[s + 1]).
template <class T>
void offsets_loop(const T* in, T* out, const std::int64_t* offsets, std::size_t segment_count);
// A nonzero flag opens a segment.
template <class T>
void head_flags_loop(const T* in, T* out, const std::uint8_t* heads, std::size_t n);
// A key that differs from the one before opens a segment.
template <class T>
void keys_loop(const T* in, T* out, const std::int32_t* keys, std::size_t n);

// out[i] = a[i] out[i - 1] + b[i], from x.
template <class T>
void recurrence_loop(const T* a, const T* b, T x, T* out, std::size_t n);
// The same with one coefficient.
template <class T>
void smoothing_loop(T a, const T* b, T x, T* out, std::size_t n);
// The first down the columns of an array, row after row.
template <class T>
void recurrence_rows_loop(const T* a, const T* b, T x, T* out, std::size_t rows, std::size_t columns);

}  // namespace bench
