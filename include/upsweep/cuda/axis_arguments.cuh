// What the kernels of an axis scan are given, and what all of them do with elements.
#pragma once

#include <cstdint>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/runs.cuh"

namespace upsweep::cuda {

namespace detail {

template <class Types, int k = 0>
using axis_input = typename Types::template In<k>;

// Bytes that an element has in all inputs.
template <class Types>
inline constexpr int axis_input_bytes = [] {
    static_assert(Types::inputs <= 2, "core::axis_geometry has the strides of two inputs");
    int bytes = 0;
    for (const int size : Types::element_size) bytes += size;
    return bytes;
}();

// An element as the inputs have it.
template <class Types, int Inputs = Types::inputs>
struct axis_element {
    axis_input<Types> x;

    __device__ __forceinline__ typename Types::Acc accumulator(const scan_arguments<Types>& arguments) const {
        return convert<typename Types::Acc>(convert<typename Types::Total>(arguments.load(x)));
    }
};
template <class Types>
struct axis_element<Types, 2> {
    axis_input<Types> x;
    axis_input<Types, 1> second;

    __device__ __forceinline__ typename Types::Acc accumulator(const scan_arguments<Types>& arguments) const {
        return convert<typename Types::Acc>(convert<typename Types::Total>(arguments.load(x, second)));
    }
};

// The inputs from one element on, whose neighbours are so far away.
template <class Types, int Inputs = Types::inputs>
struct axis_source {
    const axis_input<Types>* x;
    std::int64_t stride;

    __device__ __forceinline__ axis_element<Types> operator[](std::int64_t k) const {
        return {x[k * stride]};
    }
    __device__ __forceinline__ axis_source from(std::int64_t k) const { return {x + k * stride, stride}; }
};
template <class Types>
struct axis_source<Types, 2> {
    const axis_input<Types>* x;
    std::int64_t stride;
    const axis_input<Types, 1>* second;
    std::int64_t second_stride;

    __device__ __forceinline__ axis_element<Types> operator[](std::int64_t k) const {
        return {x[k * stride], second[k * second_stride]};
    }
    __device__ __forceinline__ axis_source from(std::int64_t k) const {
        return {x + k * stride, stride, second + k * second_stride, second_stride};
    }
};

}  // namespace detail

// `scan.in` and `scan.out` point to the first element of the first sequence, in scan order; scan.n is the
// length of a sequence. The strides have the direction of the scan; scan.reverse says that operands change
// sides.
template <class Types>
struct axis_arguments {
    scan_arguments<Types> scan;
    core::axis_geometry geometry;

    // Input k of elements that begin there.
    template <int k>
    __device__ __forceinline__ const detail::axis_input<Types, k>* input(
        const core::axis_geometry::offsets& begin) const {
        return static_cast<const detail::axis_input<Types, k>*>(scan.in[k]) +
               (k == 0 ? begin.in : begin.second);
    }
    __device__ __forceinline__ detail::axis_source<Types> source(
        const core::axis_geometry::offsets& begin) const {
        if constexpr (Types::inputs == 2)
            return {input<0>(begin), geometry.in_stride, input<1>(begin), geometry.second_stride};
        else
            return {input<0>(begin), geometry.in_stride};
    }
};

namespace detail {

template <class Types>
__device__ __forceinline__ typename Types::Out make_result(const scan_arguments<Types>& arguments,
                                                           const typename Types::Acc& x) {
    return convert<typename Types::Out>(arguments.store(convert<typename Types::Total>(x)));
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

// Elements whose loads a lane has under way at once.
template <class Types>
inline constexpr int lane_batch = axis_input_bytes<Types> <= 4   ? 16
                                  : axis_input_bytes<Types> <= 8 ? 8
                                                                 : lane_run;

// One row of the tree or less, `count` elements, straight from memory: results are stored if `store` says so.
// Inputs and `y` may be the same memory.
template <bool Exclusive, class Types>
__device__ __forceinline__ void scan_row_of_lane(const scan_arguments<Types>& arguments,
                                                 lane_state<Types>& state, axis_source<Types> x,
                                                 typename Types::Out* y, std::int64_t out_stride, int count,
                                                 bool store) {
    using Acc = typename Types::Acc;
    constexpr int batch = lane_batch<Types>;
    const Acc start = static_cast<Acc>(arguments.start);
    int done = 0;
#pragma unroll 1
    for (; done + batch <= count; done += batch) {
        axis_element<Types> raw[batch];
#pragma unroll
        for (int m = 0; m < batch; ++m) raw[m] = x[m];
        x = x.from(batch);
#pragma unroll
        for (int r = 0; r < batch; r += lane_run) {
            Acc own[lane_run];
#pragma unroll
            for (int m = 0; m < lane_run; ++m) own[m] = raw[r + m].accumulator(arguments);
            state.template scan<Exclusive>(start, own);
            if (store) {
#pragma unroll
                for (int m = 0; m < lane_run; ++m) y[(r + m) * out_stride] = make_result(arguments, own[m]);
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
        for (int m = 0; m < lane_run; ++m) own[m] = x[m < last ? m : last].accumulator(arguments);
        x = x.from(lane_run);
        state.template scan<Exclusive>(start, own);
        if (store) {
#pragma unroll
            for (int m = 0; m < lane_run; ++m)
                if (m <= last) y[m * out_stride] = make_result(arguments, own[m]);
        }
        y += lane_run * out_stride;
    }
}

// The total of one row of the tree or less, `count` >= 1 elements, straight from memory. Source: an
// axis_source, or what reads as one.
template <class Types, class Source>
__device__ __forceinline__ typename Types::Acc fold_row_of_lane(const scan_arguments<Types>& arguments,
                                                                Source x, int count) {
    using Acc = typename Types::Acc;
    constexpr int batch = lane_batch<Types>;
    const auto combine = arguments.combine();
    Acc sum{};
    int done = 0;
#pragma unroll 1
    for (; done + batch <= count; done += batch) {
        axis_element<Types> raw[batch];
#pragma unroll
        for (int m = 0; m < batch; ++m) raw[m] = x[m];
        x = x.from(batch);
#pragma unroll
        for (int r = 0; r < batch; r += lane_run) {
            Acc own[lane_run];
#pragma unroll
            for (int m = 0; m < lane_run; ++m) own[m] = raw[r + m].accumulator(arguments);
            const Acc total = fold_run(combine, own);
            sum = done + r == 0 ? total : combine(sum, total);
        }
    }
#pragma unroll 1
    for (; done < count; done += lane_run) {
        Acc total = x[0].accumulator(arguments);
#pragma unroll
        for (int m = 1; m < lane_run; ++m)
            if (done + m < count) total = combine(total, x[m].accumulator(arguments));
        x = x.from(lane_run);
        sum = done == 0 ? total : combine(sum, total);
    }
    return sum;
}
// That of a full one.
template <class Types>
__device__ __forceinline__ typename Types::Acc sum_row_of_lane(const scan_arguments<Types>& arguments,
                                                               axis_source<Types> x) {
    return fold_row_of_lane(arguments, x, lane_row);
}

}  // namespace detail

}  // namespace upsweep::cuda
