// From typed arguments to the kernels that count bins.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upsweep/cuda/count_bins.cuh"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda::detail {

template <class In, class Classes>
class count_launch {
  public:
    using arguments = count_arguments<In, Classes>;

    count_launch(executor& ex, const In* in, std::uint64_t n, const std::uint64_t* length,
                 const Classes& classes)
        : ex_(ex), slots_(counted_slots<In, Classes>::count(classes)), made_{in,     {n, length}, classes,
                                                                             1,      1,           0,
                                                                             0,      nullptr,     nullptr,
                                                                             nullptr} {}

    // counts[bin] = the elements of each bin.
    void count(std::uint64_t* counts) {
        check(cudaMemsetAsync(counts, 0, made_.classes.bins() * sizeof *counts, ex_.stream()),
              "clearing the counts");
        made_.counts = counts;
        enqueue();
    }
    // offsets[bin] = the elements of all bins before, of so many bins that a block has counters for them, and
    // offsets[bins] those of all. `scratch`: one word more than bins, cleared before. n is not 0.
    void find_offsets(std::uint64_t* offsets, std::uint64_t* scratch) {
        made_.counts = scratch + 1;
        made_.offsets = offsets;
        made_.finished_blocks = reinterpret_cast<unsigned*>(scratch);
        enqueue();
    }

  private:
    void enqueue() {
        const std::uint64_t n = made_.extent.n;
        if (n == 0) return;
        const std::uint64_t blocks = (n - 1) / count_least_elements + 1;
        made_.sharing = unsigned(std::min(blocks, std::uint64_t(ex_.multiprocessors())));
        // A counter for each slot in one block, or in a few, and one for all else in each.
        const auto room = std::uint32_t(ex_.shared_memory()) / std::uint32_t(sizeof(std::uint32_t)) - 1;
        made_.parts = (slots_ - 1) / room + 1;
        if (made_.parts > count_most_parts) {
            count_many_bins_kernel<<<made_.sharing, count_threads, 0, ex_.stream()>>>(made_);
            return;
        }
        made_.slots = (slots_ - 1) / made_.parts + 1;
        const std::uint64_t wanted =
            std::min(count_most_copies, n / made_.sharing / count_elements_a_counter);
        made_.log_copies = 5;
        while (made_.log_copies != 0 && std::uint64_t(made_.slots) << made_.log_copies > wanted)
            --made_.log_copies;
        const int shared = int(sizeof(std::uint32_t)) * int((made_.slots + 1) << made_.log_copies);
        prepare<&count_bins_kernel<arguments>>(ex_, ex_.shared_memory(), 0);
        count_bins_kernel<<<made_.sharing * made_.parts, count_threads, shared, ex_.stream()>>>(made_);
    }

    executor& ex_;
    std::uint32_t slots_;
    arguments made_;
};

}  // namespace upsweep::cuda::detail
