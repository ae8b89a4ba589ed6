// How many elements are chosen in a stretch of tiles, of which blocks tell each other. Counts may be added in
// any order, so that there is no tree to follow: a warp reads many at once.
#pragma once

#include <cstdint>
#include <utility>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/choosing.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda::detail {

// By one warp: how many of elements [first, end) are chosen.
template <class Types>
__device__ __noinline__ std::uint32_t count_chosen(const scan_arguments<Types>& arguments,
                                                   std::uint64_t first, std::uint64_t end, int lane) {
    std::uint32_t count = 0;
#pragma unroll 8
    for (std::uint64_t i = first + unsigned(lane); i < end; i += 32) count += is_chosen(arguments, i);
    return sum_of_lanes(count);
}

// Counts of one launch. A lane reads those of `Together` tiles, 1 or 2, at once, and `Reads` times so many
// before it waits.
template <class Types, int Together, int Reads>
struct chosen_counts {
    using read_together = std::conditional_t<Together == 2, uint2, std::uint32_t>;
    // Much longer than blocks take to tell theirs once they run.
    static constexpr int patience = 100;

    const scan_arguments<Types>& arguments;
    std::uint64_t n;
    published<std::uint32_t> told;
    std::uint32_t tag;
    int lane;

    // By the whole warp: of tiles [first, end), multiples of Together, when all are told. `Helps`: counts
    // what nobody tells for long, as the block that would may not begin before this one ends; what chooses
    // must be as it was then.
    template <bool Helps>
    __device__ __forceinline__ std::uint32_t sum(std::int64_t first, std::int64_t end) const {
        const published<read_together> counts{told.tagged, told.count / Together};
        const std::int64_t last = end / Together;
        std::uint32_t own = 0;
        int in_vain = 0;
        for (std::int64_t from = first / Together + lane; from - lane < last; from += 32 * Reads) {
            typename published<read_together>::template pending<1> got[Reads];
            unsigned missing = 0;
#pragma unroll
            for (int k = 0; k < Reads; ++k) missing |= unsigned(from + k * 32 < last) << k;
            for (;;) {
#pragma unroll
                for (int k = 0; k < Reads; ++k)
                    counts.start_reading_if((missing >> k & 1) != 0, std::uint64_t(from + k * 32), got[k]);
#pragma unroll
                for (int k = 0; k < Reads; ++k) {
                    if ((missing >> k & 1) != 0 && got[k].complete(tag)) {
                        missing &= ~(1u << k);
                        const read_together value = got[k].value();
                        if constexpr (Together == 2)
                            own += value.x + value.y;
                        else
                            own += value;
                    }
                }
                const unsigned waiting = __ballot_sync(0xffffffffu, missing != 0);
                if (waiting == 0) break;
                if (Helps && ++in_vain > patience) {
                    // Others help from elsewhere.
                    const int turn = int(blockIdx.x % 32);
                    const int helped =
                        (__ffs(int(__funnelshift_r(waiting, waiting, unsigned(turn)))) - 1 + turn) % 32;
                    const int k = __ffs(int(__shfl_sync(0xffffffffu, missing, helped))) - 1;
                    count_tiles((from - lane + helped + k * 32) * Together);
                } else {
                    pause_polling();
                }
            }
        }
        return sum_of_lanes(own);
    }

  private:
    // Counts tiles [tile, tile + Together) and tells it.
    __device__ __forceinline__ void count_tiles(std::int64_t tile) const {
        for (int t = 0; t < Together; ++t) {
            const std::uint64_t first = std::uint64_t(tile + t) * Types::tile, end = first + Types::tile;
            const std::uint32_t count = count_chosen(arguments, first, end < n ? end : n, lane);
            if (lane == 0) told.publish(std::uint64_t(tile + t), count, tag);
        }
        __syncwarp();
    }
};

}  // namespace upsweep::cuda::detail
