// Histograms of a sequence that lies on many GPUs, with an nccl::executor: every rank receives the counts of
// all ranks' elements.
//
// Formula, bins, shapes, aliasing: as cuda/histogram.cuh, for each rank's elements; bins and edges are the
// same on every rank. Errors: as nccl/scan.cuh. Complexity: that of the rank's own histogram, and a sum of
// the counts over ranks (ncclAllReduce).
#pragma once

#include <cstdint>

#include "upsweep/cuda/histogram.cuh"
#include "upsweep/nccl/executor.hpp"

namespace upsweep {

template <cuda::binnable In>
void histogram(nccl::executor& ex, cuda::device_span<In> in, cuda::device_span<std::uint64_t> counts,
               const bin_range<cuda::binned_type<In>>& range, const cuda::histogram_options& options = {}) {
    histogram(ex.local(), in, counts, range, options);
    ex.add_up(counts.data(), counts.size());
}

template <cuda::binnable In>
void histogram(nccl::executor& ex, cuda::device_span<In> in, cuda::device_span<std::uint64_t> counts,
               const cuda::device_edges<cuda::binned_type<In>>& edges,
               const cuda::histogram_options& options = {}) {
    histogram(ex.local(), in, counts, edges, options);
    ex.add_up(counts.data(), counts.size());
}

template <class In, class F>
void histogram_by(nccl::executor& ex, cuda::device_span<In> in, cuda::device_span<std::uint64_t> counts,
                  const F& f, const cuda::histogram_options& options = {}) {
    histogram_by(ex.local(), in, counts, f, options);
    ex.add_up(counts.data(), counts.size());
}

}  // namespace upsweep
