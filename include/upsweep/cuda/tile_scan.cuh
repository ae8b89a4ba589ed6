// Scans of one tile a block, and the two algorithms made of them.
//
// Look-back (any GPU): blocks take tiles by ticket, publish the tile's total, and look back for what stands
// to the left: the totals of the tiles before it in its super, and the nearest super boundary whose prefix is
// known, with the totals of the supers in between. Based on Merrill and Garland, "Single-pass parallel prefix
// scan with decoupled look-back", 2016; prefixes are published only at supers, where the tree has them.
//
// Reduce-then-scan (any GPU, no block waits for another): totals of tiles, folds of tiles within their
// supers, folds of supers, then the scan of each tile: four kernels in stream order.
#pragma once

#include <cstdint>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

template <class Types>
struct tile_shape {
    using Acc = typename Types::Acc;

    static constexpr int align16(int bytes) { return (bytes + 15) / 16 * 16; }
    static constexpr int widest_row = Types::row * Types::widest;

    static constexpr int warps = widest_row <= 2048 ? 8 : 4;
    static constexpr int threads = 32 * warps;
    static constexpr int rows_per_warp = 32 / warps;
    // Whether a lane keeps its runs in registers between the two passes over the tile, or reads them again.
    static constexpr bool keeps = rows_per_warp * int(sizeof(typename Types::Raw)) <= 128;
    static constexpr int blocks_per_multiprocessor = widest_row <= 1024 ? 4 : 1;

    static constexpr int image_bytes = align16(widest_row + 32);
    static constexpr int images_at = 0;
    static constexpr int totals_at = images_at + warps * image_bytes;
    static constexpr int row_folds_at = totals_at + align16(32 * run_totals<Acc>::line);
    static constexpr int parts_at = row_folds_at + align16(32 * int(sizeof(Acc)));  // S and T
    static constexpr int scratch_at = parts_at + align16(2 * int(sizeof(Acc)));
    static constexpr int ticket_at = scratch_at + align16(2 * run_totals<Acc>::line);
    static constexpr int shared_bytes = ticket_at + 16;

    static constexpr std::uint64_t tile_count(std::uint64_t n) { return (n + Types::tile - 1) / Types::tile; }
    static constexpr std::uint64_t super_count(std::uint64_t n) { return (tile_count(n) + 31) / 32; }
    // Tagged words of a look-back: a total a tile, a total and a prefix a super.
    static constexpr std::uint64_t published_words(std::uint64_t n) {
        return (even(tile_count(n)) + even(super_count(n)) + super_count(n) + 1) * words_for<sizeof(Acc)>;
    }
    static constexpr std::uint64_t even(std::uint64_t count) { return (count + 1) / 2 * 2; }
    // Bytes of a reduce-then-scan: a value a tile, which is its total and then T, and one a super.
    static constexpr std::uint64_t fold_bytes(std::uint64_t n) {
        return (tile_count(n) + super_count(n)) * sizeof(Acc);
    }
};

// The folds of a reduce-then-scan in the workspace.
template <class Acc>
struct tile_folds {
    Acc* tiles;   // the total of each tile, then the fold of those before it in its super
    Acc* supers;  // the total of each super, then S: everything before it
};

namespace detail {

template <class Types>
struct tile_block {
    using shape = tile_shape<Types>;
    using Acc = typename Types::Acc;
    using Op = typename Types::Op;

    const scan_arguments<Types>& arguments;
    char* shared;
    std::uint64_t n;
    std::uint64_t tile;
    int warp, lane;

    typename Types::Raw kept[shape::keeps ? shape::rows_per_warp : 1];

    __device__ __forceinline__ char* image() const {
        return shared + shape::images_at + warp * shape::image_bytes;
    }
    __device__ __forceinline__ run_totals<Acc> totals() const { return {shared + shape::totals_at}; }
    __device__ __forceinline__ Acc* row_folds() const {
        return reinterpret_cast<Acc*>(shared + shape::row_folds_at);
    }
    __device__ __forceinline__ Acc* parts() const { return reinterpret_cast<Acc*>(shared + shape::parts_at); }
    __device__ __forceinline__ std::uint64_t first_item(int row) const {
        return tile * Types::tile + std::uint64_t(row) * Types::row;
    }
    // Elements of a row that exist: 0 to Types::row.
    __device__ __forceinline__ int valid_items(int row) const {
        const std::uint64_t first = first_item(row);
        return first >= n ? 0 : n - first < Types::row ? int(n - first) : Types::row;
    }
    __device__ __forceinline__ int valid_rows() const {
        const std::uint64_t left = n - first_item(0);
        return left >= Types::tile ? 32 : int((left + Types::row - 1) / Types::row);
    }

