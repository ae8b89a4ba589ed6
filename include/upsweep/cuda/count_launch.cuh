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
        : ex_(ex), slots_(counted_slots<In, Classes>::count(classes)), made_{in,      {n, length, n},
                                                                             classes, 1,
                                                                             1,       0,
                                                                             0,       nullptr,
                                                                             1,       false} {}

    // counts[bin] = the elements of each bin.
    void count_all(std::uint64_t* counts) {
        clear(counts, made_.classes.bins());
        if (made_.cut.n == 0) return;
        const std::uint64_t blocks = (made_.cut.n - 1) / count_least_elements + 1;
        made_.sharing = unsigned(std::min(blocks, std::uint64_t(ex_.multiprocessors())));
        made_.cut.each = made_.cut.n;
        made_.counts = counts;
        made_.apart = false;
        enqueue(1, made_.cut.n / made_.sharing);
    }
    // counts[bin * stretches + stretch] = those of each stretch of `each` elements. Preconditions: bins fit
    // the counters of a block; n is not 0.
    void count_apart(std::uint64_t* counts, std::uint64_t each) {
        const auto stretches = std::uint32_t((made_.cut.n - 1) / each + 1);
        if (counted_slots<In, Classes>::are_values)
            clear(counts, made_.classes.bins() * std::uint64_t(stretches));
        made_.sharing = 1;
        made_.cut.each = each;
        made_.counts = counts;
        made_.apart = true;
        enqueue(stretches, each);
    }

  private:
    void clear(std::uint64_t* counts, std::uint64_t size) const {
        check(cudaMemsetAsync(counts, 0, size * sizeof *counts, ex_.stream()), "clearing the counts");
    }
    // Of blocks that see so many elements each.
    void enqueue(std::uint32_t stretches, std::uint64_t elements) {
        made_.stretches = stretches;
        const std::uint32_t blocks = stretches * made_.sharing;
        // A counter for each slot in one block, or in a few.
        const auto room = std::uint32_t(ex_.shared_memory()) / std::uint32_t(sizeof(std::uint32_t));
        made_.parts = (slots_ - 1) / room + 1;
        if (made_.parts > count_most_parts) {
            count_many_bins_kernel<<<blocks, count_threads, 0, ex_.stream()>>>(made_);
            return;
        }
        made_.slots = (slots_ - 1) / made_.parts + 1;
        const std::uint64_t wanted = std::min(count_most_copies, elements / count_elements_a_counter);
        made_.log_copies = 5;
        while (made_.log_copies != 0 && std::uint64_t(made_.slots) << made_.log_copies > wanted)
            --made_.log_copies;
        const int shared = int(sizeof(std::uint32_t)) * int(made_.slots << made_.log_copies);
        prepare<&count_bins_kernel<arguments>>(ex_, ex_.shared_memory(), 0);
        count_bins_kernel<<<blocks * made_.parts, count_threads, shared, ex_.stream()>>>(made_);
    }

    executor& ex_;
    std::uint32_t slots_;
    arguments made_;
};

}  // namespace upsweep::cuda::detail
