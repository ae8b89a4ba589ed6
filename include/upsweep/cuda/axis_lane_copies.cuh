// How a warp of an axis scan by lanes (axis_lanes.cuh) goes over its groups and pieces, and copies their
// elements to shared memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_lane_shape.cuh"
#include "upsweep/cuda/element_copy.cuh"

namespace upsweep::cuda::detail {

template <class Types, lane_copies Copies>
struct lane_mover {
    using shape = lane_shape<Types, Copies>;
    using In = axis_input<Types>;
    using Out = typename Types::Out;
    using geometry = core::axis_geometry;

    const axis_arguments<Types>& arguments;
    char* shared;  // the warp's
    int stages;    // 2 to most_stages
    int lane;
    bool paired;  // the warps of the block have neighbouring groups, whose pieces they copy together

    // Between what is done by lanes that copy for each other.
    __device__ __forceinline__ void sync() const {
        if (shape::pairs && paired)
            __syncthreads();
        else
            __syncwarp();
    }
    // Lanes with sequences of their own; all have as many.
    [[nodiscard]] __device__ __forceinline__ std::uint64_t lane_count() const {
        return arguments.geometry.sequence_count / shape::width;
    }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t group_count() const {
        return (lane_count() + 31) / 32;
    }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t length() const { return arguments.scan.n; }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t piece_count() const {
        return (length() + shape::piece - 1) / shape::piece;
    }
    // Positions of a piece.
    [[nodiscard]] __device__ __forceinline__ int positions(std::uint64_t piece) const {
        const std::uint64_t left = length() - piece * shape::piece;
        return left < shape::piece ? int(left) : shape::piece;
    }
    // Lanes of a group with sequences of their own.
    [[nodiscard]] __device__ __forceinline__ int lanes(std::uint64_t group) const {
        const std::uint64_t left = lane_count() - group * 32;
        return left < 32 ? int(left) : 32;
    }
    // Where this lane's first sequence begins; lanes without one have the last one's.
    [[nodiscard]] __device__ __forceinline__ geometry::offsets origin_of(std::uint64_t group) const {
        const int last = lanes(group) - 1;
        return arguments.geometry.begin((group * 32 + (lane < last ? lane : last)) * shape::width);
    }
    // Input k of stage s.
    template <int k>
    [[nodiscard]] __device__ __forceinline__ axis_input<Types, k>* stage(int s) const {
        char* const at = shared + s * shape::stage_bytes(length());
        return reinterpret_cast<axis_input<Types, k>*>(
            at + (k == 0 ? 0 : shape::input_bytes(length(), int(sizeof(In)))));
    }
    [[nodiscard]] __device__ __forceinline__ Out* results() const {
        return reinterpret_cast<Out*>(shared + stages * shape::stage_bytes(length()));
    }
    __device__ __forceinline__ void advance(int& k) const {
        if (++k == stages) k = 0;
    }
    // Until the piece that was copied first has arrived, while the others are under way.
    __device__ __forceinline__ void wait_for_piece() const {
        static_assert(shape::most_stages == 4);
        if (stages == 4)
            wait_for_copies<3>();
        else if (stages == 3)
            wait_for_copies<2>();
        else
            wait_for_copies<1>();
    }

    // body(sequence, position) of every element of a piece, neighbours along the sequences by neighbouring
    // lanes. By all lanes.
    template <class Body>
    __device__ __forceinline__ void walk_along(int count, const Body& body) const {
        int sequence = lane / count, position = lane - sequence * count;
        const int sequences_on = 32 / count, positions_on = 32 - sequences_on * count;
#pragma unroll 8
        for (int k = 0; k < count; ++k) {
            body(sequence, position);
            sequence += sequences_on;
            position += positions_on;
            if (position >= count) {
                position -= count;
                ++sequence;
            }
        }
    }
    // What all sequences of the group have at `sequence`, of which this lane's has `own`.
    template <class T>
    __device__ __forceinline__ static T* of_sequence(T* own, int sequence) {
        return reinterpret_cast<T*>(
            __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(own), sequence));
    }

