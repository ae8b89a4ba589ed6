// error: could not convert|invalid initialization|no matching function
// The accumulator is the element's type; an initial value that does not convert to it is refused, not deduced
// from.
#include <string>
#include <vector>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, std::vector<int>& x) {
    upsweep::inclusive_scan(ex, x, x, upsweep::plus{}, {.initial = std::string("0")});
}
