// Where segments end, by a bit an element that says whether it is a head: bits that a launch in front of that
// of the tiles has set (mark_heads.cuh); or, of an array of one tile, that its block sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/count_scan.hpp"
#include "upsweep/cuda/element_copy.cuh"
#include "upsweep/cuda/mark_heads.cuh"
#include "upsweep/cuda/segment_totals_memory.cuh"

namespace upsweep::cuda::detail {

template <class Types>
struct heads_in_block;

template <class HeadsType, class FirstsType>
struct head_ends {
    using Heads = HeadsType;
    using Firsts = FirstsType;
    template <class Types>
    using in_block = heads_in_block<Types>;
    using Found = marked_tiles;
    using size = std::uint32_t;  // of how many end in a tile
    static constexpr bool keeps = Firsts::exist;
    // Ends that are listed at once: more than threads, so that few are listed whole.
    static constexpr int listed = 2304;
    // First elements that a thread has under way: two batches.
    static constexpr int batch = 4, slots = Firsts::pass_through_memory ? 2 * batch : 0;

    Heads heads;
    std::uint64_t room;         // of the results
    std::uint64_t* count;       // receives how many segments there are
    Firsts firsts;              // what is kept of their first elements
    Found found{};              // what a launch finds out first
    bool marks_itself = false;  // the array has one tile, of which that launch finds out everything
    bool sums_counts = false;  // found.tile_heads are each tile's own: blocks add up those in front of theirs

    [[nodiscard]] bool waits() const { return !marks_itself; }  // for a launch that marks
    // Of the scan of many tiles' counts.
    static std::size_t other_bytes(std::uint64_t tile_count) { return count_scan_bytes(tile_count); }
    static constexpr int slots_at(int tile) {
        return (tile / 8 + (listed + 1) * int(sizeof(std::int16_t)) + 15) / 16 * 16;
    }
    static constexpr int block_bytes(int tile, int threads) {
        return slots_at(tile) + slots * threads * int(sizeof(typename Firsts::element));
    }
    __device__ __forceinline__ bool has_room(std::uint64_t k) const { return k < room; }
};

// A block's: of its tile the bits, and a list of where segments end; the next tile's bits are on their way.
template <class Types>
struct heads_in_block : segment_totals_memory<Types> {
    using memory = segment_totals_memory<Types>;
    using memory::given, memory::shared, memory::warp, memory::lane;
    using typename memory::shape, typename memory::place, typename memory::segment;
    static constexpr int chunks = Types::tile / chunk_items;
    static constexpr int own_chunks = (chunks + shape::warps - 1) / shape::warps;  // of a warp, at most
    static constexpr int listed = Types::Ends::listed;
    using First = typename Types::Ends::Firsts::element;
    static constexpr bool keeps = Types::Ends::keeps;
    static_assert(shape::threads < listed && Types::tile < 1 << 15);

    __device__ heads_in_block(const segment_totals_arguments<Types>& arguments, char* block_shared)
        : memory{arguments, block_shared, int(threadIdx.x / 32), int(threadIdx.x % 32)} {}

    __device__ __forceinline__ void start_with(std::uint64_t tile) {
        if (given.ends.marks_itself) return mark();
        wait_for_earlier_launch();
        read(tile);
        if (given.ends.sums_counts) earlier_ = sum_before(tile);
    }
    __device__ __forceinline__ place enter(std::uint64_t tile, std::uint64_t next) {
        place at = this->place_of(tile);
        const std::uint32_t upto = sum_up_to_lane(chunk_heads_, lane);
        const std::uint32_t heads = __shfl_sync(0xffffffffu, upto, 31);
        before_chunk_ = upto - chunk_heads_;
        starts_ = first_bit_ & 1;
        // Of a tile that is not whole the bit behind its elements is among its own.
        closes_ = at.is_whole() ? next_bit_ & 1 : 0;
        at.ends = heads - starts_ + (at.is_whole() ? closes_ : 1);
        at.first = earlier_ + starts_ - 1;
        at.room = room_behind(at.first, given.ends.room);
        if constexpr (keeps) firsts_room_ = room_behind(at.first, given.ends.firsts.room);
        at.are_few = at.ends < unsigned(shape::threads);
        at.is_marked = starts_ != 0 || at.ends != 0;
        if (tile == given.tiles() - 1 && threadIdx.x == 0) *given.ends.count = earlier_ + heads;
#pragma unroll
        for (int k = 0; k < own_chunks; ++k) {
            const int chunk = warp + k * shape::warps;
            if (chunks % shape::warps != 0 && chunk >= chunks) break;
            bits()[chunk * 32 + lane] = words_[k];
            list(chunk, words_[k], 0);
        }
        if (threadIdx.x == 0) list_outer(at, 0);
        if (next < given.tiles()) read(next);
        return at;
    }
    __device__ __forceinline__ segment own(const place& at) {
        const int j = int(threadIdx.x);
        if constexpr (keeps) {
            own_head_ = kept_at(at, j, j);
            copy_first(at, own_head_, 0);
            close_copies();
        }
        return unsigned(j) < at.ends ? listed_segment(j) : segment{};
    }
    // Behind own(); in between the copy of tile `next` was started, if it exists.
    __device__ __forceinline__ void finish_own(const place& at, std::uint64_t next) const {
        if constexpr (keeps) {
            if (shape::staged && next < given.tiles())
                wait_for_copies<1>();
            else
                wait_for_copies<0>();
            put_first(at, threadIdx.x, own_head_, 0);
        }
    }
    __device__ __forceinline__ unsigned head_bits(int first_item) const {
        const std::uint32_t word = bits()[first_item / 32];
        return word >> (first_item % 32) & (0xffffffffu >> (32 - Types::items));
    }
    __device__ __forceinline__ void leave(const place&, std::uint64_t) const {}
    template <class Visit>
    __device__ __forceinline__ void for_each(const place& at, const Visit& visit) const {
        const int ends = int(at.ends);
#pragma unroll 1
        for (int from = 0; from < ends; from += listed) {
            if (from != 0) {
                __syncthreads();
                list_again(at, from);
                __syncthreads();
            }
            const int count = ends - from < listed ? ends - from : listed;
            if constexpr (keeps) {
                // One head more than ends, which belongs to a segment that ends elsewhere.
                keep_and_visit(at, from, count, from + count == ends ? count + 1 : count, visit);
            } else {
#pragma unroll 4
                for (int j = int(threadIdx.x); j < count; j += shape::threads)
                    visit(unsigned(from + j), listed_segment(j));
            }
        }
    }

