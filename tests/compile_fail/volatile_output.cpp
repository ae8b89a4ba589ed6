// error: constraints not satisfied|no matching function
// Volatile elements cannot be written by vectors.
#include <span>
#include <vector>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, const std::vector<int>& in, std::span<volatile int> out) {
    upsweep::inclusive_scan(ex, in, out);
}
