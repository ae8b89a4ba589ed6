// Scans of one tile a block, and the two algorithms made of them.
//
// Look-back (any GPU): blocks take tiles by ticket, publish the tile's total, and look back for what stands
// to the left: the totals of the tiles before it in its super, and the nearest super boundary whose prefix is
// known, with the totals of the supers in between. Based on Merrill and Garland, "Single-pass parallel prefix
// scan with decoupled look-back", 2016; prefixes are published only at supers, where the tree has them.
// Long arrays: tile_ahead.cuh.
//
// Reduce-then-scan (any GPU, no block waits for another): totals of tiles, folds of tiles within their
// supers, folds of supers, then the scan of each tile: four kernels in stream order.
#pragma once

#include <cstdint>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/tile_block.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

namespace detail {

// What a look-back knows: totals of tiles and supers, and prefixes at the starts of supers.
template <class Types>
struct look_back_state {
    using Acc = typename Types::Acc;
    published<Acc> tile_totals, super_totals, super_prefixes;
    std::uint32_t tag;

    __device__ look_back_state(unsigned long long* tagged, std::uint64_t n, std::uint32_t launch_tag)
        : tag(launch_tag) {
        using shape = tile_shape<Types>;
        constexpr int words = words_for<sizeof(Acc)>;
        const std::uint64_t tiles = shape::tile_count(n), supers = shape::super_count(n);
        tile_totals = {tagged, tiles};
        super_totals = {tagged + shape::even(tiles) * words, supers};
        super_prefixes = {tagged + (shape::even(tiles) + shape::even(supers)) * words, supers + 1};
    }

    // By one warp: the totals of the first `count` tiles of a super, 1 to 32 of them, to a line, as soon as
    // all are published.
    __device__ void read_tiles(std::uint64_t super, int count, run_totals<Acc> line, int lane) const {
        typename published<Acc>::template pending<1> got;
        for (;;) {
            tile_totals.start_reading(super * 32 + (lane < count ? lane : 0), got);
            if (__all_sync(0xffffffffu, got.complete(tag))) break;
            pause_polling();
        }
        if (lane < count) line.store(0, lane, got.value());
        __syncwarp();
    }

    // By one warp: the fold T of the tiles before this one in its super, to *part. Returns the super's total
    // in the block that has its last tile, whose own total is `total`.
    template <class Op>
    __device__ Acc fold_tiles(const combiner<Acc, Op>& combine, std::uint64_t tile, bool full,
                              const Acc& total, Acc* part, run_totals<Acc> scratch, int lane) const {
        const std::uint64_t super = tile / 32;
        const int before = int(tile % 32);
        if (full && lane == 0) tile_totals.publish(tile, total, tag);
        if (before == 0) return Acc{};
        read_tiles(super, before, scratch, lane);
        const Acc tiles = fold_line(combine, scratch, 0, before);
        if (lane == 0) *part = tiles;
        if (before != 31 || !full) return Acc{};
        const Acc super_total = combine(tiles, total);
        if (lane == 0) super_totals.publish(super, super_total, tag);
        return super_total;
    }

    // By one warp, in the meantime: the fold S of everything before the tile's super, to *part if there is
    // any.
    template <class Op>
    __device__ void fold_supers(const scan_arguments<Types>& arguments, const combiner<Acc, Op>& combine,
                                std::uint64_t tile, Acc* part, run_totals<Acc> scratch, int lane) const {
        const std::uint64_t super = tile / 32;
        if (super == 0) {
            if (lane == 0 && arguments.has_initial) *part = arguments.initial_value();
            return;
        }
        const Acc supers = find_prefix(combine, super, scratch, lane);
        if (lane != 0) return;
        *part = supers;
        if (tile % 32 == 0) super_prefixes.publish(super, supers, tag);
    }

    // The prefix at the start of `super` >= 1: the nearest one published, and the totals of the supers since.
    template <class Op>
    __device__ Acc find_prefix(const combiner<Acc, Op>& combine, std::uint64_t super, run_totals<Acc> scratch,
                               int lane) const {
        typename published<Acc>::template pending<1> prefix, sum;
        for (;;) {
            // Lane l: the prefix at super - l, and the total of super - 1 - l.
            const bool exists = static_cast<std::uint64_t>(lane) < super;
            const std::uint64_t distance = exists ? static_cast<std::uint64_t>(lane) : 0;
            super_prefixes.start_reading(super - distance, prefix);
            super_totals.start_reading(super - 1 - distance, sum);
            const unsigned prefixes = __ballot_sync(0xffffffffu, exists && prefix.complete(tag));
            const unsigned totals = __ballot_sync(0xffffffffu, exists && sum.complete(tag));
            const int nearest = __ffs(int(prefixes)) - 1;
            const unsigned needed = prefixes == 0 ? 0 : (1u << nearest) - 1;
            if (prefixes == 0 || (totals & needed) != needed) {
                pause_polling();
                continue;
            }
            if (lane < nearest) scratch.store(0, lane, sum.value());
            __syncwarp();
            Acc fold = shuffle(prefix.value(), nearest);
            for (int l = nearest - 1; l >= 0; --l) fold = combine(fold, scratch.load(0, l));
            __syncwarp();
            return fold;
        }
    }
};

}  // namespace detail

