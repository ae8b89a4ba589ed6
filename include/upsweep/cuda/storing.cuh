// How rows of results reach the output: straight from registers, by exchange between lanes, or through shared
// memory.
#pragma once

#include <cstdint>
#include <cstring>

#include "upsweep/cuda/cache_hints.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

// How a row of results reaches the output.
enum class storing {
    direct,   // one access a lane, or two of neighbouring lanes: full rows, aligned for whole runs of 4, 8 or
              // 16 bytes
    shifted,  // 16 aligned bytes a lane and piece, words exchanged between lanes: full rows of aligned words
    staged,   // through shared memory: any row
    scattered,  // each lane its own elements: any row, slowly
};
template <class Out, int Items>
inline constexpr storing best_storing = Items * sizeof(Out) == 4 || Items * sizeof(Out) == 8 ||
                                                Items * sizeof(Out) == 16 || Items * sizeof(Out) == 32
                                            ? storing::direct
                                            : storing::staged;
template <class Out, int Items>
inline constexpr storing shifting = alignof(Out) >= 4 &&
                                            (Items * sizeof(Out) == 16 || Items * sizeof(Out) == 32)
                                        ? storing::shifted
                                        : storing::staged;

// Whether full rows of an output at `out` are aligned for direct storing.
template <class Out, int Items>
__device__ __forceinline__ bool stores_directly(const Out* out, std::uint64_t n, bool reverse) {
    constexpr int run_bytes = Items * int(sizeof(Out)) < 16 ? Items * int(sizeof(Out)) : 16;
    return (reinterpret_cast<std::uintptr_t>(out) + (reverse ? n * sizeof(Out) : 0)) % run_bytes == 0;
}

// Full rows of 32-byte runs at a multiple of 16 bytes: two neighbouring lanes store first the one's run, then
// the other's, so that each access covers whole sectors of 32 bytes.
__device__ __forceinline__ void store_pairs(char* row, const word_array<8>& words, int slot) {
    const bool odd = slot % 2 != 0;
    uint4 own, other;
    std::uint32_t kept[4], received[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        kept[k] = odd ? words.word[4 + k] : words.word[k];
        received[k] = __shfl_xor_sync(0xffffffffu, odd ? words.word[k] : words.word[4 + k], 1);
    }
    own = {kept[0], kept[1], kept[2], kept[3]};
    other = {received[0], received[1], received[2], received[3]};
    uint4* const pair = reinterpret_cast<uint4*>(row + slot / 2 * 64);
    pair[odd ? 1 : 0] = odd ? other : own;
    pair[odd ? 3 : 2] = odd ? own : other;
}

// Full rows at any multiple of 4 bytes: lanes store aligned pieces of 16 bytes, which begin with the last
// words of the run before.
template <int Bytes>
__device__ __forceinline__ void store_shifted(char* row, const word_array<Bytes / 4>& words, bool reverse,
                                              int lane) {
    constexpr int count = Bytes / 4;
    const int offset = int(reinterpret_cast<std::uintptr_t>(row) % 16) / 4;
    const int slot = reverse ? 31 - lane : lane;
    const int before = reverse ? lane + 1 : lane - 1;
    std::uint32_t x[count + 3];
#pragma unroll
    for (int k = 0; k < 3; ++k) x[k] = __shfl_sync(0xffffffffu, words.word[count - 3 + k], before & 31);
#pragma unroll
    for (int k = 0; k < count; ++k) x[3 + k] = words.word[k];
    char* const run = row + slot * Bytes;
    // The words behind the last aligned piece of the row.
    if (slot == 31) {
#pragma unroll
        for (int k = 0; k < 3; ++k)
            if (k >= 3 - offset) reinterpret_cast<std::uint32_t*>(run)[count - 3 + k] = x[count + k];
    }
    // Moved down by 3 - offset: x[0] is the first word of the piece.
    if ((3 - offset) & 1) {
#pragma unroll
        for (int k = 0; k < count + 2; ++k) x[k] = x[k + 1];
    }
    if ((3 - offset) & 2) {
#pragma unroll
        for (int k = 0; k < count + 1; ++k) x[k] = x[k + 2];
    }
    char* const piece = run - offset * 4;
    if (slot > 0 || offset == 0) {
        *reinterpret_cast<uint4*>(piece) = {x[0], x[1], x[2], x[3]};
    } else {
#pragma unroll
        for (int k = 1; k < 4; ++k)
            if (k >= offset) reinterpret_cast<std::uint32_t*>(piece)[k] = x[k];
    }
#pragma unroll
    for (int k = 4; k < count; k += 4)
        reinterpret_cast<uint4*>(piece)[k / 4] = {x[k], x[k + 1], x[k + 2], x[k + 3]};
}

// Stores a row of results that lies in shared memory, after all lanes have written it.
template <int RowItems, class Out>
__device__ __forceinline__ void store_image(char* row, const char* image, bool reverse, int valid, int lane) {
    if (valid == RowItems) {
        copy_row<int(alignof(Out)), RowItems* int(sizeof(Out))>(row, image, lane);
    } else {
        const int skipped = reverse ? (RowItems - valid) * int(sizeof(Out)) : 0;
        copy_bytes<int(alignof(Out))>(row + skipped, image + skipped, std::int64_t(valid) * int(sizeof(Out)),
                                      lane);
    }
    __syncwarp();
}

// Stores a row of packed results. `first` is the index of the row's first element in scan order, `valid` how
// many of its elements there are; `image` is shared memory of one warp, at least 32 runs and 16 bytes long.
// Direct stores of whole runs say how long their lines are `Wanted`.
template <storing How, int Items, wanted Wanted = wanted::as_usual, class Out>
__device__ __forceinline__ void store_row(Out* out, std::uint64_t n, bool reverse, std::uint64_t first,
                                          int valid, const word_array<Items* int(sizeof(Out)) / 4>& words,
                                          char* image, int lane) {
    constexpr int run_bytes = Items * int(sizeof(Out));
    constexpr int row_items = 32 * Items;
    const int slot = reverse ? 31 - lane : lane;
    // Where slot 0 would be in memory; with a part-filled row read backwards that is before the array.
    const auto row = reinterpret_cast<std::uintptr_t>(out) +
                     (reverse ? n - first - row_items : first) * std::uint64_t(sizeof(Out));
    if constexpr (How == storing::direct && run_bytes == 32) {
        store_pairs(reinterpret_cast<char*>(row), words, slot);
    } else if constexpr (How == storing::direct) {
        using unit = typename detail::unit_of<run_bytes>::type;
        unit whole;
        std::memcpy(&whole, &words, run_bytes);
        store_hinted<Wanted>(reinterpret_cast<unit*>(row) + slot, whole);
    } else if constexpr (How == storing::shifted) {
        store_shifted<run_bytes>(reinterpret_cast<char*>(row), words, reverse, lane);
    } else if constexpr (How == storing::scattered) {
#pragma unroll
        for (int m = 0; m < Items; ++m) {
            const int at = slot * Items + m;
            if (reverse ? at >= row_items - valid : at < valid)
                store_element(reinterpret_cast<char*>(row) + at * int(sizeof(Out)), unpack<Out>(words, m),
                              false, lane);
        }
    } else {
        const int shift = int(row % 16);
        write_run<run_bytes, int(alignof(Out))>(image + shift + slot * run_bytes,
                                                shift % access_size<run_bytes> == 0, lane, words);
        __syncwarp();
        store_image<row_items, Out>(reinterpret_cast<char*>(row), image + shift, reverse, valid, lane);
    }
}

}  // namespace upsweep::cuda
