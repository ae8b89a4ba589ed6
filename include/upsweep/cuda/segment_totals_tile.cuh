// Totals of the segments that end in a tile, by a block (segment_totals.cuh says how).
//
// A tile of small elements passes through shared memory: where few segments end in a tile the next one is on
// its way while runs and rows are folded, as each thread has had what it needs of the elements by then, the
// fold of those of its segment in the run in which that ends. Where more end, the elements stay, or make room
// for the folds of each with those in front of it in its run, in which all threads look up theirs.
#pragma once

#include <cstdint>

#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/segment_totals.cuh"
#include "upsweep/cuda/segment_totals_memory.cuh"

namespace upsweep::cuda {

namespace detail {

template <class Types>
struct segment_totals_block : Types::Ends::template in_block<Types> {
    using ends = typename Types::Ends::template in_block<Types>;
    using memory = segment_totals_memory<Types>;
    using memory::given, memory::shared, memory::warp, memory::lane, memory::element, memory::folds,
        memory::row_heads, memory::rows, memory::load;
    using typename memory::shape, typename memory::place, typename memory::segment, typename memory::In,
        typename memory::Value;
    using Acc = typename Types::Acc;
    using unit = typename unit_of<access_size<shape::run_bytes>>::type;
    static constexpr int items = Types::items;

    using ends::ends;

    __device__ __forceinline__ Value value(const In& x, bool head) const { return given.load(x, head).value; }

    // What a whole run comes to from its last head on, of which bits say where segments begin. `Keeps`: folds
    // of each element with those in front of it take the elements' places.
    template <bool Keeps>
    __device__ __forceinline__ Value fold_whole_run(const place& at, int first, unsigned bits) const {
        word_array<shape::run_bytes / 4> words;
        char* const own = shared + first * int(sizeof(In));
        if constexpr (shape::staged) read_units<unit>(own, words);
        const auto item = [&](int m, bool head) {
            if constexpr (shape::staged)
                return value(unpack<In>(words, m), head);
            else
                return value(element(at, first + m), head);
        };
        const auto combine = given.combine();
        Value sum = item(0, (bits & 1) != 0);
        const auto by_heads = [&] { return Keeps || bits != 0; };
        if (by_heads()) {
            word_array<shape::run_bytes / 4> kept;
            if constexpr (Keeps) pack(kept, 0, sum);
#pragma unroll
            for (int m = 1; m < items; ++m) {
                const bool head = (bits >> m & 1) != 0;
                const Value x = item(m, head);
                sum = head ? x : combine(sum, x);
                if constexpr (Keeps) pack(kept, m, sum);
            }
            if constexpr (Keeps) write_units<unit>(own, kept);
        } else {
#pragma unroll
            for (int m = 1; m < items; ++m) sum = combine(sum, item(m, false));
        }
        return sum;
    }
    // The same of one that the array ends in.
    __device__ __forceinline__ Value fold_rest(const place& at, int first, unsigned bits) const {
        Value sum = value(element(at, first), (bits & 1) != 0);
#pragma unroll 1
        for (int m = 1; first + m < at.count; ++m) {
            const bool head = (bits >> m & 1) != 0;
            const Value x = value(element(at, first + m), head);
            sum = head ? x : given.combine()(sum, x);
        }
        return sum;
    }
    // What all runs of this warp's rows come to. `Marked`: segments may begin in the tile.
    template <bool Marked, bool Whole, bool Keeps>
    __device__ __forceinline__ void fold_runs_of_rows(const place& at) const {
#pragma unroll 4
        for (int row = warp; row < 32; row += shape::warps) {
            const int first = row * Types::row + lane * items;
            if (!Whole && row * Types::row >= at.count) break;
            unsigned bits = 0;
            if constexpr (Marked) {
                bits = ends::head_bits(first);
                const unsigned of_row = __ballot_sync(0xffffffffu, bits != 0);
                if (lane == 0) row_heads()[row] = of_row;
            }
            if (Whole || first + items <= at.count)
                folds().store(row, lane, fold_whole_run<Keeps>(at, first, bits));
            else if (first < at.count)
                folds().store(row, lane, fold_rest(at, first, bits));
        }
    }
    // By one warp: folds runs, a row a lane, then rows, as far as segments end in the tile. Returns what the
    // tile comes to, in all lanes; that of the array's last tile means nothing.
    template <bool Marked, bool Whole>
    __device__ __forceinline__ Acc fold_tile(const place& at) const {
        const auto combine = given.combine();
        const int left = at.count - lane * Types::row;
        const int runs = Whole || left >= Types::row ? 32 : left > 0 ? (left + items - 1) / items : 0;
        const int row = runs > 0 ? lane : 0;
        const std::uint32_t run_heads = Marked ? row_heads()[row] : 0;
        constexpr int batch = fold_batch<Acc>;
        Value sum{};
#pragma unroll 1
        for (int first = 0; first < runs; first += batch) {
            Value x[batch];
#pragma unroll
            for (int j = 0; j < batch; ++j)
                if (first + j < runs) x[j] = folds().load(row, first + j);
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                if (first + j >= runs) break;
                const bool fresh = first + j == 0 || (run_heads >> (first + j) & 1) != 0;
                sum = fresh ? x[j] : combine(sum, x[j]);
                if (Marked) folds().store(row, first + j, sum);
            }
        }
        if constexpr (!Whole) {
            // Lanes without a row have the first one's value, so that operators see no other.
            const Value any = shuffle(sum, 0);
            if (runs == 0) sum = any;
        }
        const unsigned all = Marked ? __ballot_sync(0xffffffffu, run_heads != 0) : 0;
        Value upto = sum;
        if constexpr (is_free<typename Types::Op, Value>) {
            upto = fold_lanes(given.join(), Acc{sum, run_heads != 0}, lane).value;
        } else {
            // Of values alone: which rows have heads is known to all lanes.
            upto = shuffle(sum, 0);
            constexpr int at_once = sizeof(Value) > 8 ? 4 : 31;
#pragma unroll(at_once)
            for (int j = 1; j < 32; ++j) {
                const Value next = shuffle(sum, j);
                if (j <= lane) upto = (all >> j & 1) != 0 ? next : combine(upto, next);
            }
        }
        if (Marked) rows()[lane] = upto;
        return {shuffle(upto, 31), all != 0};
    }