namespace detail {

// By all threads: the block's ticket, kept in shared memory in between; whoever takes the last of a launch
// with a block a ticket leaves the counter ready. A block alone needs no order and tells nobody anything:
// ticket and tag 0.
__device__ __forceinline__ ticket take_block_ticket(launch_state& state, ticket& taken) {
    if (gridDim.x == 1) return {0, 0};
    if (threadIdx.x == 0) {
        taken = take_ticket(state);
        if (taken.index == gridDim.x - 1) prepare_next_launch(state, taken.tag);
    }
    __syncthreads();
    return taken;
}

// The kernels' body: `make` the block of a tile, `sum` its runs, `store` what comes of them.
template <class Types, class Make, class Sum, class Store>
__device__ __forceinline__ void run_look_back(const scan_arguments<Types>& arguments, char* shared,
                                              launch_state* state, unsigned long long* tagged,
                                              std::uint64_t words, const Make& make, const Sum& sum,
                                              const Store& store) {
    using shape = tile_shape<Types>;
    using Acc = typename Types::Acc;
    const bool alone = gridDim.x == 1;
    const ticket own = take_block_ticket(*state, *reinterpret_cast<ticket*>(shared + shape::ticket_at));
    const std::uint64_t n = arguments.size();
    if (own.index < shape::tile_count(n)) {
        auto block = make(n, own.index);
        const auto combine = arguments.combine();
        const look_back_state<Types> past(tagged, arguments.n, own.tag);
        const bool full = n - block.first_item(0) >= Types::tile;
        const run_totals<Acc> scratch{shared + shape::scratch_at + block.warp * run_totals<Acc>::line};
        sum(block);
        __syncthreads();
        Acc super_total{};
        if (block.warp == 0) {
            const Acc total = block.fold_rows();
            if (!alone)
                super_total =
                    past.fold_tiles(combine, own.index, full, total, block.parts() + 1, scratch, block.lane);
        } else if (block.warp == 1) {
            past.fold_supers(arguments, combine, own.index, block.parts(), scratch, block.lane);
        }
        __syncthreads();
        if (!alone && threadIdx.x == 0 && own.index % 32 == 31 && full) {
            const bool present = own.index / 32 > 0 || arguments.has_initial;
            past.super_prefixes.publish(own.index / 32 + 1,
                                        combine.join(present, block.parts()[0], super_total), own.tag);
        }
        store(block);
    } else if (n == 0 && own.index == 0 && threadIdx.x == 0) {
        arguments.store_empty_total();
    }
    if (own.tag == last_tag && threadIdx.x < 32) clear_tags(*state, tagged, words);
}

// By all threads, once the block's runs are summed: folds its rows, and S and T to parts().
template <class Block, class Types>
__device__ __forceinline__ void locate_tile(const Block& block, const scan_arguments<Types>& arguments,
                                            const tile_folds<typename Types::Acc>& folds) {
    __syncthreads();
    if (block.warp == 0) {
        block.fold_rows();
        const std::uint64_t super = block.tile / 32;
        if (block.lane == 0) {
            if (super > 0)
                block.parts()[0] = folds.supers[super - 1];
            else if (arguments.has_initial)
                block.parts()[0] = arguments.initial_value();
            if (block.tile % 32 > 0) block.parts()[1] = folds.tiles[block.tile];
        }
    }
    __syncthreads();
}

}  // namespace detail

