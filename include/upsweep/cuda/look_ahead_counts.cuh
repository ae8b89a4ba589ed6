// The warp of a look-ahead compaction that finds how many elements are chosen before each unit. Counts may be
// added in any order, so that there is no tree to follow: the lanes read the totals of all tiles between the
// block's previous unit and its present one at once, and add.
#pragma once

#include <cstdint>

#include "upsweep/cuda/look_ahead_ring.cuh"
#include "upsweep/cuda/tile_state.cuh"

#if __CUDA_ARCH__ >= 900

namespace upsweep::cuda::detail {

template <class Types>
struct look_ahead_counts : look_ahead_ring<Types> {
    using ring = look_ahead_ring<Types>;
    using ring::lane, ring::control, ring::valid_rows;
    using typename ring::shape, typename ring::Acc, typename ring::cursor;

    published<Acc> tile_totals;

    // Units begin with an even tile where they have several; then two totals are read together.
    static constexpr int together = shape::tiles > 1 ? 2 : 1;
    using read_together = std::conditional_t<together == 2, uint2, Acc>;
    // What a lane reads at once: all tiles between two units of a block on a large device.
    static constexpr int reads = 132 * shape::tiles / (32 * together * shape::parts) + 1;

    // By the whole warp: the sum of the totals of tiles [first, end), when they are published.
    __device__ __forceinline__ Acc sum(std::int64_t first, std::int64_t end, std::uint32_t tag) const {
        const published<read_together> totals{tile_totals.tagged, tile_totals.count / together};
        const std::int64_t last = end / together;
        Acc own = 0;
        for (std::int64_t from = first / together + lane; from - lane < last; from += 32 * reads) {
            typename published<read_together>::template pending<1> got[reads];
            unsigned missing = 0;
#pragma unroll
            for (int k = 0; k < reads; ++k) missing |= unsigned(from + k * 32 < last) << k;
            for (;;) {
#pragma unroll
                for (int k = 0; k < reads; ++k)
                    totals.start_reading_if((missing >> k & 1) != 0, std::uint64_t(from + k * 32), got[k]);
#pragma unroll
                for (int k = 0; k < reads; ++k) {
                    if ((missing >> k & 1) != 0 && got[k].complete(tag)) {
                        missing &= ~(1u << k);
                        const read_together value = got[k].value();
                        if constexpr (together == 2)
                            own += value.x + value.y;
                        else
                            own += value;
                    }
                }
                if (!__any_sync(0xffffffffu, missing != 0)) break;
                pause_polling();
            }
        }
        return __reduce_add_sync(0xffffffffu, own);
    }

    // Tells the warps that move a unit's elements how many are chosen before each of its tiles.
    __device__ void run() const {
        cursor before{shape::stages - 1, 1}, at;
        for (;; before.advance(), at.advance()) {
            const int s = at.stage;
            stage_state& own = control(s);
            own.full.wait(at.phase);
            const std::int64_t unit = own.unit, previous = own.previous;
            if (unit < 0) return;
            const auto tile_of = [](std::int64_t u) {
                return shape::parts > 1 ? u / shape::parts : u * shape::tiles;
            };
            Acc count = sum(previous < 0 ? 0 : tile_of(previous), tile_of(unit), own.tag);
            if (previous >= 0) count += *this->template at<Acc>(before.stage, shape::tile_parts_at);
            own.folded.wait(at.phase);
            if (lane == 0) {
                Acc* const parts = this->template at<Acc>(s, shape::tile_parts_at);
                const Acc* const totals = this->template at<Acc>(s, shape::tile_totals_at);
#pragma unroll
                for (int t = 0; t < shape::tiles; ++t) {
                    parts[t] = count;
                    if ((t + 1) * 32 >= valid_rows(unit)) break;
                    count += totals[t];
                }
            }
            own.located.arrive_by_warp(lane);
        }
    }
};

}  // namespace upsweep::cuda::detail

#endif
