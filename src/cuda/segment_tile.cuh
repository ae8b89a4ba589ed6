// A sort of many segments, each by itself. Heads are bits, one for each element. Elements are divided into
// windows of somewhat less than a tile; a block takes the segments that begin in its window. All but the last
// of them end there too, so that they fit a tile together, and they are sorted at once. The last one goes
// with them if it fits, else by itself, and if it is longer than a tile the block only tells so:
// segment_parts.cuh.
//
// How a tile is sorted: segment_sorter.cuh.
#pragma once

#include <cstdint>

#include "reached_heads.cuh"
#include "segment_tile_shape.cuh"
#include "segment_values.cuh"
#include "upsweep/cuda/count_bins.cuh"

namespace upsweep::cuda::detail {

// What a block leaves for others: element numbers count from the window's first one.
struct segment_window {
    std::uint32_t first;    // the first head; no_head: there is none
    std::uint32_t last;     // the last head
    std::uint32_t is_long;  // the segment that begins there is longer than a tile
};

// What is told of all windows; nothing at first.
struct told_segments {
    unsigned any_long;
    unsigned moves;  // of the long segment that moves most often: segment_parts.cuh
    unsigned any_left;
};

// What of a window is left to another sorter, bits.
enum : std::uint8_t { left_nothing, left_segments = 1, left_incoming = 2, left_begun = 4 };

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
    told_segments* told;
    std::uint8_t* left;  // of each window; null: nothing is left
    Order order;
};

// A block's shared memory: what is sorted; words, and the heads next to each; what threads tell each other.
template <class Sorter>
struct segment_tile_memory {
    using heads = reached_heads<Sorter::threads, Sorter::shape::words>;
    static constexpr int heads_at = (Sorter::shared_bytes + 15) / 16 * 16;
    static constexpr int told_at = heads_at + heads::bytes;
    static constexpr int bytes = told_at + int(sizeof(told_heads));
    static_assert(bytes <= 99 << 10, "what every device has");
};

// The segments that begin in window w, by all threads of a block; whether they are sorted.
template <class Sorter, class Arguments>
__device__ __forceinline__ bool sort_window(const Arguments& given, char* shared, std::uint64_t w) {
    using shape = typename Sorter::shape;
    using memory = segment_tile_memory<Sorter>;
    using heads_type = typename memory::heads;
    constexpr unsigned window = shape::window, words = heads_type::words_of_thread;
    auto& told = *reinterpret_cast<told_heads*>(shared + memory::told_at);
    const heads_type heads(shared + memory::heads_at);

    const std::uint64_t n = given.extent.size();
    const std::uint64_t begin = w * window;
    const auto tell = [&](std::uint32_t first, std::uint32_t last, bool is_long) {
        if (threadIdx.x != 0 || given.windows == nullptr) return;
        given.windows[w] = {first, last, is_long ? 1u : 0u};
        if (is_long) given.told->any_long = 1;
    };
    if (begin >= n) {
        tell(no_head, 0, false);
        return true;
    }

    // What is behind the last element is no head, but ends a segment.
    const unsigned reach = n - begin < window + shape::tile ? unsigned(n - begin) : window + shape::tile;
    std::uint32_t own[words];
    const unsigned own_first = threadIdx.x * words;
#pragma unroll
    for (unsigned k = 0; k < words; ++k) {
        const unsigned at = (own_first + k) * 32;
        own[k] = 0;
        if (at >= reach) continue;
        own[k] = given.heads[begin / 32 + own_first + k];
        if (reach - at < 32) own[k] &= (1u << (reach - at)) - 1;
    }
    heads.template set<window>(own, reach, told);
    __syncthreads();
    const unsigned first = told.first, last = told.last;
    const unsigned end = told.next != no_head || n - begin > reach ? told.next : reach;
    if (first == no_head) {
        tell(no_head, 0, false);
        return true;
    }
    const bool is_long = end == no_head || end - last > shape::tile;
    tell(first, last, is_long);

    unsigned longest = 0;
#pragma unroll
    for (unsigned warp = 0; warp < Sorter::threads / 32; ++warp)
        longest = told.longest[warp] > longest ? told.longest[warp] : longest;
    const Sorter sorter(given.order, shared);
    const bool together = !is_long && end - first <= shape::tile;
    bool is_sorted = true;
    // Once where the same code is meant twice.
    for (unsigned part = 0; part < 2; ++part) {
        const unsigned from = part == 0 ? first : last;
        const unsigned to = part == 0 && !together ? last : end;
        if (from == to || (part == 1 && (together || is_long))) continue;
        const std::uint64_t at = begin + from;
        if (sorter.sort(heads, given.keys + at, from, to - from, longest)) {
            if (given.keys_out != nullptr)
                sorter.store(given.keys + at, to - from, given.keys == given.keys_out,
                             [&](unsigned i, unsigned k) { return given.keys_out + at + i + k; });
            if constexpr (Sorter::has_places) {
                const auto head = [&](unsigned i) {
                    return given.values.from_segment ? begin + heads.last(from + i) : 0;
                };
                if (given.values.out != nullptr)
                    use_piece(given.values, [&](auto piece) {
                        sorter.for_each_place(to - from, [&](unsigned i, unsigned place) {
                            move_value<decltype(piece)>(given.values, at + place, at + i, head(i));
                        });
                    });
            }
        } else {
            is_sorted = false;
        }
        __syncthreads();
    }
    return is_sorted;
}

// A window a block.
template <class Sorter, class Arguments>
__global__ void __launch_bounds__(Sorter::threads, Sorter::blocks)
    segment_tile_kernel(const __grid_constant__ Arguments given) {
    extern __shared__ __align__(16) char shared[];
    const bool is_sorted = sort_window<Sorter>(given, shared, blockIdx.x);
    if (given.left == nullptr || threadIdx.x != 0) return;
    given.left[blockIdx.x] = is_sorted ? left_nothing : left_segments;
    if (!is_sorted) given.told->any_left = 1;
}

}  // namespace upsweep::cuda::detail
