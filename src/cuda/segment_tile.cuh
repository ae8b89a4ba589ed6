// A sort of many segments, each by itself. Heads are bits, one for each element. Elements are divided into
// windows of somewhat less than a tile; a block takes the segments that begin in its window. All but the last
// of them end there too, so that they fit a tile together, and they are sorted at once. The last one goes
// with them if it fits, else by itself, and if it is longer than a tile the block only tells so:
// segmented_sort.cu.
//
// A tile is sorted by merging. A record has the head of its segment, then its key, then its place in the
// tile, so that all are different and their order is stable. A thread has a few neighbours, an odd number of
// them, which threads read and write without conflicts of banks; it puts them in order by a network. Then
// stretches of neighbouring threads, twice as many each time, are merged where a segment reaches from one
// into the other: every thread finds by bisection what its own places receive, so that what no segment
// connects costs little.
//
// Source: Green, McColl and Bader, "GPU merge path", 2012.
#pragma once

#include <cstdint>

#include "reached_heads.cuh"
#include "segment_records.cuh"
#include "segment_values.cuh"
#include "sort_key.cuh"
#include "upsweep/cuda/count_bins.cuh"

namespace upsweep::cuda::detail {

template <class KeyType>
struct segment_tile_shape {
    using Key = KeyType;
    static constexpr unsigned threads = 512;
    static constexpr unsigned items = sizeof(Key) == 8 ? 7 : 15;  // neighbours of a thread
    static constexpr unsigned tile = threads * items;
    static constexpr unsigned window = tile - 512;
    static constexpr unsigned words = (window + tile) / 32;  // of heads that a block looks at
    using Word = typename ordered_key<Key, false>::Word;
    // In order: records; words, and the heads next to each; what threads tell each other.
    static constexpr int heads_at = (shared_records<Word>::bytes_for(tile) + 15) / 16 * 16;
    static constexpr int told_at = heads_at + int(words + 1) * int(sizeof(uint2));
    static constexpr int shared_bytes = told_at + int(sizeof(told_heads));
    static_assert(window % 32 == 0 && words <= threads && tile <= 1u << 13 && items % 2 != 0);
    static_assert(shared_bytes <= 99 << 10, "what every device has");
};

// What a block leaves for others: element numbers count from the window's first one.
struct segment_window {
    std::uint32_t first;    // the first head; no_head: there is none
    std::uint32_t last;     // the last head
    std::uint32_t is_long;  // the segment that begins there is longer than a tile
};

template <class OrderType>
struct segment_tile_arguments {
    using Order = OrderType;
    using Key = typename Order::Key;

    const Key* keys;
    Key* keys_out;  // null: not wanted
    moved_values values;
    array_extent extent;
    const std::uint32_t* heads;
    segment_window* windows;  // null: no segment is longer than a tile
    unsigned* any_long;       // set where one is
    Order order;
};

template <class Arguments>
class segment_sorter {
    using Key = typename Arguments::Key;
    using Order = typename Arguments::Order;
    using Word = typename Order::Word;
    using shape = segment_tile_shape<Key>;
    using record = placed_record<Word>;
    static constexpr unsigned items = shape::items;
    static constexpr unsigned warp = 32;  // threads of it

  public:
    // `begin` is the window's first element.
    __device__ __forceinline__ segment_sorter(const Arguments& given, char* shared,
                                              const reached_heads& heads, std::uint64_t begin)
        : given_(given), tile_(shared, shape::tile), heads_(heads), begin_(begin) {}

    // The segments of elements [from, end) of the block's reach, none of which has more than `longest`.
    __device__ __forceinline__ void sort(unsigned from, unsigned end, unsigned longest) {
        from_ = from;
        n_ = end - from;
        record own[items];
        if (striped(0) - threadIdx.x % warp < n_) {
            load();
            __syncwarp();
#pragma unroll
            for (unsigned k = 0; k < items; ++k) own[k] = tile_.get(threadIdx.x * items + k);
            sort_neighbours<items>(own);
            __syncwarp();
            put(own);
        }
        // Stretches of `reach` threads are merged in pairs, and then those on either side of where pairs
        // meet, between which no segment reaches farther, unless they are warps. Those that do go on.
        // Where a segment crosses, it has an element on the other side too, so it may have one more than
        // threads of a stretch.
        unsigned reach = 1;
        while (reach * items + 1 < longest && reach < warp) reach *= 2;
        enum { pairs, between, far } step = pairs;
        for (unsigned half = 1;;) {
            const bool by_warps = half < warp && step == pairs;
            sync(by_warps);
            const stretches two = step == between
                                      ? stretches_at((threadIdx.x / reach + 1) / 2 * 2 * reach, reach)
                                      : stretches_of(half);
            const bool is_due =
                step == pairs || two.is_inside(step == between ? reach : warp) == (step == between);
            const bool has_changed = is_due && merge(own, two);
            sync(by_warps);
            if (has_changed) put(own);
            if (step == between) {
                if (longest <= reach * items + 1 || __syncthreads_or(reaches_far()) == 0) break;
                step = far;
            }
            if (step == pairs && half == reach) {
                if (n_ <= reach * items) break;
                step = between;
            } else {
                half *= 2;
                if (step == far && half * items >= n_) break;
            }
        }
        __syncthreads();
        store();
    }

