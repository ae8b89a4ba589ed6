// The vector kernels of the CPU engine as tables of functions, one table for every SIMD level.
//
// They are compiled once, in the library, for every level of the processor family; which table an executor
// uses is decided when it is made. A kernel works on contiguous elements of the accumulator type; conversion,
// direction and placement are the business of staging.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/concepts.hpp"
#include "upsweep/cpu/simd_level.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// How results are stored. Streaming goes past the caches, for results that would be evicted before they are
// read; it becomes visible to other threads only after memory_kernels::fence(), called by the thread that
// streamed. Where a kernel takes `ahead`, it meanwhile asks for as many bytes from there on as it stores,
// because they are read next (null: none are): memory is fastest when reads and writes are under way
// together.
enum class placement { cached, streamed };

// Sequences side by side, one a lane: element (i, lane) of x is x[i * stride + lane].
template <class T>
struct lane_block {
    const T* x;
    std::ptrdiff_t x_stride;
    T* y;  // may equal x if the strides are equal
    std::ptrdiff_t y_stride;
    std::size_t length;
    std::size_t lanes;  // at most most_lanes<T>
    bool exclusive;
    placement where;  // streamed: y and y_stride are multiples of 64 bytes
};
template <class T>
inline constexpr std::size_t most_lanes = 4096 / sizeof(T);

// For operators that round. Absent parts are given as the operator's identity, which changes no bit.
template <class T>
struct tree_kernels {
    // Bytes to which y must be aligned to be streamed; 0 if these kernels never stream.
    std::size_t stream_alignment;
    // Inclusive scan of n elements that begin at a row and do not pass the end of its tile. `rows` is the
    // fold of the rows before them in the tile, and is advanced over all complete rows among them. y may
    // equal x.
    void (*scan_rows)(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows, placement where,
                      const void* ahead);
    // The same in two steps, for whole rows, with more than one thread: fold_rows reads x and keeps what is
    // to the left of every run in its row (runs, n / 4 elements in an order of its own) and of every row in
    // its tile (row_starts, n / 128 elements); scan_folded needs no more than that and what is to the left of
    // the tile.
    void (*fold_rows)(const T* x, std::size_t n, T* rows, T* runs, T* row_starts);
    void (*scan_folded)(const T* x, T* y, std::size_t n, T supers, T tiles, const T* runs,
                        const T* row_starts, placement where, const void* ahead);
    // The same for lanes: block.length elements that begin at a row and do not pass the end of its tile.
    // supers, tiles and rows have block.lanes elements.
    void (*scan_lanes)(const lane_block<T>& block, const T* supers, const T* tiles, T* rows);
    // rows[lane] of one complete tile, from the identity on; reads block.x only.
    void (*lane_totals)(const lane_block<T>& block, T* rows);
};

// For operators under which every grouping gives the same bits.
template <class T>
struct exact_kernels {
    std::size_t stream_alignment;  // as above
    // start (+) x[0] (+) ... (+) x[n-1]
    T (*fold)(const T* x, std::size_t n, T start);
    // y[i] = start (+) x[0] (+) ... (+) x[i]; returns the last of them. y may equal x.
    T (*scan)(const T* x, T* y, std::size_t n, T start, placement where, const void* ahead);
    // For lanes: carry[lane] is where each starts and where it ends.
    void (*scan_lanes)(const lane_block<T>& block, T* carry);
    // carry[lane] (+) the lane's elements; reads block.x only.
    void (*fold_lanes)(const lane_block<T>& block, T* carry);
};

template <class T, class Op>
using scan_kernels = std::conditional_t<is_exact<Op, T>, exact_kernels<T>, tree_kernels<T>>;

// The pairs for which the library has compiled kernels at every level.
template <class T, class Op>
inline constexpr bool has_kernels = false;

template <class T, class Op>
const scan_kernels<T, Op>& kernels_for(simd_level level);

// Copies and conversions, `count` elements each.
struct memory_kernels {
    // A copy past the caches, of any alignment. `bytes` is a count of bytes.
    void (*stream)(void* dst, const void* src, std::size_t bytes, const void* ahead);
    void (*fence)();
    // Elements of 1, 2, 4 and 8 bytes.
    void (*reverse[4])(void* dst, const void* src, std::size_t count);
    // dst[column * dst_stride + row] = src[row * src_stride + column]
    void (*transpose[4])(void* dst, std::ptrdiff_t dst_stride, const void* src, std::ptrdiff_t src_stride,
                         std::size_t rows, std::size_t columns);
    void (*float_from_float16)(float* dst, const void* src, std::size_t count);
    void (*float_from_bfloat16)(float* dst, const void* src, std::size_t count);
    void (*float16_from_float)(void* dst, const float* src, std::size_t count);
    void (*bfloat16_from_float)(void* dst, const float* src, std::size_t count);
};
const memory_kernels& memory_kernels_for(simd_level level);

// clang-format off
#define UPSWEEP_KERNEL_TYPES_INTEGER(apply, op)                                                     \
    apply(std::int8_t, op) apply(std::uint8_t, op) apply(std::int16_t, op) apply(std::uint16_t, op) \
    apply(std::int32_t, op) apply(std::uint32_t, op) apply(std::int64_t, op) apply(std::uint64_t, op)
#define UPSWEEP_KERNEL_TYPES_FLOAT(apply, op) apply(float, op) apply(double, op)
// apply(T, Op) for every pair with compiled kernels.
#define UPSWEEP_FOR_EACH_KERNEL(apply)                                                              \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, plus) UPSWEEP_KERNEL_TYPES_FLOAT(apply, plus)               \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, multiplies) UPSWEEP_KERNEL_TYPES_FLOAT(apply, multiplies)   \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, minimum) UPSWEEP_KERNEL_TYPES_FLOAT(apply, minimum)         \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, maximum) UPSWEEP_KERNEL_TYPES_FLOAT(apply, maximum)         \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, bit_and) UPSWEEP_KERNEL_TYPES_INTEGER(apply, bit_or)        \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, bit_xor)
// clang-format on

#define UPSWEEP_DECLARE_KERNELS(T, Op)               \
    template <>                                      \
    inline constexpr bool has_kernels<T, Op> = true; \
    template <>                                      \
    const scan_kernels<T, Op>& kernels_for<T, Op>(simd_level level);
UPSWEEP_FOR_EACH_KERNEL(UPSWEEP_DECLARE_KERNELS)
#undef UPSWEEP_DECLARE_KERNELS

}  // namespace upsweep::cpu
