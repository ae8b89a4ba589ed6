// Segments that are longer than a tile. What a window has of one is a part. Parts are sorted each by itself,
// and then merged in levels: at level l two neighbouring groups of 2^l windows, of which the first one's
// number is a multiple of 2^(l+1), where a segment reaches from one into the other. A segment that does so
// nowhere at a level leaves it out; of one that does somewhere all parts move to the other of two arrays, so
// that what is merged lies in one. In each round all segments move that are not done, each at its own next
// level. Where a segment begins follows from the number of its moves, so that it ends in the array of
// results.
//
// Launches: one for the parts, one for all rounds (segment_merge.cuh). Without such segments both end at
// once.
#pragma once

#include <cstdint>

#include "segment_tile.cuh"
#include "sort_key.cuh"

namespace upsweep::cuda::detail {

// A part of a long segment: elements [first, end) of [segment_begin, segment_end).
struct long_part {
    std::uint64_t first, end;
    std::uint64_t segment_begin, segment_end;
    unsigned levels;  // bit l: something of the segment is merged at level l; 0: there is no such part

    [[nodiscard]] __device__ __forceinline__ unsigned size() const { return unsigned(end - first); }
    [[nodiscard]] __device__ __forceinline__ unsigned moves() const { return unsigned(__popc(int(levels))); }
    // The array that it is in before a round, of as many as it moves; and the level at which it is merged
    // then.
    [[nodiscard]] __device__ __forceinline__ unsigned array(unsigned round) const {
        return (moves() - round) % 2;
    }
    [[nodiscard]] __device__ __forceinline__ unsigned level(unsigned round) const {
        unsigned left = levels;
        for (; round != 0; --round) left &= left - 1;
        return unsigned(__ffs(int(left))) - 1;
    }
};
// Of what a part's places receive at a level: the first of the left run's elements and the first of the right
// one's, and where the left ones end, if it is not where those of the next window's part begin.
struct part_merge {
    std::uint64_t left, right;
    std::uint64_t left_end;  // 0: the next window tells
    bool is_due;             // false: the part only moves
};
// What a window has of long segments: of one that comes in, and of one that begins there.
struct window_parts {
    long_part part[2];
    part_merge merge[2];
};

// Keys and, unless there are keys alone, indices of elements, in each of the arrays that they move between.
template <class Key, class Index>
struct long_arrays {
    Key* keys[2];
    Index* indices[2];  // null: keys alone
};

template <class ArgumentsType, class IndexType>
struct long_arguments {
    using Arguments = ArgumentsType;
    using Key = typename Arguments::Key;
    using Order = typename Arguments::Order;
    using Index = IndexType;
    static constexpr unsigned window = segment_tile_shape<Key>::window;

    Arguments given;
    std::uint32_t windows;
    unsigned* moves;  // of each window's parts, the most
    window_parts* parts;
    long_arrays<Key, Index> moved;

    // The part of the long segment that comes into window w from the window where it begins, or of the one
    // that begins there; `next` is the first window behind w that has a head, or the number of windows.
    [[nodiscard]] __device__ __forceinline__ long_part incoming_part(std::uint32_t w, std::uint32_t from,
                                                                     std::uint32_t next) const {
        const segment_window own = given.windows[w];
        const std::uint64_t begin = std::uint64_t(w) * window;
        if (from == no_head || own.first == 0 || begin >= given.extent.size()) return {};
        const std::uint64_t segment = std::uint64_t(from) * window + given.windows[from].last;
        if (own.first == no_head) return made(begin, end_of_window(w), segment, end_of_segment(next));
        return made(begin, begin + own.first, segment, begin + own.first);
    }
    [[nodiscard]] __device__ __forceinline__ long_part begun_part(std::uint32_t w, std::uint32_t next) const {
        const segment_window own = given.windows[w];
        if (own.first == no_head || own.is_long == 0) return {};
        const std::uint64_t segment = std::uint64_t(w) * window + own.last;
        return made(segment, end_of_window(w), segment, end_of_segment(next));
    }

