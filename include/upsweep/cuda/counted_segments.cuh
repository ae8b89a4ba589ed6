// Scans of values in segments that count the segments, and what such a scan tells of those that begin.
//
// What stands to the left of a segment's first element is all of the segment before it: its total, and how
// many segments there are up to it, which is where the total belongs. Nothing else is asked of the scan, so
// that rows in which no segment begins are passed over once they are summed.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/runs.cuh"

namespace upsweep::cuda {

// A value, and how many segments begin in what it combines. `Wide`: that may be 2^32 or more.
template <class T, bool Wide>
struct counted_value {
    using count = std::conditional_t<Wide || sizeof(T) % 8 == 0, std::uint64_t, std::uint32_t>;
    T value;
    count heads;
};
template <class Op>
struct in_counted_segments {
    Op op;
};

template <class Op, class T, bool Wide>
inline constexpr bool is_neutral<in_counted_segments<Op>, counted_value<T, Wide>> = is_neutral<Op, T>;
template <class Op, class T, bool Wide>
inline constexpr bool is_free<in_counted_segments<Op>, counted_value<T, Wide>> = is_free<Op, T>;
template <class T, bool Wide>
inline constexpr bool folds_in_loops<counted_value<T, Wide>> = true;

// (v1, k1) (+) (v2, k2) = (k2 > 0 ? v2 : v1 (+) v2, k1 + k2)
template <class T, bool Wide, class Op>
struct combiner<counted_value<T, Wide>, in_counted_segments<Op>> {
    using Acc = counted_value<T, Wide>;
    in_counted_segments<Op> op;
    bool swap;

    __device__ __forceinline__ Acc operator()(const Acc& a, const Acc& b) const {
        const combiner<T, Op> inner{op.op, false};
        return {b.heads != 0 ? b.value : inner(a.value, b.value), a.heads + b.heads};
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
};

// Run totals of a tile of rows of `Row` elements: values, and behind them the counts of each line.
template <class T, bool Wide, int Row>
struct counted_totals {
    using Acc = counted_value<T, Wide>;
    using values = run_totals<T>;
    using narrow = std::conditional_t<Row <= 255, std::uint8_t, std::uint16_t>;
    static constexpr int line = values::line + 32 * int(sizeof(narrow));
    static_assert(line % values::pad == 0);
    char* data;

    __device__ __forceinline__ narrow& heads(int row, int run) const {
        return reinterpret_cast<narrow*>(data + row * line + values::line)[run];
    }
    __device__ __forceinline__ values of_row(int row) const { return {data + row * line}; }
    __device__ __forceinline__ Acc load(int row, int run) const {
        return {of_row(row).load(0, run), heads(row, run)};
    }
    __device__ __forceinline__ void store(int row, int run, const Acc& total) const {
        of_row(row).store(0, run, total.value);
        heads(row, run) = static_cast<narrow>(total.heads);
    }
};
template <class T, bool Wide, int Row, class Op>
__device__ __forceinline__ void set_runs(
    const combiner<counted_value<T, Wide>, in_counted_segments<Op>>& combine,
    const counted_totals<T, Wide, Row>& totals, int row, int lane, left_parts<counted_value<T, Wide>>& left) {
    set_part(
        combine, lane > 0, [&] { return totals.load(row, lane - 1); }, left.runs, left.has_runs);
}
// stored(run, fold) of every run of a row. Returns the row's total.
template <class T, bool Wide, int Row, class Op, class Stored>
__device__ __forceinline__ counted_value<T, Wide> fold_counted(
    const combiner<counted_value<T, Wide>, in_counted_segments<Op>>& combine,
    const counted_totals<T, Wide, Row>& totals, int row, const Stored& stored) {
    using Acc = counted_value<T, Wide>;
    constexpr int batch = fold_batch<Acc>;
    Acc sum{};
#pragma unroll 1
    for (int first = 0; first < 32; first += batch) {
        Acc x[batch];
#pragma unroll
        for (int j = 0; j < batch; ++j) x[j] = totals.load(row, first + j);
#pragma unroll
        for (int j = 0; j < batch; ++j) {
            sum = first + j == 0 ? x[0] : combine(sum, x[j]);
            stored(first + j, sum);
        }
    }
    return sum;
}
template <class T, bool Wide, int Row, class Op>
__device__ __forceinline__ counted_value<T, Wide> fold_runs(
    const combiner<counted_value<T, Wide>, in_counted_segments<Op>>& combine,
    const counted_totals<T, Wide, Row>& totals, int row) {
    return fold_counted(combine, totals, row, [&](int run, const auto& sum) { totals.store(row, run, sum); });
}
template <class T, bool Wide, int Row, class Op>
__device__ __forceinline__ counted_value<T, Wide> fold_row(
    const combiner<counted_value<T, Wide>, in_counted_segments<Op>>& combine,
    const counted_totals<T, Wide, Row>& totals, int row) {
    return fold_counted(combine, totals, row, [](int, const auto&) {});
}

// Left folds over the lanes of a warp, of values from the last lane with a head on. Where all have one there
// is nothing to fold.
template <class T, bool Wide, class Op>
__device__ __forceinline__ counted_value<T, Wide> fold_lanes(
    const combiner<counted_value<T, Wide>, in_counted_segments<Op>>& combine, const counted_value<T, Wide>& x,
    int lane) requires(!is_free<Op, T>) {
    counted_value<T, Wide> fold = x;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const auto left = shuffle_up(fold.heads, distance);
        if (lane >= distance) fold.heads += left;
    }
    const unsigned headed = __ballot_sync(0xffffffffu, x.heads != 0);
    if ((headed | 1u) == 0xffffffffu) return fold;
    const combiner<T, Op> inner{combine.op.op, false};
    fold.value = shuffle(x.value, 0);
    // Shuffles do not wait for each other.
#pragma unroll(sizeof(T) > 8 ? 4 : 8)
    for (int j = 1; j < 32; ++j) {
        const T next = shuffle(x.value, j);
        if (j <= lane) fold.value = (headed >> j & 1) != 0 ? next : inner(fold.value, next);
    }
    return fold;
}

namespace detail {

// What stands to the left of a run and counts in it: what is there, and behind the last head.
template <class T, bool Wide, class Op>
struct segment_left {
    using Acc = counted_value<T, Wide>;
    combiner<T, Op> inner;
    const left_parts<Acc>& left;
    bool supers, tiles, rows, runs;