  private:
    // Of the tile that comes next.
    std::uint32_t words_[own_chunks];  // of this warp's chunks, a lane each
    std::uint32_t chunk_heads_;        // of this lane's chunk
    std::uint32_t first_bit_, next_bit_;
    std::uint64_t earlier_;  // heads in front of it
    // Of this one: the heads in front of this lane's chunk in it, whether one is its first element, and
    // whether one ends with its last.
    std::uint32_t before_chunk_, starts_, closes_;
    std::uint32_t firsts_room_;  // for so many first elements
    int own_head_;  // where this thread's own segment begins, if that is to be kept, else negative

    __device__ __forceinline__ std::uint32_t* bits() const {
        return reinterpret_cast<std::uint32_t*>(shared + shape::ends_at);
    }
    // Where the tile's first segment begins, negative where that is in front of it, and then where segments
    // end: so that segment j lies between two neighbours.
    __device__ __forceinline__ std::int16_t* ends_list() const {
        return reinterpret_cast<std::int16_t*>(shared + shape::ends_at + Types::tile / 8);
    }

    __device__ __forceinline__ void read(std::uint64_t tile) {
        const marked_tiles& marks = given.ends.found;
        const std::uint32_t* const words = marks.words + tile * (Types::tile / 32);
#pragma unroll
        for (int k = 0; k < own_chunks; ++k) {
            const int chunk = warp + k * shape::warps;
            if (chunks % shape::warps == 0 || chunk < chunks) words_[k] = words[chunk * 32 + lane];
        }
        first_bit_ = words[0];
        next_bit_ = words[Types::tile / 32];
        chunk_heads_ = lane < chunks ? marks.chunk_heads[tile * chunks + unsigned(lane)] : 0;
        earlier_ = marks.tile_heads[tile];
    }
    // The same of the only tile.
    __device__ __forceinline__ void mark() {
        auto* const heads_of = reinterpret_cast<std::uint32_t*>(shared + shape::folds_at);  // of chunks
#pragma unroll
        for (int k = 0; k < own_chunks; ++k) {
            const int chunk = warp + k * shape::warps;
            if (chunks % shape::warps != 0 && chunk >= chunks) break;
            const std::uint32_t word = bits_of_chunk(given.ends.heads, unsigned(chunk), given.n, lane);
            words_[k] = with_last_bit(word, unsigned(chunk), given.n, lane);
            const std::uint32_t count = sum_of_lanes(unsigned(__popc(word)));
            if (lane == 0) heads_of[chunk] = count;
        }
        __syncthreads();
        chunk_heads_ = lane < chunks ? heads_of[lane] : 0;
        first_bit_ = next_bit_ = 1;  // of the first element, and behind the last one if the tile is whole
        earlier_ = 0;
    }
    // Heads in front of a tile. All threads.
    __device__ __forceinline__ std::uint64_t sum_before(std::uint64_t tile) const {
        auto* const of_warps = reinterpret_cast<std::uint64_t*>(shared + shape::folds_at);
        std::uint64_t sum = 0;
#pragma unroll 4
        for (std::uint64_t t = threadIdx.x; t < tile; t += unsigned(shape::threads))
            sum += given.ends.found.tile_heads[t];
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, distance);
        if (lane == 0) of_warps[warp] = sum;
        __syncthreads();
        sum = 0;
        for (int w = 0; w < shape::warps; ++w) sum += of_warps[w];
        return sum;
    }

