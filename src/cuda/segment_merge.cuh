// Parts of segments that are longer than a tile (segment_parts.cuh), merged level by level: of what a part
// receives, some lanes find out where it begins in the two runs, and a block merges it in shared memory.
//
// Source: Green, McColl and Bader, "GPU merge path", 2012.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "merge_split.cuh"
#include "segment_parts.cuh"
#include "segment_values.cuh"
#include "sort_key.cuh"

namespace upsweep::cuda::detail {

// A block's shared memory where parts are merged: the keys of a part, with as many behind as a thread may
// read in vain, and where each of its places takes one.
template <class Key>
struct merge_memory {
    using Word = typename ordered_key<Key, false>::Word;
    static constexpr unsigned window = segment_tile_shape<Key>::window;
    static constexpr unsigned threads = 256;
    static constexpr unsigned items = window / threads;  // of a thread
    static constexpr unsigned together = items / 4;      // loads under way
    static constexpr int sources_at = int((window + items + 1) * sizeof(Word) + 15) / 16 * 16;
    static constexpr int bytes = sources_at + int(window) * int(sizeof(std::uint16_t));
    static_assert(window % threads == 0 && items % 4 == 0);
};

// Two neighbouring runs in order, of which a part is merged: elements [low, middle) and [middle, high).
struct merged_runs {
    std::uint64_t low, middle, high;
};

inline constexpr unsigned splitting_lanes = 8;

// How many of the first `diagonal` of what two runs have in order, stably, are of the left one; by so many
// neighbouring lanes together.
template <class Order>
__device__ __forceinline__ std::uint64_t split_runs(const Order& order, const typename Order::Key* keys,
                                                    const merged_runs& runs, std::uint64_t diagonal) {
    constexpr unsigned lanes = splitting_lanes, all = (1u << lanes) - 1;
    const unsigned lane = threadIdx.x % lanes, shift = threadIdx.x % 32 / lanes * lanes;
    const std::uint64_t left = runs.middle - runs.low, right = runs.high - runs.middle;
    std::uint64_t least = diagonal > right ? diagonal - right : 0, most = diagonal < left ? diagonal : left;
    while (least < most) {
        const std::uint64_t size = most - least;
        const auto probe = [&](unsigned of_lane) { return least + size * (of_lane + 1) / (lanes + 1); };
        const std::uint64_t i = probe(lane);
        const bool is_before =
            order.order(keys[runs.middle + diagonal - 1 - i]) >= order.order(keys[runs.low + i]);
        // So many of the probes are before it, the first ones.
        const unsigned before = unsigned(__popc(__ballot_sync(all << shift, is_before)));
        const std::uint64_t low = before == 0 ? least : probe(before - 1) + 1;
        most = before == lanes ? most : probe(before);
        least = low;
    }
    return least;
}

// Whether a part is merged at a level, and then of what.
template <unsigned Window>
__device__ __forceinline__ bool runs_of(const long_part& part, std::uint64_t w, unsigned level,
                                        merged_runs& runs) {
    const std::uint64_t group = w >> (level + 1) << (level + 1), size = std::uint64_t(Window) << level;
    runs.low = group * Window;
    runs.middle = runs.low + size;
    runs.high = runs.middle + size;
    if (runs.low < part.segment_begin) runs.low = part.segment_begin;
    if (runs.high > part.segment_end) runs.high = part.segment_end;
    return runs.low < runs.middle && runs.middle < runs.high;
}

// What a part receives: of two runs, one behind the other, left_count elements from `left` on and all others
// from `right` on.
struct merged_part {
    std::uint64_t first, left, right;
    unsigned n, left_count;

