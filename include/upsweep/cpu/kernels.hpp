// The vector kernels of the CPU engine as tables of functions, one table for every SIMD level.
//
// They are compiled once, in the library, for every level of the processor family; which table an executor
// uses is decided when it is made. A kernel works on contiguous elements of the accumulator type; conversion,
// direction and placement are the business of staging.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/simd_level.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/predicates.hpp"
#include "upsweep/types.hpp"

namespace upsweep::cpu {

// How results are stored. Streaming goes past the caches, for results that would be evicted before they are
// read; it becomes visible to other threads only after memory_kernels::fence(), called by the thread that
// streamed.
enum class placement { cached, streamed };

// What is asked for while a kernel scans: as many elements as the call has, from this address up, unless it
// is null. Memory is fastest when reads and writes are under way together. Never read.
struct input_ahead {
    const void* from = nullptr;
    bool far = false;  // to the second-level cache, for what comes after more than the first one holds
};

// How a scan kernel goes over its elements.
struct scan_pass {
    placement where = placement::cached;
    bool exclusive = false;  // y[i] receives the value before element i
    // Element i is x[-i], its result y[-i]: what lies at the highest address comes first.
    bool backwards = false;
    input_ahead ahead{};
    // Results that are streamed leave evenly over the call, where kernels have the choice, not in bursts.
    bool steady = false;
    // Lines of results that caches have are asked for before they are written, by kernels that wait for them.
    bool claims = true;
    // Of segmented scans: no results of a row are stored unless bit i % 64 of wanted[i / 64] is set for an
    // element of it. Null: all are.
    const std::uint64_t* wanted = nullptr;
};

// How a kernel that folds goes over its elements.
struct fold_pass {
    bool backwards = false;  // as in scan_pass
    std::size_t lead = 0;    // how many bytes ahead of what is folded input is asked for; 0: it is not
};

// Sequences side by side, one a lane: element (i, lane) of x is x[i * stride + lane].
template <class T>
struct lane_block {
    const T* x;
    std::ptrdiff_t x_stride;
    T* y;  // may equal x if the strides are equal
    std::ptrdiff_t y_stride;
    std::size_t length;
    std::size_t lanes;  // from the kernels' least_lanes to most_lanes<T>
    bool exclusive;
    placement where;  // streamed: y, y_stride and lanes are multiples of 64 bytes
    // How many bytes ahead of what is scanned vector kernels ask for input, along the runs of neighbouring
    // lanes.
    std::size_t lead = 0;
};
// 16 KiB, and what is left of a row that is a little longer.
template <class T>
inline constexpr std::size_t most_lanes = (16384 + 64) / sizeof(T);

// Sequences one after the other: element (i, sequence) of x is x[sequence * x_pitch + i].
template <class T>
struct strip_block {
    const T* x;
    std::ptrdiff_t x_pitch;
    T* y;  // may equal x if the pitches are equal
    std::ptrdiff_t y_pitch;
    std::size_t length;
    std::size_t count;
    bool exclusive;
    // Whether y[sequence] receives the last result of each, and is no part of x; of fewer elements than a
    // tile.
    bool last_alone = false;
};

// For operators that round. Absent parts are given as the operator's identity, which changes no bit.
template <class T>
struct tree_kernels {
    // Bytes to which the lowest address of the results must be aligned to be streamed (backwards: the address
    // past the highest); 0 if these kernels never stream.
    std::size_t stream_alignment;
    std::size_t group;        // elements that are streamed together; those behind the last group are not
    std::size_t least_lanes;  // that scan_lanes and fold_lanes take; 64 bytes of them are always enough
    // Scan of n elements that begin at a row and do not pass the end of its tile. `rows` is the fold of the
    // rows before them in the tile, and is advanced over all complete rows among them. y may equal x. `last`,
    // unless null, receives the value after the n elements.
    void (*scan_rows)(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows, const scan_pass& pass,
                      T* last);
    // Advances *rows over n elements that begin at a row and do not pass the end of its tile. If they end
    // within a row they are the last: *rows becomes R (+) (V (+) L) of docs/numerics.md.
    void (*fold_rows)(const T* x, std::size_t n, T* rows, const fold_pass& pass);
    // scan_rows for lanes: block.length elements, the first of them at place `done` of its row, where a run
    // begins; they do not pass the end of their tile. runs[lane] is the fold of the runs before them in the
    // row. Both rows and runs are advanced; elements that end within a run are the last of their sequence,
    // and what is left of runs is of no use. All have block.lanes elements.
    void (*scan_lanes)(const lane_block<T>& block, std::size_t done, const T* supers, const T* tiles, T* rows,
                       T* runs);
    // Advances rows and runs over whole runs; reads block.x only.
    void (*fold_lanes)(const lane_block<T>& block, std::size_t done, T* rows, T* runs);
    // Scans every sequence of the block from `start` on.
    void (*scan_strips)(const strip_block<T>& block, T start);
};

// For operators under which every grouping gives the same bits. They commute as well.
template <class T>
struct exact_kernels {
    std::size_t stream_alignment;  // as above
    std::size_t least_lanes;       // as above
    // start (+) x[0] (+) ... (+) x[n-1]
    T (*fold)(const T* x, std::size_t n, T start);
    // Scan of n elements from `start` on; returns the value after them. y may equal x.
    T (*scan)(const T* x, T* y, std::size_t n, T start, const scan_pass& pass);
    // For lanes: carry[lane] is where each starts and where it ends.
    void (*scan_lanes)(const lane_block<T>& block, T* carry);
    // carry[lane] (+) the lane's elements; reads block.x only.
    void (*fold_lanes)(const lane_block<T>& block, T* carry);
    void (*scan_strips)(const strip_block<T>& block, T start);  // as above
};

// What stands to the left of elements of a sequence that starts afresh at its heads, as the operator's
// identity where nothing does.
template <class T>
struct segment_state {
    T supers, tiles, rows;
    bool has_head;  // whether a head has been passed
    T last;         // the value after the last element
};

// For segments. Bit i % 64 of heads[i / 64] tells whether element i starts one; the bits past the last are 0.
template <class T>
struct segmented_kernels {
    // Scan of n elements that begin at a row and do not pass the end of its tile. At a head all of `state` is
    // forgotten; an exclusive scan stores `before` there. y may equal x. Never streams.
    void (*scan_rows)(const T* x, T* y, std::size_t n, const std::uint64_t* heads, segment_state<T>& state,
                      T before, const scan_pass& pass);
    // Advances state.rows and state.has_head over whole rows.
    void (*fold_rows)(const T* x, std::size_t n, const std::uint64_t* heads, segment_state<T>& state,
                      bool backwards);
    // totals[k] = the total of the k-th segment that ends among n elements as above, which has those up to
    // x[ends[k]], that one not among them; the first one begins wherever `state` says. Advances `state` over
    // the complete rows; but for state.last. As many elements are asked for ahead. Made for long segments.
    void (*fold_long)(const T* x, std::size_t n, const std::uint32_t* ends, std::size_t count, T* totals,
                      segment_state<T>& state, const input_ahead& ahead);
};

// For segments under the operators of exact_kernels, up to a tile of elements. Bits as above; those of `ends`
// tell which elements end one.
template <class T>
struct exact_segment_kernels {
    // totals[k] = the fold of the k-th segment that ends among them, of the first one from `running` on,
    // which becomes the fold of what follows, and without an element anything. `totals` has room for 64 more
    // and does not overlap x.
    void (*fold_short)(const T* x, std::size_t n, const std::uint64_t* heads, const std::uint64_t* ends,
                       T* totals, T& running);
    // The same, made for segments longer than vectors. The k-th has the elements up to x[ends[k]], that one
    // not among them.
    void (*fold_long)(const T* x, std::size_t n, const std::uint32_t* ends, std::size_t count, T* totals,
                      T& running);
};

// What stands to the left of maps that are composed: S always, T and R if there are any.
template <class T>
struct affine_state {
    affine_map<T> supers, tiles, rows;
    bool has_tiles, has_rows;
};

// What a coefficient that all maps of a row have in common becomes in the row's tree.
template <class T>
struct row_powers {
    T folds[core::run_size];                  // of an item and those before it in its run
    T runs[core::row_size / core::run_size];  // of the runs before a run, in the kernels' order of runs
    T row;
};

// What stands to the left of recurrences side by side, a lane each: a number of every lane in each array. S
// is a constant map, of which the second component is kept.
template <class T>
struct affine_lanes {
    T *runs_a, *runs_b, *rows_a, *rows_b, *tiles_a, *tiles_b, *supers;
    bool has_runs, has_rows, has_tiles;
};

// Maps of sequences side by side, one a lane: map (i, lane) is a[i * a_stride + lane], b[i * b_stride +
// lane]. Otherwise as lane_block.
template <class T>
struct affine_block {
    const T* a;
    std::ptrdiff_t a_stride;
    const T* b;
    std::ptrdiff_t b_stride;
    T* y;  // may equal a or b if the strides are equal
    std::ptrdiff_t y_stride;
    std::size_t length;
    std::size_t lanes;  // from the kernels' least_lanes to most_lanes<T>
    placement where;
    std::size_t lead = 0;
    bool slow_subnormals = false;  // whether arithmetic on them is, so that it pays to do without
};

// For linear recurrences: maps x -> a x + b, of whose compositions the second components are stored.
template <class T>
struct affine_kernels {
    std::size_t stream_alignment;  // as in tree_kernels
    std::size_t least_lanes;       // as there
    // Scan of n maps that begin at a row and do not pass the end of its tile; advances state.rows over all
    // complete rows. y may equal a or b.
    void (*scan_rows)(const T* a, const T* b, T* y, std::size_t n, affine_state<T>& state,
                      const scan_pass& pass);
    // Advances state.rows over whole rows.
    void (*fold_rows)(const T* a, const T* b, std::size_t n, affine_state<T>& state);
    // Scan of maps that begin at a run and do not pass the end of its row; advances the runs of lanes over
    // complete ones. Maps that end within a run are the last of their sequence.
    void (*scan_lanes)(const affine_block<T>& block, affine_lanes<T>& state);
    // Advances the runs of lanes over whole runs; reads block.a and block.b only.
    void (*fold_lanes)(const affine_block<T>& block, affine_lanes<T>& state);
    // scan_rows and fold_rows where every a is the same.
    void (*make_powers)(T a, row_powers<T>& powers);
    void (*scan_rows_of)(const row_powers<T>& a, const T* b, T* y, std::size_t n, affine_state<T>& state,
                         const scan_pass& pass);
    void (*fold_rows_of)(const row_powers<T>& a, const T* b, std::size_t n, affine_state<T>& state);
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
    // lines[lane * pitch + i] = rows[i * lanes + lane] for i < count, made for few lanes; and back.
    void (*deinterleave[4])(void* lines, std::size_t pitch, const void* rows, std::size_t count,
                            std::size_t lanes);
    void (*interleave[4])(void* rows, const void* lines, std::size_t pitch, std::size_t count,
                          std::size_t lanes);
    // Bit i of bits: whether a bit of word i is set, and whether key i differs from key i - 1 (key -1 is
    // read). Words and keys of 1, 2, 4 and 8 bytes. Bits past `count` in the last word are 0.
    void (*mark_nonzero[4])(const void* words, std::size_t count, std::uint64_t* bits);
    void (*mark_changes[4])(const void* keys, std::size_t count, std::uint64_t* bits);
    void (*float_from_float16)(float* dst, const void* src, std::size_t count);
    void (*float_from_bfloat16)(float* dst, const void* src, std::size_t count);
    void (*float16_from_float)(void* dst, const float* src, std::size_t count);
    void (*bfloat16_from_float)(void* dst, const float* src, std::size_t count);
};
const memory_kernels& memory_kernels_for(simd_level level);

// Compaction.
struct compress_kernels {
    // How many bits are set in so many words.
    std::size_t (*count)(const std::uint64_t* bits, std::size_t words);
    // Elements of 1, 2, 4 and 8 bytes:
    // dst[0], dst[1], ... = the src[i], i < count, of which bit i % 64 of bits[i / 64] is set, `room` of them
    // at most; returns how many. Writes nothing past dst[room - 1]. dst may lie in front of src or be it.
    std::size_t (*compress[4])(void* dst, std::size_t room, const void* src, const std::uint64_t* bits,
                               std::size_t count);
};
const compress_kernels& compress_kernels_for(simd_level level);

// Where segments begin.
struct head_kernels {
    // places[k] = the number of the k-th bit that is set. Returns how many are; there is room for 4 more.
    std::size_t (*list)(const std::uint64_t* bits, std::size_t words, std::uint32_t* places);
    // Signed integers of 4 and 8 bytes: whether none of n is negative or below the one before it.
    bool (*ascend[2])(const void* numbers, std::size_t n);
};
const head_kernels& head_kernels_for(simd_level level);

// Elements repeated.
struct repeated {
    std::size_t elements;  // of which the last result has been written
    std::size_t results;
};
struct repeat_kernels {
    // Counts of 1, 2, 4 and 8 bytes: their sum modulo 2^64, as unsigned numbers; *any receives every bit that
    // one of them has.
    std::uint64_t (*sum[4])(const void* counts, std::size_t n, std::uint64_t* any);
    // to[i] = counts[i]
    void (*widen[4])(std::uint64_t* to, const void* counts, std::size_t n);
    // Elements of 1, 2, 4 and 8 bytes:
    // dst[0], dst[1], ... = src[0] counts[0] times, src[1] counts[1] times, ..., src[n - 1], `room` results
    // at most. Of an element that is not done the count becomes how often it is still to be written. Writes
    // nothing past dst[room - 1].
    repeated (*repeat[4])(void* dst, std::size_t room, const void* src, std::uint64_t* counts, std::size_t n);
};
const repeat_kernels& repeat_kernels_for(simd_level level);

// Bit i % 64 of bits[i / 64], i < count: whether x[i] compares so with the value; the bits past them in the
// last word are 0.
template <class T>
using compare_kernel = void (*)(const T* x, std::size_t count, const compared_with<T>& with,
                                std::uint64_t* bits);
template <class T>
compare_kernel<T> compare_kernel_for(simd_level level);

#define UPSWEEP_FOR_EACH_COMPARED(apply)                                                                \
    apply(std::int8_t) apply(std::uint8_t) apply(std::int16_t) apply(std::uint16_t) apply(std::int32_t) \
        apply(std::uint32_t) apply(std::int64_t) apply(std::uint64_t) apply(float) apply(double)
// The types for which there are such kernels.
template <class T>
inline constexpr bool has_compare_kernel = false;
#define UPSWEEP_DECLARE_COMPARE(T)                      \
    template <>                                         \
    inline constexpr bool has_compare_kernel<T> = true; \
    template <>                                         \
    compare_kernel<T> compare_kernel_for<T>(simd_level level);
UPSWEEP_FOR_EACH_COMPARED(UPSWEEP_DECLARE_COMPARE)
#undef UPSWEEP_DECLARE_COMPARE

// clang-format off
#define UPSWEEP_KERNEL_TYPES_INTEGER(apply, op)                                                     \
    apply(std::int8_t, op) apply(std::uint8_t, op) apply(std::int16_t, op) apply(std::uint16_t, op) \
    apply(std::int32_t, op) apply(std::uint32_t, op) apply(std::int64_t, op) apply(std::uint64_t, op)
#define UPSWEEP_KERNEL_TYPES_FLOAT(apply, op) apply(float, op) apply(double, op)
// apply(T, Op) for every pair with compiled kernels.
#define UPSWEEP_FOR_EACH_KERNEL(apply) \
    UPSWEEP_FOR_EACH_EXACT_KERNEL(apply) \
    UPSWEEP_KERNEL_TYPES_FLOAT(apply, plus) UPSWEEP_KERNEL_TYPES_FLOAT(apply, multiplies)
// Those with exact_kernels.
#define UPSWEEP_FOR_EACH_EXACT_KERNEL(apply)                                                        \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, plus) UPSWEEP_KERNEL_TYPES_INTEGER(apply, multiplies)       \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, minimum) UPSWEEP_KERNEL_TYPES_FLOAT(apply, minimum)         \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, maximum) UPSWEEP_KERNEL_TYPES_FLOAT(apply, maximum)         \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, bit_and) UPSWEEP_KERNEL_TYPES_INTEGER(apply, bit_or)        \
    UPSWEEP_KERNEL_TYPES_INTEGER(apply, bit_xor)
// clang-format on

// The lanes in which segments of T are summed: integers modulo 2^k in the unsigned lane that is wide enough.
template <class T>
using segmented_lane = std::conditional_t<std::is_floating_point_v<T>, T,
                                          std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;
// The pairs for which there are segmented kernels.
template <class T, class Op>
inline constexpr bool has_segmented_kernels = has_kernels<T, Op> &&
                                              (std::is_same_v<Op, plus> ||
                                               (std::is_same_v<Op, multiplies> && !is_exact<Op, T>));
// For T and Op of segmented_lane.
template <class T, class Op>
const segmented_kernels<T>& segmented_kernels_for(simd_level level);

// For every pair with exact_kernels.
template <class T, class Op>
const exact_segment_kernels<T>& exact_segment_kernels_for(simd_level level);

// For float and double.
template <class T>
const affine_kernels<T>& affine_kernels_for(simd_level level);

#define UPSWEEP_DECLARE_KERNELS(T, Op)               \
    template <>                                      \
    inline constexpr bool has_kernels<T, Op> = true; \
    template <>                                      \
    const scan_kernels<T, Op>& kernels_for<T, Op>(simd_level level);
UPSWEEP_FOR_EACH_KERNEL(UPSWEEP_DECLARE_KERNELS)
#undef UPSWEEP_DECLARE_KERNELS

#define UPSWEEP_FOR_EACH_SEGMENTED_KERNEL(apply)                                                 \
    apply(std::uint32_t, plus) apply(std::uint64_t, plus) apply(float, plus) apply(double, plus) \
        apply(float, multiplies) apply(double, multiplies)
#define UPSWEEP_DECLARE_SEGMENTED(T, Op) \
    template <>                          \
    const segmented_kernels<T>& segmented_kernels_for<T, Op>(simd_level level);
UPSWEEP_FOR_EACH_SEGMENTED_KERNEL(UPSWEEP_DECLARE_SEGMENTED)
#undef UPSWEEP_DECLARE_SEGMENTED
#define UPSWEEP_DECLARE_EXACT_SEGMENTS(T, Op) \
    template <>                               \
    const exact_segment_kernels<T>& exact_segment_kernels_for<T, Op>(simd_level level);
UPSWEEP_FOR_EACH_EXACT_KERNEL(UPSWEEP_DECLARE_EXACT_SEGMENTS)
#undef UPSWEEP_DECLARE_EXACT_SEGMENTS
template <>
const affine_kernels<float>& affine_kernels_for<float>(simd_level level);
template <>
const affine_kernels<double>& affine_kernels_for<double>(simd_level level);

}  // namespace upsweep::cpu