    // For how many of a tile's segments, of which the first is `first`, there is room.
    __device__ __forceinline__ static std::uint32_t room_behind(std::uint64_t first, std::uint64_t room) {
        const std::uint64_t left = first < room ? room - first : 0;
        return left <= unsigned(Types::tile) ? std::uint32_t(left) : unsigned(Types::tile) + 1;
    }

    // Entry j of the list, of which those from `from` on are listed.
    __device__ __forceinline__ void list_entry(int j, int end, int from) const {
        const int at = j - from;
        if (at >= 0 && at <= listed) ends_list()[at] = static_cast<std::int16_t>(end);
    }
    // What no bit of the tile says.
    __device__ __forceinline__ void list_outer(const place& at, int from) const {
        list_entry(0, starts_ != 0 ? 0 : -1, from);
        if (closes_ != 0) list_entry(int(at.ends), Types::tile, from);
    }
    // By a warp: the ends in a chunk, of which this lane has 32 bits.
    __device__ __forceinline__ void list(int chunk, std::uint32_t word, int from) const {
        const std::uint32_t before = __shfl_sync(0xffffffffu, before_chunk_, chunk);
        const std::uint32_t ends = chunk == 0 && lane == 0 ? word & ~1u : word;
        const std::uint32_t count = __popc(ends), upto = sum_up_to_lane(count, lane);
        int j = int(before + upto - count + 1) - (chunk == 0 ? 0 : int(starts_));
        const int first = (chunk * 32 + lane) * 32;
        for (std::uint32_t left = ends; left != 0; left &= left - 1)
            list_entry(j++, first + __ffs(int(left)) - 1, from);
    }
    __device__ __forceinline__ void list_again(const place& at, int from) const {
#pragma unroll 1
        for (int chunk = warp; chunk < chunks; chunk += shape::warps)
            list(chunk, bits()[chunk * 32 + lane], from);
        if (threadIdx.x == 0) list_outer(at, from);
    }
    __device__ __forceinline__ segment listed_segment(int j) const {
        return {ends_list()[j], ends_list()[j + 1] - 1};
    }
    // Where segment j begins, whose front is listed as `entry`, if that is to be kept; else negative.
    __device__ __forceinline__ int kept_at(const place& at, int j, int entry) const {
        if (unsigned(j) > at.ends || unsigned(j) >= firsts_room_) return -1;
        const int head = ends_list()[entry];
        return head < at.count ? head : -1;
    }
    // A place for a first element that is on its way; of this thread alone.
    __device__ __forceinline__ First* slot(int k) const {
        return reinterpret_cast<First*>(shared + shape::ends_at + Types::Ends::slots_at(Types::tile)) +
               (k * shape::threads + int(threadIdx.x));
    }
    __device__ __forceinline__ const First* first_at(const place& at, int head) const {
        return given.ends.firsts.array + at.begin() + unsigned(head);
    }
    __device__ __forceinline__ void copy_first(const place& at, int head, int k) const {
        if constexpr (Types::Ends::slots != 0)
            if (head >= 0) copy_element(slot(k), first_at(at, head));
    }
    __device__ __forceinline__ void put_first(const place& at, int j, int head, int k) const {
        if (head < 0) return;
        if constexpr (Types::Ends::slots != 0)
            given.ends.firsts.put(at.first + unsigned(j), *slot(k));
        else
            given.ends.firsts.put(at.first + unsigned(j), *first_at(at, head));
    }
    // Of the segments listed from `from` on, `count`, and the first elements of so many.
    template <class Visit>
    __device__ __forceinline__ void keep_and_visit(const place& at, int from, int count, int firsts,
                                                   const Visit& visit) const {
        constexpr int batch = Types::Ends::batch, step = batch * shape::threads;
        const auto head_of = [&](int j) { return j < firsts ? kept_at(at, from + j, j) : -1; };
        const auto copy = [&](int first, int half) {
#pragma unroll
            for (int b = 0; b < batch; ++b)
                copy_first(at, head_of(first + b * shape::threads), half * batch + b);
            close_copies();
        };
        int half = 0;
        copy(int(threadIdx.x), half);
#pragma unroll 1
        for (int j = int(threadIdx.x); j < firsts; j += step) {
            copy(j + step, half ^ 1);
#pragma unroll
            for (int b = 0; b < batch; ++b) {
                const int own = j + b * shape::threads;
                if (own < count) visit(unsigned(from + own), listed_segment(own));
            }
            wait_for_copies<1>();
#pragma unroll
            for (int b = 0; b < batch; ++b) {
                const int own = j + b * shape::threads;
                put_first(at, from + own, head_of(own), half * batch + b);
            }
            half ^= 1;
        }
        wait_for_copies<0>();
    }
};

}  // namespace upsweep::cuda::detail
