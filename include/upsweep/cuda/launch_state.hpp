// What the launches of an executor tell each other in its scratch (tile_state.cuh).
#pragma once

#include <cstddef>

namespace upsweep::cuda {

// At the head of the workspace. All zero before the first launch; each launch leaves it ready for the next.
struct launch_state {
    // Tag of the launch minus one in the upper half, the next ticket in the lower.
    unsigned long long ticket;
    unsigned finished_blocks;
};
inline constexpr std::size_t launch_state_bytes = 256;

}  // namespace upsweep::cuda
