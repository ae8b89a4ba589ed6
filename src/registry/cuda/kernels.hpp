// The GPU's part of scans of run-time types, behind plain functions: conversion of elements to held
// accumulators (registry/held.hpp), scan of those, conversion of results.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "registry/held.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::registry::gpu {

// Everything is in device memory, and in the order of the stream.
void load_elements(const conversion& how, const void* from, void* to, std::size_t n, cudaStream_t stream);

// Stores inclusive results, or exclusive ones made of them: each is the inclusive one of the element before,
// bit for bit (docs/numerics.md), and the first is `start`. So the scans below are inclusive alone, which
// halves what is compiled.
struct result_order {
    bool exclusive;
    bool reverse;
    const void* start;  // one held accumulator; not read for inclusive results
};
void store_results(const conversion& how, const result_order& order, const void* from, void* to,
                   std::size_t n, cudaStream_t stream);

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

}  // namespace upsweep::registry::gpu
