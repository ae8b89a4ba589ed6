// Histograms: how many elements belong to each bin.
//
//     histogram:      counts[b] = the number of i with find_bin(bins, in[i]) == b
//     histogram_by:   counts[b] = the number of i with f(in[i]) == b
//
// Bins are `range.count` equal intervals of [range.lo, range.hi), whose clamp gives what is below and above
// to the first and the last one; or intervals between ascending edges, the last one closed, as
// numpy.histogram has them (bin_range.hpp has both exactly). f is any function that returns an integer; one
// that is negative, or not below the number of counts, is no bin. f may be called from several threads,
// once for an element. All return how many elements are counted: not those outside, nor a NaN.
//
// Shapes: in is a contiguous range of n >= 0 elements; counts one of std::uint64_t, one for each bin, so
// that no count overflows; there are fewer than 2^32 bins. Elements are numbers of the range's type;
// float16 and bfloat16 are looked at as the floats that they are. histogram_by takes any.
// Bits: the same for any number of threads and every instruction set.
// Aliasing: counts overlaps neither in nor edges.
// Errors: upsweep::error names the argument; nothing has been written then. An exception of f passes
// through; counts are then unspecified.
// Complexity: O(n + bins) work, with edges O(n log bins + bins), and one read of in.
// Scratch: on the threads' stacks, 40 KiB each, for up to 4095 bins; for more, 8 bytes a bin of heap for
// each thread but the caller, at most 256 MiB (fewer threads take part then); for edges that are few beside
// the elements, up to 80 bytes an edge of heap, if there is room.
// Source: the counting sort of Knuth, The Art of Computer Programming, volume 3, section 5.2, algorithm D,
// whose counters each thread has for itself.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <type_traits>

#include "upsweep/bin_range.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/bin_arguments.hpp"
#include "upsweep/cpu/bins.hpp"
#include "upsweep/cpu/edge_index.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/error.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

// The numbers that elements are looked at as.
template <class In>
using binned_type = accumulator_type<std::ranges::range_value_t<In>>;
// Integers, bool not among them, or floating-point numbers.
template <class In>
concept number_range = input_range<In> && core::ordered_number<binned_type<In>>;
// 64-bit counts or offsets, to write.
template <class Counts>
concept counter_range =
    output_range<Counts, std::uint64_t> && std::same_as<std::ranges::range_value_t<Counts>, std::uint64_t>;
// f(element) is the number of its bin.
template <class F, class In>
concept bin_function = input_range<In> && requires(const F& f, const std::ranges::range_value_t<In>& x) {
    requires std::integral<std::remove_cvref_t<decltype(std::invoke(f, x))>>;
};

namespace detail {

// A bin's number, or for no bin one that a counter may have.
inline std::uint32_t among(std::uint32_t bins, std::uint32_t bin) { return bin < bins ? bin : bins; }

// use(numbers, i, part) with elements [first + i, first + i + part) as numbers, for all of `count` in turn.
template <class Number, class Element, class Use>
void visit_numbers(cpu::simd_level level, const Element* in, std::size_t first, std::size_t count,
                   const Use& use) {
    if constexpr (std::same_as<Element, Number>) {
        use(in + first, std::size_t{0}, count);
    } else {
        constexpr std::size_t step = 1024;
        Number numbers[step];
        const auto source = cpu::make_source<Number>(in);
        for (std::size_t i = 0; i < count; i += step) {
            const std::size_t part = std::min(step, count - i);
            source.load(source, cpu::memory_kernels_for(level), first + i, part, numbers);
            use(static_cast<const Number*>(numbers), i, part);
        }
    }
}

// What says to which bins elements belong, as cpu::classifier; lives as long as the call. Elements are looked
// at as numbers of another type where they are none that bins are made for.
template <class Element, class Number = accumulator_type<Element>>
class in_range {
  public:
    using number = Number;

    in_range(const cpu::executor& ex, const Element* in, const bin_range<number>& range)
        : level_(ex.simd()), in_(in), bins_(range) {}
    [[nodiscard]] cpu::classifier classifier() const {
        return {this, &classify, range().count, sizeof(Element), in_};
    }

  private:
    // Numbers without kernels (long double, characters) have no use for what those prepare.
    using prepared =
        std::conditional_t<cpu::has_bin_kernel<number>, cpu::prepared_range<number>, bin_range<number>>;

    [[nodiscard]] const bin_range<number>& range() const {
        if constexpr (cpu::has_bin_kernel<number>)
            return bins_.range;
        else
            return bins_;
    }
    static void classify(const cpu::classifier& by, std::size_t first, std::size_t count,
                         std::uint32_t* found) {
        const auto& self = *static_cast<const in_range*>(by.context);
        if constexpr (cpu::has_bin_kernel<number>) {
            const cpu::bin_kernel<number> find = cpu::bin_kernel_for<number>(self.level_);
            visit_numbers<number>(self.level_, self.in_, first, count,
                                  [&](const number* x, std::size_t i, std::size_t part) {
                                      find(x, part, self.bins_, found + i);
                                  });
        } else {
            for (std::size_t i = 0; i < count; ++i)
                found[i] = among(by.bins, find_bin(self.bins_, self.in_[first + i]));
        }
    }

