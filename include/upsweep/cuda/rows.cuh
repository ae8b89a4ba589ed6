// Rows of elements between memory and registers. A row is 32 runs, a run a lane; in shared memory and in the
// caller's arrays its bytes are contiguous, at any alignment that the element type allows.
#pragma once

#include <cstdint>

#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

template <int Bytes>
inline constexpr int access_size = Bytes % 16 == 0  ? 16
                                   : Bytes % 8 == 0 ? 8
                                   : Bytes % 4 == 0 ? 4
                                   : Bytes % 2 == 0 ? 2
                                                    : 1;

namespace detail {

// Lanes whose runs are 32, 64 or 128 bytes apart would meet in the same banks, reading 16 bytes at a time.
// They take the pieces of their runs in different orders: piece k ^ order(lane).
template <int Pieces>
inline constexpr int order_bits = Pieces % 8 == 0   ? 3
                                  : Pieces % 4 == 0 ? 2
                                  : Pieces % 2 == 0 ? 1
                                                    : 0;

template <int Pieces>
__device__ __forceinline__ int piece_order(int lane) {
    constexpr int bits = order_bits<Pieces>;
    return (lane >> (3 - bits)) & ((1 << bits) - 1);
}

// piece[k] <-> piece[k ^ order], for constant indices.
template <int Pieces>
__device__ __forceinline__ void reorder(uint4 (&piece)[Pieces], int order) {
#pragma unroll
    for (int bit = 0; bit < order_bits<Pieces>; ++bit) {
        const bool exchange = (order >> bit) & 1;
#pragma unroll
        for (int k = 0; k < Pieces; ++k) {
            const int other = k ^ (1 << bit);
            if (other > k) {
                const uint4 low = piece[k], high = piece[other];
                piece[k] = exchange ? high : low;
                piece[other] = exchange ? low : high;
            }
        }
    }
}

template <class Unit, int Words>
__device__ __forceinline__ void read_units(const char* from, word_array<Words>& words) {
    if constexpr (sizeof(Unit) >= 4) {
        constexpr int each = sizeof(Unit) / 4;
#pragma unroll
        for (int k = 0; k < Words / each; ++k) {
            const Unit unit = reinterpret_cast<const Unit*>(from)[k];
            std::memcpy(&words.word[k * each], &unit, sizeof(Unit));
        }
    } else {
        // Bytes: aligned words around them, shifted.
        const auto address = reinterpret_cast<std::uintptr_t>(from);
        const auto* aligned = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t(3));
        const unsigned shift = unsigned(address & 3) * 8;
        std::uint32_t low = aligned[0];
#pragma unroll
        for (int k = 0; k < Words; ++k) {
            // The word behind the last one is needed only where the run is not aligned.
            const std::uint32_t high = k + 1 < Words || shift != 0 ? aligned[k + 1] : 0;
            words.word[k] = __funnelshift_r(low, high, shift);
            low = high;
        }
    }
}
// The same, and no byte around them: others may be writing there.
template <class Unit, int Bytes, int Words>
__device__ __forceinline__ void read_units_alone(const char* from, word_array<Words>& words) {
    if constexpr (sizeof(Unit) >= 4) {
        read_units<Unit>(from, words);
    } else {
        words = {};
#pragma unroll
        for (int k = 0; k < Bytes / int(sizeof(Unit)); ++k) {
            const std::uint32_t part = reinterpret_cast<const Unit*>(from)[k];
            words.word[k * int(sizeof(Unit)) / 4] |= part << (k * int(sizeof(Unit)) % 4 * 8);
        }
    }
}
template <class Unit, int Words>
__device__ __forceinline__ void write_units(char* to, const word_array<Words>& words) {
    if constexpr (sizeof(Unit) >= 4) {
        constexpr int each = sizeof(Unit) / 4;
#pragma unroll
        for (int k = 0; k < Words / each; ++k) {
            Unit unit;
            std::memcpy(&unit, &words.word[k * each], sizeof(Unit));
            reinterpret_cast<Unit*>(to)[k] = unit;
        }
    } else {
#pragma unroll
        for (int k = 0; k < Words * 4 / int(sizeof(Unit)); ++k)
            reinterpret_cast<Unit*>(to)[k] =
                static_cast<Unit>(words.word[k * int(sizeof(Unit)) / 4] >> (k * int(sizeof(Unit)) % 4 * 8));
    }
}

