// What kernels are given that make one total a segment, by offsets (offset_totals_tile.cuh), and how they
// find out which segments are whose.
//
// Which segments end in a tile is known from the offsets, so that no count has to pass from one tile to the
// next as it does where heads are found on the way (segment_totals.cuh), and none waits for another. A block
// folds the runs and the rows of a tile and leaves the folds in shared memory. From these a thread makes the
// total of a segment that ends in the tile: S (+) (T (+) (R (+) (V (+) L))) of docs/numerics.md, of which
// each part counts from the segment's first element on. Of the one segment that begins in an earlier tile S
// and T are missing: it is left in scratch, beside what the tile comes to, and finished by a launch behind
// that of the tiles, whose lanes have the folds of tiles and supers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/segment_values.cuh"

namespace upsweep::cuda {

namespace detail {

// Elements of In as values of type T, the register's of the accumulator Nominal, combined by Op to results of
// type Out; offsets are Integer's.
template <class NominalType, class T, class InType, class OutType, class OpType, class IntegerType>
struct offset_totals_types {
    using Nominal = NominalType;
    using Value = T;
    using In = InType;
    using Out = OutType;
    using Op = OpType;
    using Integer = IntegerType;
    using Acc = segment_value<T>;
    using Load = load_in_segment<Nominal, T, Op>;
    static constexpr int items = run_items<T, Op, int(sizeof(In))>;  // of a run
    static constexpr int row = 32 * items;
    static constexpr int tile = 32 * row;
    static constexpr std::uint64_t super = 32 * std::uint64_t(tile);
};

// What one launch leaves for those behind it.
template <class Types>
struct offset_totals_scratch {
    using Acc = typename Types::Acc;
    using Value = typename Types::Value;
    static constexpr std::uint64_t nothing = ~std::uint64_t(0);

    std::uint64_t* first;  // of each tile, and behind the last: how many segments end in front of it
    std::uint64_t* open;   // of each tile: the segment that ends in it and begins in front of it, or nothing
    Value* parts;          // of such a segment, what the tile has of it
    Acc* tiles;            // what each tile comes to from its last head on, and whether it has one
    Acc* supers;           // the same of 32 tiles

    // Lays it out behind `data`, or behind null to know how much it is. Returns the bytes.
    std::size_t place(char* data, std::uint64_t tile_count) {
        std::size_t at = 0;
        const auto take = [&]<class T>(T*& array, std::uint64_t size) {
            array = reinterpret_cast<T*>(data + at);
            at += (size * sizeof(T) + 255) / 256 * 256;
        };
        take(first, tile_count + 1);
        take(open, tile_count);
        take(parts, tile_count);
        take(tiles, tile_count);
        take(supers, (tile_count + 31) / 32);
        return at;
    }
};

template <class Types>
struct offset_totals_arguments {
    using In = typename Types::In;
    using Out = typename Types::Out;

    const In* in;
    std::uint64_t n;  // not 0 where kernels are given it
    Out* out;
    const typename Types::Integer* offsets;  // one more than segments
    std::uint64_t segments;
    Out empty;  // what a segment without elements gets
    typename Types::Op op;
    typename Types::Load load;
    // What the launch chooses.
    bool finds_itself = false;  // every block looks for its segments, as it has one tile
    offset_totals_scratch<Types> scratch{};

    static constexpr std::uint64_t tiles_of(std::uint64_t elements) {
        return (elements + Types::tile - 1) / Types::tile;
    }
    __host__ __device__ std::uint64_t tiles() const { return tiles_of(n); }

