// The code of docs/cuda.md, with arrays for the names in it: what the guide shows is what nvcc takes. The
// files that end in .inc are its blocks, which tools/code_blocks.py takes out of the page.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/cuda/axis_reduce.cuh"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/bin_totals.cuh"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/block_by_block.cuh"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/histogram.cuh"
#include "upsweep/cuda/partition.cuh"
#include "upsweep/cuda/recurrence.cuh"
#include "upsweep/cuda/reduce.cuh"
#include "upsweep/cuda/repeat.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/segmented_reduce.cuh"
#include "upsweep/cuda/segmented_scan.cuh"
#include "upsweep/cuda/segmented_sort.cuh"
#include "upsweep/cuda/sort.cuh"
#include "upsweep/cuda/top_k.cuh"
#include "upsweep/cuda/unique.cuh"
#include "upsweep/predicates.hpp"

// The guide declares its count in device memory and leaves open where that is.
#pragma nv_diag_suppress 177, 549

namespace upsweep::test {

struct square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};
struct same_day {
    __host__ __device__ bool operator()(int a, int b) const { return a / 24 == b / 24; }
};
struct nearly_equal {
    __host__ __device__ bool operator()(float a, float b) const { return b - a < 0.1f; }
};
struct bin_of {
    __host__ __device__ int operator()(float x) const { return static_cast<int>(x); }
};
struct record {
    float weight;
    int number;
};
struct weight_of {
    __host__ __device__ float operator()(const record& one) const { return one.weight; }
};
#include "types-operators-functions.1.inc"

namespace {

template <class T>
using array = cuda::device_span<T>;
template <class T>
using view = cuda::device_view<T>;

// What the guide's names stand for. Those that are inputs here and outputs there are in its sections.
cudaStream_t stream;
float *x, *y, *initial, *total;
std::uint64_t* length;
std::byte* memory;
std::size_t n, rows, columns, most_elements;
array<const float> a, b, edges, values;
array<float> results, sums, values_out, kept, sorted;
array<double> doubles;
array<const int> keys, days;
array<int> keys_out;
array<std::uint32_t> lengths, indices, owners;
array<const std::uint8_t> flags;
array<const record> records;
array<record> records_out;
array<const stretch> stretches;
array<stretch> joined;
std::vector<array<const float>> blocks;
const view<const float> decays(nullptr, {0, 0}), inputs(nullptr, {0, 0}), matrix(nullptr, {0, 0});
const view<float> states(nullptr, {0, 0}), sums_of_columns(nullptr, {0});

}  // namespace

void scans() {
#include "a-program.1.inc"
#include "scans.1.inc"
}
void block_by_block() {
#include "a-program.1.inc"
#include "block-by-block.1.inc"
}
void along_an_axis() {
#include "a-program.1.inc"
#include "along-an-axis.1.inc"
}
void linear_recurrences() {
#include "a-program.1.inc"
#include "linear-recurrences.1.inc"
}
void totals() {
#include "a-program.1.inc"
#include "totals.1.inc"
}
void segments_and_keys() {
    const array<const std::int64_t> offsets;
#include "a-program.1.inc"
#include "segments-and-keys.1.inc"
}
void runs() {
#include "a-program.1.inc"
#include "runs.1.inc"
}
void compaction_and_partition() {
#include "a-program.1.inc"
#include "compaction-and-partition.1.inc"
}
void repeated_elements() {
    const array<const std::int32_t> counts;
    const array<const std::int64_t> offsets;
#include "a-program.1.inc"
#include "repeated-elements.1.inc"
}
void histograms_and_bins() {
    const array<std::uint64_t> counts, offsets;
    const array<float> totals;
#include "a-program.1.inc"
#include "histograms-and-bins.1.inc"
}
void sorting() {
    const array<const std::int64_t> offsets;
#include "a-program.1.inc"
#include "sorting.1.inc"
}
void the_first_k() {
#include "a-program.1.inc"
#include "the-first-k.1.inc"
}
void types_operators_functions() {
    const float rate = 2;
#include "a-program.1.inc"
#include "types-operators-functions.2.inc"
}
void counts_in_device_memory() {
#include "a-program.1.inc"
#include "counts-in-device-memory.1.inc"
}
void scratch_memory() {
#include "a-program.1.inc"
#include "scratch-memory.1.inc"
}

}  // namespace upsweep::test
