// How kernels over the elements of an array are launched: blocks of one size, each thread with a stride of
// all.
#pragma once

#include <algorithm>
#include <cstdint>

namespace upsweep::registry::gpu {

inline constexpr unsigned threads = 256;  // of a block

// Enough to fill a GPU; of more elements a thread takes several.
inline unsigned blocks_for(std::uint64_t n) {
    return static_cast<unsigned>(std::min<std::uint64_t>((n + threads - 1) / threads, 4096));
}

}  // namespace upsweep::registry::gpu
