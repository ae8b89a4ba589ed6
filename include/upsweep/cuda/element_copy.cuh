// Copies of single elements from an array to shared memory that go on while the thread does something else
// (compute capability 8.0 and later; PTX ISA, "cp.async"); before that, and for elements that the machine
// cannot copy so, they are plain ones.
#pragma once

#include <cstdint>

#include "upsweep/cuda/async.cuh"

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