template <int Alignment>
struct unit_of {
    using type = std::uint8_t;
};
template <>
struct unit_of<2> {
    using type = std::uint16_t;
};
template <>
struct unit_of<4> {
    using type = std::uint32_t;
};
template <>
struct unit_of<8> {
    using type = uint2;
};
template <>
struct unit_of<16> {
    using type = uint4;
};
// The widest unit at which elements of alignment A, and runs of Bytes bytes, are always aligned.
template <int Alignment, int Bytes>
using natural_unit =
    typename unit_of<(Alignment < access_size<Bytes> ? Alignment : access_size<Bytes>)>::type;

}  // namespace detail

// Whether bytes around a run may be read with it, or are another warp's, which may be writing them.
enum class surroundings { readable, foreign };

// One run of Bytes bytes of shared memory. `aligned`: runs start at multiples of access_size<Bytes>; if not,
// they may still do, and do at multiples of Alignment. Up to 16 bytes behind the run are read where that is
// allowed. No bank conflicts for aligned runs of a power of two of bytes.
template <int Bytes, int Alignment, surroundings Around = surroundings::readable>
__device__ __forceinline__ word_array<Bytes / 4> read_run(const char* run, bool aligned, int lane) {
    word_array<Bytes / 4> words;
    if (Alignment >= access_size<Bytes> || aligned) {
        if constexpr (Bytes % 16 == 0) {
            constexpr int pieces = Bytes / 16;
            const int order = detail::piece_order<pieces>(lane);
            uint4 piece[pieces];
#pragma unroll
            for (int k = 0; k < pieces; ++k) piece[k] = reinterpret_cast<const uint4*>(run)[k ^ order];
            detail::reorder(piece, order);
            std::memcpy(&words, piece, Bytes);
        } else {
            detail::read_units<typename detail::unit_of<access_size<Bytes>>::type>(run, words);
        }
    } else if constexpr (Around == surroundings::foreign) {
        detail::read_units_alone<detail::natural_unit<Alignment, Bytes>, Bytes>(run, words);
    } else if constexpr (Alignment >= 4 && (Bytes == 16 || Bytes == 32)) {
        // Aligned pieces of 16 bytes around the run, moved down by whole words.
        const int offset = int(reinterpret_cast<std::uintptr_t>(run) % 16) / 4;
        const auto* pieces = reinterpret_cast<const uint4*>(run - offset * 4);
        constexpr int count = Bytes / 4;
        std::uint32_t x[count + 4];
#pragma unroll
        for (int k = 0; k <= Bytes / 16; ++k) {
            const uint4 piece = pieces[k];
            std::memcpy(&x[4 * k], &piece, 16);
        }
        if (offset & 1) {
#pragma unroll
            for (int k = 0; k < count + 3; ++k) x[k] = x[k + 1];
        }
        if (offset & 2) {
#pragma unroll
            for (int k = 0; k < count + 2; ++k) x[k] = x[k + 2];
        }
        std::memcpy(&words, x, Bytes);
    } else {
        detail::read_units<detail::natural_unit<Alignment, Bytes>>(run, words);
    }
    return words;
}

template <int Bytes, int Alignment>
__device__ __forceinline__ void write_run(char* run, bool aligned, int lane,
                                          const word_array<Bytes / 4>& words) {
    if (Alignment >= access_size<Bytes> || aligned) {
        if constexpr (Bytes % 16 == 0) {
            constexpr int pieces = Bytes / 16;
            const int order = detail::piece_order<pieces>(lane);
            uint4 piece[pieces];
            std::memcpy(piece, &words, Bytes);
            detail::reorder(piece, order);
#pragma unroll
            for (int k = 0; k < pieces; ++k) reinterpret_cast<uint4*>(run)[k ^ order] = piece[k];
        } else {
            detail::write_units<typename detail::unit_of<access_size<Bytes>>::type>(run, words);
        }
    } else {
        detail::write_units<detail::natural_unit<Alignment, Bytes>>(run, words);
    }
}

