// The warp of a look-ahead compaction or partition that finds how many elements are chosen before each unit:
// from the counts of all tiles between the block's previous unit and its present one.
#pragma once

#include <cstdint>

#include "upsweep/cuda/chosen_counts.cuh"
#include "upsweep/cuda/look_ahead_ring.cuh"
#include "upsweep/cuda/tile_state.cuh"

#if __CUDA_ARCH__ >= 900

namespace upsweep::cuda::detail {

template <class Types>
struct look_ahead_counts : look_ahead_ring<Types> {
    using ring = look_ahead_ring<Types>;
    using ring::n, ring::lane, ring::control, ring::valid_rows;
    using typename ring::shape, typename ring::Acc, typename ring::cursor;

    published<Acc> tile_totals;

    // Units begin with an even tile where they have several; then two counts are read together. A lane reads
    // at once those of all tiles between two units of a block on a large device.
    static constexpr int together = shape::tiles > 1 ? 2 : 1;
    static constexpr int reads = 132 * shape::tiles / (32 * together * shape::parts) + 1;
    using counts = chosen_counts<Types, together, reads>;

    // Tells the warps that move a unit's elements how many are chosen before each of its tiles, and in all.
    __device__ void run() const {
        const auto& choosing = static_cast<const choose_arguments<Types>&>(ring::arguments);
        bool knows_all = !choosing.at_once;
        std::uint64_t in_all = choosing.chosen != nullptr ? *choosing.chosen : 0;
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
            const counts told{choosing, n, tile_totals, own.tag, lane};
            Acc count = told.template sum<false>(previous < 0 ? 0 : tile_of(previous), tile_of(unit));
            if (previous >= 0) count += *this->template at<Acc>(before.stage, shape::tile_parts_at);
            if (!knows_all) {
                const std::int64_t units = std::int64_t(shape::units(n));
                in_all = count + told.template sum<true>(tile_of(unit), tile_of(units - 1) + shape::tiles);
                knows_all = true;
            }
            own.folded.wait(at.phase);
            if (lane == 0) {
                own.chosen = in_all;
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
