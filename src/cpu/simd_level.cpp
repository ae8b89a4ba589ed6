// Which instruction sets this machine has.
#include "upsweep/cpu/simd_level.hpp"

#include <cstdint>

#include "src/cpu/levels.hpp"

#include "hwy/targets.h"

namespace upsweep::cpu {

std::vector<simd_level> supported_simd_levels() {
    std::vector<simd_level> levels{simd_level::portable};
    constexpr std::int64_t compiled = HWY_TARGETS;
    const auto add = [&](simd_level level, std::int64_t target) {
        if ((hwy::SupportedTargets() & compiled & target) != 0) levels.push_back(level);
    };
#if defined(__x86_64__) || defined(_M_X64)
    add(simd_level::sse4, HWY_SSE4);
    add(simd_level::avx2, HWY_AVX2);
    add(simd_level::avx512, HWY_AVX3);
#elif defined(__aarch64__)
    add(simd_level::neon, HWY_NEON);
#endif
    return levels;
}

std::string_view name(simd_level level) {
    switch (level) {
        case simd_level::automatic: return "automatic";
        case simd_level::portable: return "portable";
        case simd_level::sse4: return "sse4";
        case simd_level::avx2: return "avx2";
        case simd_level::avx512: return "avx512";
        case simd_level::neon: return "neon";
    }
    return "unknown";
}

}  // namespace upsweep::cpu
