// How a warp of an axis scan by columns (axis_columns.cuh), or of a reduction (reduce_staged.cuh), moves its
// unit's elements to shared memory, and results from there.
#pragma once

#include <cstdint>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_column_shape.cuh"
#include "upsweep/cuda/element_copy.cuh"
#include "upsweep/cuda/rows.cuh"

namespace upsweep::cuda::detail {

template <class Types>
struct column_mover {
    using In = axis_input<Types>;
    using Out = typename Types::Out;

    std::uint64_t n;  // elements of a sequence
    const column_plan& plan;
    int lane;

    // Elements of a row, none of one that does not exist.
    [[nodiscard]] __device__ __forceinline__ int count(std::uint64_t row) const {
        const std::uint64_t first = row * lane_row;
        if (first >= n) return 0;
        return n - first < lane_row ? int(n - first) : lane_row;
    }
    // The first element, in memory, of a row of all columns, of which the first sequence begins at `begin`.
    template <class T>
    [[nodiscard]] __device__ __forceinline__ static T* block(T* begin, std::int64_t stride, std::uint64_t row,
                                                             int count) {
        const std::int64_t first = std::int64_t(row) * lane_row;
        return begin + (stride < 0 ? first + count - 1 : first) * stride;
    }
    template <class T>
    [[nodiscard]] __device__ __forceinline__ static int misalignment(const T* p) {
        return int(reinterpret_cast<std::uintptr_t>(p) & 15);
    }

    // One input of a unit: where its sequences begin, and its part of the stage.
    template <class T>
    struct input_view {
        const T* begin;
        std::int64_t stride;       // from one element of a sequence to the next
        std::int64_t next_stride;  // from one sequence to the next
        column_copies copies;
        char* slots;
        int pitch;  // bytes from a row to the next
    };
    struct unit_view {
        std::uint64_t first_row;  // of the sequence
        int width;                // columns
        int own_row, own_column;  // this lane's
        int own_count;            // of elements; none where the lane has no row
        bool whole;               // all rows are full
    };

    // A unit of so many columns, from row `first_row` of its sequences on. Lanes without a row stand by one
    // that has one, and load and store nothing.
    [[nodiscard]] __device__ __forceinline__ unit_view unit_at(std::uint64_t first_row, int width) const {
        const int row = lane / plan.width, column = lane - row * plan.width;
        unit_view own;
        own.first_row = first_row;
        own.width = width;
        own.own_row = row < plan.rows ? row : plan.rows - 1;
        own.own_column = column < width ? column : width - 1;
        own.own_count = row < plan.rows && column < width ? count(first_row + std::uint64_t(own.own_row)) : 0;
        own.whole = first_row + std::uint64_t(plan.rows) <= plan.full_rows;
        return own;
    }
    // The first element, in memory, of all rows of a whole unit, where they are neighbours in memory.
    template <class T>
    [[nodiscard]] __device__ __forceinline__ T* blocks(const unit_view& own, T* begin,
                                                       std::int64_t stride) const {
        return block(begin, stride, own.first_row + (stride < 0 ? plan.rows - 1 : 0), lane_row);
    }
    // body(i, row, elements) of the rows of a unit that exist: number row of the sequence, with so many.
    template <class Body>
    __device__ __forceinline__ void for_each_row(const unit_view& own, const Body& body) const {
#pragma unroll 1
        for (int i = 0; i < plan.rows; ++i) {
            const std::uint64_t row = own.first_row + i;
            const int elements = count(row);
            if (elements == 0) break;
            body(i, row, elements);
        }
    }
    // Where row i of a unit is among them: in the order of memory.
    [[nodiscard]] __device__ __forceinline__ int slot_of(const unit_view& own, std::int64_t stride,
                                                         int i) const {
        return own.whole && stride < 0 ? plan.rows - 1 - i : i;
    }
    // body(from, to) of the pieces of 16 bytes of all rows, of elements of `size` bytes: places in memory
    // and in shared memory.
    template <class Body>
    __device__ __forceinline__ void walk_pieces(int pitch, int size, const Body& body) const {
        const int row_bytes = lane_row * plan.width * size, end = plan.rows * row_bytes;
        int at = lane * 16, to = at, row_end = row_bytes;
        while (at >= row_end) {
            row_end += row_bytes;
            to += pitch - row_bytes;
        }
#pragma unroll 4
        for (; at < end; at += 512, to += 512) {
            while (at >= row_end) {
                row_end += row_bytes;
                to += pitch - row_bytes;
            }
            body(at, to);
        }
    }

