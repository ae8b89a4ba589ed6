// Sorting of elements of a run-time type, and the first of them.
//
// The order is that of sort.hpp: ascending or descending, stable, -0 and +0 equal, NaNs above all else. Of
// bool, elements are bytes of 0 and 1. The device must be the CPU. Throws upsweep::error: unsupported for
// other devices, invalid_argument for complex types, which have no order, and out_of_memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "registry/device.hpp"
#include "registry/dtype.hpp"

namespace upsweep::registry {

// Throws where there is no order of the type, or not on this device.
void check_order(const device& where, dtype type);

// out = the n elements of `in` in order; out may be in.
void sort(const device& where, dtype type, const void* in, void* out, std::size_t n, bool descending);
// out = their indices in that order.
void sort_indices(const device& where, dtype type, const void* in, std::int64_t* out, std::size_t n,
                  bool descending);

// The same for rows of `length` elements each, one behind the other; the indices are those within a row. Rows
// are shared among the threads where there are enough of them.
void sort_rows(const device& where, dtype type, const void* in, void* out, std::size_t rows,
               std::size_t length, bool descending);
void sort_row_indices(const device& where, dtype type, const void* in, std::int64_t* out, std::size_t rows,
                      std::size_t length, bool descending);

// The same for segments of n elements, of which one starts where a byte of `heads` is not zero, and at
// element 0; the indices are those within the whole. Outputs do not overlap `heads`.
void sort_segments(const device& where, dtype type, const std::uint8_t* heads, const void* in, void* out,
                   std::size_t n, bool descending);
void sort_segment_indices(const device& where, dtype type, const std::uint8_t* heads, const void* in,
                          std::int64_t* out, std::size_t n, bool descending);

// values = the first k of each of so many rows of `length` elements: the greatest, or the smallest; indices =
// those within the row. Outputs overlap nothing else.
void top_k_rows(const device& where, dtype type, const void* in, void* values, std::int64_t* indices,
                std::size_t rows, std::size_t length, std::size_t k, bool smallest);

// Bytes of scratch that sort() and sort_indices() take.
[[nodiscard]] std::uint64_t sort_scratch_bytes(dtype type, std::uint64_t n);
[[nodiscard]] std::uint64_t sort_indices_scratch_bytes(dtype type, std::uint64_t n);

}  // namespace upsweep::registry
