// A launch as every runner of collectives' tests understands it.
#pragma once

#include <cstddef>

namespace upsweep::test {

struct launch_shape {
    unsigned threads = 1;  // of a block
    unsigned blocks = 1;
    unsigned warp_width = 32;      // lanes
    std::size_t shared_bytes = 0;  // of each block
};

}  // namespace upsweep::test
