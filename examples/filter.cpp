// Compaction and partition: the readings of a sensor without its failures, when they were taken, and the hot
// ones in front of the others.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    std::vector<float> readings(500'000);  // degrees, one a second; a NaN where the sensor failed
    std::uint32_t random = 1;
    for (float& reading : readings) {
        random = random * 1664525u + 1013904223u;
        const bool failed = (random >> 16) % 50 == 0;
        reading = failed ? std::numeric_limits<float>::quiet_NaN()
                         : 15.0f + static_cast<float>(random >> 24) / 16.0f;
    }

    upsweep::cpu::executor executor;
    std::vector<float> valid(readings.size());
    std::vector<std::uint32_t> seconds(readings.size());
    const auto is_valid = [](float reading) { return !std::isnan(reading); };
    valid.resize(upsweep::compact_if(executor, readings, valid, is_valid));
    seconds.resize(upsweep::compact_indices_if(executor, readings, seconds, is_valid));

    // Both parts keep their order.
    std::vector<float> by_heat(valid.size());
    const std::size_t hot = upsweep::partition_if(executor, valid, by_heat, upsweep::at_least(25.0f));
    std::printf("%zu of %zu readings are valid, %zu of them hot\n", valid.size(), readings.size(), hot);

    // The same by a loop.
    std::size_t found = 0;
    std::size_t hot_found = 0;
    for (std::uint32_t second = 0; second < readings.size(); ++second) {
        if (std::isnan(readings[second])) continue;
        if (found == valid.size() || valid[found] != readings[second] || seconds[found] != second) return 1;
        const bool is_hot = readings[second] >= 25.0f;
        if (by_heat[is_hot ? hot_found : hot + found - hot_found] != readings[second]) return 1;
        if (is_hot) ++hot_found;
        ++found;
    }
    return found == valid.size() && hot_found == hot ? 0 : 1;
}
