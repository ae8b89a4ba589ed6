// Counts of elements, and who is whose neighbour in scan order.
#include "upsweep/nccl/distribution.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/error.hpp"

namespace upsweep::nccl {
namespace {

std::vector<std::uint64_t> ends_of(std::span<const std::uint64_t> counts) {
    std::vector<std::uint64_t> ends;
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts) {
        if (sum + count < sum)
            throw_error(errc::invalid_argument, "counts: expected fewer than 2^64 elements in all");
        ends.push_back(sum += count);
    }
    return ends;
}

}  // namespace

distribution::distribution(std::span<const std::uint64_t> counts) : ends_(ends_of(counts)) {}

distribution::distribution(const executor& ex, std::uint64_t own) {
    cuda::executor& local = ex.local();
    const cuda::device_scope current(local);
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(ex.size()));
    const std::size_t bytes = counts.size() * sizeof own;
    cuda::held_scratch taken(local, local.take_plain_scratch(bytes + sizeof own));
    auto* const all = reinterpret_cast<std::uint64_t*>(taken.data());
    std::uint64_t* const mine = all + counts.size();
    cuda::check(cudaMemcpyAsync(mine, &own, sizeof own, cudaMemcpyHostToDevice, local.stream()),
                "distribution");
    ex.gather(mine, all, sizeof own);
    cuda::check(cudaMemcpyAsync(counts.data(), all, bytes, cudaMemcpyDeviceToHost, local.stream()),
                "distribution");
    taken.release();
    local.wait();
    ends_ = ends_of(counts);
}

std::uint64_t distribution::most() const {
    std::uint64_t most = 0;
    for (int rank = 0; rank < size(); ++rank) most = std::max(most, count(rank));
    return most;
}

place place_of(const distribution& elements, int rank, bool reverse) {
    const int step = reverse ? -1 : 1, size = elements.size();
    const auto nearest = [&](int from, int way) {
        while (from >= 0 && from < size && elements.count(from) == 0) from += way;
        return from >= 0 && from < size ? from : -1;
    };
    const std::uint64_t first = elements.first(rank);
    const int begin = reverse ? size - 1 : 0, end = reverse ? 0 : size - 1;
    const int last = nearest(end, -step);
    return {reverse ? elements.total() - first - elements.count(rank) : first, nearest(rank - step, -step),
            nearest(rank + step, step) < 0, last, nearest(begin, step) != last};
}

}  // namespace upsweep::nccl
