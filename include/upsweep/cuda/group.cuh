// Warps and blocks as CUDA's hardware has them: the groups of core/group.hpp. Every function is one or a few
// instructions, and a view of shared memory is a pointer. Blocks are one-dimensional.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/core/group.hpp"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

inline constexpr unsigned warp_width = 32;

// How many lanes of a warp take part: all of them, known to the compiler, or the first few.
template <bool Full>
class basic_warp {
  public:
    // The full warp of the calling thread.
    basic_warp() requires Full = default;
    // The first `size` lanes, in [1, 32]; made by those lanes only.
    __device__ __forceinline__ explicit basic_warp(unsigned size) requires(!Full) : count_{size} {}

    [[nodiscard]] __device__ __forceinline__ unsigned lane() const { return threadIdx.x % warp_width; }
    [[nodiscard]] __device__ __forceinline__ unsigned size() const {
        if constexpr (Full)
            return warp_width;
        else
            return count_.value;
    }
    [[nodiscard]] __device__ __forceinline__ static constexpr unsigned width() { return warp_width; }

    template <exchangeable T>
    [[nodiscard]] __device__ __forceinline__ T shuffle(const T& x, unsigned source) const {
        return exchange(x, [=, this](std::uint32_t word) { return __shfl_sync(mask(), word, int(source)); });
    }
    template <exchangeable T>
    [[nodiscard]] __device__ __forceinline__ T shuffle_up(const T& x, unsigned distance) const {
        return exchange(x, [=, this](std::uint32_t word) { return __shfl_up_sync(mask(), word, distance); });
    }
    template <exchangeable T>
    [[nodiscard]] __device__ __forceinline__ T shuffle_down(const T& x, unsigned distance) const {
        const bool there = lane() + distance < size();
        return exchange(x, [=, this](std::uint32_t word) {
            const std::uint32_t other = __shfl_down_sync(mask(), word, distance);
            return there ? other : word;
        });
    }
    template <exchangeable T>
    [[nodiscard]] __device__ __forceinline__ T shuffle_xor(const T& x, unsigned lanes) const {
        const bool there = (lane() ^ lanes) < size();
        return exchange(x, [=, this](std::uint32_t word) {
            const std::uint32_t other = __shfl_xor_sync(mask(), word, int(lanes));
            return there ? other : word;
        });
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t ballot(bool predicate) const {
        return __ballot_sync(mask(), predicate);
    }
    __device__ __forceinline__ void sync() const { __syncwarp(mask()); }

  private:
    struct nothing {};
    struct stored_size {
        unsigned value;
    };

    [[nodiscard]] __device__ __forceinline__ std::uint32_t mask() const {
        return 0xffffffffu >> (warp_width - size());
    }
    // Word by word: the hardware shuffles 32 bits.
    template <class T, class Shuffle>
    __device__ __forceinline__ static T exchange(const T& x, const Shuffle& shuffle) {
        auto words = to_words(x);
#pragma unroll
        for (int k = 0; k < words_for<sizeof(T)>; ++k) words.word[k] = shuffle(words.word[k]);
        T result = x;
        std::memcpy(&result, &words, sizeof(T));
        return result;
    }

    [[no_unique_address]] std::conditional_t<Full, nothing, stored_size> count_;
};
using warp = basic_warp<true>;
using partial_warp = basic_warp<false>;

// `size` elements of shared memory from `data` on, which may also be a __shared__ array of the kernel's own.
template <exchangeable T>
class shared_view {
  public:
    __device__ __forceinline__ shared_view(T* data, unsigned size) : data_(data), size_(size) {}
    template <unsigned Size>
    __device__ __forceinline__ explicit shared_view(T (&array)[Size]) : shared_view(array, Size) {}

    [[nodiscard]] __device__ __forceinline__ unsigned size() const { return size_; }
    [[nodiscard]] __device__ __forceinline__ T load(unsigned i) const { return data_[i]; }
    __device__ __forceinline__ void store(unsigned i, const T& x) const { data_[i] = x; }
    __device__ __forceinline__ T fetch_add(unsigned i, const T& x) const requires std::integral<T> &&
        (sizeof(T) == 4 || sizeof(T) == 8) {
        // Two's complement: the signed sum has the bits of the unsigned one.
        using word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
        return static_cast<T>(atomicAdd(reinterpret_cast<word*>(data_ + i), static_cast<word>(x)));
    }
    [[nodiscard]] __device__ __forceinline__ shared_view sub(unsigned first, unsigned count) const {
        return {data_ + first, count};
    }
    [[nodiscard]] __device__ __forceinline__ T* data() const { return data_; }

