// How a block sorts the segments of a tile: by merging. A thread has a line of shared memory (32 keys of four
// bytes), which it puts in order by a network of comparators. Then stretches of neighbouring threads are
// merged (segment_stretches.cuh); what two of them merge is divided evenly among their threads, so that a
// short piece takes few steps. Of which segment a record is, it does not tell: who compares two asks whether
// one begins between.
//
// Keys go alone where only they are wanted and no two equal ones differ, elsewhere with their places.
//
// Source: Green, McColl and Bader, "GPU merge path", 2012.
#pragma once

#include <cstdint>

#include "merge_split.cuh"
#include "segment_records.cuh"
#include "segment_stretches.cuh"
#include "segment_tile_shape.cuh"
#include "sort_key.cuh"

namespace upsweep::cuda::detail {

template <class OrderType, class Record>
class segment_sorter {
  public:
    using Order = OrderType;
    using Key = typename Order::Key;
    using Word = typename Order::Word;
    using shape = segment_tile_shape<Key>;
    static constexpr bool has_places = Record::has_place;
    static constexpr unsigned items = shared_records<Record>::of_line;  // of a thread
    static constexpr unsigned threads = has_places ? 512 : 256;
    static constexpr unsigned blocks = has_places ? 2 : 4;  // of a multiprocessor
    static constexpr int shared_bytes = shared_records<Record>::bytes_for(threads);
    static_assert(shape::tile <= threads * items);

    __device__ __forceinline__ segment_sorter(const Order& order, char* shared)
        : order_(order), tile_(shared) {}

    // Segments of n elements, which are those from `from` on that `heads` counts; none has more than
    // `longest`. Whether they are sorted: keys alone are not if equal ones may differ. Begins behind a
    // barrier.
    template <class Heads>
    __device__ __forceinline__ bool sort(const Heads& heads, const Key* in, unsigned from, unsigned n,
                                         unsigned longest) const {
        const unsigned of_warp = threadIdx.x / 32 * 32 * items;  // its first place
        const bool has_some = of_warp < n;
        bool is_told = true;
        if (of_warp + 32 * items <= n)
            is_told = load<true>(in, n);
        else if (has_some)
            is_told = load<false>(in, n);
        __syncwarp();
        Record own[items];
        if (has_some) {
            Record* const line = tile_.line(threadIdx.x);
#pragma unroll
            for (unsigned k = 0; k < items; ++k) own[k] = line[k];
            const unsigned first = threadIdx.x * items;
            const std::uint32_t begun = first < n ? heads.bits_from(from + first) : 0;
            if (__any_sync(0xffffffffu, (begun & inner_heads) != 0))
                sort_neighbours_of_one<items>(own, begun);
            else
                sort_neighbours<items>(own);
            __syncwarp();
#pragma unroll
            for (unsigned k = 0; k < items; ++k) line[k] = own[k];
        }
        unsigned place = 0, count = 0;  // of what this thread merges
        using stretches = segment_stretches<items, Heads>;
        stretches(heads, from, n)
            .merge_all(
                longest,
                [&](const typename stretches::pair& two) {
                    const unsigned share = ((two.high - two.low - 1) >> two.log_threads) + 1;
                    place = two.low + (threadIdx.x - two.first) * share;
                    if (place >= two.high) return false;
                    count = smaller(share, two.high - place);
                    merge(own, count, place - two.low, two.low, two.middle, two.high);
                    return true;
                },
                [&] {
#pragma unroll
                    for (unsigned k = 0; k < items; ++k) {
                        if (k % 4 == 0 && k >= count) break;
                        if (k < count) tile_.set(place + k, own[k]);
                    }
                },
                [&] {
                    if constexpr (!has_places && Order::is_floating)
                        is_told = __syncthreads_or(!is_told) == 0;
                    else
                        __syncthreads();
                    return !is_told;
                });
        return is_told;
    }
    // *to(i, k) = the (i + k)-th of those keys in order, which came from `in`, for constants k; `in_place`:
    // they may go there.
    template <class To>
    __device__ __forceinline__ void store(const Key* in, unsigned n, bool in_place, const To& to) const {
        const unsigned first = first_striped(), rest = first < n ? n - first : 0;
        const Record* const sorted = tile_.at(first);
        if constexpr (has_places && Order::is_floating) {
            // The order does not tell the bits of all keys.
            Key key[items];
#pragma unroll
            for (unsigned k = 0; k < items; ++k) {
                const Record own = sorted[k * of_row];
                key[k] = static_cast<Key>(own.bits(order_));
                if (k * 32 < rest && !order_.is_of_one(own.ordered())) key[k] = in[own.place()];
            }
            if (in_place) __syncthreads();
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (k * 32 < rest) *to(first, k * 32) = key[k];
        } else {
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (k * 32 < rest) *to(first, k * 32) = static_cast<Key>(sorted[k * of_row].bits(order_));
        }
    }
    // visit(i, place), of the i-th of them in order and where it came from.
    template <class Visit>
    __device__ __forceinline__ void for_each_place(unsigned n, const Visit& visit) const {
        const unsigned first = first_striped();
        const Record* const sorted = tile_.at(first);
#pragma unroll 4
        for (unsigned k = 0; k < items; ++k)
            if (first + k * 32 < n) visit(first + k * 32, sorted[k * of_row].place());
    }

