// How often elements are repeated, in rows of 256 elements: where the results of each row begin, and of each
// element in it.
//
// By counts a kernel reads them once and leaves where each row's results begin: blocks sum tiles of 32 rows
// and look back for what is before. By offsets they are where they are needed.
//
// Source of the look-back: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back",
// 2016.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/collectives/warp_scan.hpp"
#include "upsweep/cuda/group.cuh"
#include "upsweep/cuda/repeat_results.cuh"
#include "upsweep/cuda/tile_scan.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda::detail {

inline constexpr unsigned repeat_row = 32 * repeat_run;  // elements
inline constexpr unsigned repeat_tile_rows = 32;         // rows that a block sums
inline constexpr std::uint64_t repeat_tile = repeat_tile_rows * repeat_row;
inline constexpr int repeat_threads = 256;

__host__ __device__ constexpr std::uint64_t repeat_rows(std::uint64_t n) {
    return (n + repeat_row - 1) / repeat_row;
}

// Places in a stretch of results are counted from its first one; a count or an offset past this one reaches
// further than memory does.
inline constexpr std::uint64_t repeat_beyond = std::uint64_t{1} << 54;

// How often an element is repeated of which a count says so.
template <class Count>
__device__ __forceinline__ std::uint64_t repetitions_of(Count count) {
    if constexpr (std::is_signed_v<Count>)
        if (count < 0) return 0;
    return static_cast<std::uint64_t>(count);
}

// By all threads of a block: the sums of 32 rows from `first` on, to shared memory. A warp loads AtOnce rows
// before it sums them. Ends with a barrier.
template <int AtOnce, class Count>
__device__ __forceinline__ void sum_rows(const Count* counts, std::uint64_t n, std::uint64_t first,
                                         std::uint64_t* sums) {
    constexpr int rows = int(repeat_tile_rows) / (repeat_threads / 32);  // of a warp
    static_assert(rows % AtOnce == 0);
    const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
#pragma unroll 1
    for (int from = warp * rows; from < (warp + 1) * rows; from += AtOnce) {
        word_array<repeat_run* int(sizeof(Count)) / 4> own[AtOnce];
#pragma unroll
        for (int r = 0; r < AtOnce; ++r)
            own[r] = load_neighbours(
                counts, (first + unsigned(from + r)) * repeat_row + unsigned(lane * repeat_run), n);
#pragma unroll
        for (int r = 0; r < AtOnce; ++r) {
            std::uint64_t sum = 0;
#pragma unroll
            for (int m = 0; m < repeat_run; ++m) sum += repetitions_of(unpack<Count>(own[r], m));
#pragma unroll
            for (int distance = 16; distance > 0; distance /= 2)
                sum += __shfl_xor_sync(0xffffffffu, sum, distance);
            if (lane == 0) sums[from + r] = sum;
        }
    }
    __syncthreads();
}

// Sums of tiles, of one launch.
struct sum_look_back {
    published<std::uint64_t> totals;    // of tiles
    published<std::uint64_t> prefixes;  // of each tile and all before it
    std::uint32_t tag;

    static constexpr std::uint64_t words(std::uint64_t tiles) {
        return 2 * tiles * words_for<sizeof(std::uint64_t)>;
    }
    __device__ __forceinline__ sum_look_back(unsigned long long* tagged, std::uint64_t tiles,
                                             std::uint32_t launch_tag)
        : totals{tagged, tiles},
          prefixes{tagged + tiles * words_for<sizeof(std::uint64_t)>, tiles},
          tag(launch_tag) {}

    // By one warp: the sum of all tiles before this one, whose own sum is `total`.
    __device__ __forceinline__ std::uint64_t before(std::uint64_t tile, std::uint64_t total, int lane) const {
        std::uint64_t sum = 0;
        if (tile != 0) {
            if (lane == 0) totals.publish(tile, total, tag);
            sum = sum_before(tile, lane);
        }
        if (lane == 0) prefixes.publish(tile, sum + total, tag);
        return sum;
    }

