// From simd_level to the namespace that Highway compiled for it.
//
// A file with kernels defines the same names in every target's namespace and in `portable`;
// UPSWEEP_SELECT_LEVEL picks the one of a level. Levels that this processor family lacks are never asked for,
// because an executor refuses them.
#pragma once

// Highway's own debug checks would need its compiled library; the tests check what these would.
#define HWY_IS_DEBUG_BUILD 0
// Before foreach_target.h: the levels worth their compile time, less what cmake/SimdLevels.cmake leaves out.
// Vectors of SVE have no size, so that nothing can have them as members; every arm64 has NEON too.
#ifndef UPSWEEP_LEFT_OUT
#define UPSWEEP_LEFT_OUT 0
#endif
#define UPSWEEP_NO_SVE (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | UPSWEEP_NO_SVE | (UPSWEEP_LEFT_OUT))

#include "hwy/detect_targets.h"

// The namespace of a level's bodies; `portable` where this build has none (a compiler told to use AVX2
// everywhere makes no SSE4 bodies), and then supported_simd_levels() leaves the level out.
#if HWY_TARGETS & HWY_SSE4
#define UPSWEEP_SSE4 N_SSE4
#else
#define UPSWEEP_SSE4 portable
#endif
#if HWY_TARGETS & HWY_AVX2
#define UPSWEEP_AVX2 N_AVX2
#else
#define UPSWEEP_AVX2 portable
#endif
#if HWY_TARGETS & HWY_AVX3
#define UPSWEEP_AVX512 N_AVX3
#else
#define UPSWEEP_AVX512 portable
#endif
#if HWY_TARGETS & HWY_NEON
#define UPSWEEP_NEON N_NEON
#else
#define UPSWEEP_NEON portable
#endif

// UPSWEEP_SELECT_LEVEL(level, tree<T, Op>::table): that name in the namespace of the level.
#define UPSWEEP_SELECT_LEVEL(level, ...)                         \
    ((level) == simd_level::avx512 ? UPSWEEP_AVX512::__VA_ARGS__ \
     : (level) == simd_level::avx2 ? UPSWEEP_AVX2::__VA_ARGS__   \
     : (level) == simd_level::sse4 ? UPSWEEP_SSE4::__VA_ARGS__   \
     : (level) == simd_level::neon ? UPSWEEP_NEON::__VA_ARGS__   \
                                   : portable::__VA_ARGS__)