    // Of a segment, the fold of what is in the run in which it ends; of the tile's elements.
    __device__ __forceinline__ Value part_of_run(const place& at, const segment& own) const {
        const int run = own.last / items * items, first = own.head > run ? own.head : run;
        Value sum = value(element(at, first), first == own.head);
#pragma unroll 3
        for (int i = first + 1; i <= own.last; ++i) sum = given.combine()(sum, value(element(at, i), false));
        return sum;
    }
    // The total of the tile's segment j, of which `part` is that; if it begins in front of the tile, what the
    // tile has of it goes to scratch.
    __device__ __forceinline__ void finish(const place& at, typename place::size j, const segment& own,
                                           const Value& part) const {
        const int row = own.last / Types::row, run = own.last / items;
        Value total = part;
        if (own.head < run * items && run % 32 != 0)
            total = given.combine()(folds().load(row, run % 32 - 1), total);
        if (own.head < row * Types::row && row != 0) total = given.combine()(rows()[row - 1], total);
        if (own.head < 0) {
            given.scratch.parts[at.tile] = total;
            given.scratch.open[at.tile] = at.first + j;
        } else if (j < at.room) {
            given.store(at.first + j, total);
        }
    }
    __device__ __forceinline__ void finish_many(const place& at) {
        ends::for_each(at, [&](typename place::size j, const segment& own) {
            if constexpr (shape::keeps_folds) {
                if (at.is_whole())
                    return finish(at, j, own, reinterpret_cast<const Value*>(shared)[own.last]);
            }
            finish(at, j, own, part_of_run(at, own));
        });
    }

    // Tiles blockIdx.x, blockIdx.x + gridDim.x, ...
    __device__ void run() {
        const std::uint64_t tiles = given.tiles();
        std::uint64_t tile = blockIdx.x;
        load(tile);
        ends::start_with(tile);
        __syncthreads();
#pragma unroll 1
        for (; tile < tiles; tile += gridDim.x) {
            const std::uint64_t next = tile + gridDim.x;
            const place at = ends::enter(tile, next);
            if (threadIdx.x == 0) given.scratch.open[tile] = segment_totals_scratch<Types>::nothing;
            if constexpr (shape::staged) wait_for_copies<0>();
            __syncthreads();
            segment own;
            Value part{};
            if (at.are_few) {
                own = ends::own(at);
                if (own.exists()) part = part_of_run(at, own);
            }
            if (!at.is_whole())
                fold_runs_of_rows<true, false, false>(at);
            else if (shape::keeps_folds && !at.are_few)
                fold_runs_of_rows<true, true, shape::keeps_folds>(at);
            else if (at.is_marked)
                fold_runs_of_rows<true, true, false>(at);
            else
                fold_runs_of_rows<false, true, false>(at);
            __syncthreads();
            if (at.are_few) load(next);
            ends::leave(at, next);
            if (warp == 0) {
                const Acc total = !at.is_whole() ? fold_tile<true, false>(at)
                                  : at.is_marked ? fold_tile<true, true>(at)
                                                 : fold_tile<false, true>(at);
                if (lane == 0) given.scratch.tiles[tile] = total;
            }
            __syncthreads();
            if (at.are_few) {
                if (own.exists()) finish(at, threadIdx.x, own, part);
                ends::finish_own(at, next);
            } else {
                finish_many(at);
                __syncthreads();
                load(next);
            }
        }
    }
};

}  // namespace detail

template <class Types>
__global__ void __launch_bounds__(detail::segment_totals_shape<Types>::threads,
                                  detail::segment_totals_shape<Types>::blocks_per_multiprocessor)
    segment_totals_kernel(const __grid_constant__ detail::segment_totals_arguments<Types> given) {
    extern __shared__ __align__(128) char shared[];
    detail::segment_totals_block<Types>(given, shared).run();
}

}  // namespace upsweep::cuda