  private:
    [[nodiscard]] __device__ __forceinline__ std::uint64_t end_of_window(std::uint32_t w) const {
        const std::uint64_t n = given.extent.size(), end = (std::uint64_t(w) + 1) * window;
        return end < n ? end : n;
    }
    // Of one that reaches up to the first head of window `next`, or up to the last element.
    [[nodiscard]] __device__ __forceinline__ std::uint64_t end_of_segment(std::uint32_t next) const {
        return next < windows ? std::uint64_t(next) * window + given.windows[next].first
                              : given.extent.size();
    }
    [[nodiscard]] __device__ __forceinline__ static long_part made(std::uint64_t first, std::uint64_t end,
                                                                   std::uint64_t segment_begin,
                                                                   std::uint64_t segment_end) {
        auto low = static_cast<std::uint32_t>(segment_begin / window),
             high = static_cast<std::uint32_t>((segment_end - 1) / window);
        unsigned levels = 0;
        for (unsigned level = 0; low != high; ++level, low /= 2, high /= 2)
            if (high - low > 1 || high % 2 != 0) levels |= 1u << level;
        return {first, end, segment_begin, segment_end, levels};
    }
};

// Of elements in a row the first one is a segment's, and one more.
struct two_heads {
    unsigned second;  // or as many as there are elements

    [[nodiscard]] __device__ __forceinline__ unsigned last(unsigned i) const {
        return i < second ? 0 : second;
    }
    [[nodiscard]] __device__ __forceinline__ unsigned next(unsigned i, unsigned end) const {
        return i < second && second < end ? second : end;
    }
    // As reached_heads has them.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t bits_from(unsigned i) const {
        return i <= second && second - i < 32 ? 1u << (second - i) : 0;
    }
};

// The nearest window with a head, from `from` on forwards or backwards, by all threads of a block; no_head:
// there is none.
template <bool Forwards>
__device__ __forceinline__ std::uint32_t nearest_head(const segment_window* windows, std::uint32_t count,
                                                      std::uint32_t from) {
    __shared__ std::uint32_t found;
    for (std::uint64_t passed = 0;; passed += blockDim.x) {
        const std::uint64_t step = passed + threadIdx.x;
        const std::uint64_t left = Forwards ? count - std::uint64_t(from) : std::uint64_t(from) + 1;
        if (passed >= left) return no_head;
        __syncthreads();
        if (threadIdx.x == 0) found = no_head;
        __syncthreads();
        const auto w = static_cast<std::uint32_t>(Forwards ? from + step : from - step);
        if (step < left && windows[w].first != no_head)
            atomicMin(&found, static_cast<std::uint32_t>(step - passed));
        __syncthreads();
        if (found != no_head)
            return static_cast<std::uint32_t>(Forwards ? from + passed + found : from - passed - found);
    }
}

