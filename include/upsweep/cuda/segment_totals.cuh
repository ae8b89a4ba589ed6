// One total a segment, tile by tile: what kernels are given (segment_totals_tile.cuh has the first), and the
// launches behind it.
//
// Which segments end in a tile is known before elements are read: from offsets (offset_ends.cuh), or from a
// bit an element, whether it is a head (head_ends.cuh). So no fold has to pass from one tile to the next, and
// none waits for another. A block folds the runs and the rows of a tile and leaves the folds in shared
// memory. From these a thread makes the total of a segment that ends in the tile: S (+) (T (+) (R (+) (V (+)
// L))) of docs/numerics.md, of which each part counts from the segment's first element on. Of the one segment
// that begins in an earlier tile S and T are missing: it is left in scratch, beside what the tile comes to,
// and finished by a launch behind that of the tiles, whose lanes have the folds of tiles and supers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/segment_values.cuh"

namespace upsweep::cuda {

namespace detail {

// Elements of In as values of type T, the register's of the accumulator Nominal, combined by Op to results of
// type Out; Ends says where segments end.
template <class NominalType, class T, class InType, class OutType, class OpType, class EndsType>
struct segment_totals_types {
    using Nominal = NominalType;
    using Value = T;
    using In = InType;
    using Out = OutType;
    using Op = OpType;
    using Ends = EndsType;
    using Acc = segment_value<T>;
    using Load = load_in_segment<Nominal, T, Op>;
    static constexpr int items = run_items<T, Op, int(sizeof(In))>;  // of a run
    static constexpr int row = 32 * items;
    static constexpr int tile = 32 * row;
    static constexpr std::uint64_t super = 32 * std::uint64_t(tile);
};

// Arrays one behind the other, each from a multiple of 256 bytes on, behind `data`, or behind null to know
// how much they are.
class scratch_layout {
  public:
    explicit scratch_layout(char* data) : data_(data) {}
    template <class T>
    void take(T*& array, std::uint64_t size) {
        array = reinterpret_cast<T*>(data_ + bytes_);
        bytes_ += (size * sizeof(T) + 255) / 256 * 256;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    char* data_;
    std::size_t bytes_ = 0;
};

// What one launch leaves for those behind it.
template <class Types>
struct segment_totals_scratch {
    using Acc = typename Types::Acc;
    using Value = typename Types::Value;
    static constexpr std::uint64_t nothing = ~std::uint64_t(0);

    std::uint64_t* open;  // of each tile: the segment that ends in it and begins in front of it, or nothing
    Value* parts;         // of such a segment, what the tile has of it
    Acc* tiles;           // what each tile comes to from its last head on, and whether it has one
    Acc* supers;          // the same of 32 tiles

    void place(scratch_layout& layout, std::uint64_t tile_count) {
        layout.take(open, tile_count);
        layout.take(parts, tile_count);
        layout.take(tiles, tile_count);
        layout.take(supers, (tile_count + 31) / 32);
    }
};

template <class Types>
struct segment_totals_arguments {
    using In = typename Types::In;
    using Out = typename Types::Out;

    const In* in;
    std::uint64_t n;  // not 0 where kernels are given it
    Out* out;
    typename Types::Ends ends;
    typename Types::Op op;
    typename Types::Load load;
    segment_totals_scratch<Types> scratch{};  // what the launch chooses

    static constexpr std::uint64_t tiles_of(std::uint64_t elements) {
        return (elements + Types::tile - 1) / Types::tile;
    }
    __host__ __device__ std::uint64_t tiles() const { return tiles_of(n); }

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

// Of super `super` the tiles, a lane each; the array's last one stands for those behind it.
template <class Types>
__device__ __forceinline__ typename Types::Acc tile_of_lane(const segment_totals_arguments<Types>& given,
                                                            std::uint64_t super, int lane) {
    const std::uint64_t own = super * 32 + unsigned(lane), last = given.tiles() - 1;
    return given.scratch.tiles[own < last ? own : last];
}
// What each super but the last comes to: a warp a super.
template <class Types>
__global__ void fold_segment_tiles_kernel(const __grid_constant__ segment_totals_arguments<Types> given) {
    wait_for_earlier_launch();
    const int lane = int(threadIdx.x % 32);
    const std::uint64_t warps = std::uint64_t(gridDim.x) * blockDim.x / 32;
    for (std::uint64_t super = (blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x) / 32;
         super * 32 + 32 < given.tiles(); super += warps) {
        const auto upto = fold_lanes(given.join(), tile_of_lane(given, super, lane), lane);
        if (lane == 31) given.scratch.supers[super] = upto;
    }
}
// What a super comes to from its last head on, and whether it has one: as found by that launch, or where
// there was none.
template <class Types>
__device__ __forceinline__ typename Types::Acc super_total(const segment_totals_arguments<Types>& given,
                                                           std::uint64_t super, bool is_found) {
    if (is_found) return given.scratch.supers[super];
    const typename Types::Acc* const tiles = given.scratch.tiles + super * 32;
    auto sum = tiles[0];
#pragma unroll 8
    for (int i = 1; i < 32; ++i) sum = given.join()(sum, tiles[i]);
    return sum;
}
// The last super in front of `super` that has a head; the first one has.
template <class Types>
__device__ __forceinline__ std::uint64_t last_headed_super(const segment_totals_arguments<Types>& given,
                                                           std::uint64_t super, bool are_found, int lane) {
    constexpr int each = 4;
    while (true) {
        const std::uint64_t begin = super < each * 32 ? 0 : super - each * 32;
        unsigned headed[each];
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const std::uint64_t own = begin + unsigned(j * 32 + lane);
            headed[j] = own < super && super_total(given, own, are_found).head != 0;
        }
#pragma unroll
        for (int j = each - 1; j >= 0; --j) {
            headed[j] = __ballot_sync(0xffffffffu, headed[j] != 0);
            if (headed[j] != 0) return begin + unsigned(j * 32 + 31 - __clz(int(headed[j])));
        }
        if (begin == 0) return 0;
        super = begin;
    }
}
// Of supers [first, super), one at least, of which no head is behind the first one's last.
template <class Types>
__device__ __forceinline__ typename Types::Value fold_supers(const segment_totals_arguments<Types>& given,
                                                             std::uint64_t first, std::uint64_t super,
                                                             bool are_found, int lane) {
    typename Types::Value sum{};
    bool present = false;
#pragma unroll 1
    for (; first < super; first += 32) {
        const std::uint64_t own = first + unsigned(lane);
        const auto value = super_total(given, own < super ? own : super - 1, are_found).value;
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
__global__ void finish_segment_totals_kernel(const __grid_constant__ segment_totals_arguments<Types> given,
                                             bool has_supers) {
    wait_for_earlier_launch();
    constexpr std::uint64_t nothing = segment_totals_scratch<Types>::nothing;
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
        if (is_open) {
            total = given.scratch.parts[tile];
            if (lane != 0) total = given.combine()(before.value, total);
        }
        // Of a super's tiles the first one with such a segment has the one that begins in front of the super.
        const bool begins_earlier = is_open && (lane == 0 || before.head == 0);
        const unsigned longer = __ballot_sync(0xffffffffu, begins_earlier);
        if (longer != 0) {
            const auto first = last_headed_super(given, super, has_supers, lane);
            const auto left = fold_supers(given, first, super, has_supers, lane);
            if (begins_earlier) total = given.combine()(left, total);
        }
        if (is_open && given.ends.has_room(k)) given.store(k, total);
    }
}

}  // namespace detail

}  // namespace upsweep::cuda
