// Many sequences of a few whole runs each, which follow one another in memory: a lane has a run, and what
// stands before it in its sequence comes from the lanes next to it. Neither shared memory nor anybody else is
// asked, so that it takes little longer than a copy.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

template <class Types>
struct short_shape {
    using Out = typename Types::Out;
    // Runs of every array are read and written by one access.
    static constexpr bool is_narrow(int size) { return size == 2 || size == 4; }
    static constexpr bool exists = [] {
        bool narrow = is_narrow(int(sizeof(Out))) && sizeof(typename Types::Acc) <= 8;
        for (const int size : Types::element_size) narrow = narrow && is_narrow(size);
        return narrow;
    }();
    static constexpr int warps = 8;
    static constexpr int threads = 32 * warps;
    static constexpr int batch = 4;    // lines of a warp's lanes under way at once
    static constexpr int blocks = 16;  // for each multiprocessor, as far as it goes round
    // Of a sequence: for each but one of them a warp exchanges totals once, which takes as long however
    // little a run is.
    static constexpr unsigned most_runs = Types::widest == 4 ? 16 : 8;
};

namespace detail {

// A run of an input in registers.
template <class In>
struct short_run {
    word_array<int(sizeof(In))> words;  // of four elements

    __device__ __forceinline__ void load(const In* from) {
        const auto raw = *reinterpret_cast<const typename unit_of<lane_run* int(sizeof(In))>::type*>(from);
        std::memcpy(&words, &raw, sizeof words);
    }
    __device__ __forceinline__ In operator[](int m) const { return unpack<In>(words, m); }
};

template <class Types, bool Exclusive>
struct short_scanner {
    using shape = short_shape<Types>;
    using Acc = typename Types::Acc;
    using Out = typename Types::Out;
    static constexpr int batch = shape::batch, last_input = Types::inputs - 1;
    static constexpr bool has_second = Types::inputs == 2;

    const axis_arguments<Types>& arguments;
    unsigned runs;   // of a sequence
    bool backwards;  // in memory
    unsigned lane;
    unsigned at;  // the lane's run in its sequence, as memory has it
    lane_state<Types> state;

    __device__ __forceinline__ short_scanner(const axis_arguments<Types>& given, unsigned runs_of_sequence)
        : arguments(given),
          runs(runs_of_sequence),
          backwards(given.geometry.in_stride < 0),
          lane(threadIdx.x % 32),
          at(lane % runs),
          state(given.scan) {}

    [[nodiscard]] __device__ __forceinline__ unsigned in_order(unsigned run) const {
        return backwards ? runs - 1 - run : run;
    }
    // The runs that stand before each lane's in its sequence, of each line.
    __device__ __forceinline__ void fold_left(const Acc (&total)[batch], Acc (&before)[batch]) const {
        const unsigned own = in_order(at);
#pragma unroll
        for (Acc& each : before) {
            bool has = false;
            set_part(
                state.combine, false, [&] { return each; }, each, has);
        }
#pragma unroll 1
        for (unsigned run = 0; run + 1 < runs; ++run) {
            const int from = int(lane - at + in_order(run));
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const Acc next = shuffle(total[k], from);
                if (run < own) before[k] = state.combine.join(run != 0, before[k], next);
            }
        }
    }
    __device__ __forceinline__ void run() {
        const auto& scan = arguments.scan;
        const unsigned together = 32 / runs, used = together * runs;
        const std::uint64_t sequences = arguments.geometry.sequence_count, all = sequences * runs;
        const std::uint64_t lines = (sequences + together - 1) / together;
        // Where memory begins.
        const auto first = arguments.geometry.begin(0);
        const std::int64_t back = backwards ? std::int64_t(scan.n) - 1 : 0;
        const auto* const in = arguments.template input<0>(first) - back;
        const auto* const second = arguments.template input<last_input>(first) - back;
        Out* const out = scan.out + first.out - back;
        const Acc start = static_cast<Acc>(scan.start);
        const std::uint64_t step = std::uint64_t(gridDim.x) * shape::warps * batch;
#pragma unroll 1
        for (std::uint64_t line = (std::uint64_t(blockIdx.x) * shape::warps + threadIdx.x / 32) * batch;
             line < lines; line += step) {
            const auto run_of = [&](int k) { return (line + unsigned(k)) * used + lane; };
            short_run<axis_input<Types>> raw[batch];
            short_run<axis_input<Types, last_input>> raw_second[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                // Lanes without a run take the last one, so that operators meet no other values.
                const std::uint64_t own = run_of(k) < all ? run_of(k) : all - 1;
                raw[k].load(in + own * lane_run);
                if constexpr (has_second) raw_second[k].load(second + own * lane_run);
            }
            Acc x[batch][lane_run], total[batch], before[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k) {
#pragma unroll
                for (int m = 0; m < lane_run; ++m) {
                    const auto element = [&](int of) {
                        axis_element<Types> made;
                        made.x = raw[k][of];
                        if constexpr (has_second) made.second = raw_second[k][of];
                        return made;
                    };
                    x[k][m] =
                        (backwards ? element(lane_run - 1 - m) : element(m)).accumulator(arguments.scan);
                }
                total[k] = fold_run(state.combine, x[k]);
            }
            fold_left(total, before);
            state.left.has_runs = in_order(at) != 0;
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                state.left.runs = before[k];
                scan_run<Exclusive>(state.combine, state.left, start, x[k]);
                word_array<int(sizeof(Out))> results;
#pragma unroll
                for (int m = 0; m < lane_run; ++m) {
                    const Out forwards = make_result(scan, x[k][m]);
                    const Out from_end = make_result(scan, x[k][lane_run - 1 - m]);
                    pack(results, m, backwards ? from_end : forwards);
                }
                typename unit_of<lane_run* int(sizeof(Out))>::type packed;
                std::memcpy(&packed, &results, sizeof packed);
                if (lane < used && run_of(k) < all)
                    *reinterpret_cast<decltype(packed)*>(out + run_of(k) * lane_run) = packed;
            }
        }
    }
};

}  // namespace detail

template <class Types, bool Exclusive>
__global__ void __launch_bounds__(short_shape<Types>::threads)
    scan_short_kernel(const __grid_constant__ axis_arguments<Types> arguments, unsigned runs) {
    detail::short_scanner<Types, Exclusive>(arguments, runs).run();
}

}  // namespace upsweep::cuda
