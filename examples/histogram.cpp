// A histogram and its bins: how many readings of a sensor fall into each half degree, how long they lasted,
// and the readings of every bin one after the other.
#include <cstdint>
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    std::vector<float> readings(500'000);  // degrees, around 20
    std::uint32_t random = 1;
    for (float& reading : readings) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) {
            random = random * 1664525u + 1013904223u;
            sum += static_cast<float>(random >> 24) / 256.0f;
        }
        reading = 18.0f + sum;
    }

    upsweep::cpu::executor executor;
    const upsweep::bin_range<float> range{18.5f, 21.5f, 6};  // six bins; what is outside is in none
    std::vector<std::uint64_t> counts(range.count);
    const std::size_t inside = upsweep::histogram(executor, readings, counts, range);
    for (std::uint32_t bin = 0; bin < range.count; ++bin)
        std::printf("from %.1f: %7llu\n", 18.5 + 0.5 * bin, static_cast<unsigned long long>(counts[bin]));

    const std::vector<float> seconds(readings.size(), 0.25f);
    std::vector<double> total(range.count);
    upsweep::bin_totals<double>(executor, readings, seconds, total, range);
    for (std::uint32_t bin = 0; bin < range.count; ++bin)
        if (total[bin] != 0.25 * static_cast<double>(counts[bin])) return 1;

    std::vector<float> sorted(inside);
    std::vector<std::uint64_t> offsets(range.count + 1);  // bin b is [offsets[b], offsets[b + 1]) of sorted
    if (upsweep::bins(executor, readings, sorted, offsets, range) != inside) return 1;

    // The same by a loop.
    std::vector<std::uint64_t> at(offsets.begin(), offsets.end() - 1);
    for (const float reading : readings) {
        const std::uint32_t bin = upsweep::find_bin(range, reading);
        if (bin != upsweep::no_bin && sorted[at[bin]++] != reading) return 1;
    }
    for (std::uint32_t bin = 0; bin < range.count; ++bin)
        if (at[bin] != offsets[bin + 1] || counts[bin] != offsets[bin + 1] - offsets[bin]) return 1;
    return 0;
}
