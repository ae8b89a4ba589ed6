// error: constraints not satisfied|no matching function
// A list is not contiguous.
#include <list>
#include <vector>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, const std::list<int>& in, std::vector<int>& out) {
    upsweep::inclusive_scan(ex, in, out);
}
