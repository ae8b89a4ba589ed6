// Windows and tiles of sorts of segments (segment_tile.cuh).
#pragma once

namespace upsweep::cuda::detail {

// The same whatever sorts it.
template <class Key>
struct segment_tile_shape {
    static constexpr unsigned tile = sizeof(Key) == 8 ? 3584 : 7680;
    static constexpr unsigned window = tile - 512;
    static constexpr unsigned words = (window + tile) / 32;  // of heads that a block looks at
    static_assert(window % 32 == 0 && tile <= 1u << 13);
};

}  // namespace upsweep::cuda::detail
