// Scans of arrays in device memory, of run-time types. Everything is in the order of the executor's stream,
// temporary memory too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "registry/recurrence.hpp"
#include "registry/scanner.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::registry::gpu {

// Every sequence along the axis, each by itself. Throws upsweep::error as the scans of cuda/axis_scan.cuh do;
// out_of_memory too where elements, results or an exclusive scan want temporary memory: of as many held
// accumulators as there are elements, unless the types are the accumulator's or have kernels of their own.
void scan_array(const scan_request& request, cuda::executor& ex, const void* in, void* out,
                const axis_layout& layout);

// Totals along the axis: out[i..., k...] = in[i..., 0, k...] (+) ... (+) in[i..., n - 1, k...], which is the
// last result of an inclusive scan of each sequence, and of no elements the initial value, or else the
// operator's identity. out_strides has an entry for every dimension, and the axis's is not looked at. Of the
// request, operator, types and initial value count. `out` must not overlap `in`. Throws as scan_array does.
void reduce_array(const scan_request& request, cuda::executor& ex, const void* in, void* out,
                  const axis_layout& layout);

// A sequence of segments: heads[i] != 0 starts one; the first element always does. `out` may be `in` where
// the types have equal sizes; any other overlap is an error.
void scan_array_segments(const scan_request& request, cuda::executor& ex, const void* in,
                         const std::uint8_t* heads, void* out, std::size_t n);

// The totals of such segments: out[k] = the result of segment k's last element, and *count, in device memory,
// receives how many there are. Where held_bytes(request) is not 0 a total has so many bytes, and store_totals
// makes elements of the output of it. `out` has room for `room` of them, as many as there are at least, and
// overlaps nothing. Of the request, operator, types and initial value count.
[[nodiscard]] std::size_t held_bytes(const scan_request& request);
void reduce_array_segments(const scan_request& request, cuda::executor& ex, const void* in,
                           const std::uint8_t* heads, std::size_t n, void* out, std::size_t room,
                           std::uint64_t* count);
void store_totals(const scan_request& request, cuda::executor& ex, const void* held, void* out,
                  std::size_t n);
// The same of runs of equal keys, whose first ones go to keys_out, unless null.
struct keys_call {
    dtype type;
    const void* keys;
    void* keys_out;
};
void reduce_array_by_keys(const scan_request& request, cuda::executor& ex, const void* in,
                          const keys_call& keys, void* out, std::size_t n, std::uint64_t* count);
// The same of segments by `count` >= 1 offsets: out[k] is an element of the output; of an empty segment it is
// the initial value, or else the operator's identity. *bad, in device memory, receives 1 if some offsets are
// not what they should be, and out anything; else 0. marked() is called once what tells is in the stream,
// with most of the work still to come.
void reduce_array_by_offsets(const scan_request& request, cuda::executor& ex, const void* in, std::size_t n,
                             const std::int64_t* offsets, std::size_t count, void* out, std::uint64_t* bad,
                             const std::function<void()>& marked);
// Sums by bin: out[b], of `count`, an element of the output, is the sum of in[i] with bins[i] == b, with the
// bits of that bin's elements alone; where bins[i] is not less, in[i] is in none. The request's operator is a
// sum without an initial value.
void sum_array_by_bins(const scan_request& request, cuda::executor& ex, const std::uint32_t* bins,
                       const void* in, std::size_t n, void* out, std::size_t count);

// As registry::scan_recurrence. Temporary memory: a number for each element of every array, unless all
// have the arithmetic's type, or one of 16 bits that is converted to float. Inputs that repeat elements are
// converted as they are.
void scan_recurrence(cuda::executor& ex, const recurrence_call& call);

}  // namespace upsweep::registry::gpu
