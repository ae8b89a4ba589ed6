// Segments that are longer than a tile: their elements, one after the other without what lies between, are
// sorted as one sequence, by their keys and then, stably, by the window that their segment begins in; no two
// of these segments have the same. They then go back to the same elements in the same order, window by
// window: so numbers of windows are all that tells where they belong.
#pragma once

#include <cstdint>

#include "segment_tile.cuh"
#include "upsweep/collectives/block_scan.hpp"
#include "upsweep/cuda/group.cuh"

namespace upsweep::cuda::detail {

// A window's part of the sequence: elements of a segment that comes in, then of one that begins here.
struct window_part {
    std::uint64_t first;    // where in the sequence it begins
    std::uint32_t segment;  // the window where the segment that comes in begins; no_head: it is not long
    std::uint32_t count;    // elements of it
};

struct windows_view {
    const segment_window* windows;
    const window_part* parts;
    std::uint64_t count;
    unsigned size;  // elements of a window
    array_extent extent;

    [[nodiscard]] __device__ __forceinline__ unsigned elements(std::uint64_t w) const {
        const std::uint64_t n = extent.size(), begin = w * size;
        if (begin >= n) return 0;
        return n - begin < size ? static_cast<unsigned>(n - begin) : size;
    }
    // Calls visit(element, place in the sequence, window where the segment begins), by all threads of the
    // blocks of a launch, each a window after the other.
    template <class Visit>
    __device__ __forceinline__ void for_each(const Visit& visit) const {
        for (std::uint64_t w = blockIdx.x; w < count; w += gridDim.x) {
            const window_part part = parts[w];
            const segment_window own = windows[w];
            const std::uint64_t begin = w * size;
            for (unsigned i = threadIdx.x; i < part.count; i += blockDim.x)
                visit(begin + i, part.first + i, part.segment);
            if (own.first == no_head || own.is_long == 0) continue;
            for (unsigned i = own.last + threadIdx.x, end = elements(w); i < end; i += blockDim.x)
                visit(begin + i, part.first + part.count + (i - own.last), static_cast<std::uint32_t>(w));
        }
    }
    // The first element of the long segment that begins in window w, and its place in the sequence.
    [[nodiscard]] __device__ __forceinline__ std::uint64_t head(std::uint32_t w) const {
        return std::uint64_t{w} * size + windows[w].last;
    }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t place_of_head(std::uint32_t w) const {
        return parts[w].first + parts[w].count;
    }
};

inline constexpr unsigned plan_threads = 1024;
inline constexpr unsigned plan_windows = 4;  // of a thread at a time

// By one block: parts of all windows, by scans of which head is the last one and of how many elements there
// are. *total = the elements of the sequence.
static __global__ void __launch_bounds__(plan_threads, 1)
    plan_windows_kernel(windows_view all, window_part* parts, const unsigned* any_long,
                        std::uint64_t* total) {
    if (*any_long == 0) {
        if (threadIdx.x == 0) *total = 0;
        return;
    }
    const block<plan_threads> threads;
    __shared__ std::uint64_t memory[block_scan_scratch(plan_threads)];
    const shared_view shared(memory);
    // Of the window behind a head: twice its number and, if the segment is long, one; ascends.
    std::uint64_t head = 0, placed = 0;
    for (std::uint64_t w0 = 0; w0 < all.count; w0 += plan_threads * plan_windows) {
        const std::uint64_t first = w0 + threadIdx.x * plan_windows;
        segment_window own[plan_windows];
        std::uint64_t latest = 0;
#pragma unroll
        for (unsigned j = 0; j < plan_windows; ++j) {
            own[j] = {no_head, 0, 0};
            if (first + j < all.count) own[j] = all.windows[first + j];
            if (own[j].first != no_head) latest = (first + j + 1) * 2 + own[j].is_long;
        }
        std::uint64_t last = 0, upto = 0;
        std::uint64_t incoming =
            block_exclusive_scan(threads, shared, latest, maximum{}, {.initial = head, .total = &last});
        head = last;
        threads.sync();
        window_part part[plan_windows];
        std::uint64_t count = 0;
#pragma unroll
        for (unsigned j = 0; j < plan_windows; ++j) {
            part[j] = {count, no_head, 0};
            if (first + j >= all.count) continue;
            const unsigned elements = all.elements(first + j);
            const bool begins = own[j].first != no_head;
            if (incoming % 2 != 0) {
                part[j].segment = static_cast<std::uint32_t>(incoming / 2 - 1);
                part[j].count = begins ? own[j].first : elements;
            }
            count += part[j].count + (begins && own[j].is_long != 0 ? elements - own[j].last : 0);
            if (begins) incoming = (first + j + 1) * 2 + own[j].is_long;
        }
        const std::uint64_t before =
            block_exclusive_scan(threads, shared, count, plus{}, {.initial = placed, .total = &upto});
        placed = upto;
        threads.sync();
#pragma unroll
        for (unsigned j = 0; j < plan_windows; ++j) {
            part[j].first += before;
            if (first + j < all.count) parts[first + j] = part[j];
        }
    }
    if (threadIdx.x == 0) *total = placed;
}

inline constexpr unsigned window_threads = 256;

template <class Key>
__global__ void __launch_bounds__(window_threads)
    gather_segments_kernel(windows_view all, const std::uint64_t* total, const Key* keys, Key* gathered,
                           std::uint32_t* segments) {
    if (*total == 0) return;
    all.for_each([&](std::uint64_t element, std::uint64_t place, std::uint32_t segment) {
        gathered[place] = keys[element];
        segments[place] = segment;
    });
}

// segments_out[i] = segments[order[i]].
template <class Index>
__global__ void __launch_bounds__(window_threads)
    follow_order_kernel(const std::uint64_t* total, const Index* order, const std::uint32_t* segments,
                        std::uint32_t* segments_out) {
    const std::uint64_t n = *total, step = std::uint64_t(gridDim.x) * window_threads;
    for (std::uint64_t i = std::uint64_t(blockIdx.x) * window_threads + threadIdx.x; i < n; i += step)
        segments_out[i] = segments[order[i]];
}

template <class Key>
__global__ void __launch_bounds__(window_threads)
    return_keys_kernel(windows_view all, const std::uint64_t* total, const Key* sorted, Key* keys_out) {
    if (*total == 0) return;
    all.for_each([&](std::uint64_t element, std::uint64_t place, std::uint32_t) {
        keys_out[element] = sorted[place];
    });
}
// Of records that were gathered at order[place].
template <class Key, class Index>
__global__ void __launch_bounds__(window_threads)
    return_records_kernel(windows_view all, const std::uint64_t* total, const Index* order,
                          const Key* gathered, Key* keys_out, moved_values values) {
    if (*total == 0) return;
    use_piece(values, [&](auto piece) {
        all.for_each([&](std::uint64_t element, std::uint64_t place, std::uint32_t segment) {
            const std::uint64_t from = order[place];
            if (keys_out != nullptr) keys_out[element] = gathered[from];
            const std::uint64_t head = all.head(segment);
            move_value<decltype(piece)>(values, head + (from - all.place_of_head(segment)), element, head);
        });
    });
}

}  // namespace upsweep::cuda::detail
