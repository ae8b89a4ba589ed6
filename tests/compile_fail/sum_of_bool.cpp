// error: constraints not satisfied|no matching function
// Adding bool to bool has no obvious meaning; a count needs its accumulator named: inclusive_scan<int>(...).
#include <array>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, const std::array<bool, 4>& in, std::array<int, 4>& out) {
    upsweep::inclusive_scan(ex, in, out);
}
