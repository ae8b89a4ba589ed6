// Where segments end, by offsets: which of them end in a tile a search among the offsets says.
#pragma once

#include <cstdint>

#include "upsweep/cuda/segment_totals_memory.cuh"

namespace upsweep::cuda::detail {

template <class Types>
struct offsets_in_block;

struct segments_of_tiles {
    std::uint64_t* first;  // of each tile, and behind the last: how many segments end in front of it

    void place(scratch_layout& layout, std::uint64_t tile_count, int) { layout.take(first, tile_count + 1); }
};

template <class IntegerType, class OutType>
struct offset_ends {
    using Integer = IntegerType;
    template <class Types>
    using in_block = offsets_in_block<Types>;
    using Found = segments_of_tiles;
    using size = std::uint64_t;           // of how many end in a tile
    static constexpr bool keeps = false;  // something of segments beside their totals

    const Integer* offsets;  // one more than segments
    std::uint64_t segments;
    OutType empty;  // what a segment without elements gets
    // What a launch finds out first, unless every block looks for its segments itself, as it has one tile.
    Found found{};
    bool finds_itself = false;

    // For the launch before, which is complete when blocks begin.
    [[nodiscard]] static bool waits() { return false; }
    static std::size_t other_bytes(std::uint64_t) { return launch_state_bytes; }
    static constexpr int block_bytes(int tile, int) { return tile; }  // a byte an element: marks
    __device__ __forceinline__ static bool has_room(std::uint64_t) { return true; }

    __device__ __forceinline__ std::uint64_t offset(std::uint64_t k) const {
        return static_cast<std::uint64_t>(offsets[k]);  // a negative one is a very large one
    }