    cpu::simd_level level_;
    const Element* in_;
    prepared bins_;
};
template <class Element, class Number = accumulator_type<Element>>
class between_edges {
  public:
    using number = Number;

    // Of n elements.
    between_edges(const cpu::executor& ex, const Element* in, std::size_t n, const bin_edges<number>& bins)
        : level_(ex.simd()), in_(in), index_(bins, n) {}
    [[nodiscard]] cpu::classifier classifier() const {
        return {this, &classify, index_.bins(), sizeof(Element), in_};
    }

  private:
    static void classify(const cpu::classifier& by, std::size_t first, std::size_t count,
                         std::uint32_t* found) {
        const auto& self = *static_cast<const between_edges*>(by.context);
        visit_numbers<number>(
            self.level_, self.in_, first, count,
            [&](const number* x, std::size_t i, std::size_t part) { self.index_.find(x, part, found + i); });
    }

    cpu::simd_level level_;
    const Element* in_;
    cpu::edge_index<number> index_;
};
template <class Element, class F>
class by_function {
  public:
    by_function(std::size_t bins, const Element* in, const F& f)
        : bins_(static_cast<std::uint32_t>(bins)), in_(in), f_(f) {}
    [[nodiscard]] cpu::classifier classifier() const {
        return {this, &classify, bins_, sizeof(Element), in_};
    }

  private:
    static void classify(const cpu::classifier& by, std::size_t first, std::size_t count,
                         std::uint32_t* found) {
        const auto& self = *static_cast<const by_function*>(by.context);
        for (std::size_t i = 0; i < count; ++i) {
            const auto bin =
                static_cast<std::uint64_t>(std::invoke(self.f_, self.in_[first + i]));  // negative: huge
            found[i] = bin < by.bins ? static_cast<std::uint32_t>(bin) : by.bins;
        }
    }

    std::uint32_t bins_;
    const Element* in_;
    const F& f_;
};

// Sizes and overlaps, then the counts. `number_of_bins` is what counts must have.
template <class In, class Counts>
void check_histogram(const In& in, const Counts& counts, std::size_t number_of_bins) {
    check_counts("counts", std::ranges::size(counts), number_of_bins);
    if (overlap(std::ranges::data(in), std::ranges::size(in) * sizeof(std::ranges::range_value_t<In>),
                std::ranges::data(counts), number_of_bins * sizeof(std::uint64_t))) {
        throw_error(errc::invalid_argument, "counts: overlaps in; it must be disjoint from it");
    }
}
template <class In, class Counts, class T>
void check_histogram(const In& in, const Counts& counts, const bin_edges<T>& bins) {
    check_bins(bins);
    check_histogram(in, counts, bins.count());
    if (overlap(bins.edges.data(), bins.edges.size_bytes(), std::ranges::data(counts),
                bins.count() * sizeof(std::uint64_t))) {
        throw_error(errc::invalid_argument, "counts: overlaps edges; it must be disjoint from it");
    }
}
template <class In, class Counts>
void check_histogram_by(const In& in, const Counts& counts) {
    const std::size_t number_of_bins = std::ranges::size(counts);
    if (number_of_bins > most_bins)
        throw_error(errc::invalid_argument, "counts: expected fewer than 2^32 bins");
    if (number_of_bins != 0) check_histogram(in, counts, number_of_bins);
}

}  // namespace detail

// By equal bins: histogram(executor, in, counts, {.lo = 0, .hi = 1, .count = 8}).
template <number_range In, counter_range Counts>
std::size_t histogram(cpu::executor& ex, const In& in, Counts&& counts,
                      const bin_range<binned_type<In>>& range) {
    detail::check_bins(range);
    detail::check_histogram(in, counts, range.count);
    const detail::in_range by(ex, std::ranges::data(in), range);
    return cpu::run_histogram(ex, by.classifier(), std::ranges::size(in), std::ranges::data(counts));
}

// By edges: histogram(executor, in, counts, bin_edges<float>{edges}) with one count fewer than edges.
template <number_range In, counter_range Counts>
std::size_t histogram(cpu::executor& ex, const In& in, Counts&& counts,
                      const bin_edges<binned_type<In>>& bins) {
    detail::check_histogram(in, counts, bins);
    const detail::between_edges by(ex, std::ranges::data(in), std::ranges::size(in), bins);
    return cpu::run_histogram(ex, by.classifier(), std::ranges::size(in), std::ranges::data(counts));
}

// By a function: f(element) is the element's bin, of as many as there are counts.
template <input_range In, counter_range Counts, bin_function<In> F>
std::size_t histogram_by(cpu::executor& ex, const In& in, Counts&& counts, const F& f) {
    detail::check_histogram_by(in, counts);
    const std::size_t number_of_bins = std::ranges::size(counts);
    if (number_of_bins == 0) return 0;
    const detail::by_function by(number_of_bins, std::ranges::data(in), f);
    return cpu::run_histogram(ex, by.classifier(), std::ranges::size(in), std::ranges::data(counts));
}

}  // namespace upsweep
