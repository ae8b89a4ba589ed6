// error: constraints not satisfied|no matching function
// The operator must combine two accumulators.
#include <string>
#include <vector>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, std::vector<int>& x) {
    upsweep::inclusive_scan(ex, x, x, [](const std::string& a, const std::string& b) { return a + b; });
}
