// error: constraints not satisfied|no matching function
// Volatile elements cannot be read by vectors, and as often as an engine likes.
#include <span>
#include <vector>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, std::span<volatile int> in, std::vector<int>& out) {
    upsweep::inclusive_scan(ex, in, out);
}
