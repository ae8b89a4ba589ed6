// Which elements are heads of segments, as a bit each, and how many there are, by one reading of what
// describes the segments.
//
// Elements are marked in chunks of 1024, a warp's, and counted by chunks and by tiles, of a whole number of
// chunks. Behind the last element is one more bit, which is set, as if another segment began there: so every
// segment's last element is one in front of a bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/cuda/segment_totals.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda::detail {

inline constexpr int chunk_items = 1024;

struct marked_tiles {
    std::uint32_t* words;  // bits of elements, a tile's behind the other's, and that behind the last one
    std::uint32_t* chunk_heads;  // heads in each chunk
    std::uint64_t* tile_heads;   // and in each tile, before these are scanned

    void place(scratch_layout& layout, std::uint64_t tile_count, int tile_items) {
        const std::uint64_t chunks = tile_count * unsigned(tile_items / chunk_items);
        layout.take(words, chunks * (chunk_items / 32) + 1);
        layout.take(chunk_heads, chunks);
        layout.take(tile_heads, tile_count);
    }
};

// By a warp: of a chunk, the bits of 32 elements in each lane, which takes 16 bytes of what describes them at
// once, or four elements.
template <class Heads>
__device__ __forceinline__ std::uint32_t bits_of_chunk(const Heads& heads, std::uint64_t chunk,
                                                       std::uint64_t n, int lane) {
    constexpr int size = sizeof(typename Heads::element), items = size < 4 ? 16 / size : 4;
    constexpr int steps = chunk_items / (32 * items), lanes_of_word = 32 / items;
    const auto first = [&](int k) { return chunk * chunk_items + unsigned((k * 32 + lane) * items); };
    unsigned found[steps];
    if (chunk * chunk_items + chunk_items <= n && heads.template has_whole_runs<items>(n, false)) {
        typename Heads::template run<items> runs[steps];
#pragma unroll
        for (int k = 0; k < steps; ++k) runs[k] = heads.template load_run<items>(first(k), n, false);
#pragma unroll
        for (int k = 0; k < steps; ++k) found[k] = heads.template bits_of<items>(runs[k], first(k), false);
    } else {
#pragma unroll
        for (int k = 0; k < steps; ++k) found[k] = heads.template bits<items>(first(k), n, false);
    }
    // Lanes side by side have a word in common; of each step there are as many words as a run has items.
    std::uint32_t word = 0;
#pragma unroll
    for (int k = 0; k < steps; ++k) {
        std::uint32_t bits = found[k] << (lane * items % 32);
#pragma unroll
        for (int distance = 1; distance < lanes_of_word; distance *= 2)
            bits |= __shfl_xor_sync(0xffffffffu, bits, distance);
        const std::uint32_t own = __shfl_sync(0xffffffffu, bits, lane % items * lanes_of_word);
        if (lane / items == k) word = own;
    }
    return word;
}
// With the bit behind the last element.
__device__ __forceinline__ std::uint32_t with_last_bit(std::uint32_t word, std::uint64_t chunk,
                                                       std::uint64_t n, int lane) {
    return chunk * 32 + unsigned(lane) == n / 32 ? word | 1u << (n % 32) : word;
}

inline constexpr int marking_threads = 128;

// Sets all bits and counts; a block a tile.
template <class Heads>
__global__ void __launch_bounds__(marking_threads)
    mark_heads_kernel(const Heads heads, std::uint64_t n, const marked_tiles marks, std::uint64_t tiles,
                      unsigned chunks_of_tile) {
    constexpr unsigned warps = marking_threads / 32;
    __shared__ std::uint32_t of_warps[warps];
    const unsigned warp = threadIdx.x / 32;
    const int lane = int(threadIdx.x % 32);
    for (std::uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        std::uint32_t sum = 0;
        for (unsigned k = warp; k < chunks_of_tile; k += warps) {
            const std::uint64_t chunk = tile * chunks_of_tile + k;
            const std::uint32_t word = bits_of_chunk(heads, chunk, n, lane);
            const std::uint32_t count = sum_of_lanes(unsigned(__popc(word)));
            marks.words[chunk * 32 + unsigned(lane)] = with_last_bit(word, chunk, n, lane);
            if (lane == 0) marks.chunk_heads[chunk] = count;
            sum += count;
        }
        if (lane == 0) of_warps[warp] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            std::uint64_t all = 0;
            for (unsigned w = 0; w < warps; ++w) all += of_warps[w];
            marks.tile_heads[tile] = all;
            const std::uint64_t words = tiles * chunks_of_tile * 32;
            if (tile == tiles - 1) marks.words[words] = n == words * 32 ? 1 : 0;
        }
        __syncthreads();
    }
}

// What is kept of first elements: nothing, or elements of an array.
struct keeps_no_firsts {
    using element = char;
    static constexpr bool exist = false, pass_through_memory = false;
};
template <class T, class Out>
struct keeps_firsts {
    using element = T;
    static constexpr bool exist = true, pass_through_memory = sizeof(T) <= 8;
    const T* array;
    Out* out;
    std::uint64_t room;

    __device__ __forceinline__ void put(std::uint64_t k, const T& x) const { out[k] = convert<Out>(x); }
};

}  // namespace upsweep::cuda::detail
