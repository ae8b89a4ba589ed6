// What the kernels of an axis scan are given, and what all of them do with elements.
#pragma once

#include <cstdint>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/runs.cuh"

namespace upsweep::cuda {

// `scan.in` and `scan.out` point to the first element of the first sequence, in scan order; scan.n is the
// length of a sequence. The strides have the direction of the scan; scan.reverse says that operands change
// sides.
template <class Types>
struct axis_arguments {
    scan_arguments<Types> scan;
    core::axis_geometry geometry;
};

namespace detail {

template <class Types>
using axis_input = typename Types::template In<0>;

template <class Types>
__device__ __forceinline__ typename Types::Acc load_accumulator(const axis_input<Types>& x) {
    return convert<typename Types::Acc>(convert<typename Types::Total>(x));
}
template <class Types>
__device__ __forceinline__ typename Types::Out make_result(const typename Types::Acc& x) {
    return convert<typename Types::Out>(convert<typename Types::Total>(x));
}

// Elements of a lane's run; the tree's, as lanes gain nothing from longer ones.
inline constexpr int lane_run = int(core::run_size);
inline constexpr int lane_row = int(core::row_size);

// One sequence by one lane: the tree's accumulators, to which it adds run by run. All lanes of a warp stand
// at the same position, so that whether a part is there is the same for all.
template <class Types>
struct lane_state {
    using Acc = typename Types::Acc;
    using Op = typename Types::Op;

    combiner<Acc, Op> combine;
    left_parts<Acc> left;
    std::uint64_t runs = 0;  // of four elements

    __device__ __forceinline__ explicit lane_state(const scan_arguments<Types>& arguments)
        : combine(arguments.combine()) {
        begin(arguments);
    }
    // Another sequence.
    __device__ __forceinline__ void begin(const scan_arguments<Types>& arguments) {
        runs = 0;
        set_part(
            combine, arguments.has_initial, [&] { return arguments.initial_value(); }, left.supers,
            left.has_supers);
        clear(left.tiles, left.has_tiles);
        clear(left.rows, left.has_rows);
        clear(left.runs, left.has_runs);
    }
    // Elements to results, in place; a part-filled run is the sequence's last. `First`: of the sequence's
    // first row, and there is no initial value.
    template <bool Exclusive, bool First = false>
    __device__ __forceinline__ void scan(const Acc& start, Acc (&x)[lane_run]) {
        const Acc total = fold_run(combine, x);
        if constexpr (First) {
            scan_first_row<Exclusive>(start, x);
        } else {
            scan_run<Exclusive>(combine, left, start, x);
        }
        append(left.runs, left.has_runs, total);
    }
    __device__ __forceinline__ void add(const Acc (&x)[lane_run]) {
        append(left.runs, left.has_runs, fold_run(combine, x));
    }
    // After every `count` runs, which make no more than a row and divide it.
    __device__ __forceinline__ void count_runs(unsigned count) {
        runs += count;
        // Where operands may be grouped freely, everything stays in the innermost part.
        if constexpr (!is_free<Op, Acc>) {
            if (runs % 32 != 0) return;
            carry(left.runs, left.has_runs, left.rows, left.has_rows);
            if (runs % 1024 != 0) return;
            carry(left.rows, left.has_rows, left.tiles, left.has_tiles);
            if (runs % 32768 != 0) return;
            carry(left.tiles, left.has_tiles, left.supers, left.has_supers);
        }
    }