  private:
    // Two stretches of as many threads, [begin, middle) and [middle, end), and the segment that reaches from
    // one into the other: head and next are where it begins and ends; head is the middle if there is none.
    struct stretches {
        unsigned begin, middle, end;
        unsigned head, next;

        __device__ __forceinline__ bool has_segment() const { return head != middle * items; }
        // Whether the segment is in so many threads on either side.
        __device__ __forceinline__ bool is_inside(unsigned count) const {
            return head + count * items >= middle * items && next <= (middle + count) * items;
        }
    };

    // Of this warp's places, the k-th of each lane.
    __device__ __forceinline__ static unsigned striped(unsigned k) {
        return threadIdx.x / 32 * 32 * items + k * 32 + threadIdx.x % 32;
    }
    __device__ __forceinline__ void load() const {
        const Key* const keys = given_.keys + begin_ + from_;
        Key key[items];
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            key[k] = 0;
            if (striped(k) < n_) key[k] = keys[striped(k)];
        }
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            const unsigned i = striped(k);
            const record made = record::of(heads_.last(from_ + i) - from_, given_.order.order(key[k]), i);
            tile_.set(i, i < n_ ? made : record::last());
        }
    }
    __device__ __forceinline__ void put(const record (&own)[items]) const {
#pragma unroll
        for (unsigned k = 0; k < items; ++k) tile_.set(threadIdx.x * items + k, own[k]);
    }

    __device__ __forceinline__ stretches stretches_at(unsigned middle, unsigned half) const {
        const unsigned at = middle * items;
        stretches made{middle - half, middle, middle + half, at, at};
        if (at >= n_ || middle < half) return made;
        made.head = heads_.last(from_ + at) - from_;
        made.next = heads_.next(from_ + at, from_ + n_) - from_;
        return made;
    }
    __device__ __forceinline__ stretches stretches_of(unsigned half) const {
        return stretches_at(threadIdx.x / (2 * half) * (2 * half) + half, half);
    }

    // Whether the segment at this warp's first place is in more than two warps.
    __device__ __forceinline__ bool reaches_far() const {
        return !stretches_at(threadIdx.x / warp * warp, warp).is_inside(warp);
    }
    __device__ __forceinline__ static void sync(bool of_warp) {
        if (of_warp)
            __syncwarp();
        else
            __syncthreads();
    }

    // This thread's places receive theirs of two stretches, of which the segment is in order in each. Whether
    // they receive any. What goes along with the segment, up to whole threads, stays where it is.
    __device__ __forceinline__ bool merge(record (&own)[items], const stretches& two) const {
        if (!two.has_segment()) return false;
        const unsigned head = two.head / items, next = (two.next + items - 1) / items;
        const unsigned least_thread = head > two.begin ? head : two.begin;
        const unsigned end_thread = next < two.end ? next : two.end;
        if (threadIdx.x < least_thread || threadIdx.x >= end_thread) return false;
        const unsigned low = least_thread * items, middle = two.middle * items, high = end_thread * items;
        const unsigned diagonal = threadIdx.x * items - low;
        unsigned least = diagonal > high - middle ? diagonal - (high - middle) : 0;
        unsigned most = diagonal < middle - low ? diagonal : middle - low;
        while (least < most) {
            const unsigned i = (least + most) / 2;
            if (tile_.get(low + i) < tile_.get(middle + diagonal - 1 - i))
                least = i + 1;
            else
                most = i;
        }
        unsigned left = low + least, right = middle + diagonal - least;
        record a = record::last(), b = record::last();
        if (left < middle) a = tile_.get(left);
        if (right < high) b = tile_.get(right);
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            const bool takes_left = a < b;
            own[k] = takes_left ? a : b;
            left += takes_left ? 1 : 0;
            right += takes_left ? 0 : 1;
            const unsigned next = takes_left ? left : right;
            record fresh = record::last();
            if (next < (takes_left ? middle : high)) fresh = tile_.get(next);
            a = takes_left ? fresh : a;
            b = takes_left ? b : fresh;
        }
        return true;
    }

    __device__ __forceinline__ void store() const {
        if (given_.keys_out != nullptr) store_keys();
        if (given_.values.out != nullptr)
            use_piece(given_.values, [&](auto piece) { move_values<decltype(piece)>(); });
    }
    __device__ __forceinline__ void store_keys() const {
        const std::uint64_t first = begin_ + from_;
        Key key[items];
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            const record sorted = tile_.get(striped(k));
            key[k] = static_cast<Key>(given_.order.bits_of(sorted.ordered()));
            // The order does not tell the bits of all keys. Behind what it does, this would take registers.
            if (Order::is_floating && striped(k) < n_ && !given_.order.is_of_one(sorted.ordered()))
                key[k] = given_.keys[first + sorted.place()];
        }
        // Keys may be sorted in place.
        if (Order::is_floating && given_.keys == given_.keys_out) __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (striped(k) < n_) given_.keys_out[first + striped(k)] = key[k];
    }
    template <class Piece>
    __device__ __forceinline__ void move_values() const {
        const std::uint64_t first = begin_ + from_;
#pragma unroll 5
        for (unsigned k = 0; k < items; ++k) {
            if (striped(k) >= n_) continue;
            const record sorted = tile_.get(striped(k));
            move_value<Piece>(given_.values, first + sorted.place(), first + striped(k),
                              first + sorted.head());
        }
    }

    const Arguments& given_;
    shared_records<Word> tile_;
    const reached_heads& heads_;
    std::uint64_t begin_;
    unsigned from_ = 0, n_ = 0;
};

