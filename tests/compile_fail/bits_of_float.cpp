// error: constraints not satisfied|no matching function
// Bitwise operators take integers.
#include <vector>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, std::vector<float>& x) {
    upsweep::exclusive_scan(ex, x, x, upsweep::bit_xor{});
}
