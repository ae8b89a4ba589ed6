// The instruction sets that the CPU engine has bodies for.
#pragma once

#include <string_view>
#include <vector>

namespace upsweep::cpu {

enum class simd_level {
    automatic,  // the best of supported_simd_levels()
    portable,   // compiled for the baseline of the processor family
    sse4,       // SSE4.2, 16-byte vectors
    avx2,       // AVX2, FMA and BMI2 (Haswell, Zen and later), 32-byte vectors; no result is a fused one
    avx512,     // AVX-512 F, BW, CD, DQ and VL, 64-byte vectors
    neon,       // 16-byte vectors; every arm64 has it
};

// What this machine can run, worst first.
[[nodiscard]] std::vector<simd_level> supported_simd_levels();
// "avx2" for simd_level::avx2, and so on.
[[nodiscard]] std::string_view name(simd_level level);

}  // namespace upsweep::cpu
