// error: describes_segments|by_head_flags
// Flags alone could as well be offsets or keys: by_head_flags(flags) says what they are.
#include <cstdint>
#include <vector>

#include "upsweep/segmented_scan.hpp"

void scan(upsweep::cpu::executor& ex, const std::vector<std::uint8_t>& flags, std::vector<int>& x) {
    upsweep::inclusive_segmented_scan(ex, flags, x, x);
}
