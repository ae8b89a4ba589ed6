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
        const bool has_some = threadIdx.x / 32 * 32 * items < n;
        const bool is_told = !has_some || load(in, n);
        if constexpr (!has_places && Order::is_floating) {
            if (__syncthreads_or(!is_told) != 0) return false;
        } else {
            __syncwarp();
        }
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
        using stretches = segment_stretches<items, Heads>;
        unsigned place = 0, count = 0;  // of what this thread merges
        stretches(heads, from, n)
            .merge_all(
                longest,
                [&](const typename stretches::pair& two) {
                    const unsigned low = larger(two.head, two.begin * items),
                                   high = smaller(two.next, two.end * items);
                    const unsigned those = smaller(two.end, threads) - two.begin;
                    const unsigned share = (high - low - 1) / those + 1;
                    place = low + (threadIdx.x - two.begin) * share;
                    if (place >= high) return false;
                    count = smaller(share, high - place);
                    merge(own, count, place - low, low, two.middle * items, high);
                    return true;
                },
                [&] {
#pragma unroll
                    for (unsigned k = 0; k < items; ++k)
                        if (k < count) tile_.set(place + k, own[k]);
                });
        return true;
    }
    // *to(i) = the i-th of those keys in order, which came from `in`; `in_place`: they may go there.
    template <class To>
    __device__ __forceinline__ void store(const Key* in, unsigned n, bool in_place, const To& to) const {
        if constexpr (has_places && Order::is_floating) {
            // The order does not tell the bits of all keys.
            Key key[items];
#pragma unroll
            for (unsigned k = 0; k < items; ++k) {
                const Record sorted = tile_.get(striped(k));
                key[k] = static_cast<Key>(order_.bits_of(sorted.ordered()));
                if (striped(k) < n && !order_.is_of_one(sorted.ordered())) key[k] = in[sorted.place()];
            }
            if (in_place) __syncthreads();
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (striped(k) < n) *to(striped(k)) = key[k];
        } else {
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (striped(k) < n)
                    *to(striped(k)) = static_cast<Key>(order_.bits_of(tile_.get(striped(k)).ordered()));
        }
    }
    // visit(i, place), of the i-th of them in order and where it came from.
    template <class Visit>
    __device__ __forceinline__ void for_each_place(unsigned n, const Visit& visit) const {
#pragma unroll 4
        for (unsigned k = 0; k < items; ++k)
            if (striped(k) < n) visit(striped(k), tile_.get(striped(k)).place());
    }

  private:
    static constexpr auto inner_heads =
        static_cast<std::uint32_t>(((std::uint64_t{1} << items) - 1) & ~std::uint64_t{1});

    __device__ __forceinline__ static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }
    __device__ __forceinline__ static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

    // Of this warp's places, the k-th of each lane.
    __device__ __forceinline__ static unsigned striped(unsigned k) {
        return threadIdx.x / 32 * 32 * items + k * 32 + threadIdx.x % 32;
    }
    // Whether all of their bits are told by their order, where that matters.
    __device__ __forceinline__ bool load(const Key* in, unsigned n) const {
        constexpr unsigned together = items < 16 ? items : 16;
        bool is_told = true;
#pragma unroll 1
        for (unsigned done = 0; done < items; done += together) {
            Key key[together];
#pragma unroll
            for (unsigned k = 0; k < together; ++k) {
                key[k] = 0;
                if (striped(done + k) < n) key[k] = in[striped(done + k)];
            }
#pragma unroll
            for (unsigned k = 0; k < together; ++k) {
                const unsigned i = striped(done + k);
                Word ordered = 0;
                if constexpr (has_places) {
                    ordered = order_.order(key[k]);
                } else {
                    is_told = is_told && !order_.has_equals(key[k]);
                    ordered = order_.order_of_distinct(key[k]);
                }
                tile_.set(i, i < n ? Record::of(ordered, i) : Record::last());
            }
        }
        return is_told;
    }

    // own = so many of what the records in [low, middle) and those in [middle, high) have in order, from the
    // diagonal-th on.
    __device__ __forceinline__ void merge(Record (&own)[items], unsigned count, unsigned diagonal,
                                          unsigned low, unsigned middle, unsigned high) const {
        unsigned left = low + merge_split(diagonal, middle - low, high - middle, [&](unsigned i, unsigned j) {
                            return tile_.get(low + i) < tile_.get(middle + j);
                        });
        unsigned right = middle + diagonal - (left - low);
        Record a = Record::last(), b = Record::last();
        if (left < middle) a = tile_.get(left);
        if (right < high) b = tile_.get(right);
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            if (k % 4 == 0 && k >= count) break;
            const bool takes_left = a < b;
            own[k] = takes_left ? a : b;
            left += takes_left ? 1 : 0;
            right += takes_left ? 0 : 1;
            const unsigned next = takes_left ? left : right;
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
using key_sorter = segment_sorter<Order, bare_record<typename Order::Word>>;
template <class Order>
using record_sorter = segment_sorter<Order, placed_record<typename Order::Word>>;

}  // namespace upsweep::cuda::detail