  private:
    T* data_;
    unsigned size_;
};

// The calling thread's block. Threads is their number where the compiler is to know it, a multiple of 32 for
// full warps, or 0: as many as the launch says.
template <unsigned Threads = 0>
class block {
  public:
    static_assert(Threads <= 1024);
    using warp_type = basic_warp<Threads != 0 && Threads % warp_width == 0>;

    [[nodiscard]] __device__ __forceinline__ unsigned thread() const { return threadIdx.x; }
    [[nodiscard]] __device__ __forceinline__ unsigned size() const {
        if constexpr (Threads != 0)
            return Threads;
        else
            return blockDim.x;
    }
    [[nodiscard]] __device__ __forceinline__ warp_type warp() const {
        if constexpr (std::same_as<warp_type, basic_warp<true>>) {
            return {};
        } else {
            const unsigned rest = size() - warp_index() * warp_width;
            return warp_type(rest < warp_width ? rest : warp_width);
        }
    }
    [[nodiscard]] __device__ __forceinline__ unsigned warp_index() const { return threadIdx.x / warp_width; }
    [[nodiscard]] __device__ __forceinline__ unsigned warp_count() const {
        return (size() + warp_width - 1) / warp_width;
    }
    __device__ __forceinline__ void sync() const { __syncthreads(); }

    // Of the launch's dynamic shared memory.
    template <exchangeable T>
    [[nodiscard]] __device__ __forceinline__ shared_view<T> shared(unsigned count,
                                                                   std::size_t offset = 0) const {
        extern __shared__ __align__(shared_alignment) unsigned char upsweep_shared_memory[];
        return {reinterpret_cast<T*>(upsweep_shared_memory + offset), count};
    }

    [[nodiscard]] __device__ __forceinline__ unsigned block_index() const { return blockIdx.x; }
    [[nodiscard]] __device__ __forceinline__ unsigned block_count() const { return gridDim.x; }

    template <access_order Order>
    [[nodiscard]] __device__ __forceinline__ std::uint32_t atomic_load(const std::uint32_t* cell) const {
        static_assert(Order != access_order::release);
        std::uint32_t value;
        if constexpr (Order == access_order::acquire)
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(cell) : "memory");
        else
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(cell) : "memory");
        return value;
    }
    template <access_order Order>
    [[nodiscard]] __device__ __forceinline__ std::uint64_t atomic_load(const std::uint64_t* cell) const {
        static_assert(Order != access_order::release);
        std::uint64_t value;
        if constexpr (Order == access_order::acquire)
            asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(value) : "l"(cell) : "memory");
        else
            asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(cell) : "memory");
        return value;
    }
    template <access_order Order>
    __device__ __forceinline__ void atomic_store(std::uint32_t* cell, std::uint32_t value) const {
        static_assert(Order != access_order::acquire);
        if constexpr (Order == access_order::release)
            asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(cell), "r"(value) : "memory");
        else
            asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(cell), "r"(value) : "memory");
    }
    template <access_order Order>
    __device__ __forceinline__ void atomic_store(std::uint64_t* cell, std::uint64_t value) const {
        static_assert(Order != access_order::acquire);
        if constexpr (Order == access_order::release)
            asm volatile("st.release.gpu.u64 [%0], %1;" ::"l"(cell), "l"(value) : "memory");
        else
            asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(cell), "l"(value) : "memory");
    }
    __device__ __forceinline__ std::uint32_t fetch_add(std::uint32_t* cell, std::uint32_t value) const {
        return atomicAdd(cell, value);
    }
    __device__ __forceinline__ std::uint64_t fetch_add(std::uint64_t* cell, std::uint64_t value) const {
        return atomicAdd(reinterpret_cast<unsigned long long*>(cell), static_cast<unsigned long long>(value));
    }
};

}  // namespace upsweep::cuda
