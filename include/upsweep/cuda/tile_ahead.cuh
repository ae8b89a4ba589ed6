// Look-back over long arrays: tiles are summed well ahead of being scanned, so that nobody waits.
//
// The ticket t sums tile t and scans tile t - ahead, which is read a second time: it is still in the L2
// cache, because loads and stores say what is wanted there again. So memory is read once, and what stands to
// the left of a tile was published some `ahead` tickets before it is needed. Half way the ticket behind a
// super's last tile finishes the super: its total, and the prefix at the start of the next.
//
// Progress: tickets are taken in order by blocks that run; a block waits only for what earlier tickets
// publish, and publishes its tile's total without waiting for anyone in that ticket.
//
// In place: ticket t overwrites tile t - ahead when it has seen that tile's total, so that whoever summed it
// has read it.
#pragma once

#include <cstdint>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/cache_hints.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/tile_block.cuh"
#include "upsweep/cuda/tile_scan.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

namespace detail {

template <class Types>
struct look_back_ahead_state : look_back_state<Types> {
    using Acc = typename Types::Acc;
    using look_back_state<Types>::look_back_state;
    using look_back_state<Types>::super_totals, look_back_state<Types>::super_prefixes;
    using look_back_state<Types>::tag;

    // By one warp: publishes the total of a super whose tiles are all full, and the prefix behind it.
    template <class Op>
    __device__ void finish_super(const scan_arguments<Types>& arguments, const combiner<Acc, Op>& combine,
                                 std::uint64_t super, run_totals<Acc> line, int lane) const {
        this->read_tiles(super, 32, line, lane);
        const Acc total = fold_line(combine, line, 0, 32);
        __syncwarp();
        if (lane == 0) super_totals.publish(super, total, tag);
        Acc before{};
        const bool present = super > 0 || arguments.has_initial;
        if (super > 0)
            before = this->find_prefix(combine, super, line, lane);
        else if (present)
            before = arguments.initial_value();
        if (lane == 0) super_prefixes.publish(super + 1, combine.join(present, before, total), tag);
    }
    // By one lane: S, as soon as it is published, to *part if there is any.
    __device__ void read_prefix(const scan_arguments<Types>& arguments, std::uint64_t super,
                                Acc* part) const {
        if (super == 0) {
            if (arguments.has_initial) *part = arguments.initial_value();
            return;
        }
        typename published<Acc>::template pending<1> got;
        for (;;) {
            super_prefixes.start_reading(super, got);
            if (got.complete(tag)) break;
            pause_polling();
        }
        *part = got.value();
    }
};

}  // namespace detail

// For types that go ahead. Any number of blocks. `ahead` is a multiple of 64. The workspace is that of
// look_back_kernel.
template <class Types, bool Exclusive>
__global__ void __launch_bounds__(tile_shape<Types>::threads,
                                  tile_shape<Types>::ahead_blocks_per_multiprocessor)
    look_back_ahead_kernel(const __grid_constant__ scan_arguments<Types> arguments, launch_state* state,
                           unsigned long long* tagged, std::uint64_t words, unsigned ahead) {
    using shape = tile_shape<Types>;
    using Acc = typename Types::Acc;
    extern __shared__ __align__(128) char shared[];
    const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
    const std::uint64_t n = arguments.size();
    const std::uint64_t full_tiles = n / Types::tile, tickets = shape::tile_count(n) + ahead;
    const auto combine = arguments.combine();
    const bool plain =
        !arguments.reverse && detail::tile_block<Types>{arguments, shared, n, 0, warp, lane}.is_aligned();
    const run_totals<Acc> tiles_line{shared + shape::scratch_at};
    const run_totals<Acc> super_line{shared + shape::scratch_at + run_totals<Acc>::line};
    auto& taken = *reinterpret_cast<ticket*>(shared + shape::ticket_at);
    if (threadIdx.x == 0) taken = take_ticket(*state);
    __syncthreads();
    ticket own = taken;
    while (own.index < tickets) {
        // The next ticket is under way meanwhile.
        ticket next{};
        if (threadIdx.x == 0) next = take_ticket(*state);
        const bool sums = own.index < full_tiles, scans = own.index >= ahead;
        detail::tile_block<Types> summed{arguments, shared, n, own.index, warp, lane, shape::ahead_totals_at};
        detail::tile_block<Types> scanned{arguments, shared, n, own.index - ahead, warp, lane};
        if (sums && scans && plain) {
            summed.template load_kept<wanted::again>();
            scanned.template load_kept<wanted::no_more>();
            scanned.sum_kept();
            summed.sum_kept();
        } else {
            if (sums) summed.sum_runs();
            if (scans) scanned.sum_runs();
        }
        __syncthreads();
        const detail::look_back_ahead_state<Types> past(tagged, arguments.n, own.tag);
        if (threadIdx.x == 0) taken = next;
        if (warp == 0 && sums) {
            const Acc rows = fold_lanes(combine, fold_row(combine, summed.totals(), lane), lane);
            if (lane == 31) past.tile_totals.publish(own.index, rows, own.tag);
        }
        if (warp == 1 && scans) scanned.fold_rows();
        if (warp == 2 && scans) {
            const int before = int(scanned.tile % 32), count = before + scanned.is_full();
            if (count > 0) past.read_tiles(scanned.tile / 32, count, tiles_line, lane);
            if (before > 0) {
                const Acc tiles = fold_line(combine, tiles_line, 0, before);
                if (lane == 0) scanned.parts()[1] = tiles;
            }
        }
        if (warp == 3 && lane == 0 && scans) past.read_prefix(arguments, scanned.tile / 32, scanned.parts());
        if (warp == 4 && own.index % 32 == 31 && own.index >= ahead / 2 && own.index - ahead / 2 < full_tiles)
            past.finish_super(arguments, combine, (own.index - ahead / 2) / 32, super_line, lane);
        __syncthreads();
        if (scans) scanned.template scan_rows<Exclusive, wanted::no_more>();
        // Nobody's run totals are overwritten before its neighbour has read them.
        __syncwarp();
        own = taken;
    }
    // Every block takes one ticket too many; whoever takes the last of all leaves the counter ready.
    if (threadIdx.x == 0 && own.index == tickets + gridDim.x - 1) prepare_next_launch(*state, own.tag);
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0) arguments.store_empty_total();
    if (own.tag == last_tag && threadIdx.x < 32) clear_tags(*state, tagged, words);
}

}  // namespace upsweep::cuda
