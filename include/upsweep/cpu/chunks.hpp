// How a scan is cut into chunks, and who works on them in which way.
#pragma once

#include <cstddef>

#include "upsweep/cpu/chain.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/regions.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {

// What a chunk of the chain may take: a part of a second-level cache, but no more than so many bytes.
struct chunk_room {
    std::size_t cache_part = tuning::chunk_cache_part;
    std::size_t most_bytes = tuning::chunk_bytes;

    // Where results take the places of elements.
    [[nodiscard]] constexpr chunk_room in_place() const {
        return {cache_part / tuning::in_place_chunk_times, most_bytes * tuning::in_place_chunk_times};
    }
};

struct chunking {
    std::size_t elements;  // of a chunk: whole tiles
    std::size_t count;
    std::size_t helpers;
    bool chained;  // chunks are taken in turn, and results are not in the caches; else regions

    // Of n elements that are read and written as so many bytes each, conversions included. `footprint`: bytes
    // read and written by the whole call, of which this scan may be a part. `cost`: what a byte costs, in
    // times of what it costs a plain scan.
    static chunking plan(executor& ex, std::size_t n, std::size_t read_bytes, std::size_t written_bytes,
                         std::size_t footprint, std::size_t cost = 1, const chunk_room& room = {});
};

// Scans all chunks from `initial` on and returns the state after the last. Kernel as in chain.hpp.
template <class Kernel>
typename Kernel::state run_chunks(executor& ex, const chunking& plan, const Kernel& kernel,
                                  typename Kernel::state initial) {
    if (plan.count == 1) {
        kernel.scan(0, initial, no_chunk);
        return initial;
    }
    if constexpr (region_board<Kernel>::is_small) {
        if (!plan.chained) return run_regions(ex, plan.helpers, plan.count, kernel, initial);
    }
    return run_chain(ex, plan.helpers, plan.count, kernel, initial);
}

}  // namespace upsweep::cpu