    template <int k, class Raw>
    __device__ __forceinline__ void read_raw(Raw& raw, int row, int valid) const {
        constexpr int size = Types::element_size[k];
        constexpr int alignment = Types::element_alignment[k];
        constexpr int run_bytes = Types::items * size;
        const std::uint64_t first = first_item(row);
        const char* begin = static_cast<const char*>(arguments.in[k]) +
                            (arguments.reverse ? n - first - valid : first) * std::uint64_t(size);
        const int slot = arguments.reverse ? 31 - lane : lane;
        const bool aligned = reinterpret_cast<std::uintptr_t>(begin) % access_size<run_bytes> == 0;
        if (run_bytes <= 32 && aligned && valid == Types::row) {
            using whole = typename unit_of<access_size<run_bytes>>::type;
            whole pieces[run_bytes / sizeof(whole)];
#pragma unroll
            for (int p = 0; p < int(run_bytes / sizeof(whole)); ++p)
                pieces[p] = reinterpret_cast<const whole*>(begin + slot * run_bytes)[p];
            std::memcpy(&raw.words, pieces, run_bytes);
        } else {
            const int missing = (Types::row - valid) * size;
            const int before = arguments.reverse ? missing : 0;
            const int shift = int((reinterpret_cast<std::uintptr_t>(begin) - std::uintptr_t(before)) & 15);
            char* slots = image() + shift;
            copy_bytes<alignment>(slots + before, begin, std::int64_t(valid) * size, lane);
            if (missing != 0) {
                // The rest of the row repeats its last element, so that operators meet no other values.
                using piece = typename unit_of<(alignment < 16 ? alignment : 16)>::type;
                const char* last = arguments.reverse ? begin : begin + std::int64_t(valid - 1) * size;
                char* fill = arguments.reverse ? slots : slots + std::int64_t(valid) * size;
                for (int at = lane * int(sizeof(piece)); at < missing; at += 32 * int(sizeof(piece)))
                    *reinterpret_cast<piece*>(fill + at) = *reinterpret_cast<const piece*>(last + at % size);
            }
            __syncwarp();
            raw.words = read_run<run_bytes, alignment>(slots + slot * run_bytes,
                                                       shift % access_size<run_bytes> == 0, lane);
            __syncwarp();
        }
        if constexpr (k + 1 < Types::inputs) read_raw<k + 1>(raw.rest, row, valid);
    }
    __device__ __forceinline__ typename Types::Raw read(int row, int valid) const {
        typename Types::Raw raw;
        read_raw<0>(raw, row, valid);
        return raw;
    }

    // Folds this warp's runs into `totals`.
    __device__ __forceinline__ void sum_runs() {
        const auto combine = arguments.combine();
        if constexpr (shape::keeps) {
#pragma unroll
            for (int k = 0; k < shape::rows_per_warp; ++k) {
                const int row = warp * shape::rows_per_warp + k, valid = valid_items(row);
                if (valid != 0) kept[k] = read(row, valid);
            }
        }
#pragma unroll
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = warp * shape::rows_per_warp + k, valid = valid_items(row);
            if (valid == 0) continue;
            if constexpr (!shape::keeps) kept[0] = read(row, valid);
            Acc x[Types::items];
            load_accumulators<typename Types::Total>(kept[shape::keeps ? k : 0], arguments.load,
                                                     arguments.reverse, x);
            totals().store(row, lane, fold_run(combine, x));
        }
    }

    // By one warp: folds rows, and returns the tile's total in every lane, if the tile is full.
    __device__ __forceinline__ Acc fold_rows() const {
        const auto combine = arguments.combine();
        const bool exists = lane < valid_rows();
        Acc total{};
        if (exists) total = fold_runs(combine, totals(), lane);
        // Lanes without a row take another's value, so that operators meet no values but the scan's.
        const Acc fold = fold_lanes(combine, shuffle(total, exists ? lane : 0), lane);
        if (exists) row_folds()[lane] = fold;
        return shuffle(fold, 31);
    }

