// Round numbers along an axis and how they are written.
#pragma once

#include <string>
#include <vector>

namespace upsweep::cli {

struct axis_tick {
    double value;
    std::string label;
};

// Multiples of 1, 2 or 5 times a power of ten, about `target` of them, inside [low, high]; with `whole`,
// integers only. A range that is empty or not finite gives none.
[[nodiscard]] std::vector<axis_tick> linear_ticks(double low, double high, int target, bool whole = false);
// Powers of ten inside [low, high], thinned to about `target`; with 2 and 5 times them where few fit. low >
// 0.
[[nodiscard]] std::vector<axis_tick> log_ticks(double low, double high, int target);
// The step linear_ticks uses.
[[nodiscard]] double nice_step(double range, int target, bool whole = false);
// "1.5k", "20M", "30µ": the number with an SI suffix, at most `digits` significant digits, no trailing zeros.
[[nodiscard]] std::string si_number(double value, int digits = 4);

}  // namespace upsweep::cli