    // How many segments end in front of element `begin`, or at most as many as there are if offsets do not
    // ascend. By a warp, which looks at 32 offsets at a time.
    __device__ __forceinline__ std::uint64_t before(std::uint64_t begin, int lane) const {
        std::uint64_t low = 0, high = segments;
        while (low < high) {
            const std::uint64_t count = high - low;
            const auto place = [&](int j) { return low + count * unsigned(j + 1) / 33; };
            const int ends = __popc(__ballot_sync(0xffffffffu, offset(place(lane) + 1) <= begin));
            const std::uint64_t from = ends > 0 ? place(ends - 1) + 1 : low;
            if (ends < 32) high = place(ends);
            low = from;
        }
        return low;
    }
    // The same by a thread, seven at a time.
    __device__ __forceinline__ std::uint64_t before(std::uint64_t begin) const {
        constexpr int together = 7;
        std::uint64_t low = 0, high = segments;
        while (low < high) {
            const std::uint64_t count = high - low;
            std::uint64_t place[together];
            bool ends[together];
#pragma unroll
            for (int j = 0; j < together; ++j) {
                place[j] = low + count * unsigned(j + 1) / (together + 1);
                ends[j] = offset(place[j] + 1) <= begin;
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
};

// ends.found, a thread a tile.
template <class Ends>
__global__ void find_segments_kernel(const Ends ends, std::uint64_t tiles, unsigned tile_items) {
    const std::uint64_t step = std::uint64_t(gridDim.x) * blockDim.x;
    for (std::uint64_t tile = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; tile <= tiles;
         tile += step) {
        ends.found.first[tile] = tile == 0       ? 0
                                 : tile == tiles ? ends.segments
                                                 : ends.before(tile * tile_items);
    }
}

// A block's: marks where segments begin in its tile, while the offsets of the next tile's are on their way.
// head_ends.cuh has the same functions.
template <class Types>
struct offsets_in_block : segment_totals_memory<Types> {
    using memory = segment_totals_memory<Types>;
    using memory::given, memory::shared, memory::warp, memory::lane;
    using typename memory::shape, typename memory::place, typename memory::segment;
    // Offsets that a thread has under way at once.
    static constexpr int batch = 4;

    // Of the tile that comes next: its segments, where the first of them begins, and this thread's own.
    std::uint64_t first, until, start, from, end;

    __device__ offsets_in_block(const segment_totals_arguments<Types>& arguments, char* block_shared)
        : memory{arguments, block_shared, int(threadIdx.x / 32), int(threadIdx.x % 32)} {}

    // What begins in front of the first tile. All threads.
    __device__ __forceinline__ void start_with(std::uint64_t tile) {
        clear_heads();
        find(tile);
        read_own();
    }
    // Marks what is known of a tile, and asks which segments are the next one's.
    __device__ __forceinline__ place enter(std::uint64_t tile, std::uint64_t next) {
        place at = this->place_of(tile);
        at.first = first;
        at.ends = at.room = until - first;
        at.are_few = at.ends <= unsigned(shape::threads);
        const bool starts = start == at.begin();
        at.is_marked = starts || at.ends != 0;
        own_from_ = from;
        own_end_ = end;
        if (next < given.tiles()) {
            first = given.ends.found.first[next];
            until = given.ends.found.first[next + 1];
        }
        if (!at.are_few)
            mark_many(at);
        else if (threadIdx.x < at.ends)
            mark(at, own_end_, 1);
        if (threadIdx.x == 0 && starts) heads()[0] = 1;
        return at;
    }
    // Of few segments this thread's own.
    __device__ __forceinline__ segment own(const place& at) const {
        if (threadIdx.x >= at.ends) return {};
        return of(at, at.first + threadIdx.x, own_from_, own_end_);
    }
    __device__ __forceinline__ static void finish_own(const place&, std::uint64_t) {}
    // In which elements of a run segments begin, a bit each.
    __device__ __forceinline__ unsigned head_bits(int first_item) const {
        unsigned bits = 0;
        const auto* const flags = reinterpret_cast<const std::uint32_t*>(heads() + first_item);
#pragma unroll
        for (int w = 0; w < Types::items / 4; ++w) bits |= (flags[w] * 0x01020408u >> 24) << (w * 4);
        return bits;
    }
    // Behind the last call of head_bits of a tile.
    __device__ __forceinline__ void leave(const place& at, std::uint64_t next) {
        if (!at.are_few) {
            clear_heads();
        } else {
            if (threadIdx.x < at.ends) mark(at, own_end_, 0);
            if (threadIdx.x == 0) heads()[0] = 0;
        }
        if (next < given.tiles()) read_own();
    }
    // visit(j, segment) of many, those of them that exist, a thread's in turn.
    template <class Visit>
    __device__ __forceinline__ void for_each(const place& at, const Visit& visit) const {
        const std::uint64_t last = at.first + at.ends;
#pragma unroll 1
        for (std::uint64_t k = at.first + threadIdx.x; k < last; k += unsigned(batch * shape::threads)) {
            std::uint64_t begins[batch], ends[batch];
            read_offsets(k, last, 0, begins);
            read_offsets(k + 1, last + 1, 0, ends);
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const std::uint64_t which = k + unsigned(j * shape::threads);
                if (which >= last) break;
                const segment found = of(at, which, begins[j], ends[j]);
                if (found.exists()) visit(which - at.first, found);
            }
        }
    }

  private:
    std::uint64_t own_from_, own_end_;

    // Whether a segment begins with an element, a byte each: 0 or 1.
    __device__ __forceinline__ std::uint8_t* heads() const {
        return reinterpret_cast<std::uint8_t*>(shared + shape::ends_at);
    }
    // That a segment begins, or that none does, where one ends.
    __device__ __forceinline__ void mark(const place& at, std::uint64_t offset, std::uint8_t head) const {
        if (offset - at.begin() < unsigned(at.count)) heads()[offset - at.begin()] = head;
    }
    __device__ __forceinline__ void clear_heads() const {
#pragma unroll 4
        for (int at = int(threadIdx.x) * 16; at < Types::tile; at += shape::threads * 16)
            *reinterpret_cast<uint4*>(heads() + at) = {};
    }
    // Offsets k, k + threads, ... as far as they are below `last`; the others are `other`.
    template <int Count>
    __device__ __forceinline__ void read_offsets(std::uint64_t k, std::uint64_t last, std::uint64_t other,
                                                 std::uint64_t (&to)[Count]) const {
#pragma unroll
        for (int j = 0; j < Count; ++j) {
            const std::uint64_t which = k + unsigned(j * shape::threads);
            to[j] = which < last ? given.ends.offset(which) : other;
        }
    }
    __device__ __forceinline__ void mark_many(const place& at) const {
        constexpr int together = 2 * batch;
        const std::uint64_t last = at.first + at.ends;
#pragma unroll 1
        for (std::uint64_t k = at.first + threadIdx.x; k < last; k += unsigned(together * shape::threads)) {
            std::uint64_t ends[together];
            read_offsets(k + 1, last + 1, ~std::uint64_t(0), ends);
#pragma unroll
            for (int j = 0; j < together; ++j) mark(at, ends[j], 1);
        }
    }
    // Segment k of offsets [begins, ends), which ends in the tile: as all do unless offsets do not ascend.
    // An empty one is done with.
    __device__ __forceinline__ segment of(const place& at, std::uint64_t k, std::uint64_t begins,
                                          std::uint64_t ends) const {
        if (begins == ends) given.out[k] = given.ends.empty;
        if (begins >= ends || ends <= at.begin() || ends > at.begin() + unsigned(at.count)) return {};
        return {begins < at.begin() ? -1 : int(begins - at.begin()), int(ends - at.begin()) - 1};
    }
    __device__ __forceinline__ void read_own() {
        const std::uint64_t k = first + threadIdx.x;
        start = given.ends.offset(first);
        from = k < until ? given.ends.offset(k) : 0;
        end = k < until ? given.ends.offset(k + 1) : 0;
    }
    // The segments that end in a block's first tile.
    __device__ __forceinline__ void find(std::uint64_t tile) {
        if (!given.ends.finds_itself) {
            first = given.ends.found.first[tile];
            until = given.ends.found.first[tile + 1];
            return;
        }
        auto* const found = reinterpret_cast<std::uint64_t*>(this->row_heads());
        if (warp < 2) {
            const std::uint64_t own = tile + unsigned(warp);
            const std::uint64_t before = own == 0               ? 0
                                         : own == given.tiles() ? given.ends.segments
                                                                : given.ends.before(own * Types::tile, lane);
            if (lane == 0) found[warp] = before;
        }
        __syncthreads();
        first = found[0];
        until = found[1];
    }
};

}  // namespace upsweep::cuda::detail
