// Where a rank's chosen elements are among those of all.
#include "upsweep/nccl/compact.cuh"

#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/held_scratch.hpp"

namespace upsweep::nccl {
namespace {

// By one thread.
__global__ void sum_counts(const std::uint64_t* counts, int size, int rank, compaction* part) {
    std::uint64_t before = 0, all = 0;
    for (int k = 0; k < size; ++k) {
        if (k == rank) before = all;
        all += counts[k];
    }
    part->first = before;
    part->total = all;
}

}  // namespace

void locate(const executor& ex, compaction* part) {
    cuda::executor& local = ex.local();
    const cuda::device_scope current(local);
    cuda::held_scratch taken(
        local, local.take_plain_scratch(static_cast<std::size_t>(ex.size()) * sizeof part->kept));
    auto* const counts = reinterpret_cast<std::uint64_t*>(taken.data());
    ex.gather(&part->kept, counts, sizeof part->kept);
    sum_counts<<<1, 1, 0, local.stream()>>>(counts, ex.size(), ex.rank(), part);
    taken.release();
    cuda::check(cudaGetLastError(), "locating a compaction");
}

}  // namespace upsweep::nccl