    // Where the i-th of both is.
    [[nodiscard]] __device__ __forceinline__ std::uint64_t element(unsigned i) const {
        return i < left_count ? left + i : right - left_count + i;
    }
};

// From one pair of arrays to the other, by all threads of a block. `Full`: of a whole window.
template <bool Full, class Arguments>
__device__ __forceinline__ void merge_part(const Arguments& all, char* shared, const merged_part& part,
                                           unsigned from) {
    using Key = typename Arguments::Key;
    using Index = typename Arguments::Index;
    using Order = typename Arguments::Order;
    using memory = merge_memory<Key>;
    using Word = typename memory::Word;
    constexpr unsigned threads = memory::threads, items = memory::items, together = memory::together;
    auto* const tile = reinterpret_cast<Word*>(shared);
    auto* const sources = reinterpret_cast<std::uint16_t*>(shared + memory::sources_at);
    const auto& order = all.given.order;
    const unsigned n = Full ? memory::window : part.n, left_count = part.left_count;
    // use(k, i) for the places i of this thread, `together` of them before then(k, i) for the same.
    const auto for_each = [&](const auto& use, const auto& then) {
#pragma unroll 1
        for (unsigned done = threadIdx.x; done < n; done += together * threads) {
#pragma unroll
            for (unsigned k = 0; k < together; ++k)
                if (Full || done + k * threads < n) use(k, done + k * threads);
#pragma unroll
            for (unsigned k = 0; k < together; ++k)
                if (Full || done + k * threads < n) then(k, done + k * threads);
        }
    };
    const Key* const keys = all.moved.keys[from];
    Key key[together];
    __syncthreads();
    for_each([&](unsigned k, unsigned i) { key[k] = keys[part.element(i)]; },
             [&](unsigned k, unsigned i) { tile[i] = order.order(key[k]); });
    if (threadIdx.x == 0) tile[n] = static_cast<Word>(~Word{0});  // behind which no key stands
    __syncthreads();

    const unsigned begin = threadIdx.x * items;
    if (begin < n) {
        unsigned left = merge_split(begin, left_count, n - left_count,
                                    [&](unsigned i, unsigned j) { return tile[i] <= tile[left_count + j]; });
        unsigned right = left_count + begin - left;
        Word a = tile[left], b = tile[right];
        // Behind n it reads and writes what nobody uses.
#pragma unroll 4
        for (unsigned k = 0; k < items; ++k) {
            const bool takes_left = left < left_count && a <= b;
            const unsigned source = takes_left ? left : right;
            sources[begin + k] = static_cast<std::uint16_t>(source);
            const unsigned next = source + 1;
            const Word fresh = tile[next];
            left = takes_left ? next : left;
            right = takes_left ? right : next;
            a = takes_left ? fresh : a;
            b = takes_left ? b : fresh;
        }
    }
    __syncthreads();
    Key* const keys_to = all.moved.keys[1 - from] + part.first;
    for_each(
        [&](unsigned k, unsigned i) {
            const Word ordered = tile[sources[i]];
            key[k] = static_cast<Key>(order.bits_of(ordered));
            if (Order::is_floating && !order.is_of_one(ordered)) key[k] = keys[part.element(sources[i])];
        },
        [&](unsigned k, unsigned i) { keys_to[i] = key[k]; });
    if (all.moved.indices[0] == nullptr) return;
    const Index* const indices = all.moved.indices[from];
    Index* const indices_to = all.moved.indices[1 - from] + part.first;
    Index index[together];
    for_each([&](unsigned k, unsigned i) { index[k] = indices[part.element(sources[i])]; },
             [&](unsigned k, unsigned i) { indices_to[i] = index[k]; });
}

// visit(w, p, part p of it) for the parts of a block's windows that move more often than so many times; all
// threads of a block together, whose windows are as many apart as there are blocks.
template <class Arguments, class Visit>
__device__ __forceinline__ void for_each_part(const Arguments& all, unsigned moves, const Visit& visit) {
    __shared__ bool found[merge_memory<typename Arguments::Key>::threads];
    for (std::uint64_t first = blockIdx.x; first < all.windows;
         first += std::uint64_t(gridDim.x) * blockDim.x) {
        const std::uint64_t own = first + std::uint64_t(threadIdx.x) * gridDim.x;
        __syncthreads();
        found[threadIdx.x] = own < all.windows && all.moves[own] > moves;
        __syncthreads();
        for (unsigned k = 0; k < blockDim.x; ++k) {
            const std::uint64_t w = first + std::uint64_t(k) * gridDim.x;
            if (w >= all.windows) break;
            if (!found[k]) continue;
#pragma unroll 1
            for (unsigned p = 0; p < 2; ++p) {
                const long_part part = all.parts[w].part[p];
                if (part.moves() > moves) visit(w, p, part);
            }
        }
    }
}

// What parts receive in a round, by some lanes a window.
template <class Arguments>
__device__ __forceinline__ void find_merges(const Arguments& all, unsigned round) {
    constexpr unsigned window = Arguments::window;
    constexpr unsigned at_once = merge_memory<typename Arguments::Key>::threads / splitting_lanes;
    for (std::uint64_t w = std::uint64_t(blockIdx.x) * at_once + threadIdx.x / splitting_lanes;
         w < all.windows; w += std::uint64_t(gridDim.x) * at_once) {
        if (all.moves[w] <= round) continue;
#pragma unroll 1
        for (unsigned p = 0; p < 2; ++p) {
            const long_part part = all.parts[w].part[p];
            if (part.moves() <= round) continue;
            part_merge made{};
            merged_runs runs{};
            if (runs_of<window>(part, w, part.level(round), runs)) {
                const std::uint64_t diagonal = part.first - runs.low;
                const std::uint64_t split =
                    split_runs(all.given.order, all.moved.keys[part.array(round)], runs, diagonal);
                made = {runs.low + split, runs.middle + (diagonal - split),
                        part.end == runs.high ? runs.middle : 0, true};
            }
            if (threadIdx.x % splitting_lanes == 0) all.parts[w].merge[p] = made;
        }
    }
}
template <class Arguments>
__device__ __forceinline__ void move_parts(const Arguments& all, char* shared, unsigned round) {
    for_each_part(all, round, [&](std::uint64_t w, unsigned p, const long_part& part) {
        const unsigned from = part.array(round);
        const part_merge merge = all.parts[w].merge[p];
        if (merge.is_due) {
            const std::uint64_t left_end =
                merge.left_end != 0 ? merge.left_end : all.parts[w + 1].merge[0].left;
            const merged_part merged{part.first, merge.left, merge.right, part.size(),
                                     unsigned(left_end - merge.left)};
            if (merged.n == Arguments::window)
                merge_part<true>(all, shared, merged, from);
            else
                merge_part<false>(all, shared, merged, from);
            return;
        }
        for (std::uint64_t i = part.first + threadIdx.x; i < part.end; i += blockDim.x) {
            all.moved.keys[1 - from][i] = all.moved.keys[from][i];
            if (all.moved.indices[0] != nullptr) all.moved.indices[1 - from][i] = all.moved.indices[from][i];
        }
    });
}

// All rounds, and what goes along. Launched so that all blocks run at once.
template <class Arguments>
__global__ void __launch_bounds__(merge_memory<typename Arguments::Key>::threads, 4)
    merge_parts_kernel(const __grid_constant__ Arguments all) {
    extern __shared__ __align__(16) char shared[];
    const auto& given = all.given;
    if (given.told->any_long == 0) return;
    const auto grid = cooperative_groups::this_grid();
    for (unsigned round = 0, rounds = given.told->moves; round < rounds; ++round) {
        find_merges(all, round);
        grid.sync();
        move_parts(all, shared, round);
        grid.sync();
    }
    if (given.values.out == nullptr) return;
    use_piece(given.values, [&](auto piece) {
        for_each_part(all, 0, [&](std::uint64_t, unsigned, const long_part& part) {
            for (std::uint64_t i = part.first + threadIdx.x; i < part.end; i += blockDim.x)
                move_value<decltype(piece)>(given.values, all.moved.indices[0][i], i, part.segment_begin);
        });
    });
}

}  // namespace upsweep::cuda::detail
