// Lines of an axis scan by one launch of look-ahead (look_ahead_lines.cuh).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/look_ahead.cuh"
#include "upsweep/cuda/look_ahead_lines.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

// As look_ahead_kernel. The workspace has the published words of every line.
template <class Types, bool Exclusive>
__global__ void __launch_bounds__(look_ahead_shape<Types>::threads, 1)
    look_ahead_lines_kernel(const __grid_constant__ line_arguments<Types> arguments, launch_state* state,
                            unsigned long long* tagged, std::uint64_t words) {
#if __CUDA_ARCH__ >= 900
    detail::run_look_ahead<Types>(arguments, state, tagged, words, [](const auto& ring, int warp) {
        detail::look_ahead_results<Types, Exclusive>{ring}.scan(warp);
    });
#endif
}

namespace detail {

template <class Types>
inline constexpr int narrowest = [] {
    int narrowest = int(sizeof(typename Types::Out));
    for (const int size : Types::element_size) narrowest = std::min(narrowest, size);
    return narrowest;
}();

}  // namespace detail

// LineTypes: of one line.
template <class LineTypes, bool Exclusive>
class lines_ahead_launch {
  public:
    using Types = in_lines<LineTypes>;
    using shape = look_ahead_shape<Types>;
    // Larger values, which are folded in order and scanned one by one, take as long in every way.
    static constexpr bool exists = shape::fits && !shape::folds_in_order;

    // Bytes of scratch.
    static std::size_t workspace_bytes(std::uint64_t length, std::uint64_t lines) {
        return detail::tagged_bytes(shape::published_words(length) * lines);
    }
    // Whether so many lines can be scanned so: on this device, and in units that 31 bits count.
    static bool can_run(const executor& ex, std::uint64_t length, std::uint64_t lines) {
        if constexpr (exists) {
            constexpr auto kernel = &look_ahead_lines_kernel<Types, Exclusive>;
            return shape::units(length) * lines < 0x80000000u && ex.compute_capability() >= 90 &&
                   detail::prepare<kernel>(ex, shape::shared_bytes, 90) == detail::readiness::ready;
        }
        return false;
    }
    // Whether that is faster than what else scans them, which have whole runs of all arrays at multiples of
    // their natural access if they are `aligned`.
    static bool pays(const executor& ex, std::uint64_t length, std::uint64_t lines, bool aligned) {
        const bool wanted = ex.choice() == algorithm::automatic || ex.choice() == algorithm::look_ahead;
        return wanted && is_faster(ex, length, lines, aligned) && can_run(ex, length, lines);
    }
    // `lines` begin in memory: where scan.reverse, which is the direction there, scans end.
    static void run(executor& ex, const axis_arguments<LineTypes>& lines) {
        if constexpr (exists) {
            constexpr auto kernel = &look_ahead_lines_kernel<Types, Exclusive>;
            const std::uint64_t count = lines.geometry.sequence_count;
            const std::uint64_t units = shape::units(lines.scan.n) * count;
            detail::prepare<kernel>(ex, shape::shared_bytes, 90);
            held_scratch scratch(ex, ex.take_scratch(workspace_bytes(lines.scan.n, count)));
            kernel<<<unsigned(std::min(units, std::uint64_t(ex.multiprocessors()))), shape::threads,
                     shape::shared_bytes, ex.stream()>>>(
                arguments_of(lines), reinterpret_cast<launch_state*>(scratch.data()),
                reinterpret_cast<unsigned long long*>(scratch.data() + launch_state_bytes),
                ex.tagged_words());
            scratch.release();
        }
    }

  private:
    static bool is_faster(const executor& ex, std::uint64_t length, std::uint64_t lines, bool aligned) {
        constexpr std::uint64_t written = sizeof(typename Types::Out);
        if (length * (detail::axis_input_bytes<Types> + written) >= look_ahead_from_bytes) return true;
        if (length <= Types::tile) return false;
        const auto multiprocessors = std::uint64_t(ex.multiprocessors());
        const std::uint64_t units = length / shape::unit_items;
        const bool even = length % shape::unit_items == 0;
        if (lines < whole_lines_from_sequences * multiprocessors)
            return even || units >= few_lines_ahead_from_units || lines * (units + 1) <= multiprocessors;
        constexpr bool narrow = detail::narrowest<Types> < 4;
        if (!aligned) return even || units >= (narrow ? lines_ahead_from_units : few_lines_ahead_from_units);
        if (std::same_as<typename Types::Op, affine>) return false;
        if (even && Types::widest <= 4) return units >= even_lines_ahead_from_units;
        return units >= (narrow && !even ? narrow_lines_ahead_from_units : lines_ahead_from_units);
    }
    static line_arguments<Types> arguments_of(const axis_arguments<LineTypes>& lines) {
        const scan_arguments<LineTypes>& line = lines.scan;
        line_arguments<Types> made{scan_arguments<Types>{.in = {},
                                                         .out = line.out,
                                                         .n = line.n,
                                                         .length = line.length,
                                                         .reverse = line.reverse,
                                                         .has_initial = line.has_initial,
                                                         .device_initial = line.device_initial,
                                                         .initial = line.initial,
                                                         .start = line.start,
                                                         .total = line.total,
                                                         .op = line.op,
                                                         .load = line.load,
                                                         .store = line.store,
                                                         .heads = line.heads,
                                                         .keeps_sides = line.keeps_sides},
                                   lines.geometry};
        for (int k = 0; k < Types::inputs; ++k) made.in[k] = line.in[k];
        return made;
    }
};

}  // namespace upsweep::cuda
