// Which instruction sets this machine has, and for which of them the library holds bodies.
#include "upsweep/cpu/simd_level.hpp"

#include "src/cpu/levels.hpp"

namespace upsweep::cpu {

std::vector<simd_level> supported_simd_levels() {
    std::vector<simd_level> levels{simd_level::portable};
#if defined(__x86_64__) || defined(_M_X64)
    __builtin_cpu_init();  // these also tell whether the operating system saves the registers
#if HWY_TARGETS & HWY_SSE4
    if (__builtin_cpu_supports("sse4.2")) levels.push_back(simd_level::sse4);
#endif
    const bool has_avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#if HWY_TARGETS & HWY_AVX2
    if (has_avx2) levels.push_back(simd_level::avx2);
#endif
#if HWY_TARGETS & HWY_AVX3
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        levels.push_back(simd_level::avx512);
    }
#endif
#elif HWY_TARGETS & HWY_NEON
    levels.push_back(simd_level::neon);
#endif
    return levels;
}

std::string_view name(simd_level level) {
    switch (level) {
        case simd_level::automatic:
            return "automatic";
        case simd_level::portable:
            return "portable";
        case simd_level::sse4:
            return "sse4";
        case simd_level::avx2:
            return "avx2";
        case simd_level::avx512:
            return "avx512";
        case simd_level::neon:
            return "neon";
    }
    return "unknown";
}

}  // namespace upsweep::cpu
