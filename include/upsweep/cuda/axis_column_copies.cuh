// How a warp of an axis scan by columns (axis_columns.cuh), or of a reduction (reduce_staged.cuh), moves its
// unit's elements to shared memory, and results from there.
#pragma once

#include <cstdint>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_column_shape.cuh"
#include "upsweep/cuda/element_copy.cuh"
#include "upsweep/cuda/rows.cuh"

namespace upsweep::cuda::detail {

// Where the copy engine tells a warp that its unit has landed (compute capability 9.0 and later).
struct column_landing {
#if __CUDA_ARCH__ >= 900
    static constexpr bool exists = true;
    phase_barrier barrier;

    __device__ void initialize() { barrier.initialize(1); }
    __device__ static void publish_initialized() { phase_barrier::publish_initialized(); }
    // By one lane, before the copies of so many bytes in all are started.
    __device__ void expect(unsigned bytes) { barrier.arrive_expecting(bytes); }
    __device__ void start(void* to, const void* from, unsigned bytes) {
        copy_async(to, from, bytes, barrier);
    }
    __device__ void wait(unsigned parity) { barrier.wait(parity); }
    // By lanes that wrote where the copy engine will write next.
    __device__ static void fence() { fence_before_async_writes(); }
#else
    static constexpr bool exists = false;
    std::uint64_t barrier;

    __device__ void initialize() {}
    __device__ static void publish_initialized() {}
    __device__ void expect(unsigned) {}
    __device__ void start(void*, const void*, unsigned) {}
    __device__ void wait(unsigned) {}
    __device__ static void fence() {}
#endif
};

template <class Types>
struct column_mover {
    using In = axis_input<Types>;
    using Out = typename Types::Out;

    std::uint64_t n;  // elements of a sequence
    const column_plan& plan;
    int lane;
    int member;  // of the team, that this warp is

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
        int width;                // columns, none or fewer where only other warps of the team have some
        int team_width;           // columns of the team
        int own_row, own_column;  // this lane's
        int own_count;            // of elements; none where the lane has no row
        bool whole;               // all rows are full
    };

    // A unit of so many columns, the team's, from row `first_row` of its sequences on. Lanes without a row
    // stand by one that has one, and load and store nothing.
    [[nodiscard]] __device__ __forceinline__ unit_view unit_at(std::uint64_t first_row,
                                                               int team_width) const {
        const int row = lane / plan.width, column = lane - row * plan.width;
        const int left = team_width - member * plan.width, width = left < plan.width ? left : plan.width;
        unit_view own;
        own.first_row = first_row;
        own.width = width;
        own.team_width = team_width;
        own.own_row = row < plan.rows ? row : plan.rows - 1;
        own.own_column = column < width ? column : width > 0 ? width - 1 : 0;
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
                load_pieces(own, input, row, elements, to);
            }
        });
    }
    // Pieces of a row of the tree, or of fewer elements, to where the row is in shared memory: of all columns
    // of the team, as memory serves wide strips faster, and the positions that are this warp's.
    template <class T>
    __device__ __forceinline__ void load_pieces(const unit_view& own, const input_view<T>& input,
                                                std::uint64_t row, int elements, char* to) const {
        const int pieces = own.team_width * int(sizeof(T)) / 16;
        const int at_once = 32 / pieces, first = lane / pieces, piece = lane - first * pieces;
        if (first >= at_once) return;
        const int share = lane_row / plan.team;
        int position = member * share + first;
        const int end = min(elements, (member + 1) * share);
        const std::int64_t from_pitch = input.stride * std::int64_t(sizeof(T));
        const int to_pitch = plan.team * plan.width * int(sizeof(T));
        const char* from = reinterpret_cast<const char*>(input.begin) +
                           (std::int64_t(row) * lane_row + position) * from_pitch + piece * 16;
        to += position * to_pitch + piece * 16;
#pragma unroll 4
        for (; position < end; position += at_once, from += at_once * from_pitch, to += at_once * to_pitch)
            copy_piece(to, from);
    }
    // Whether the rows of a whole unit, neighbours in memory, begin at a multiple of 16 bytes.
    template <class T>
    [[nodiscard]] __device__ __forceinline__ bool is_aligned(const unit_view& own,
                                                             const input_view<T>& input) const {
        return misalignment(blocks(own, input.begin, input.stride)) == 0;
    }
    // Of a row of the tree of all columns in all inputs.
    [[nodiscard]] __device__ __forceinline__ unsigned row_bytes() const {
        return unsigned(lane_row * plan.width * axis_input_bytes<Types>);
    }
    // Such rows by the copy engine.
    template <class T>
    __device__ __forceinline__ void start_rows(const unit_view& own, const input_view<T>& input,
                                               column_landing& landing) const {
        const T* const from = blocks(own, input.begin, input.stride);
        const int items = lane_row * plan.width;
        if (lane < plan.rows)
            landing.start(input.slots + lane * input.pitch, from + lane * items,
                          unsigned(items) * unsigned(sizeof(T)));
    }
    // Where this lane's first element is in shared memory, and how far the next one is.
    template <class T>
    [[nodiscard]] __device__ __forceinline__ T* staged(const unit_view& own, const input_view<T>& input,
                                                       std::int64_t& stride) const {
        char* at =
            input.slots +
            (input.copies == column_copies::blocks ? slot_of(own, input.stride, own.own_row) : own.own_row) *
                input.pitch;
        if (input.copies == column_copies::pieces) {
            stride = plan.team * plan.width;
            return reinterpret_cast<T*>(at) + member * plan.width + own.own_column;
        }
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
