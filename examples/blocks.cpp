// A sequence that arrives block by block, as from a file larger than memory: `carry` continues the scan, and
// the bits are those of one scan over everything, however long the blocks are.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    upsweep::cpu::executor executor;
    std::vector<float> all(100'000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = 0.1f * static_cast<float>(i % 7);
    const std::span<const float> arriving(all);

    constexpr std::size_t block = 12'345;
    std::vector<float> sums;  // stands for the file that is written
    std::vector<float> results(block);
    upsweep::scan_carry<float> carry;
    for (std::size_t first = 0; first < arriving.size(); first += block) {
        const auto in = arriving.subspan(first, std::min(block, arriving.size() - first));
        const auto out = std::span(results).first(in.size());
        upsweep::inclusive_scan(executor, in, out, upsweep::plus{}, {.carry = &carry});
        sums.insert(sums.end(), out.begin(), out.end());
    }
    std::printf("%llu elements, total %.1f\n", static_cast<unsigned long long>(carry.element_count()),
                static_cast<double>(*carry.total()));

    std::vector<float> at_once(all.size());
    float total = 0;
    upsweep::inclusive_scan(executor, all, at_once, upsweep::plus{}, {.total = &total});
    if (carry.element_count() != all.size() || *carry.total() != total) return 1;
    return std::memcmp(sums.data(), at_once.data(), all.size() * sizeof(float)) == 0 ? 0 : 1;
}