template <class Arguments>
__global__ void __launch_bounds__(segment_tile_shape<typename Arguments::Key>::threads, 2)
    segment_tile_kernel(const __grid_constant__ Arguments given) {
    using shape = segment_tile_shape<typename Arguments::Key>;
    constexpr unsigned window = shape::window;
    extern __shared__ __align__(16) char shared[];
    auto& told = *reinterpret_cast<told_heads*>(shared + shape::told_at);
    const reached_heads heads(shared + shape::heads_at, shape::words);

    const std::uint64_t n = given.extent.size();
    const std::uint64_t begin = std::uint64_t(blockIdx.x) * window;
    const auto tell = [&](std::uint32_t first, std::uint32_t last, bool is_long) {
        if (threadIdx.x != 0 || given.windows == nullptr) return;
        given.windows[blockIdx.x] = {first, last, is_long ? 1u : 0u};
        if (is_long) *given.any_long = 1;
    };
    if (begin >= n) return tell(no_head, 0, false);

    // What is behind the last element is no head, but ends a segment.
    const unsigned reach = n - begin < window + shape::tile ? unsigned(n - begin) : window + shape::tile;
    if (threadIdx.x == 0) {
        told.first = no_head;
        told.last = 0;
        told.end = n - begin <= reach ? reach : no_head;
    }
    std::uint32_t word = 0;
    const unsigned at = threadIdx.x * 32;
    if (at < reach) {
        word = given.heads[begin / 32 + threadIdx.x];
        if (reach - at < 32) word &= (1u << (reach - at)) - 1;
    }
    heads.set(word, window, reach, told);
    __syncthreads();
    if (word != 0) {
        const unsigned lowest = at + unsigned(__ffs(int(word))) - 1,
                       highest = at + 31 - unsigned(__clz(int(word)));
        if (at < window) {
            atomicMin(&told.first, lowest);
            atomicMax(&told.last, highest);
        } else {
            atomicMin(&told.end, lowest);
        }
    }
    __syncthreads();
    const unsigned first = told.first, last = told.last, end = told.end;
    if (first == no_head) return tell(no_head, 0, false);
    const bool is_long = end == no_head || end - last > shape::tile;
    tell(first, last, is_long);

    unsigned longest = 0;
    for (const std::uint32_t of_warp : told.longest) longest = of_warp > longest ? of_warp : longest;
    segment_sorter<Arguments> sorter(given, shared, heads, begin);
    const bool together = !is_long && end - first <= shape::tile;
    // Once where the same code is meant twice.
    for (unsigned part = 0; part < 2; ++part) {
        const unsigned from = part == 0 ? first : last;
        const unsigned to = part == 0 && !together ? last : end;
        if (from == to || (part == 1 && (together || is_long))) continue;
        sorter.sort(from, to, longest);
        __syncthreads();
    }
}

}  // namespace upsweep::cuda::detail
