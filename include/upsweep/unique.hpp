// Runs of equal neighbours as one element each: unique, unique_by_key and run_length_encode.
//
//     unique(executor, in, out, equal)                         out = the first element of every run
//     unique_by_key(executor, keys, in, keys_out, out, equal)  the first key of every run and the element
//                                                              beside it
//     run_length_encode(executor, in, out, lengths, equal)     the first element of every run and the number
//                                                              of its elements
//
// A run is a stretch in which every element equals the one before it. All return how many runs there are,
// which may be more than an output has room for: only as many as that are written then, the first ones, and
// what lies behind them is left as it is. NaNs equal nothing; -0.0 equals 0.0. Elements are moved bit for
// bit.
//
// Shapes: in, keys are contiguous ranges of n >= 0 elements of any types; equal is called with two of them,
// the earlier one first, and from several threads at once. Lengths are integers in which n fits.
// Aliasing: outputs must overlap nothing else.
// Errors: upsweep::error names the argument; nothing has been written then. An exception from equal or from
// an element's assignment passes through; outputs are then unspecified.
// Complexity: O(n) work, one read of in (unique_by_key: and two of keys) and one write of what is kept;
// scratch on the stack only.
// Source: Blelloch, "Prefix sums and their applications", 1990, section 1.3 (packing by an exclusive scan of
// flags).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>

#include "upsweep/compact.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/cpu/segment_lengths.hpp"
#include "upsweep/cpu/segment_results.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/segments.hpp"

namespace upsweep {
namespace detail {

// Chooses the elements that begin a segment.
template <class Segments>
struct chosen_heads {
    const Segments& segments;
    std::size_t bytes;  // of what describes them, for an element, unless that is what is moved

    [[nodiscard]] cpu::choice choice() const { return {this, &mark, bytes}; }

  private:
    static void mark(const cpu::choice& which, const cpu::memory_kernels& memory, std::size_t first,
                     std::size_t count, std::uint64_t* bits) {
        std::size_t hint = 0;
        static_cast<const chosen_heads*>(which.context)->segments.mark(memory, first, count, bits, hint);
    }
};

}  // namespace detail

// out = the first element of every run.
template <input_range In, receives<In> Out, class Equal = std::equal_to<>>
std::size_t unique(cpu::executor& ex, const In& in, Out&& out, const Equal& equal = {}) {
    const std::size_t n = std::ranges::size(in);
    detail::check_disjoint(detail::named("out", out), detail::named("in", in));
    if (n == 0) return 0;
    const auto runs = detail::runs_of(in, equal);
    const detail::chosen_heads<decltype(runs)> heads{runs, 0};
    return cpu::run_compact(ex, heads.choice(),
                            detail::transfer_of(std::ranges::data(in), std::ranges::data(out)), n,
                            std::ranges::size(out), false);
}

// keys_out = the first key of every run of equal keys; out = the element beside it.
template <input_range Keys, input_range In, receives<Keys> KeysOut, receives<In> Out,
          class Equal = std::equal_to<>>
std::size_t unique_by_key(cpu::executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                          const Equal& equal = {}) {
    const std::size_t n = std::ranges::size(in);
    detail::check_keyed(keys, in, keys_out, out);
    if (n == 0) return 0;
    const auto runs = detail::runs_of(keys, equal);
    using key = std::ranges::range_value_t<Keys>;
    const detail::chosen_heads<decltype(runs)> own{runs, 0};
    const detail::chosen_heads<decltype(runs)> beside{runs, sizeof(key)};
    cpu::run_compact(ex, own.choice(),
                     detail::transfer_of(std::ranges::data(keys), std::ranges::data(keys_out)), n,
                     std::ranges::size(keys_out), false);
    return cpu::run_compact(ex, beside.choice(),
                            detail::transfer_of(std::ranges::data(in), std::ranges::data(out)), n,
                            std::ranges::size(out), false);
}

// out = the first element of every run; lengths = the number of its elements.
template <input_range In, receives<In> Out, index_range Lengths, class Equal = std::equal_to<>>
std::size_t run_length_encode(cpu::executor& ex, const In& in, Out&& out, Lengths&& lengths,
                              const Equal& equal = {}) {
    using length = std::ranges::range_value_t<Lengths>;
    const std::size_t n = std::ranges::size(in);
    detail::check_lengths<length>(n);
    const detail::named_array from = detail::named("in", in);
    const detail::named_array to = detail::named("out", out), to_lengths = detail::named("lengths", lengths);
    detail::check_disjoint(to, from);
    detail::check_disjoint(to_lengths, from);
    detail::check_disjoint(to_lengths, to);
    if (n == 0) return 0;
    const auto runs = detail::runs_of(in, equal);
    const cpu::transfer way = detail::transfer_of(std::ranges::data(in), std::ranges::data(out));
    using results = cpu::packed_results<length>;
    const cpu::segment_lengths<results> totals(
        ex, results(std::ranges::data(lengths), std::ranges::size(lengths)));
    return cpu::run_segments(ex, totals, cpu::marks_of(runs, n, false), way.out_bytes + sizeof(length),
                             cpu::tuning::compact_cost, &way, std::ranges::size(out));
}

}  // namespace upsweep