// One element. `aligned`: elements start at multiples of 16 bytes where their size is one.
template <class T>
__device__ __forceinline__ T load_element(const char* from, bool aligned, int lane) {
    constexpr int bytes = sizeof(T), alignment = alignof(T);
    word_array<words_for<bytes>> words{};
    if (bytes % 16 == 0 && aligned) {
        if constexpr (bytes % 16 == 0) words = read_run<bytes, alignment>(from, true, lane);
    } else {
        detail::read_units_alone<detail::natural_unit<alignment, bytes>, bytes>(from, words);
    }
    return from_words<T>(words);
}
template <class T>
__device__ __forceinline__ void store_element(char* to, const T& value, bool aligned, int lane) {
    constexpr int bytes = sizeof(T), alignment = alignof(T);
    const auto words = to_words(value);
    if (bytes % 16 == 0 && aligned) {
        if constexpr (bytes % 16 == 0) write_run<bytes, alignment>(to, true, lane, words);
    } else {
        using unit = detail::natural_unit<alignment, bytes>;
        if constexpr (alignment >= 4) {
            detail::write_units<unit>(to, words);
        } else {
#pragma unroll
            for (int k = 0; k < bytes / int(sizeof(unit)); ++k)
                reinterpret_cast<unit*>(to)[k] = static_cast<unit>(words.word[k * int(sizeof(unit)) / 4] >>
                                                                   (k * int(sizeof(unit)) % 4 * 8));
        }
    }
}

// Copies `bytes` bytes between shared memory and an array by one warp, 16 aligned bytes at a time where they
// lie wholly within. `to` and `from` are congruent modulo 16, and aligned for elements of Alignment.
template <int Alignment>
__device__ __forceinline__ void copy_bytes(char* to, const char* from, std::int64_t bytes, int lane) {
    using unit = typename detail::unit_of<(Alignment < 16 ? Alignment : 16)>::type;
    const int head = int((16 - (reinterpret_cast<std::uintptr_t>(to) & 15)) & 15);
    if (head >= bytes) {
        for (int at = lane * int(sizeof(unit)); at < bytes; at += 32 * int(sizeof(unit)))
            *reinterpret_cast<unit*>(to + at) = *reinterpret_cast<const unit*>(from + at);
        return;
    }
    const int body = int((bytes - head) & ~std::int64_t(15));
    const int tail = int(bytes) - head - body;
    for (int at = lane * 16; at < body; at += 32 * 16)
        *reinterpret_cast<uint4*>(to + head + at) = *reinterpret_cast<const uint4*>(from + head + at);
    if constexpr (sizeof(unit) < 16) {
        // Fewer than 16 units at either end.
        const int mine = lane % 16 * int(sizeof(unit));
        if (lane < 16 && mine < head)
            *reinterpret_cast<unit*>(to + mine) = *reinterpret_cast<const unit*>(from + mine);
        if (lane >= 16 && mine < tail)
            *reinterpret_cast<unit*>(to + head + body + mine) =
                *reinterpret_cast<const unit*>(from + head + body + mine);
    }
}

// The same with a number of bytes known at compile time, a multiple of the unit of Alignment.
template <int Alignment, int Bytes>
__device__ __forceinline__ void copy_row(char* to, const char* from, int lane) {
    using unit = typename detail::unit_of<(Alignment < 16 ? Alignment : 16)>::type;
    const int head = int((16 - (reinterpret_cast<std::uintptr_t>(to) & 15)) & 15);
    const int whole = (Bytes - head) / 16;
#pragma unroll
    for (int k = 0; k < (Bytes / 16 + 31) / 32; ++k) {
        const int at = k * 32 + lane;
        if (at < whole)
            *reinterpret_cast<uint4*>(to + head + at * 16) =
                *reinterpret_cast<const uint4*>(from + head + at * 16);
    }
    if constexpr (sizeof(unit) < 16) {
        // Fewer than 16 units at either end, the head's for the lower lanes.
        const int tail = Bytes - head - whole * 16;
        const int mine = lane % 16 * int(sizeof(unit));
        const int at = lane < 16 ? mine : Bytes - tail + mine;
        if (mine < (lane < 16 ? head : tail))
            *reinterpret_cast<unit*>(to + at) = *reinterpret_cast<const unit*>(from + at);
    }
}

}  // namespace upsweep::cuda