    // Starts the copy of a piece of an input. `begin`: this lane's sequence.
    template <class In>
    __device__ __forceinline__ void load(In* slots, const lane_cursor& at, const In* begin,
                                         std::int64_t stride) const {
        if constexpr (Copies == lane_copies::words && !std::is_same_v<In, std::uint32_t>) {
            load(reinterpret_cast<std::uint32_t*>(slots), at, reinterpret_cast<const std::uint32_t*>(begin),
                 stride / shape::width);
            return;
        }
        const std::int64_t first = std::int64_t(at.piece) * shape::piece;
        const int count = positions(at.piece);
        if constexpr (Copies == lane_copies::chunks) {
            const int last = lanes(at.group) - 1;
            const In* const own = begin + first;
            walk_along(count / chunk_items, [&](int sequence, int chunk) {
                const In* from = of_sequence(own, sequence < last ? sequence : last) + chunk * chunk_items;
                copy_element(chunks_at(slots, sequence) + chunk, reinterpret_cast<const uint4*>(from));
            });
        } else if constexpr (Copies == lane_copies::turned) {
            const int last = lanes(at.group) - 1;
            const In* const own = begin + first * stride;
            walk_along(count, [&](int sequence, int position) {
                const In* from = of_sequence(own, sequence < last ? sequence : last) + position * stride;
                copy_element(slots + position * shape::pitch + sequence, from);
            });
        } else {
            const In* from = begin + first * stride;
            if constexpr (shape::pairs && sizeof(In) >= 4) {  // words, or elements
                if (paired && ((at.group | 1) + 1) * 32 <= lane_count())
                    return load_together(slots, from, stride, count);
            }
            In* to = slots + lane;
            if (count == shape::piece) {
#pragma unroll 8
                for (int k = 0; k < shape::piece; ++k, from += stride)
                    copy_element(to + k * shape::pitch, from);
            } else {
                for (int k = 0; k < count; ++k, from += stride) copy_element(to + k * shape::pitch, from);
            }
        }
    }

    // The same of this warp's group and the other warp's, whose sequences lie side by side: half of the
    // positions, from memory in rows of both groups' elements, as memory serves strips of 256 bytes faster
    // than such of 128. `from`: this lane's element at the piece's first position.
    template <class In>
    __device__ __forceinline__ void load_together(In* slots, const In* from, std::int64_t stride,
                                                  int count) const {
        constexpr int items = 16 / int(sizeof(In));
        constexpr int own = 32 / items, lanes_of_row = 2 * own, rows = 32 / lanes_of_row;
        static_assert(shape::warps == 2 && (sizeof(In) == 4 || sizeof(In) == 8));
        const int warp = int(threadIdx.x / 32), chunk = lane % lanes_of_row;
        int position = warp * (shape::piece / 2) + lane / lanes_of_row;
        from += chunk * items - lane - 32 * warp + position * stride;
        // A stage lies as far from the same one of the other warp as their parts of shared memory do.
        char* to = reinterpret_cast<char*>(slots) +
                   (chunk / own - warp) * shape::warp_bytes(length(), stages) +
                   (position * shape::pitch + chunk % own * items) * int(sizeof(In));
#pragma unroll 8
        for (int k = 0; k < shape::piece / 2; k += rows, position += rows) {
            if (position < count) copy_piece(to, reinterpret_cast<const char*>(from));
            from += rows * stride;
            to += rows * shape::pitch * int(sizeof(In));
        }
    }

    template <class In>
    [[nodiscard]] __device__ __forceinline__ uint4* chunks_at(In* slots, int sequence) const {
        return reinterpret_cast<uint4*>(reinterpret_cast<char*>(slots) +
                                        sequence * shape::chunk_pitch(shape::chunks_of(length())));
    }
    // Elements in 16 bytes.
    static constexpr int chunk_items = 16 / int(sizeof(In)) > 0 ? 16 / int(sizeof(In)) : 1;
};

}  // namespace upsweep::cuda::detail
