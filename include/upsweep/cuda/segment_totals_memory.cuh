// What a block that makes totals of segments (segment_totals_tile.cuh) has in shared memory: elements of a
// tile, folds, and what is known of where segments end.
#pragma once

#include <cstdint>

#include "upsweep/cuda/element_copy.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/segment_totals.cuh"

namespace upsweep::cuda::detail {

template <class Types>
struct segment_totals_shape {
    using In = typename Types::In;
    using Value = typename Types::Value;
    using run_folds = run_totals<Value>;
    static constexpr int align16(int bytes) { return (bytes + 15) / 16 * 16; }

    // Larger elements are read where they are.
    static constexpr bool staged = sizeof(In) <= 8;
    static constexpr bool keeps_folds =
        staged && sizeof(In) == sizeof(Value) && alignof(In) == alignof(Value);
    static constexpr int run_bytes = Types::items * int(sizeof(In));
    static constexpr int stage_bytes = staged ? 32 * 32 * run_bytes : 0;
    static constexpr int warps = run_bytes > 16 ? 8 : 4;
    static constexpr int threads = 32 * warps;
    static constexpr int blocks_per_multiprocessor = !staged              ? 1
                                                     : run_bytes > 16     ? 4
                                                     : Types::Ends::keeps ? 7
                                                                          : 8;

    static constexpr int folds_at = stage_bytes;
    static constexpr int row_heads_at = folds_at + align16(32 * run_folds::line);
    static constexpr int rows_at = row_heads_at + 32 * int(sizeof(std::uint32_t));
    static constexpr int ends_at = align16(rows_at + 32 * int(sizeof(Value)));
    static constexpr int shared_bytes = ends_at + Types::Ends::block_bytes(Types::tile, threads);
};

template <class Types>
struct segment_totals_memory {
    using shape = segment_totals_shape<Types>;
    using In = typename Types::In;
    using Value = typename Types::Value;

    const segment_totals_arguments<Types>& given;
    char* shared;
    int warp, lane;

    // A tile, and the segments that end in it.
    struct place {
        using size = typename Types::Ends::size;
        std::uint64_t tile;
        int count;            // its elements
        std::uint64_t first;  // of such segments
        size ends;            // how many there are
        size room;            // for so many of their totals
        bool are_few;         // no more than threads
        bool is_marked;       // whether one begins or ends in the tile
        // Its first element.
        __device__ __forceinline__ std::uint64_t begin() const { return tile * Types::tile; }
        __device__ __forceinline__ bool is_whole() const { return count == Types::tile; }
    };
    // One of them: its first element, negative where that is in front of the tile, and its last one. None, as
    // given.
    struct segment {
        int head = 0, last = -1;
        __device__ __forceinline__ bool exists() const { return last >= 0; }
    };

    __device__ __forceinline__ place place_of(std::uint64_t tile) const {
        const std::uint64_t left = given.n - tile * Types::tile;
        return {tile, left < Types::tile ? int(left) : Types::tile, 0, 0, 0, false, false};
    }

    __device__ __forceinline__ const In* stage() const { return reinterpret_cast<const In*>(shared); }
    // Folds of a row's runs, of each with those in front of it.
    __device__ __forceinline__ typename shape::run_folds folds() const { return {shared + shape::folds_at}; }
    // In which of a row's runs segments begin.
    __device__ __forceinline__ std::uint32_t* row_heads() const {
        return reinterpret_cast<std::uint32_t*>(shared + shape::row_heads_at);
    }
    // Folds of rows, of each with those in front of it.
    __device__ __forceinline__ Value* rows() const {
        return reinterpret_cast<Value*>(shared + shape::rows_at);
    }
    // Starts to copy a tile, if it exists. All threads.
    __device__ __forceinline__ void load(std::uint64_t tile) const {
        if constexpr (shape::staged) {
            const std::uint64_t begin = tile * Types::tile;
            if (begin >= given.n) return;
            const In* const from = given.in + begin;
            if (given.n - begin >= Types::tile && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
#pragma unroll
                for (int at = int(threadIdx.x) * 16; at < shape::stage_bytes; at += shape::threads * 16)
                    copy_piece(shared + at, reinterpret_cast<const char*>(from) + at);
            } else {
                const int count = given.n - begin < Types::tile ? int(given.n - begin) : Types::tile;
#pragma unroll 4
                for (int i = int(threadIdx.x); i < count; i += shape::threads)
                    copy_element(reinterpret_cast<In*>(shared) + i, from + i);
            }
            close_copies();
        }
    }
    __device__ __forceinline__ const In& element(const place& at, int i) const {
        return shape::staged ? stage()[i] : given.in[at.begin() + unsigned(i)];
    }
};

}  // namespace upsweep::cuda::detail
