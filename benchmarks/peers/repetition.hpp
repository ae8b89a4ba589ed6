// Elements repeated as often as counts say, as one would write it. T is std::uint8_t, float or double. Both
// return how many results there are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

template <class T>
std::size_t repeat_loop(const T* in, const std::int32_t* counts, T* out, std::size_t n);
// std::exclusive_scan of the counts into `offsets`, then every element goes to its place, both in parallel.
template <class T>
std::size_t repeat_parallel(const T* in, const std::int32_t* counts, std::int64_t* offsets, T* out,
                            std::size_t n);
std::size_t repeat_indices_loop(const std::int32_t* counts, std::int32_t* out, std::size_t n);

}  // namespace bench
