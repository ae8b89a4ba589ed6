// What a lane has of an axis scan by lanes (axis_lanes.cuh): how elements reach it, what of them is staged
// where, and where it stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "upsweep/core/portability.hpp"
#include "upsweep/cuda/axis_arguments.cuh"

namespace upsweep::cuda {

// How elements pass between memory and the lanes that scan them.
enum class lane_copies {
    own,     // each lane those of its sequence; where the strides allow it, two warps those of both
    words,   // the same of several sequences a lane, of which a word has an element each
    turned,  // a warp along the sequences, one by one
    chunks,  // a warp along the sequences, 16 bytes a lane
};

template <class Types, lane_copies Copies>
struct lane_shape {
    using In = detail::axis_input<Types>;
    using Out = typename Types::Out;
    static constexpr int inputs = Types::inputs;

    UPSWEEP_HOST_DEVICE static constexpr int align16(int bytes) { return (bytes + 15) / 16 * 16; }
    // Larger elements fill a lane's accesses to memory, and go straight to its registers.
    static constexpr bool staged = Types::widest <= 16;
    // Whether there is such a kernel.
    static constexpr bool exists = [] {
        bool same = true;
        for (const int size : Types::element_size) same = same && size == int(sizeof(In));
        const bool narrow = sizeof(In) == 1 || sizeof(In) == 2;
        if (Copies == lane_copies::words)
            return same && narrow && sizeof(Out) * (4 / sizeof(In)) <= 16 && sizeof(typename Types::Acc) <= 8;
        if (Copies == lane_copies::chunks)
            return same && sizeof(In) == sizeof(Out) && (narrow || sizeof(In) == 4 || sizeof(In) == 8);
        return Copies == lane_copies::own || staged;
    }();
    // Sequences of a lane.
    static constexpr int width = Copies == lane_copies::words && exists ? 4 / int(sizeof(In)) : 1;
    // Whether its copies go on while a lane scans (element_copy.cuh).
    static constexpr bool ahead = [] {
        bool whole_words = true;
        for (const int alignment : Types::element_alignment) whole_words = whole_words && alignment >= 4;
        return staged && (Copies == lane_copies::chunks || Copies == lane_copies::words || whole_words);
    }();
    static constexpr int warps = 2;
    static constexpr int threads = 32 * warps;
    // Whether the warps of a block can copy pieces of two groups together, 16 bytes a lane.
    static constexpr bool pairs = [] {
        bool fit = ahead;
        for (const int size : Types::element_size) fit = fit && (size * width == 4 || size * width == 8);
        return fit && (Copies == lane_copies::own || Copies == lane_copies::words);
    }();
    // That registers leave room for, or with two inputs shared memory.
    static constexpr int blocks = sizeof(typename Types::Acc) * width <= 8 && inputs == 1 ? 16 : 8;
    // Positions. Of a chunked sequence as many as have 256 bytes, as memory likes to be written, but no more
    // than a row of the tree.
    static constexpr int piece = Copies == lane_copies::chunks
                                     ? (sizeof(In) == 1 ? int(core::row_size) : 256 / int(sizeof(In)))
                                 : Types::widest <= 8 ? 32
                                                      : 16;
    // Elements from one position to the next: if a lane reads along them, it meets no bank twice.
    static constexpr int pitch = Copies == lane_copies::turned ? 33 : 32;
    // Bytes from one sequence to the next of pieces with `chunks` chunks each, an odd number of them: no bank
    // is met twice.
    UPSWEEP_HOST_DEVICE static constexpr int chunk_pitch(int chunks) { return 16 * (chunks | 1); }
    UPSWEEP_HOST_DEVICE static constexpr int chunks_of(std::uint64_t length) {
        return (length < piece ? int(length) : piece) * int(sizeof(In)) / 16;
    }

    static constexpr int most_stages = 4;
    // Of one input in a stage, whose elements have `size` bytes.
    UPSWEEP_HOST_DEVICE static constexpr int input_bytes(std::uint64_t length, int size) {
        if (Copies == lane_copies::chunks) return 32 * chunk_pitch(chunks_of(length));
        return align16(piece * pitch * size * width);
    }
    UPSWEEP_HOST_DEVICE static constexpr int stage_bytes(std::uint64_t length) {
        int bytes = input_bytes(length, int(sizeof(In)));
        if (inputs == 2) bytes += input_bytes(length, int(sizeof(detail::axis_input<Types, inputs - 1>)));
        return bytes;
    }
    static constexpr int results_bytes =
        Copies == lane_copies::turned ? align16(piece * pitch * int(sizeof(Out))) : 0;
    UPSWEEP_HOST_DEVICE static constexpr int warp_bytes(std::uint64_t length, int stages) {
        return staged ? stages * stage_bytes(length) + results_bytes : 0;
    }
    UPSWEEP_HOST_DEVICE static constexpr int shared_bytes(std::uint64_t length, int stages) {
        return warps * warp_bytes(length, stages);
    }
};

namespace detail {

// Where a warp is: one piece of one group of 32 sequences.
struct lane_cursor {
    std::uint64_t group;
    std::uint64_t piece = 0;

    // Whether the next one is in another group.
    __device__ __forceinline__ bool advance(std::uint64_t pieces, std::uint64_t groups_apart) {
        if (++piece != pieces) return false;
        piece = 0;
        group += groups_apart;
        return true;
    }
};

// Of the sequences of a lane.
template <class Types, int Width>
struct lane_states {
    lane_state<Types> of[Width];

    __device__ __forceinline__ explicit lane_states(const scan_arguments<Types>& arguments)
        : lane_states(arguments, std::make_index_sequence<Width>{}) {}

  private:
    template <std::size_t... w>
    __device__ __forceinline__ lane_states(const scan_arguments<Types>& arguments, std::index_sequence<w...>)
        : of{(static_cast<void>(w), lane_state<Types>(arguments))...} {}
};

}  // namespace detail

}  // namespace upsweep::cuda
