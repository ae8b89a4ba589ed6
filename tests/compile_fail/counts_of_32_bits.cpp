// error: constraints not satisfied|no matching function
// A count of 32 bits could overflow silently.
#include <cstdint>
#include <vector>

#include "upsweep/histogram.hpp"

void count(upsweep::cpu::executor& ex, const std::vector<float>& in, std::vector<std::uint32_t>& counts) {
    upsweep::histogram(ex, in, counts, {0, 1, 8});
}
