// The warps of the look-ahead scan that find out which elements of a unit begin a segment, while its rows
// land. What describes segments is read by runs, past shared memory, as it is needed once.
#pragma once

#include <cstdint>

#include "upsweep/cuda/look_ahead_ring.cuh"

#if __CUDA_ARCH__ >= 900

namespace upsweep::cuda::detail {

template <class Types>
struct look_ahead_heads : look_ahead_ring<Types> {
    using ring = look_ahead_ring<Types>;
    using ring::arguments, ring::n, ring::lane, ring::control, ring::valid_items, ring::run_bits;
    using typename ring::shape, typename ring::cursor;

    static constexpr int items = Types::items;
    static constexpr int rows_per_warp = shape::rows_per_head_warp;
    // Runs whose loads are under way together.
    static constexpr int most_at_once = [] {
        if constexpr (Types::has_heads)
            return sizeof(typename Types::Heads::template run<items>) <= 8 ? 16 : 8;
        else
            return 1;
    }();
    static constexpr int at_once = rows_per_warp < most_at_once ? rows_per_warp : most_at_once;

    // `Whole`: the unit is full, of an array that has whole runs.
    template <bool Whole>
    __device__ __forceinline__ void find_unit(int s, std::int64_t unit, int warp) const {
        const bool reverse = arguments.reverse;
        const std::uint64_t first_run = std::uint64_t(unit) * (shape::rows * 32);
        const auto tell = [&](int k, unsigned bits) {
            run_bits(s)[(warp * rows_per_warp + k) * 32 + lane] = static_cast<typename shape::run_bits>(bits);
        };
#pragma unroll 1
        for (int k = 0; k < rows_per_warp; k += at_once) {
            const int run = (warp * rows_per_warp + k) * 32 + lane;
            const auto first = [&](int j) { return (first_run + unsigned(run + j * 32)) * items; };
            if constexpr (Whole) {
                typename Types::Heads::template run<items> own[at_once];
#pragma unroll
                for (int j = 0; j < at_once; ++j)
                    own[j] = arguments.heads.template load_run<items>(first(j), n, reverse);
#pragma unroll
                for (int j = 0; j < at_once; ++j)
                    tell(k + j, arguments.heads.template bits_of<items>(own[j], first(j), reverse));
            } else {
#pragma unroll 1
                for (int j = 0; j < at_once; ++j)
                    tell(k + j, arguments.heads.template bits<items>(first(j), n, reverse));
            }
        }
    }

    __device__ void find(int warp) const {
        if constexpr (Types::has_heads) {
            const bool whole_runs = arguments.heads.template has_whole_runs<items>(n, arguments.reverse);
            cursor at;
            for (int ends = 0; ends < shape::look_ahead_warps; at.advance()) {
                const int s = at.stage;
                control(s).taken.wait(at.phase);
                const std::int64_t unit = control(s).unit;
                if (unit < 0)
                    ++ends;
                else if (whole_runs && valid_items(unit) == shape::unit_items)
                    find_unit<true>(s, unit, warp);
                else
                    find_unit<false>(s, unit, warp);
                control(s).full.arrive_by_warp(lane);
            }
        }
    }
};

}  // namespace upsweep::cuda::detail

#endif
