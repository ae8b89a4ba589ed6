// What depends on the compiler rather than on the algorithm.
#pragma once

#if defined(__CUDACC__)
#define UPSWEEP_HOST_DEVICE __host__ __device__
#else
#define UPSWEEP_HOST_DEVICE
#endif

// Stands before `template` of a host and device function that calls what its arguments provide, a group's
// functions or the caller's operator, which may exist on one side only.
#if defined(__CUDACC__)
#define UPSWEEP_EITHER_SIDE _Pragma("nv_exec_check_disable")
#else
#define UPSWEEP_EITHER_SIDE
#endif

// Inlined even where the optimiser's size heuristics would not: the inner steps of a scan.
#if defined(_MSC_VER)
#define UPSWEEP_ALWAYS_INLINE __forceinline
#else
#define UPSWEEP_ALWAYS_INLINE inline __attribute__((always_inline))
#endif
