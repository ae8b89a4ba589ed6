// error: constraints not satisfied|no matching function
// Complex numbers have no order.
#include <complex>
#include <vector>

#include "upsweep/scan.hpp"

void scan(upsweep::cpu::executor& ex, std::vector<std::complex<float>>& x) {
    upsweep::inclusive_scan(ex, x, x, upsweep::minimum{});
}