  private:
    // Tile 0 has a prefix alone.
    __device__ __forceinline__ std::uint64_t sum_before(std::uint64_t tile, int lane) const {
        std::uint64_t own = 0;
        for (std::uint64_t end = tile;;) {  // tiles before it are to be added
            const bool exists = unsigned(lane) < end;
            const std::uint64_t at = exists ? end - 1 - unsigned(lane) : 0;
            published<std::uint64_t>::pending<1> total, prefix;
            totals.start_reading(at, total);
            prefixes.start_reading(at, prefix);
            const unsigned known = __ballot_sync(0xffffffffu, exists && prefix.complete(tag));
            const unsigned told = __ballot_sync(0xffffffffu, exists && total.complete(tag));
            const int nearest = known != 0 ? __ffs(int(known)) - 1 : 32;
            const unsigned needed = known != 0 ? (1u << nearest) - 1 : 0xffffffffu;
            if ((told & needed) != needed) {
                pause_polling();
                continue;
            }
            if (lane < nearest) own += total.value();
            if (lane == nearest) own += prefix.value();
            if (known != 0) break;
            end -= 32;
        }
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2)
            own += __shfl_xor_sync(0xffffffffu, own, distance);
        return own;
    }
};

// By one warp, of the sums that sum_rows left: where the results of row `lane` begin in the tile; *total =
// the sum of all.
__device__ __forceinline__ std::uint64_t scan_row_sums(const std::uint64_t* sums, int lane,
                                                       std::uint64_t* total) {
    return warp_exclusive_scan(cuda::warp{}, sums[lane], plus{}, {.total = total});
}

// starts[r] = the sum of the counts before row r, starts[rows] = *count = the sum of all. A block a tile. The
// workspace is a launch_state and `words` tagged words.
template <class Count>
__global__ void __launch_bounds__(repeat_threads)
    sum_rows_kernel(const Count* counts, std::uint64_t n, std::uint64_t* starts, std::uint64_t* count,
                    launch_state* state, unsigned long long* tagged, std::uint64_t words) {
    __shared__ ticket taken;
    __shared__ std::uint64_t sums[repeat_tile_rows];
    const ticket own = take_block_ticket(*state, taken);
    const std::uint64_t first = std::uint64_t(own.index) * repeat_tile_rows;
    sum_rows<4>(counts, n, first, sums);
    if (threadIdx.x >= 32) return;
    const int lane = int(threadIdx.x);
    std::uint64_t total = 0, before = 0;
    const std::uint64_t in_tile = scan_row_sums(sums, lane, &total);
    if (gridDim.x != 1) before = sum_look_back(tagged, gridDim.x, own.tag).before(own.index, total, lane);
    const std::uint64_t rows = repeat_rows(n);
    if (first + unsigned(lane) < rows) starts[first + unsigned(lane)] = before + in_tile;
    if (own.index == gridDim.x - 1 && lane == 0) {
        starts[rows] = before + total;
        *count = before + total;
    }
    if (own.tag == last_tag) clear_tags(*state, tagged, words);
}

// What tells how often each of n elements is repeated, for the kernel that makes the results:
//
//   find_starts(shared)   by all threads of a block, first: what start() is to know
//   tells()               whether a block is to store how many results there are
//   start(starts, row)    where the results of a row begin; of row repeat_rows(n): how many there are
//   narrow_places(row, begin, origin, lane)
//                         where those of a lane's 8 elements begin and end, from `origin` on, modulo 2^32:
//                         of element m at boundary[m] and boundary[m + 1]; `begin` is where the row's begin
//   wide_places(row, begin, origin, lane, visit)
//                         visit(m, begin, end) of each, of 64 bits, of which the sign counts
//
// The last two are collective over the warp.

struct element_places {
    std::uint32_t boundary[repeat_run + 1];
};

template <class Count>
struct repeats_by_counts {
    const Count* counts;
    std::uint64_t n;
    const std::uint64_t* row_starts;  // null: a block sums the counts, of one tile, itself

