// Copies of elements from an array to shared memory that go on while the thread does something else
// (compute capability 8.0 and later; PTX ISA, "cp.async"); before that, and for elements that the machine
// cannot copy so, they are plain ones.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/rows.cuh"

namespace upsweep::cuda {

// Whole elements, each by itself.
template <class T>
__device__ __forceinline__ void copy_element(T* to_shared, const T* from_global) {
#if __CUDA_ARCH__ >= 800
    if constexpr (alignof(T) >= 4) {
        constexpr int unit = alignof(T) >= 16 ? 16 : int(alignof(T));
#pragma unroll
        for (int at = 0; at < int(sizeof(T)); at += unit) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                             shared_address(reinterpret_cast<char*>(to_shared) + at)),
                         "l"(reinterpret_cast<const char*>(from_global) + at), "n"(unit)
                         : "memory");
        }
        return;
    }
#endif
    *to_shared = *from_global;
}
// 16 bytes that nobody else reads: past the L1 cache.
__device__ __forceinline__ void copy_piece(char* to_shared, const char* from_global) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to_shared)),
                 "l"(from_global)
                 : "memory");
#else
    *reinterpret_cast<uint4*>(to_shared) = *reinterpret_cast<const uint4*>(from_global);
#endif
}
// `bytes` bytes of an array by one warp, 16 at a time where they lie wholly within. `to` and `from` are
// congruent modulo 16, and aligned for elements of Alignment.
template <int Alignment>
__device__ __forceinline__ void copy_bytes_ahead(char* to, const char* from, int bytes, int lane) {
    using unit = typename detail::unit_of<(Alignment < 16 ? Alignment : 16)>::type;
    int head = int((16 - (reinterpret_cast<std::uintptr_t>(from) & 15)) & 15);
    if (head > bytes) head = bytes;
    const int body = (bytes - head) & ~15;
#pragma unroll 2
    for (int at = head + lane * 16; at < head + body; at += 32 * 16)
        copy_element(reinterpret_cast<uint4*>(to + at), reinterpret_cast<const uint4*>(from + at));
    if constexpr (sizeof(unit) < 16) {
        // Fewer than 16 units at either end, the head's by the lower lanes.
        const int end = lane < 16 ? head : bytes;
        const int at = (lane < 16 ? 0 : head + body) + lane % 16 * int(sizeof(unit));
        if (at < end)
            copy_element(reinterpret_cast<unit*>(to + at), reinterpret_cast<const unit*>(from + at));
    }
}
// The opposite, by plain accesses, elements' own where `to` and `from` are not congruent.
template <int Alignment>
__device__ __forceinline__ void store_bytes(char* to, const char* from, int bytes, int lane) {
    using unit = typename detail::unit_of<(Alignment < 16 ? Alignment : 16)>::type;
    const auto store = [&]<class Unit>(int begin, int end, std::type_identity<Unit>) {
#pragma unroll 4
        for (int at = begin + lane * int(sizeof(Unit)); at < end; at += 32 * int(sizeof(Unit)))
            *reinterpret_cast<Unit*>(to + at) = *reinterpret_cast<const Unit*>(from + at);
    };
    const auto misalignment = reinterpret_cast<std::uintptr_t>(from) & 15;
    if ((reinterpret_cast<std::uintptr_t>(to) & 15) != misalignment)
        return store(0, bytes, std::type_identity<unit>{});
    int head = int((16 - misalignment) & 15);
    if (head > bytes) head = bytes;
    const int body = (bytes - head) & ~15;
    store(0, head, std::type_identity<unit>{});
    store(head, head + body, std::type_identity<uint4>{});
    store(head + body, bytes, std::type_identity<unit>{});
}
// Ends a group of this thread's copies.
__device__ __forceinline__ void close_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Until all of this thread's groups but the latest `Open` have arrived.
template <int Open>
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Open) : "memory");
#endif
}

}  // namespace upsweep::cuda
