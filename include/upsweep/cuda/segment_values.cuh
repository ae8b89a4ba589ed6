// Elements in segments as what a scan combines: pairs of a value and whether a segment begins in it, their
// operator, and the totals of their runs. The engine knows of segments only that each element has a bit
// (raw_run_in_segments), which it asks Types::Heads for, and that an exclusive scan stores something else at
// one that begins a segment (combiner::exclusive).
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/runs.cuh"

namespace upsweep::cuda {

// What is scanned: a value, and whether a segment begins in what it combines. The second is as wide as the
// first where that leaves no padding.
template <class T>
struct segment_value {
    T value;
    std::conditional_t<sizeof(T) % 8 == 0, std::uint64_t, std::uint32_t> head;
};
template <class Op>
struct in_segments {
    Op op;
};

template <class Op, class T>
inline constexpr bool is_neutral<in_segments<Op>, segment_value<T>> = is_neutral<Op, T>;
template <class Op, class T>
inline constexpr bool is_free<in_segments<Op>, segment_value<T>> = is_free<Op, T>;
// 2^28 floats took 1.12 times as long without (H200).
template <class T>
inline constexpr bool folds_in_loops<segment_value<T>> = true;

// (h1, v1) (+) (h2, v2) = (h1 or h2, h2 ? v2 : v1 (+) v2), of which only the inner operands are swapped.
template <class T, class Op>
struct combiner<segment_value<T>, in_segments<Op>> {
    using Acc = segment_value<T>;
    in_segments<Op> op;
    bool swap;

    __device__ __forceinline__ Acc operator()(const Acc& a, const Acc& b) const {
        const combiner<T, Op> inner{op.op, swap};
        return {b.head != 0 ? b.value : inner(a.value, b.value), a.head | b.head};
    }
    __device__ __forceinline__ Acc join(bool present, const Acc& a, const Acc& b) const {
        if constexpr (is_neutral<Op, T>)
            return (*this)(present ? a : identity(), b);
        else
            return present ? (*this)(a, b) : b;
    }
    __device__ __forceinline__ static Acc identity() requires is_neutral<Op, T> {
        return {combiner<T, Op>::identity(), 0};
    }
    __device__ __forceinline__ Acc exclusive(const Acc& before, const Acc& own, const Acc& start) const {
        return own.head != 0 ? start : before;
    }
};

// Run totals of a tile: values, and in the padding of each line a bit for each run, whether it has a head. Of
// the folds that replace them the bits tell as much, so that they stay.
template <class T>
struct segment_totals {
    using values = run_totals<T>;
    static constexpr int line = values::line;
    static_assert(values::pad >= 4);
    char* data;

