// The GPU's part of scans of run-time types, behind plain functions: conversion of elements to held
// accumulators (registry/held.hpp), scan of those, conversion of results. Everything is in device memory, and
// in the order of the stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "registry/cuda/arrays.hpp"
#include "registry/held.hpp"
#include "registry/scanner.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::registry::gpu {

// Of n elements one after the other, or of arrays, where `to` may be `from` for types of one size.
void load_elements(const conversion& how, const void* from, void* to, std::size_t n, cudaStream_t stream);
void load_elements(const conversion& how, const core::axis_geometry& geometry, const void* from, void* to,
                   cudaStream_t stream);

// Stores inclusive results, or exclusive ones made of them: each is the inclusive one of the element before,
// bit for bit (docs/numerics.md), and the first is the start. So most scans below are inclusive alone, which
// halves what is compiled.
struct result_order {
    bool exclusive = false;
    bool reverse = false;
    value start{};                        // of the held type; not read for inclusive results
    const void* start_at = nullptr;       // the same in device memory, which goes before
    const std::uint8_t* heads = nullptr;  // of a sequence: one that is not zero starts a segment
};
void store_results(const conversion& how, const result_order& order, const void* from, void* to,
                   std::size_t n, cudaStream_t stream);
void store_results(const conversion& how, const result_order& order, const core::axis_geometry& geometry,
                   const void* from, void* to, cudaStream_t stream);

// An inclusive scan of held accumulators; `in` and `out` may be equal.
struct scan_call {
    const void* in;
    void* out;
    std::size_t n;
    bool reverse;
    const void* initial;  // null: none
    void* total;          // null: not wanted
};
// Throws upsweep::error as the scans of upsweep/cuda/scan.cuh do. For bool, `op` is an operator on bits.
void scan(operation op, dtype held, cuda::executor& ex, const scan_call& call);

// The same along an axis, as in upsweep/cuda/axis_scan.cuh.
struct axis_call {
    const void* in;
    void* out;
    axis_layout layout;
    bool reverse;
    const value* initial;  // of the held type, in host memory; null: none
};
void scan_axis(operation op, dtype held, cuda::executor& ex, const axis_call& call);

// The same of segments, as in upsweep/cuda/segmented_scan.cuh, one head an element.
struct segments_call {
    const void* in;
    void* out;
    const std::uint8_t* heads;
    std::size_t n;
    bool reverse;
    const value* initial;
};
void scan_segments(operation op, dtype held, cuda::executor& ex, const segments_call& call);
// The totals of such segments, as in upsweep/cuda/segmented_reduce.cuh, one after the other, where `out` has
// room for n > 0, and in *count, in device memory, how many there are. False, and nothing is done, where
// there are no kernels for that: these are of sums, minima and maxima of real numbers.
[[nodiscard]] bool reduce_segments(operation op, dtype held, cuda::executor& ex, const segments_call& call,
                                   std::uint64_t* count);

// The same by offsets, `count` >= 1 of them: the total of each segment; of one without elements, `empty`, of
// the held type. Offsets that are not what they should be leave anything in the segments' places.
struct offsets_call {
    const void* in;
    void* out;
    const std::int64_t* offsets;
    std::size_t count;
    std::size_t n;
    const value* initial;
    const value& empty;
};
[[nodiscard]] bool reduce_by_offsets(operation op, dtype held, cuda::executor& ex, const offsets_call& call);

// The sums of values by the numbers of their bins, of which there are `count`, at least one, as in
// upsweep/cuda/bin_totals.cuh.
struct bin_sums_call {
    const std::uint32_t* bins;
    const void* values;
    std::size_t n;
    void* out;
    std::size_t count;
};
void sum_by_bins(dtype held, cuda::executor& ex, const bin_sums_call& call);

// The same of runs of equal keys, and the first of these, of sums with keys that are integers of 4 or 8
// bytes; the call's heads are not looked at.
[[nodiscard]] bool sum_by_keys(dtype held, cuda::executor& ex, const segments_call& call,
                               const keys_call& keys, std::uint64_t* count);

// linear_recurrence of arrays that are all of that type: float32 or float64, in which the arithmetic happens,
// or float16 or bfloat16, in float.
void recur(dtype type, cuda::executor& ex, const recurrence_call& call);

}  // namespace upsweep::registry::gpu