    template <class T>
    __device__ __forceinline__ void load(const unit_view& own, const input_view<T>& input) const {
        if (input.copies == column_copies::elements) {
            const T* from = input.begin + own.own_column * input.next_stride +
                            std::int64_t(own.first_row + own.own_row) * lane_row * input.stride;
            T* to = reinterpret_cast<T*>(input.slots + own.own_row * input.pitch) + own.own_column;
#pragma unroll 4
            for (int p = 0; p < own.own_count; ++p, from += input.stride, to += plan.width)
                copy_element(to, from);
            return;
        }
        if (own.whole && input.copies == column_copies::blocks) {
            // In shared memory they lie in the order of memory too.
            const T* const from = blocks(own, input.begin, input.stride);
            if (misalignment(from) == 0) {
                walk_pieces(input.pitch, int(sizeof(T)), [&](int at, int to) {
                    copy_element(reinterpret_cast<uint4*>(input.slots + to),
                                 reinterpret_cast<const uint4*>(reinterpret_cast<const char*>(from) + at));
                });
                return;
            }
        }
        for_each_row(own, [&](int i, std::uint64_t row, int elements) {
            char* to =
                input.slots +
                (input.copies == column_copies::blocks ? slot_of(own, input.stride, i) : i) * input.pitch;
            if (input.copies == column_copies::blocks) {
                const T* const from = block(input.begin, input.stride, row, elements);
                copy_bytes_ahead<alignof(T)>(to + misalignment(from), reinterpret_cast<const char*>(from),
                                             elements * own.width * int(sizeof(T)), lane);
            } else {
                const int pieces = own.width * int(sizeof(T)) / 16;  // at a position
                const int to_pitch = plan.width * int(sizeof(T));
                const std::int64_t from_pitch = input.stride * std::int64_t(sizeof(T));
                int position = lane / pieces, piece = lane - position * pieces;
                const int positions_on = 32 / pieces, pieces_on = 32 - positions_on * pieces;
                const char* from = reinterpret_cast<const char*>(input.begin) +
                                   (std::int64_t(row) * lane_row + position) * from_pitch + piece * 16;
                to += position * to_pitch + piece * 16;
#pragma unroll 2
                while (position < elements) {
                    copy_piece(to, from);
                    position += positions_on;
                    piece += pieces_on;
                    from += positions_on * from_pitch + pieces_on * 16;
                    to += positions_on * to_pitch + pieces_on * 16;
                    if (piece >= pieces) {
                        piece -= pieces;
                        ++position;
                        from += from_pitch - pieces * 16;
                        to += to_pitch - pieces * 16;
                    }
                }
            }
        });
    }
    // Where this lane's first element is in shared memory, and how far the next one is.
    template <class T>
    [[nodiscard]] __device__ __forceinline__ T* staged(const unit_view& own, const input_view<T>& input,
                                                       std::int64_t& stride) const {
        char* at =
            input.slots +
            (input.copies == column_copies::blocks ? slot_of(own, input.stride, own.own_row) : own.own_row) *
                input.pitch;
        stride = plan.width;
        int position = 0;
        if (input.copies == column_copies::blocks) {
            at += misalignment(block(input.begin, input.stride, own.first_row + own.own_row, own.own_count));
            if (input.stride < 0) {
                position = own.own_count - 1;
                stride = -plan.width;
            }
        }
        return reinterpret_cast<T*>(at) + position * plan.width + own.own_column;
    }
    // Stores the results that have taken the places of the first input's elements, and lie in memory in the
    // same order.
    __device__ __forceinline__ void store(const unit_view& own, const input_view<In>& input, Out* out_begin,
                                          std::int64_t out_stride) const {
        if (own.whole) {
            Out* const to = blocks(own, out_begin, out_stride);
            if (misalignment(to) == 0 && misalignment(blocks(own, input.begin, input.stride)) == 0) {
                walk_pieces(input.pitch, int(sizeof(Out)), [&](int at, int from) {
                    *reinterpret_cast<uint4*>(reinterpret_cast<char*>(to) + at) =
                        *reinterpret_cast<const uint4*>(input.slots + from);
                });
                return;
            }
        }
        for_each_row(own, [&](int i, std::uint64_t row, int elements) {
            const char* const from = input.slots + slot_of(own, input.stride, i) * input.pitch +
                                     misalignment(block(input.begin, input.stride, row, elements));
            Out* const to = block(out_begin, out_stride, row, elements);
            const int items = elements * own.width;
            if (misalignment(from) == misalignment(to)) {
                copy_bytes<alignof(Out)>(reinterpret_cast<char*>(to), from, items * int(sizeof(Out)), lane);
            } else {
#pragma unroll 4
                for (int k = lane; k < items; k += 32) to[k] = reinterpret_cast<const Out*>(from)[k];
            }
        });
    }
};

}  // namespace upsweep::cuda::detail