  private:
    // What scan_run() does where runs are the only part that may be there, which the compiler is told.
    template <bool Exclusive>
    __device__ __forceinline__ void scan_first_row(const Acc& start, Acc (&x)[lane_run]) const {
        Acc within = x[0];
        if constexpr (Exclusive) {
            if constexpr (is_neutral<Op, Acc>)
                x[0] = combine(start, left.runs);
            else
                x[0] = left.has_runs ? left.runs : start;
        } else {
            x[0] = combine.join(left.has_runs, left.runs, x[0]);
        }
#pragma unroll
        for (int m = 1; m < lane_run; ++m) {
            const Acc next = combine(within, x[m]);
            x[m] = combine.join(left.has_runs, left.runs, Exclusive ? within : next);
            within = next;
        }
    }
    __device__ __forceinline__ void clear(Acc& part, bool& has) const {
        set_part(
            combine, false, [&] { return part; }, part, has);
    }
    __device__ __forceinline__ void append(Acc& part, bool& has, const Acc& total) const {
        part = combine.join(has, part, total);
        has = true;
    }
    __device__ __forceinline__ void carry(Acc& from, bool& has_from, Acc& to, bool& has_to) const {
        append(to, has_to, from);
        clear(from, has_from);
    }
};

// One row of the tree or less, `count` elements `in_stride` apart, straight from memory: results are stored
// if `store` says so. `x` and `y` may be the same memory.
template <bool Exclusive, class Types>
__device__ __forceinline__ void scan_row_of_lane(const scan_arguments<Types>& arguments,
                                                 lane_state<Types>& state, const axis_input<Types>* x,
                                                 std::int64_t in_stride, typename Types::Out* y,
                                                 std::int64_t out_stride, int count, bool store) {
    using In = axis_input<Types>;
    using Acc = typename Types::Acc;
    // Elements whose loads are under way at once.
    constexpr int batch = sizeof(In) <= 4 ? 16 : sizeof(In) <= 8 ? 8 : lane_run;
    const Acc start = static_cast<Acc>(arguments.start);
    int done = 0;
#pragma unroll 1
    for (; done + batch <= count; done += batch) {
        In raw[batch];
#pragma unroll
        for (int m = 0; m < batch; ++m) raw[m] = x[m * in_stride];
        x += batch * in_stride;
#pragma unroll
        for (int r = 0; r < batch; r += lane_run) {
            Acc own[lane_run];
#pragma unroll
            for (int m = 0; m < lane_run; ++m) own[m] = load_accumulator<Types>(raw[r + m]);
            state.template scan<Exclusive>(start, own);
            if (store) {
#pragma unroll
                for (int m = 0; m < lane_run; ++m) y[(r + m) * out_stride] = make_result<Types>(own[m]);
            }
        }
        y += batch * out_stride;
        state.count_runs(batch / lane_run);
    }
    // What is left is the end of the sequence. Its last element stands for those that a run lacks, so that
    // operators meet no other values.
#pragma unroll 1
    for (; done < count; done += lane_run) {
        const int last = count - done - 1;
        Acc own[lane_run];
#pragma unroll
        for (int m = 0; m < lane_run; ++m)
            own[m] = load_accumulator<Types>(x[(m < last ? m : last) * in_stride]);
        x += lane_run * in_stride;
        state.template scan<Exclusive>(start, own);
        if (store) {
#pragma unroll
            for (int m = 0; m < lane_run; ++m)
                if (m <= last) y[m * out_stride] = make_result<Types>(own[m]);
        }
        y += lane_run * out_stride;
    }
}

// The total of one full row of the tree, straight from memory.
template <class Types>
__device__ __forceinline__ typename Types::Acc sum_row_of_lane(const scan_arguments<Types>& arguments,
                                                               const axis_input<Types>* x,
                                                               std::int64_t in_stride) {
    using In = axis_input<Types>;
    using Acc = typename Types::Acc;
    constexpr int batch = sizeof(In) <= 4 ? 16 : sizeof(In) <= 8 ? 8 : lane_run;
    const auto combine = arguments.combine();
    Acc sum{};
#pragma unroll 1
    for (int done = 0; done < lane_row; done += batch) {
        In raw[batch];
#pragma unroll
        for (int m = 0; m < batch; ++m) raw[m] = x[m * in_stride];
        x += batch * in_stride;
#pragma unroll
        for (int r = 0; r < batch; r += lane_run) {
            Acc own[lane_run];
#pragma unroll
            for (int m = 0; m < lane_run; ++m) own[m] = load_accumulator<Types>(raw[r + m]);
            const Acc total = fold_run(combine, own);
            sum = done + r == 0 ? total : combine(sum, total);
        }
    }
    return sum;
}

}  // namespace detail

}  // namespace upsweep::cuda
