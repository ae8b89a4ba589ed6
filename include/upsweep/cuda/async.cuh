// Bulk asynchronous copies into shared memory and the barriers they complete on (compute capability 9.0 and
// later; PTX ISA, "cp.async.bulk" and "mbarrier").
#pragma once

#include <cstdint>

namespace upsweep::cuda {

__device__ __forceinline__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Behind a kernel that is launched early (launch.cuh): until the launch before it has ended.
__device__ __forceinline__ void wait_for_earlier_launch() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

#if __CUDA_ARCH__ >= 900

// A barrier in shared memory with an arrival count and a phase that flips when all have arrived and all
// announced bytes have landed.
struct phase_barrier {
    std::uint64_t state;

    // Lanes that arrive for their warp, behind a __syncwarp. One is enough; compute-sanitizer's racecheck
    // does not follow it to what the others wrote, so that all arrive where it is to judge the rest.
#if defined(UPSWEEP_CUDA_RACECHECK)
    static constexpr unsigned arriving_lanes = 32;
#else
    static constexpr unsigned arriving_lanes = 1;
#endif

    __device__ void initialize(unsigned arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(arrivals)
                     : "memory");
    }
    // Makes initialized barriers visible to the copy engine; before the __syncthreads that follows them.
    __device__ static void publish_initialized() {
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __device__ void arrive() {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
    }
    __device__ void initialize_for_warps(unsigned warps) { initialize(warps * arriving_lanes); }
    __device__ void arrive_by_warp(int lane) {
        __syncwarp();
        if (unsigned(lane) < arriving_lanes) arrive();
    }
    __device__ void arrive_expecting(unsigned bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)),
                     "r"(bytes)
                     : "memory");
    }
    // Until the phase of the given parity has completed.
    __device__ void wait(unsigned parity) {
        asm volatile(
            "{\n"
            ".reg .pred done;\n"
            "again%=:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
            "@!done bra again%=;\n"
            "}" ::"r"(shared_address(this)),
            "r"(parity)
            : "memory");
    }
};

// By a thread that wrote to shared memory, before it tells others that the copy engine may write there.
__device__ __forceinline__ void fence_before_async_writes() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Starts the copy of `bytes` bytes, all three multiples of 16; `barrier` must have been told to expect them.
__device__ __forceinline__ void copy_async(void* to_shared, const void* from_global, unsigned bytes,
                                           phase_barrier& barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(to_shared)),
        "l"(from_global), "r"(bytes), "r"(shared_address(&barrier))
        : "memory");
}

// Brings what lies between two addresses of an array into the L2 cache, whole granules of 16 bytes.
__device__ __forceinline__ void prefetch_async(const void* from, const void* until) {
    const auto first = reinterpret_cast<std::uintptr_t>(from) & ~std::uintptr_t(15);
    const auto bytes = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(until) - first) & ~15u;
    if (bytes != 0)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(first), "r"(bytes) : "memory");
}

#endif

}  // namespace upsweep::cuda