    __device__ __forceinline__ std::uint64_t offset(std::uint64_t k) const {
        return static_cast<std::uint64_t>(offsets[k]);  // a negative one is a very large one
    }
    __device__ __forceinline__ combiner<typename Types::Value, typename Types::Op> combine() const {
        return {op, false};
    }
    __device__ __forceinline__ combiner<typename Types::Acc, in_segments<typename Types::Op>> join() const {
        return {{op}, false};
    }
    __device__ __forceinline__ void store(std::uint64_t k, const typename Types::Value& total) const {
        out[k] = convert<Out>(convert<typename Types::Nominal>(total));
    }
};

// How many segments end in front of element `begin`, or at most as many as there are if offsets do not
// ascend. By a warp, which looks at 32 offsets at a time.
template <class Types>
__device__ __forceinline__ std::uint64_t segments_before(const offset_totals_arguments<Types>& given,
                                                         std::uint64_t begin, int lane) {
    std::uint64_t low = 0, high = given.segments;
    while (low < high) {
        const std::uint64_t count = high - low;
        const auto place = [&](int j) { return low + count * unsigned(j + 1) / 33; };
        const int ends = __popc(__ballot_sync(0xffffffffu, given.offset(place(lane) + 1) <= begin));
        const std::uint64_t from = ends > 0 ? place(ends - 1) + 1 : low;
        if (ends < 32) high = place(ends);
        low = from;
    }
    return low;
}
// The same by a thread, seven at a time.
template <class Types>
__device__ __forceinline__ std::uint64_t segments_before(const offset_totals_arguments<Types>& given,
                                                         std::uint64_t begin) {
    constexpr int together = 7;
    std::uint64_t low = 0, high = given.segments;
    while (low < high) {
        const std::uint64_t count = high - low;
        std::uint64_t place[together];
        bool ends[together];
#pragma unroll
        for (int j = 0; j < together; ++j) {
            place[j] = low + count * unsigned(j + 1) / (together + 1);
            ends[j] = given.offset(place[j] + 1) <= begin;
        }
#pragma unroll
        for (int j = 0; j < together; ++j) {
            if (ends[j])
                low = place[j] + 1;
            else if (place[j] < high)
                high = place[j];
        }
    }
    return low;
}

// scratch.first, a thread a tile.
template <class Types>
__global__ void find_segments_kernel(const __grid_constant__ offset_totals_arguments<Types> given) {
    const std::uint64_t tiles = given.tiles(), step = std::uint64_t(gridDim.x) * blockDim.x;
    for (std::uint64_t tile = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; tile <= tiles;
         tile += step) {
        given.scratch.first[tile] = tile == 0       ? 0
                                    : tile == tiles ? given.segments
                                                    : segments_before(given, tile * Types::tile);
    }
}

// Of super `super` the tiles, a lane each; the array's last one stands for those behind it.
template <class Types>
__device__ __forceinline__ typename Types::Acc tile_of_lane(const offset_totals_arguments<Types>& given,
                                                            std::uint64_t super, int lane) {
    const std::uint64_t own = super * 32 + unsigned(lane), last = given.tiles() - 1;
    return given.scratch.tiles[own < last ? own : last];
}
// What each super but the last comes to: a warp a super.
template <class Types>
__global__ void fold_offset_tiles_kernel(const __grid_constant__ offset_totals_arguments<Types> given) {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    const int lane = int(threadIdx.x % 32);
    const std::uint64_t warps = std::uint64_t(gridDim.x) * blockDim.x / 32;
    for (std::uint64_t super = (blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x) / 32;
         super * 32 + 32 < given.tiles(); super += warps) {
        const auto upto = fold_lanes(given.join(), tile_of_lane(given, super, lane), lane);
        if (lane == 31) given.scratch.supers[super] = upto;
    }
}
// What a super comes to from its last head on: as found by that launch, or where there was none.
template <class Types>
__device__ __forceinline__ typename Types::Value super_total(const offset_totals_arguments<Types>& given,
                                                             std::uint64_t super, bool is_found) {
    if (is_found) return given.scratch.supers[super].value;
    const typename Types::Acc* const tiles = given.scratch.tiles + super * 32;
    auto sum = tiles[0];
#pragma unroll 8
    for (int i = 1; i < 32; ++i) sum = given.join()(sum, tiles[i]);
    return sum.value;
}
// Of supers [first, super), one at least, of which no head is behind the first one's last.
template <class Types>
__device__ __forceinline__ typename Types::Value fold_supers(const offset_totals_arguments<Types>& given,
                                                             std::uint64_t first, std::uint64_t super,
                                                             bool are_found, int lane) {
    typename Types::Value sum{};
    bool present = false;
#pragma unroll 1
    for (; first < super; first += 32) {
        const std::uint64_t own = first + unsigned(lane);
        const auto value = super_total(given, own < super ? own : super - 1, are_found);
        const int count = super - first < 32 ? int(super - first) : 32;
#pragma unroll 8
        for (int j = 0; j < 32; ++j) {
            const auto next = shuffle(value, j);
            if (j < count) sum = present ? given.combine()(sum, next) : next;
            present = true;
        }
    }
    return sum;
}
// Finishes the segments that end in another tile than they begin in: a warp a super, a lane a tile.
template <class Types>
__global__ void finish_offset_totals_kernel(const __grid_constant__ offset_totals_arguments<Types> given,
                                            bool has_supers) {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    constexpr std::uint64_t nothing = offset_totals_scratch<Types>::nothing;
    const int lane = int(threadIdx.x % 32);
    const std::uint64_t tiles = given.tiles(), warps = std::uint64_t(gridDim.x) * blockDim.x / 32;
    for (std::uint64_t super = (blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x) / 32;
         super * 32 < tiles; super += warps) {
        const std::uint64_t tile = super * 32 + unsigned(lane);
        const std::uint64_t k = tile < tiles ? given.scratch.open[tile] : nothing;
        const bool is_open = k != nothing;
        if (!__any_sync(0xffffffffu, is_open)) continue;
        const auto upto = fold_lanes(given.join(), tile_of_lane(given, super, lane), lane);
        const auto before = shuffle_up(upto, 1);
        typename Types::Value total{};
        std::uint64_t from = 0;
        if (is_open) {
            total = given.scratch.parts[tile];
            from = given.offset(k);
            if (lane != 0) total = given.combine()(before.value, total);
        }
        // Of a super's tiles the first one with such a segment has the one that begins in front of the super.
        const unsigned longer = __ballot_sync(0xffffffffu, is_open && from < super * Types::super);
        if (longer != 0) {
            const int source = __ffs(int(longer)) - 1;
            const auto left =
                fold_supers(given, shuffle(from, source) / Types::super, super, has_supers, lane);
            if (lane == source) total = given.combine()(left, total);
        }
        if (is_open) given.store(k, total);
    }
}

}  // namespace detail

}  // namespace upsweep::cuda