    __device__ __forceinline__ std::uint32_t& heads(int row) const {
        return *reinterpret_cast<std::uint32_t*>(data + row * line + 32 * values::value_bytes);
    }
    // By all lanes of a warp, the runs of a row.
    __device__ __forceinline__ void store(int row, int run, const segment_value<T>& total) const {
        values{data}.store(row, run, total.value);
        const unsigned bits = __ballot_sync(0xffffffffu, total.head != 0);
        if (run == 0) heads(row) = bits;
    }
};
// Without a branch: of the bits, those of lanes to the left are taken in any case.
template <class T, class Op>
__device__ __forceinline__ void set_runs(const combiner<segment_value<T>, in_segments<Op>>& combine,
                                         const segment_totals<T>& totals, int row, int lane,
                                         left_parts<segment_value<T>>& left) {
    const typename segment_totals<T>::values values{totals.data};
    set_part(
        combiner<T, Op>{combine.op.op, combine.swap}, lane > 0, [&] { return values.load(row, lane - 1); },
        left.runs.value, left.has_runs);
    left.runs.head = (totals.heads(row) & ~(0xffffffffu << lane)) != 0;
}

// stored(run, fold) of every run of a row. Returns the row's total.
template <class T, class Op, class Stored>
__device__ __forceinline__ segment_value<T> fold_segments(const combiner<T, Op>& combine,
                                                          const segment_totals<T>& totals, int row,
                                                          const Stored& stored) {
    const typename segment_totals<T>::values values{totals.data};
    const std::uint32_t heads = totals.heads(row);
    constexpr int batch = fold_batch<segment_value<T>>;
    T sum{};
#pragma unroll 1
    for (int first = 0; first < 32; first += batch) {
        T x[batch];
#pragma unroll
        for (int j = 0; j < batch; ++j) x[j] = values.load(row, first + j);
#pragma unroll
        for (int j = 0; j < batch; ++j) {
            const bool begins = first + j == 0 || (heads >> (first + j) & 1) != 0;
            sum = begins ? x[j] : combine(sum, x[j]);
            stored(first + j, sum);
        }
    }
    return {sum, heads != 0};
}
template <class T, class Op>
__device__ __forceinline__ segment_value<T> fold_runs(
    const combiner<segment_value<T>, in_segments<Op>>& combine, const segment_totals<T>& totals, int row) {
    const typename segment_totals<T>::values values{totals.data};
    return fold_segments(combiner<T, Op>{combine.op.op, combine.swap}, totals, row,
                         [&](int run, const T& sum) { values.store(row, run, sum); });
}
// The totals stay as they are.
template <class T, class Op>
__device__ __forceinline__ segment_value<T> fold_row(
    const combiner<segment_value<T>, in_segments<Op>>& combine, const segment_totals<T>& totals, int row) {
    return fold_segments(combiner<T, Op>{combine.op.op, combine.swap}, totals, row, [](int, const T&) {});
}

// Every part to the left counts up to the first head between it and x. That is the same for all elements of a
// run, so that an element costs four operations and a choice.
template <class T, class Op>
__device__ __forceinline__ segment_value<T> join_left(
    const combiner<segment_value<T>, in_segments<Op>>& combine, const left_parts<segment_value<T>>& left,
    const segment_value<T>& x) {
    const combiner<T, Op> inner{combine.op.op, combine.swap};
    const bool after_runs = left.has_runs && left.runs.head != 0;
    const bool after_rows = after_runs || (left.has_rows && left.rows.head != 0);
    const bool after_tiles = after_rows || (left.has_tiles && left.tiles.head != 0);
    const bool after_supers = after_tiles || (left.has_supers && left.supers.head != 0);
    T value = inner.join(left.has_runs, left.runs.value, x.value);
    value = inner.join(left.has_rows && !after_runs, left.rows.value, value);
    value = inner.join(left.has_tiles && !after_rows, left.tiles.value, value);
    value = inner.join(left.has_supers && !after_tiles, left.supers.value, value);
    return {x.head != 0 ? x.value : value, x.head | (after_supers ? 1u : 0u)};
}

namespace detail {

// An element as a pair: in the caller's accumulator type, Nominal, then in the register's.
template <class Nominal, class T, class Op>
struct load_in_segment {
    Op op;
    bool swap;
    bool has_initial;
    T initial;

    template <class In>
    __device__ __forceinline__ segment_value<T> operator()(const In& x, bool head) const {
        T value = convert<T>(convert<Nominal>(x));
        if (has_initial && head) value = combiner<T, Op>{op, swap}(initial, value);
        return {value, head};
    }
};
template <class Nominal>
struct value_in_segment {
    template <class T>
    __device__ __forceinline__ Nominal operator()(const segment_value<T>& x) const {
        return convert<Nominal>(x.value);
    }
};

template <class Acc, class In, class Out, class Op, class HeadsType>
struct segmented_types
    : scan_types<segment_value<register_type<Acc, Op>>, in_segments<Op>, Out,
                 segment_value<register_type<Acc, Op>>, load_in_segment<Acc, register_type<Acc, Op>, Op>,
                 value_in_segment<Acc>, In> {
    static constexpr bool has_heads = true;
    using Heads = HeadsType;
    using Raw = raw_run_in_segments<segmented_types::items, In>;
    using tile_runs = segment_totals<register_type<Acc, Op>>;
};

}  // namespace detail

}  // namespace upsweep::cuda