    struct memory {
        std::uint64_t sums[repeat_tile_rows], starts[repeat_tile_rows + 1];
    };
    [[nodiscard]] __device__ __forceinline__ const std::uint64_t* find_starts(memory& shared) const {
        if (row_starts != nullptr) return row_starts;
        sum_rows<sizeof(Count) == 8 ? 1 : 2>(counts, n, 0, shared.sums);
        if (threadIdx.x < 32) {
            std::uint64_t total = 0;
            shared.starts[threadIdx.x] = scan_row_sums(shared.sums, int(threadIdx.x), &total);
            if (threadIdx.x == 0) shared.starts[repeat_tile_rows] = total;
        }
        __syncthreads();
        return shared.starts;
    }
    [[nodiscard]] __device__ __forceinline__ bool tells() const { return row_starts == nullptr; }
    // Rows behind the last one of a tile are empty.
    [[nodiscard]] __device__ __forceinline__ static std::uint64_t start(const std::uint64_t* starts,
                                                                        std::uint64_t row) {
        return starts[row];
    }
    [[nodiscard]] __device__ __forceinline__ element_places narrow_places(std::uint64_t row,
                                                                          std::uint64_t begin,
                                                                          std::uint64_t origin,
                                                                          int lane) const {
        const auto own = load_neighbours(counts, row * repeat_row + unsigned(lane * repeat_run), n);
        element_places found;
        std::uint32_t sum = 0;
#pragma unroll
        for (int m = 0; m < repeat_run; ++m) {
            found.boundary[m] = sum;
            sum += static_cast<std::uint32_t>(repetitions_of(unpack<Count>(own, m)));
        }
        found.boundary[repeat_run] = sum;
        const std::uint32_t before =
            static_cast<std::uint32_t>(begin - origin) + warp_exclusive_scan(cuda::warp{}, sum);
#pragma unroll
        for (int m = 0; m <= repeat_run; ++m) found.boundary[m] += before;
        return found;
    }
    template <class Visit>
    __device__ __forceinline__ void wide_places(std::uint64_t row, std::uint64_t begin, std::uint64_t origin,
                                                int lane, const Visit& visit) const {
        const std::uint64_t first = row * repeat_row + unsigned(lane * repeat_run);
        const int present = first < n ? (n - first < repeat_run ? int(n - first) : repeat_run) : 0;
        std::uint64_t sum = 0;
#pragma unroll 1
        for (int m = 0; m < present; ++m) sum += within(counts[first + unsigned(m)]);
        std::uint64_t at = begin - origin + warp_exclusive_scan(cuda::warp{}, sum);
#pragma unroll 1
        for (int m = 0; m < present; ++m) {
            const std::uint64_t end = at + within(counts[first + unsigned(m)]);
            visit(m, static_cast<std::int64_t>(at), static_cast<std::int64_t>(end));
            at = end;
        }
    }

  private:
    __device__ __forceinline__ static std::uint64_t within(Count count) {
        const std::uint64_t all = repetitions_of(count);
        return all < repeat_beyond ? all : repeat_beyond;
    }
};

template <class Integer>
struct repeats_by_offsets {
    const Integer* offsets;
    std::uint64_t n;

    struct memory {};
    struct nothing {};
    [[nodiscard]] __device__ __forceinline__ static nothing find_starts(memory&) { return {}; }
    [[nodiscard]] __device__ __forceinline__ static bool tells() { return true; }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t start(nothing, std::uint64_t row) const {
        return offset(row * repeat_row);
    }
    [[nodiscard]] __device__ __forceinline__ element_places narrow_places(std::uint64_t row, std::uint64_t,
                                                                          std::uint64_t origin,
                                                                          int lane) const {
        const std::uint64_t first = row * repeat_row + unsigned(lane * repeat_run);
        const auto own = load_neighbours(offsets, first, n + 1);
        element_places found;
#pragma unroll
        for (int m = 0; m < repeat_run; ++m)
            found.boundary[m] =
                static_cast<std::uint32_t>(unpack<Integer>(own, m)) - static_cast<std::uint32_t>(origin);
        found.boundary[repeat_run] = static_cast<std::uint32_t>(offset(first + repeat_run) - origin);
        if (first + repeat_run > n) {  // behind the last offset all are the same
#pragma unroll
            for (int m = 0; m < repeat_run; ++m)
                if (first + unsigned(m) > n) found.boundary[m] = found.boundary[repeat_run];
        }
        return found;
    }
    template <class Visit>
    __device__ __forceinline__ void wide_places(std::uint64_t row, std::uint64_t, std::uint64_t origin,
                                                int lane, const Visit& visit) const {
        const std::uint64_t first = row * repeat_row + unsigned(lane * repeat_run);
#pragma unroll 1
        for (int m = 0; m < repeat_run; ++m)
            visit(m, from(origin, first + unsigned(m)), from(origin, first + unsigned(m) + 1));
    }

  private:
    [[nodiscard]] __device__ __forceinline__ std::uint64_t offset(std::uint64_t i) const {
        return static_cast<std::uint64_t>(offsets[i < n ? i : n]);
    }
    [[nodiscard]] __device__ __forceinline__ std::int64_t from(std::uint64_t origin, std::uint64_t i) const {
        const std::uint64_t there = offset(i);
        return static_cast<std::int64_t>((there < repeat_beyond ? there : repeat_beyond) - origin);
    }
};

}  // namespace upsweep::cuda::detail
