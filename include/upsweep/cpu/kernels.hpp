// The vector kernels of the CPU engine as tables of functions, one table for every SIMD level.
//
// They are compiled once, in the library, for every level of the processor family; which table an executor uses is
// decided when it is made. A kernel works on contiguous elements of the accumulator type; conversion, direction
// and placement are the business of staging.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/concepts.hpp"
#include "upsweep/cpu/simd_level.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::cpu {

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
    bool streaming;  // store past the caches; y and y_stride are then multiples of 64 bytes
};
template <class T>
inline constexpr std::size_t most_lanes = 4096 / sizeof(T);

// For operators that round. Absent parts are given as the operator's identity, which changes no bit.
template <class T>
struct tree_kernels {
    // Totals of `tile_count` complete tiles from x on.
    void (*tile_totals)(const T* x, std::size_t tile_count, T* totals);
    // Inclusive scan of n elements that begin at a row and do not pass the end of its tile. `rows` is the fold of
    // the rows before them in the tile, and is advanced over all complete rows among them. y may equal x.
    void (*scan_rows)(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows);
    // The same for lanes: block.length elements that begin at a row and do not pass the end of its tile. supers,
    // tiles and rows have block.lanes elements.
    void (*scan_lanes)(const lane_block<T>& block, const T* supers, const T* tiles, T* rows);
    // rows[lane] of one complete tile, from the identity on; reads block.x only.
    void (*lane_totals)(const lane_block<T>& block, T* rows);
};

// For operators under which every grouping gives the same bits.
template <class T>
struct exact_kernels {
    // start (+) x[0] (+) ... (+) x[n-1]
    T (*fold)(const T* x, std::size_t n, T start);
    // y[i] = start (+) x[0] (+) ... (+) x[i]; returns the last of them. y may equal x.
    T (*scan)(const T* x, T* y, std::size_t n, T start);
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
    // Past the caches, for results that would be evicted before they are read. `bytes` is a count of bytes. What was
    // streamed is visible to other threads only after fence(), called by the thread that streamed.
    void (*stream)(void* dst, const void* src, std::size_t bytes);
    void (*fence)();
    // Elements of 1, 2, 4 and 8 bytes.
    void (*reverse[4])(void* dst, const void* src, std::size_t count);
    // dst[column * dst_stride + row] = src[row * src_stride + column]
    void (*transpose[4])(void* dst, std::ptrdiff_t dst_stride, const void* src, std::ptrdiff_t src_stride, std::size_t rows,
                         std::size_t columns);
    void (*float_from_float16)(float* dst, const void* src, std::size_t count);
    void (*float_from_bfloat16)(float* dst, const void* src, std::size_t count);
    void (*float16_from_float)(void* dst, const float* src, std::size_t count);
    void (*bfloat16_from_float)(void* dst, const float* src, std::size_t count);
};
const memory_kernels& memory_kernels_for(simd_level level);

#define UPSWEEP_KERNEL_TYPES_INTEGER(apply, op) \
    apply(std::int8_t, op) apply(std::uint8_t, op) apply(std::int16_t, op) apply(std::uint16_t, op) \
    apply(std::int32_t, op) apply(std::uint32_t, op) apply(std::int64_t, op) apply(std::uint64_t, op)
#define UPSWEEP_KERNEL_TYPES_FLOAT(apply, op) apply(float, op) apply(double, op)
// apply(T, Op) for every pair with compiled kernels.
#define UPSWEEP_FOR_EACH_KERNEL(apply) \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, plus) UPSWEEP_KERNEL_TYPES_FLOAT(apply, plus) \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, multiplies) UPSWEEP_KERNEL_TYPES_FLOAT(apply, multiplies) \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, minimum) UPSWEEP_KERNEL_TYPES_FLOAT(apply, minimum) \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, maximum) UPSWEEP_KERNEL_TYPES_FLOAT(apply, maximum) \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, bit_and) UPSWEEP_KERNEL_TYPES_INTEGER(apply, bit_or) \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, bit_xor)

#define UPSWEEP_DECLARE_KERNELS(T, Op)               \
    template <>                                      \
    inline constexpr bool has_kernels<T, Op> = true; \
    template <>                                      \
    const scan_kernels<T, Op>& kernels_for<T, Op>(simd_level level);
UPSWEEP_FOR_EACH_KERNEL(UPSWEEP_DECLARE_KERNELS)
#undef UPSWEEP_DECLARE_KERNELS

}  // namespace upsweep::cpu
