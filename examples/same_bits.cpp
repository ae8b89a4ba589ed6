// The two promises on floating-point sums: the same bits from any number of threads and any instruction set,
// and running sums of non-negative numbers that never decrease. A sampler needs the second: it searches the
// running sums of its weights, and a binary search is wrong where they step down.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    std::vector<float> weights(1'000'000);
    std::uint32_t random = 1;
    for (float& weight : weights) {
        random = random * 1664525u + 1013904223u;
        weight = static_cast<float>(random >> 8) * 0x1p-24f;  // in [0, 1)
    }

    upsweep::cpu::executor executor;
    std::vector<float> cumulative(weights.size());
    upsweep::inclusive_scan(executor, weights, cumulative);
    if (!std::is_sorted(cumulative.begin(), cumulative.end())) return 1;

    for (const upsweep::cpu::simd_level level : upsweep::cpu::supported_simd_levels()) {
        for (const std::size_t threads : {1, 2, 3, 7}) {
            upsweep::cpu::executor other(threads, level);
            std::vector<float> again(weights.size());
            upsweep::inclusive_scan(other, weights, again);
            if (std::memcmp(again.data(), cumulative.data(), again.size() * sizeof(float)) != 0) return 1;
        }
        const std::string_view name = upsweep::cpu::name(level);
        std::printf("%.*s: same bits with 1, 2, 3 and 7 threads\n", static_cast<int>(name.size()),
                    name.data());
    }

    const float draw = 0.25f * cumulative.back();
    const auto chosen = std::upper_bound(cumulative.begin(), cumulative.end(), draw);
    std::printf("a quarter of the weight lies before element %td\n", chosen - cumulative.begin());
}
