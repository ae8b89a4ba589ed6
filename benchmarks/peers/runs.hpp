// Totals, first elements and lengths of runs of equal keys, as one would write them. T is float or int32
// (std::int32_t). All return how many runs there are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

template <class T>
std::size_t reduce_by_key_loop(const std::int32_t* keys, const T* in, std::int32_t* keys_out, T* out,
                               std::size_t n);
// Segment s is [offsets[s], offsets[s + 1]).
template <class T>
void reduce_offsets_loop(const T* in, T* out, const std::int64_t* offsets, std::size_t segments);
// The same of maxima, of segments that have elements; a NaN is lost.
template <class T>
void maxima_offsets_loop(const T* in, T* out, const std::int64_t* offsets, std::size_t segments);
std::size_t run_lengths_loop(const std::int32_t* keys, std::int32_t* out, std::int32_t* lengths,
                             std::size_t n);
// Stores every element, and moves on behind those that differ from the next.
std::size_t unique_loop(const std::int32_t* keys, std::int32_t* out, std::size_t n);
// std::unique_copy.
std::size_t unique_standard(const std::int32_t* keys, std::int32_t* out, std::size_t n);
// The same in parallel.
std::size_t unique_standard_parallel(const std::int32_t* keys, std::int32_t* out, std::size_t n);

}  // namespace bench