    // Scans this warp's rows; S and T are in parts().
    template <bool Exclusive>
    __device__ __forceinline__ void scan_rows() const {
        const auto combine = arguments.combine();
        left_parts<Acc> left;
        set_part(
            combine, arguments.has_initial || tile / 32 > 0, [&] { return parts()[0]; }, left.supers,
            left.has_supers);
        set_part(
            combine, tile % 32 > 0, [&] { return parts()[1]; }, left.tiles, left.has_tiles);
        constexpr storing best = best_storing<typename Types::Out, Types::items>;
        const bool direct = best == storing::direct && stores_directly<typename Types::Out, Types::items>(
                                                           arguments.out, n, arguments.reverse);
#pragma unroll
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = warp * shape::rows_per_warp + k, valid = valid_items(row);
            if (valid == 0) continue;
            set_part(
                combine, row > 0, [&] { return row_folds()[row - 1]; }, left.rows, left.has_rows);
            set_part(
                combine, lane > 0, [&] { return totals().load(row, lane - 1); }, left.runs, left.has_runs);
            Acc x[Types::items];
            if constexpr (shape::keeps)
                load_accumulators<typename Types::Total>(kept[k], arguments.load, arguments.reverse, x);
            else
                load_accumulators<typename Types::Total>(read(row, valid), arguments.load, arguments.reverse,
                                                         x);
            if (arguments.total != nullptr && first_item(row) + valid == n)
                store_total(arguments, combine, left, x, valid - 1, lane);
            scan_run<Exclusive>(combine, left, static_cast<Acc>(arguments.start), x);
            const auto words = pack_results<typename Types::Out, typename Types::Total>(x, arguments.store,
                                                                                        arguments.reverse);
            const auto store = [&](auto how) {
                store_row<decltype(how)::value, Types::items>(arguments.out, n, arguments.reverse,
                                                              first_item(row), valid, words, image(), lane);
            };
            if (direct && valid == Types::row)
                store(std::integral_constant<storing, best>{});
            else
                store(std::integral_constant<storing, storing::staged>{});
        }
    }
};

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

    // By one warp: the fold T of the tiles before this one in its super, to *part. Returns the super's total
    // in the block that has its last tile, whose own total is `total`.
    template <class Op>
    __device__ Acc fold_tiles(const combiner<Acc, Op>& combine, std::uint64_t tile, bool full,
                              const Acc& total, Acc* part, run_totals<Acc> scratch, int lane) const {
        const std::uint64_t super = tile / 32;
        const int before = int(tile % 32);
        if (full && lane == 0) tile_totals.publish(tile, total, tag);
        if (before == 0) return Acc{};
        typename published<Acc>::template pending<1> got;
        do {
            tile_totals.start_reading(super * 32 + (lane < before ? lane : 0), got);
        } while (!__all_sync(0xffffffffu, got.complete(tag)));
        if (lane < before) scratch.store(0, lane, got.value());
        __syncwarp();
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
            if (prefixes == 0) continue;
            const int nearest = __ffs(int(prefixes)) - 1;
            const unsigned needed = (1u << nearest) - 1;
            if ((totals & needed) != needed) continue;
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

// One block a tile. The workspace is a launch_state and `words` tagged words.
template <class Types, bool Exclusive>
__global__ void __launch_bounds__(tile_shape<Types>::threads, tile_shape<Types>::blocks_per_multiprocessor)
    look_back_kernel(const __grid_constant__ scan_arguments<Types> arguments, launch_state* state,
                     unsigned long long* tagged, std::uint64_t words) {
    using shape = tile_shape<Types>;
    using Acc = typename Types::Acc;
    extern __shared__ __align__(128) char shared[];
    // A block alone needs no order and tells nobody anything.
    const bool alone = gridDim.x == 1;
    ticket own{0, 0};
    if (!alone) {
        auto& taken = *reinterpret_cast<ticket*>(shared + shape::ticket_at);
        if (threadIdx.x == 0) {
            taken = take_ticket(*state);
            if (taken.index == gridDim.x - 1) prepare_next_launch(*state, taken.tag);
        }
        __syncthreads();
        own = taken;
    }
    const std::uint64_t n = arguments.size();
    if (own.index < shape::tile_count(n)) {
        detail::tile_block<Types> block{
            arguments, shared, n, own.index, int(threadIdx.x / 32), int(threadIdx.x % 32), {}};
        const auto combine = arguments.combine();
        const detail::look_back_state<Types> past(tagged, arguments.n, own.tag);
        const bool full = n - block.first_item(0) >= Types::tile;
        const run_totals<Acc> scratch{shared + shape::scratch_at + block.warp * run_totals<Acc>::line};
        block.sum_runs();
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
        block.template scan_rows<Exclusive>();
    } else if (n == 0 && own.index == 0 && threadIdx.x == 0) {
        arguments.store_empty_total();
    }
    if (own.tag == last_tag && threadIdx.x < 32) clear_tags(*state, tagged, words);
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
        arguments, shared, n, blockIdx.x, int(threadIdx.x / 32), int(threadIdx.x % 32), {}};
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
        arguments, shared, n, blockIdx.x, int(threadIdx.x / 32), int(threadIdx.x % 32), {}};
    block.sum_runs();
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
    block.template scan_rows<Exclusive>();
}

}  // namespace upsweep::cuda
