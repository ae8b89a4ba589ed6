// What depends on the compiler rather than on the algorithm.
#pragma once

#if defined(__CUDACC__)
#define UPSWEEP_HOST_DEVICE __host__ __device__
#else
#define UPSWEEP_HOST_DEVICE
#endif

// Inlined even where the optimiser's size heuristics would not: the inner steps of a scan.
#if defined(_MSC_VER)
#define UPSWEEP_ALWAYS_INLINE __forceinline
#else
#define UPSWEEP_ALWAYS_INLINE inline __attribute__((always_inline))
#endif
