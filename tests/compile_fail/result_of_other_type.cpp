// error: constraints not satisfied|no matching function
// The accumulator must convert to the output's elements.
#include <string>
#include <vector>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, const std::vector<int>& in, std::vector<std::string>& out) {
    upsweep::inclusive_scan(ex, in, out);
}
