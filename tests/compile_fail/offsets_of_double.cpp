// error: offsets must be integers
// An offset of 1.5 begins no segment.
#include <vector>

#include "upsweep/segmented_scan.hpp"

void scan(upsweep::cpu::executor& ex, const std::vector<double>& offsets, std::vector<int>& x) {
    upsweep::inclusive_segmented_scan(ex, upsweep::by_offsets(offsets), x, x);
}
