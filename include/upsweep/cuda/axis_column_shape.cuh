// What a warp has of an axis scan by columns (axis_columns.cuh): units of rows of the tree, what of them is
// staged where, and how elements reach it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/core/portability.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

// How elements pass between an array and shared memory.
enum class column_copies {
    blocks,    // a row of the tree of all columns is one stretch of memory, which the warp copies as bytes
    pieces,    // what neighbouring columns have at a position is whole pieces of 16 bytes
    elements,  // each lane copies its own elements, wherever they are
};

// Units of a scan: so many rows of the tree of so many neighbouring columns, a row of a column a lane. They
// are numbered sequence by sequence, then along the sequences, then across them.
struct column_plan {
    std::uint64_t columns;    // neighbouring sequences that begin where the fastest dimension does
    std::uint64_t full_rows;  // of a sequence
    std::uint32_t row_units;  // units along a sequence
    std::uint32_t groups;     // units across the columns
    std::uint32_t units;
    int width;       // columns of a warp; the last one across has what is left
    int team;        // warps that copy together, each its part of the positions: a unit has so many widths
    int rows;        // of a unit: a power of two, so that none has parts of two tiles
    int unit_bytes;  // of shared memory
    int permits;     // units of a block that are loaded at once
    column_copies in[2];
    column_copies out;  // blocks or elements
    bool by_engine;     // whole units come by the copy engine, where there is one

    // Published values: the totals of all full rows, then those of tiles, then of supers.
    [[nodiscard]] UPSWEEP_HOST_DEVICE constexpr std::uint64_t full_tiles() const { return full_rows / 32; }
    [[nodiscard]] UPSWEEP_HOST_DEVICE constexpr std::uint64_t full_supers() const { return full_rows / 1024; }
};

template <class Types>
struct column_shape {
    static constexpr int inputs = Types::inputs;
    static constexpr int words = words_for<sizeof(typename Types::Acc)>;
    // Larger elements leave no room for several units beside each other.
    static constexpr bool exists = Types::widest <= 16 && words <= 4;
    // Lanes with rows of their own: with large elements fewer, so that several units have room.
    static constexpr int lanes = detail::axis_input_bytes<Types> <= 8 ? 32 : 16;
    // Of a block, that registers leave room for.
    static constexpr int most_warps = 16;
    static constexpr int control_bytes = 384;

    UPSWEEP_HOST_DEVICE static constexpr int align16(int bytes) { return (bytes + 15) / 16 * 16; }
    // Bytes from one row of a unit to the next. Lanes with neighbouring rows meet no bank twice, or few, and
    // a row may begin at any byte of its first 16.
    UPSWEEP_HOST_DEVICE static constexpr int row_pitch(int width, int size) {
        return int(core::row_size) * width * size + align16(width * size);
    }
    static constexpr int unit_bytes(int width, int rows) {
        int bytes = 0;
        for (const int size : Types::element_size) bytes += row_pitch(width, size) * rows;
        return bytes;
    }

    // 64-bit words for what is published.
    static constexpr std::uint64_t published_words(std::uint64_t length, std::uint64_t sequences) {
        return (length / 128 + length / 4096 + length / 131072) * sequences * words;
    }
};

}  // namespace upsweep::cuda