// Parts of a window that lie one behind the other, or one of them: whether they are sorted, in the arrays
// where their segments start.
template <class Sorter, class Arguments>
__device__ __forceinline__ bool sort_parts(const Arguments& all, char* shared, const long_part& first,
                                           const long_part& second) {
    using Key = typename Arguments::Key;
    const auto& given = all.given;
    const unsigned n = unsigned(second.end - first.first), border = first.size();
    const Sorter sorter(given.order, shared);
    __syncthreads();
    const Key* const in = given.keys + first.first;
    if (!sorter.sort(two_heads{border}, in, 0, n, n)) return false;
    const auto array = [&](unsigned i) { return i < border ? first.array(0) : second.array(0); };
    sorter.store(in, n, true,
                 [&](unsigned i, unsigned k) { return all.moved.keys[array(i + k)] + first.first + i + k; });
    if constexpr (Sorter::has_places) {
        if (all.moved.indices[0] != nullptr)
            sorter.for_each_place(n, [&](unsigned i, unsigned place) {
                all.moved.indices[array(i)][first.first + i] =
                    static_cast<typename Arguments::Index>(first.first + place);
            });
    }
    return true;
}
// Calls sort_parts() for those of a window that `wanted` has the bits of; the bits of those that are left.
template <class Sorter, class Arguments>
__device__ __forceinline__ unsigned sort_wanted_parts(const Arguments& all, char* shared,
                                                      const window_parts& own, unsigned wanted) {
    const long_part &incoming = own.part[0], &begun = own.part[1];
    if (incoming.levels == 0) wanted &= ~unsigned(left_incoming);
    if (begun.levels == 0) wanted &= ~unsigned(left_begun);
    constexpr unsigned both = left_incoming | left_begun;
    if (wanted == both && incoming.end == begun.first)
        return sort_parts<Sorter>(all, shared, incoming, begun) ? 0 : both;
    unsigned left = 0;
    for (unsigned k = 0; k < 2; ++k) {
        const unsigned bit = k == 0 ? left_incoming : left_begun;
        if ((wanted & bit) != 0 && !sort_parts<Sorter>(all, shared, own.part[k], own.part[k])) left |= bit;
    }
    return left;
}

// Each block takes as many neighbouring windows.
template <class Sorter, class Arguments>
__global__ void __launch_bounds__(Sorter::threads, Sorter::blocks)
    sort_parts_kernel(const __grid_constant__ Arguments all) {
    extern __shared__ __align__(16) char shared[];
    const auto& given = all.given;
    if (given.told->any_long == 0) return;
    const std::uint32_t share = (all.windows - 1) / gridDim.x + 1;
    const std::uint64_t begin = std::uint64_t(blockIdx.x) * share;
    if (begin >= all.windows) return;
    const auto end = static_cast<std::uint32_t>(begin + share < all.windows ? begin + share : all.windows);

    auto w = static_cast<std::uint32_t>(begin);
    // Windows where the latest segment begins, if it is long, and where the next one does.
    std::uint32_t incoming = w == 0 ? no_head : nearest_head<false>(given.windows, all.windows, w - 1);
    if (incoming != no_head && given.windows[incoming].is_long == 0) incoming = no_head;
    std::uint32_t next = w;
    for (; w < end; ++w) {
        if (next <= w) {
            next = w + 1 < all.windows ? nearest_head<true>(given.windows, all.windows, w + 1) : no_head;
            if (next == no_head) next = all.windows;
        }
        const window_parts own{{all.incoming_part(w, incoming, next), all.begun_part(w, next)}, {}};
        const unsigned left = sort_wanted_parts<Sorter>(all, shared, own, left_incoming | left_begun);
        if (threadIdx.x == 0) {
            all.parts[w] = own;
            all.moves[w] = max(own.part[0].moves(), own.part[1].moves());
            atomicMax(&given.told->moves, own.part[1].moves());
            if (left != 0) {
                given.left[w] |= static_cast<std::uint8_t>(left);
                given.told->any_left = 1;
            }
        }
        const segment_window heads = given.windows[w];
        if (heads.first != no_head) incoming = heads.is_long != 0 ? w : no_head;
    }
}

// What is left of so many windows, by a sorter that leaves nothing.
template <class Sorter, class Arguments>
__global__ void __launch_bounds__(Sorter::threads, Sorter::blocks)
    sort_left_kernel(const __grid_constant__ Arguments all) {
    extern __shared__ __align__(16) char shared[];
    if (all.given.told->any_left == 0) return;
    for (std::uint64_t w = blockIdx.x; w < all.windows; w += gridDim.x) {
        const unsigned left = all.given.left[w];
        if (left == left_nothing) continue;
        __syncthreads();
        if ((left & left_segments) != 0) sort_window<Sorter>(all.given, shared, w);
        if (left == left_segments) continue;
        const window_parts own = all.parts[w];
        sort_wanted_parts<Sorter>(all, shared, own, left);
    }
}

}  // namespace upsweep::cuda::detail
