// What the processor's data caches hold.
#pragma once

#include <cstddef>

namespace upsweep::cpu {

// Bytes of the caches that the first processor sees, as Linux tells.
struct cache_sizes {
    std::size_t second;   // 0 if unknown
    std::size_t largest;  // 8 MiB if unknown
};
const cache_sizes& data_caches();

}  // namespace upsweep::cpu