  private:
    static constexpr auto inner_heads =
        static_cast<std::uint32_t>(((std::uint64_t{1} << items) - 1) & ~std::uint64_t{1});

    __device__ __forceinline__ static constexpr unsigned smaller(unsigned a, unsigned b) {
        return a < b ? a : b;
    }

    static constexpr unsigned of_row = shared_records<Record>::of_row;
    // Of this warp's places, the first of each lane; others are multiples of 32 behind it.
    __device__ __forceinline__ static unsigned first_striped() {
        return threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
    }
    // Whether all of their bits are told by their order, where that matters. `Whole`: n has all of this
    // warp's places.
    template <bool Whole>
    __device__ __forceinline__ bool load(const Key* in, unsigned n) const {
        constexpr unsigned together = sizeof(Key) == 8 ? 8 : smaller(items, 16);
        const unsigned first = first_striped(), rest = first < n ? n - first : 0;
        const Key* const from = in + first;
        Record* const to = tile_.at(first);
        typename Order::equals_seen seen;
#pragma unroll
        for (unsigned done = 0; done < items; done += together) {
            Key key[together];
#pragma unroll
            for (unsigned k = 0; k < together; ++k) {
                key[k] = 0;
                if (Whole || (done + k) * 32 < rest) key[k] = from[(done + k) * 32];
            }
#pragma unroll
            for (unsigned k = 0; k < together; ++k) {
                if constexpr (!has_places) seen.look_at(order_, key[k]);
                const Record made = Record::of(order_, key[k], first + (done + k) * 32);
                to[(done + k) * of_row] = Whole || (done + k) * 32 < rest ? made : Record::last();
            }
        }
        return !seen.any(order_);
    }

    // own = so many of what the records in [low, middle) and those in [middle, high) have in order, from the
    // diagonal-th on.
    __device__ __forceinline__ void merge(Record (&own)[items], unsigned count, unsigned diagonal,
                                          unsigned low, unsigned middle, unsigned high) const {
        unsigned left = low + merge_split(diagonal, middle - low, high - middle, [&](unsigned i, unsigned j) {
                            return tile_.get(low + i) < tile_.get(middle + j);
                        });
        const unsigned begun = middle + diagonal + low, right = begun - left;
        Record a = Record::last(), b = Record::last();
        if (left < middle) a = tile_.get(left);
        if (right < high) b = tile_.get(right);
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            if (k % 4 == 0 && k >= count) break;
            const bool takes_left = a < b;
            own[k] = takes_left ? a : b;
            left += takes_left ? 1 : 0;
            // Both together have gone on by k + 1.
            const unsigned next = takes_left ? left : begun + k + 1 - left;
            Record fresh = Record::last();
            if (next < (takes_left ? middle : high)) fresh = tile_.get(next);
            a = takes_left ? fresh : a;
            b = takes_left ? b : fresh;
        }
    }

    Order order_;
    shared_records<Record> tile_;
};

// Of keys alone, and of all others.
template <class Order>
using key_sorter = segment_sorter<Order, bare_record<Order>>;
template <class Order>
using record_sorter = segment_sorter<Order, placed_record<Order>>;

}  // namespace upsweep::cuda::detail
