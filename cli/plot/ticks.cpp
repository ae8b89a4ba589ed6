// The 1-2-5 rule and SI suffixes.
#include "cli/plot/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace upsweep::cli {
namespace {

std::string without_trailing_zeros(std::string text) {
    if (text.find('.') == std::string::npos) return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

}  // namespace

double nice_step(double range, int target, bool whole) {
    const double raw = range / std::max(target, 1);
    if (!(raw > 0) || !std::isfinite(raw)) return 0;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double fraction = raw / power;
    const double step = (fraction <= 1.0 ? 1 : fraction <= 2.0 ? 2 : fraction <= 5.0 ? 5 : 10) * power;
    return whole ? std::max(step, 1.0) : step;
}

std::string si_number(double value, int digits) {
    constexpr std::array<std::string_view, 13> suffixes = {"a", "f", "p", "n", "µ", "m", "",
                                                           "k", "M", "G", "T", "P", "E"};
    if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
    int group = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3 + 1e-12));
    if (std::abs(value) / std::pow(1000.0, group) >= 999.9999) ++group;
    if (group < -6 || group > 6) return fmt::format("{:.{}g}", value, digits);
    const double scaled = value / std::pow(1000.0, group);
    const int before = static_cast<int>(std::floor(std::log10(std::abs(scaled)) + 1e-12)) + 1;
    return without_trailing_zeros(fmt::format("{:.{}f}", scaled, std::max(digits - before, 0))) +
           std::string(suffixes.at(static_cast<unsigned>(group) + 6u));
}

std::vector<axis_tick> linear_ticks(double low, double high, int target, bool whole) {
    std::vector<axis_tick> ticks;
    const double step = nice_step(high - low, target, whole);
    if (step == 0 || low + step == low || high - step == high) return ticks;
    const double largest = std::max(std::abs(low), std::abs(high));
    const bool si = largest >= 1e4 || largest < 1e-3;
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    const double tolerance = 1e-9 * step;
    for (double i = std::ceil((low - tolerance) / step); i * step <= high + tolerance; ++i) {
        const double value = i == 0 ? 0 : i * step;
        // With neighbours a step apart, this many digits tell them from each other.
        const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(largest / step))) + 2, 3, 15);
        ticks.push_back({value, si ? si_number(value, digits) : fmt::format("{:.{}f}", value, decimals)});
    }
    return ticks;
}

std::vector<axis_tick> log_ticks(double low, double high, int target) {
    std::vector<axis_tick> ticks;
    if (!(low > 0) || !(high >= low) || !std::isfinite(high)) return ticks;
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::floor(std::log10(high) + 1e-12));
    const int every = std::max(1, (last - first + target) / std::max(target, 1));
    const bool between = last - first < 3;
    for (int exponent = first; exponent <= last; ++exponent) {
        if ((exponent - first) % every != 0 && exponent % every != 0) continue;
        if (every > 1 && exponent % every != 0) continue;
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10.0, exponent);
            const bool inside = value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
            if (inside && (factor == 1.0 || between)) ticks.push_back({value, si_number(value)});
        }
    }
    return ticks;
}

}  // namespace upsweep::cli
