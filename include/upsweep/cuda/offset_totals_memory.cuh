// What a block that makes totals of segments (offset_totals_tile.cuh) has in shared memory: elements of a
// tile, where segments begin, and folds.
#pragma once

#include <cstdint>

#include "upsweep/cuda/element_copy.cuh"
#include "upsweep/cuda/offset_totals.cuh"
#include "upsweep/cuda/runs.cuh"

namespace upsweep::cuda::detail {

template <class Types>
struct offset_totals_shape {
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
    static constexpr int blocks_per_multiprocessor = !staged ? 1 : run_bytes > 16 ? 4 : 8;
    // Offsets that a thread has under way at once.
    static constexpr int batch = 4;

    static constexpr int folds_at = stage_bytes;
    static constexpr int row_heads_at = folds_at + align16(32 * run_folds::line);
    static constexpr int rows_at = row_heads_at + 32 * int(sizeof(std::uint32_t));
    static constexpr int heads_at = align16(rows_at + 32 * int(sizeof(Value)));
    static constexpr int shared_bytes = heads_at + Types::tile;
};

// Where a block is, and what it has in shared memory.
template <class Types>
struct offset_totals_memory {
    using shape = offset_totals_shape<Types>;
    using In = typename Types::In;
    using Value = typename Types::Value;

    const offset_totals_arguments<Types>& given;
    char* shared;
    int warp, lane;

    // A tile, and the segments that end in it.
    struct place {
        std::uint64_t tile, begin;  // its first element
        int count;                  // its elements
        std::uint64_t first, until;
        __device__ __forceinline__ bool is_whole() const { return count == Types::tile; }
    };

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
    // Whether a segment begins with an element, a byte each: 0 or 1.
    __device__ __forceinline__ std::uint8_t* heads() const {
        return reinterpret_cast<std::uint8_t*>(shared + shape::heads_at);
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
        return shape::staged ? stage()[i] : given.in[at.begin + unsigned(i)];
    }

    // That a segment begins, or that none does, where one ends.
    __device__ __forceinline__ void mark(const place& at, std::uint64_t end, std::uint8_t head) const {
        if (end - at.begin < unsigned(at.count)) heads()[end - at.begin] = head;
    }
    __device__ __forceinline__ void clear_heads() const {
#pragma unroll 4
        for (int at = int(threadIdx.x) * 16; at < Types::tile; at += shape::threads * 16)
            *reinterpret_cast<uint4*>(heads() + at) = {};
    }
    // Offsets k, k + threads, ... as far as they are below `until`; the others are `other`.
    template <int Count>
    __device__ __forceinline__ void read_offsets(std::uint64_t k, std::uint64_t until, std::uint64_t other,
                                                 std::uint64_t (&to)[Count]) const {
#pragma unroll
        for (int j = 0; j < Count; ++j) {
            const std::uint64_t own = k + unsigned(j * shape::threads);
            to[j] = own < until ? given.offset(own) : other;
        }
    }
    __device__ __forceinline__ void mark_many(const place& at) const {
        constexpr int together = 2 * shape::batch;
#pragma unroll 1
        for (std::uint64_t k = at.first + threadIdx.x; k < at.until;
             k += unsigned(together * shape::threads)) {
            std::uint64_t end[together];
            read_offsets(k + 1, at.until + 1, ~std::uint64_t(0), end);
#pragma unroll
            for (int j = 0; j < together; ++j) mark(at, end[j], 1);
        }
    }
};

}  // namespace upsweep::cuda::detail