// One block a tile. The workspace is a launch_state and `words` tagged words.
template <class Types, bool Exclusive>
__global__ void __launch_bounds__(tile_shape<Types>::threads, tile_shape<Types>::blocks_per_multiprocessor)
    look_back_kernel(const __grid_constant__ scan_arguments<Types> arguments, launch_state* state,
                     unsigned long long* tagged, std::uint64_t words) {
    using block_of = detail::tile_block<Types>;
    extern __shared__ __align__(128) char shared[];
    detail::run_look_back(
        arguments, shared, state, tagged, words,
        [&](std::uint64_t n, std::uint64_t tile) {
            return block_of{arguments, shared, n, tile, int(threadIdx.x / 32), int(threadIdx.x % 32)};
        },
        [](block_of& block) { block.sum_runs(); },
        [](const block_of& block) { block.template scan_rows<Exclusive>(); });
}

// The total of every full tile. One block a tile.
template <class Types>
__global__ void __launch_bounds__(tile_shape<Types>::threads)
    sum_tiles_kernel(const __grid_constant__ scan_arguments<Types> arguments,
                     tile_folds<typename Types::Acc> folds) {
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t n = arguments.size();
    if ((blockIdx.x + 1ull) * Types::tile > n) return;
    detail::tile_block<Types> block{
        arguments, shared, n, blockIdx.x, int(threadIdx.x / 32), int(threadIdx.x % 32)};
    block.sum_runs();
    __syncthreads();
    if (block.warp != 0) return;
    const auto total = block.fold_rows();
    if (block.lane == 0) folds.tiles[blockIdx.x] = total;
}

// Totals of tiles become folds of those before them in their super; supers get their totals. A warp a super.
template <class Types>
__global__ void __launch_bounds__(256)
    fold_tiles_kernel(const __grid_constant__ scan_arguments<Types> arguments,
                      tile_folds<typename Types::Acc> folds) {
    using Acc = typename Types::Acc;
    const std::uint64_t full_tiles = arguments.size() / Types::tile;
    const std::uint64_t super = blockIdx.x * 8ull + threadIdx.x / 32;
    const int lane = int(threadIdx.x % 32);
    if (super * 32 >= full_tiles) return;
    const std::uint64_t left = full_tiles - super * 32;
    const int count = left < 32 ? int(left) : 32;
    const auto combine = arguments.combine();
    const Acc total = folds.tiles[super * 32 + (lane < count ? lane : 0)];
    const Acc fold = fold_lanes(combine, total, lane);
    // The tile after a part-filled super's last full one starts from the fold of them all.
    if (lane < count && lane < 31 && super * 32 + lane + 1 < tile_shape<Types>::tile_count(arguments.n))
        folds.tiles[super * 32 + lane + 1] = fold;
    if (lane == 31 && count == 32) folds.supers[super] = fold;
}

// Totals of supers become S, the left fold of the initial value and all before. One warp: the fold of the
// tree is a chain, of n / 131072 steps.
template <class Types>
__global__ void __launch_bounds__(32)
    fold_supers_kernel(const __grid_constant__ scan_arguments<Types> arguments,
                       tile_folds<typename Types::Acc> folds) {
    using Acc = typename Types::Acc;
    __shared__ alignas(16) char storage[32 * sizeof(Acc)];
    Acc* line = reinterpret_cast<Acc*>(storage);
    const auto combine = arguments.combine();
    const std::uint64_t n = arguments.size();
    const std::uint64_t supers = n / (32ull * Types::tile);
    const int lane = int(threadIdx.x);
    if (n == 0 && lane == 0) arguments.store_empty_total();
    bool present = arguments.has_initial;
    Acc sum{};
    if (present) sum = arguments.initial_value();
    for (std::uint64_t first = 0; first < supers; first += 32) {
        const int count = supers - first < 32 ? int(supers - first) : 32;
        if (lane < count) line[lane] = folds.supers[first + lane];
        __syncwarp();
        if (lane == 0) {
            for (int j = 0; j < count; ++j) {
                sum = combine.join(present, sum, line[j]);
                present = true;
                line[j] = sum;
            }
        }
        __syncwarp();
        // The prefix behind each super.
        if (lane < count) folds.supers[first + lane] = line[lane];
        __syncwarp();
    }
}

template <class Types, bool Exclusive>
__global__ void __launch_bounds__(tile_shape<Types>::threads)
    scan_tiles_kernel(const __grid_constant__ scan_arguments<Types> arguments,
                      tile_folds<typename Types::Acc> folds) {
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t n = arguments.size();
    if (blockIdx.x * std::uint64_t(Types::tile) >= n) return;
    detail::tile_block<Types> block{
        arguments, shared, n, blockIdx.x, int(threadIdx.x / 32), int(threadIdx.x % 32)};
    block.sum_runs();
    detail::locate_tile(block, arguments, folds);
    block.template scan_rows<Exclusive>();
}

}  // namespace upsweep::cuda