    __device__ __forceinline__ segment_left(const combiner<Acc, in_counted_segments<Op>>& combine,
                                            const left_parts<Acc>& parts)
        : inner{combine.op.op, false}, left(parts) {
        const bool after_runs = left.has_runs && left.runs.heads != 0;
        const bool after_rows = after_runs || (left.has_rows && left.rows.heads != 0);
        const bool after_tiles = after_rows || (left.has_tiles && left.tiles.heads != 0);
        runs = left.has_runs;
        rows = left.has_rows && !after_runs;
        tiles = left.has_tiles && !after_rows;
        supers = left.has_supers && !after_tiles;
    }
    // How many segments begin there.
    __device__ __forceinline__ typename Acc::count heads() const {
        return (left.has_supers ? left.supers.heads : 0) + (left.has_tiles ? left.tiles.heads : 0) +
               (left.has_rows ? left.rows.heads : 0) + (left.has_runs ? left.runs.heads : 0);
    }
    // All of it (+) x, if there is an x; without either anything.
    __device__ __forceinline__ T join(bool present, T x) const {
        const auto take = [&](bool counts, const T& part) {
            if (counts) x = present ? inner(part, x) : part;
            present = present || counts;
        };
        take(runs, left.runs.value);
        take(rows, left.rows.value);
        take(tiles, left.tiles.value);
        take(supers, left.supers.value);
        return x;
    }
};

// By all lanes of a warp, of a row: stores what arguments.store keeps of the segments that begin in it.
// Element m of a lane's run does if bit m of `heads` says so, value(m) is its value, visit(m, f) calls f with
// the elements themselves. If the scan's last element is element `last` of the run, tells of the end too.
// What is kept is packed in `image`, shared memory of the warp, so that lanes store what lies together.
template <class Types, class Arguments, class T, bool Wide, class Op, class Value, class Visit>
__device__ __forceinline__ void keep_segments(
    const Arguments& arguments, const combiner<counted_value<T, Wide>, in_counted_segments<Op>>& combine,
    const left_parts<counted_value<T, Wide>>& left, unsigned heads, int last, char* image, int lane,
    const Value& value, const Visit& visit) {
    constexpr int items = Types::items;
    const typename Types::Store::template packed<Types::row> packed{image};
    const segment_left<T, Wide, Op> before(combine, left);
    const int runs =
        left.has_runs ? int(left.runs.heads) : 0;  // segments that begin in the row's earlier runs
    const std::uint64_t earlier = before.heads() - unsigned(runs);  // and in front of the row
    if (heads != 0 || last >= 0) {
        // Only a run's first segment has something to its left.
        const int first_head = heads != 0 ? __ffs(int(heads)) - 1 : items;
        T own{};
#pragma unroll
        for (int m = 0; m < items; ++m)
            if (m < first_head && (last < 0 || m <= last))
                own = m > 0 ? before.inner(own, value(m)) : value(m);
        T total = before.join(first_head > 0, own);
        int at = runs;
#pragma unroll
        for (int m = 0; m < items; ++m) {
            if ((heads >> m & 1) != 0) {
                visit(m, [&](const auto&... in) { packed.put(at, total, in...); });
                ++at;
                total = value(m);
            } else if (m > first_head) {
                total = before.inner(total, value(m));
            }
            if (m == last) arguments.store.finish(earlier + unsigned(at), total);
        }
    }
    __syncwarp();
    const int count = __shfl_sync(0xffffffffu, runs + __popc(heads), 31);
#pragma unroll 1
    for (int k = lane; k < count; k += 32) arguments.store.put(earlier + unsigned(k), packed, k);
    __syncwarp();
}
// The same of runs in registers.
template <class Types, class Arguments, class Combine>
__device__ __forceinline__ void keep_segments(const Arguments& arguments, const Combine& combine,
                                              const left_parts<typename Types::Acc>& left, int last,
                                              char* image, int lane, const typename Types::Raw& raw) {
    typename Types::Acc x[Types::items];
    load_accumulators<typename Types::Total>(raw, arguments.load, false, x);
    keep_segments<Types>(
        arguments, combine, left, raw.heads, last, image, lane, [&](int m) { return x[m].value; },
        [&](int m, const auto& f) { raw.own.element(m, f); });
}

// Where in a lane's run the scan's last element is, if it is in this row; else -1.
template <int Items>
__device__ __forceinline__ int last_of_run(bool in_row, int valid, int lane) {
    const int last = valid - 1 - lane * Items;
    return in_row && last >= 0 && last < Items ? last : -1;
}

}  // namespace detail

}  // namespace upsweep::cuda
