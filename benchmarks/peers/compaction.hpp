// Peers of compaction and partition: elements below `bound` are chosen. All return how many those are. T is
// std::int8_t, std::int32_t, float or double.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

// Without a branch: every element is stored, and the place moves on behind those that stay.
template <class T>
std::size_t compact_loop(const T* in, T* out, std::size_t n, T bound);
template <class T>
std::size_t compact_flags_loop(const T* in, T* out, const std::uint8_t* flags, std::size_t n);
// std::copy_if
template <class T>
std::size_t compact_standard(const T* in, T* out, std::size_t n, T bound);
template <class T>
std::size_t compact_standard_parallel(const T* in, T* out, std::size_t n, T bound);

// Counts, and then goes to one of two places without a branch.
template <class T>
std::size_t partition_loop(const T* in, T* out, std::size_t n, T bound);
// std::count_if, then std::partition_copy.
template <class T>
std::size_t partition_standard(const T* in, T* out, std::size_t n, T bound);
// A copy and std::stable_partition, in parallel.
template <class T>
std::size_t partition_standard_parallel(const T* in, T* out, std::size_t n, T bound);

}  // namespace bench
