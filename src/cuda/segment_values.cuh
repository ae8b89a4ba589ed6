// What goes along with the keys of a sort in segments: values of any size, or indices, which move once.
#pragma once

#include <cstdint>

namespace upsweep::cuda::detail {

// Values as pieces of 1, 2, 4, 8 or 16 bytes, aligned so, of which each has `pieces`.
struct moved_values {
    const void* in;  // null: indices, of piece_bytes each
    void* out;       // null: nothing goes along
    unsigned piece_bytes;
    unsigned pieces;
    bool from_segment;  // indices count from the first element of the segment
};

// use(Piece{}), of what the values are made of.
template <class Use>
__device__ __forceinline__ void use_piece(const moved_values& values, const Use& use) {
    switch (values.piece_bytes) {
        case 1:
            return use(std::uint8_t{});
        case 2:
            return use(std::uint16_t{});
        case 4:
            return use(std::uint32_t{});
        case 8:
            return use(std::uint64_t{});
        default:
            return use(uint4{});
    }
}

// The value of record `from`, of a segment that begins at `segment`, becomes that of record `to`.
template <class Piece>
__device__ __forceinline__ void move_value(const moved_values& values, std::uint64_t from, std::uint64_t to,
                                           std::uint64_t segment) {
    auto* const out = static_cast<Piece*>(values.out);
    if (values.in == nullptr) {
        if constexpr (sizeof(Piece) <= 8)
            out[to] = static_cast<Piece>(values.from_segment ? from - segment : from);
        return;
    }
    const auto* const in = static_cast<const Piece*>(values.in);
    for (unsigned p = 0; p < values.pieces; ++p) out[to * values.pieces + p] = in[from * values.pieces + p];
}

}  // namespace upsweep::cuda::detail
