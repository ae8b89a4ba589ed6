// error: constraints not satisfied|no matching function
// std::vector<bool> packs its elements into bits; it is no contiguous range of bool.
#include <vector>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, const std::vector<bool>& in, std::vector<int>& out) {
    upsweep::inclusive_scan<int>(ex, in, out);
}
