// Elements repeated, each as often as a count says: the inverse of run_length_encode, and how work that is
// counted is allocated.
//
//     repeat(executor, in, counts, out)        out = in[0] counts[0] times, in[1] counts[1] times, ...
//     repeat_indices(executor, counts, out)    out = 0 counts[0] times, 1 counts[1] times, ...
//
// counts are integers, one an element; or one integer for all elements (of repeat); or by_offsets(offsets),
// with one offset more than elements: element i is repeated offsets[i + 1] - offsets[i] times. So a result
// of every segment comes to each of its elements, and repeat_indices(executor, by_offsets(offsets), out) is
// the number of each element's segment.
//
// Of [5 7 9] by the counts [2 0 3] repeat makes [5 5 9 9 9] and repeat_indices [0 0 2 2 2]. Where counts
// are of items that each has to do, out[k] says whose item k is, and k less the counts' exclusive sum
// before it says which of its items that is.
//
// Both return how many results there are, the sum of the counts, which may be more than `out` has room for:
// only as many as that are written then, the first ones, and what lies behind the written ones in `out` is
// left as it is. Elements are moved bit for bit.
//
// Shapes: in and counts are contiguous ranges of n >= 0 elements; out is one of any size whose elements can
// be made of in's (repeat_indices: integers in which n - 1 fits).
// Bits: the same for any number of threads and every instruction set.
// Aliasing: out must overlap nothing else.
// Errors: upsweep::error names the argument; counts are not negative and their sum is less than 2^64.
// Nothing has been written then. An exception of an element's assignment passes through; out is then
// unspecified.
// Complexity: O(n + results), two reads of counts, one of in and one write of out; scratch on the stack
// only.
// Source: Blelloch, "Prefix sums and their applications", 1990, section 1.4 (allocation by an exclusive
// scan of the counts).
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include "upsweep/compact.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/arithmetic.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/repeat.hpp"
#include "upsweep/error.hpp"
#include "upsweep/segments.hpp"

namespace upsweep {

// Integers of up to 64 bits, one an element.
template <class R>
concept count_range = input_range<R> && core::integer<std::ranges::range_value_t<R>> &&
                      sizeof(std::ranges::range_value_t<R>) <= 8;
// How often elements are repeated.
template <class Counts>
concept describes_counts = count_range<Counts> || is_by_offsets<Counts>;

namespace detail {

[[noreturn]] inline void throw_count_sum() {
    throw_error(errc::invalid_argument, "counts: their sum must be less than 2^64, but it is not");
}

// How counts are given, each with the same functions: how many there are, if that is known, and what of
// cpu::repetition reads them.

template <class Count>
class each_count {
    using word = std::make_unsigned_t<Count>;

  public:
    explicit each_count(std::span<const Count> counts) : counts_(counts) {}

    [[nodiscard]] named_array array() const { return named("counts", counts_); }
    void check(std::size_t n) const { check_as_many("counts", counts_.size(), "in", n); }
    [[nodiscard]] std::size_t elements() const { return counts_.size(); }
    void describe(cpu::repetition& of) const {
        of.counts = counts_.data();
        of.count_bytes = sizeof(Count);
        of.sum = &sum;
        of.load = &load;
    }
    // One that is negative gives more than any other.
    [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
        return static_cast<std::uint64_t>(counts_[i]);
    }
    // Why a sum could not be.
    [[noreturn]] void refuse() const {
        if constexpr (std::is_signed_v<Count>) {
            for (std::size_t i = 0; i < counts_.size(); ++i) {
                if (counts_[i] < 0) {
                    throw_error(errc::invalid_argument, "counts: must not be negative, but count " +
                                                            std::to_string(i) + " is " +
                                                            std::to_string(counts_[i]));
                }
            }
        }
        throw_count_sum();
    }

  private:
    static bool sum(const cpu::repetition& of, const cpu::repeat_kernels& kernels, std::size_t first,
                    std::size_t count, std::uint64_t* sum) {
        const Count* const counts = static_cast<const Count*>(of.counts) + first;
        std::uint64_t any = 0;
        *sum = kernels.sum[std::countr_zero(sizeof(Count))](counts, count, &any);
        if (std::is_signed_v<Count> && any > std::uint64_t{std::numeric_limits<word>::max() / 2})
            return false;
        if (any <= std::numeric_limits<std::uint64_t>::max() / count) return true;
        std::uint64_t left = std::numeric_limits<std::uint64_t>::max();  // large ones, one by one
        for (std::size_t i = 0; i < count; ++i) {
            if (word(counts[i]) > left) return false;
            left -= word(counts[i]);
        }
        return true;
    }
    static void load(const cpu::repetition& of, const cpu::repeat_kernels& kernels, std::size_t first,
                     std::size_t count, std::uint64_t* to) {
        kernels.widen[std::countr_zero(sizeof(Count))](to, static_cast<const Count*>(of.counts) + first,
                                                       count);
    }

    std::span<const Count> counts_;
};
template <class Counts>
each_count<std::ranges::range_value_t<Counts>> counts_of(const Counts& counts) {
    using count = std::ranges::range_value_t<Counts>;
    return each_count<count>(std::span<const count>(std::ranges::data(counts), std::ranges::size(counts)));
}

template <class Integer>
class offset_counts {
  public:
    explicit offset_counts(const by_offsets<Integer>& segments)
        : segments_(segments), offsets_(segments.offsets()) {
        if (offsets_.empty() || offsets_.front() != Integer(0)) refuse();
    }

    [[nodiscard]] named_array array() const { return named("segments", offsets_); }
    void check(std::size_t n) const {
        if (offsets_.size() != n + 1) {
            throw_error(errc::invalid_argument, "segments: expected " + std::to_string(n + 1) +
                                                    " offsets, one more than elements of in, but there are " +
                                                    std::to_string(offsets_.size()));
        }
    }
    [[nodiscard]] std::size_t elements() const { return offsets_.size() - 1; }
    void describe(cpu::repetition& of) const {
        of.counts = offsets_.data();
        of.count_bytes = sizeof(Integer);
        of.sum = &sum;
        of.load = &load;
    }
    [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
        return static_cast<std::uint64_t>(offsets_[i + 1]) - static_cast<std::uint64_t>(offsets_[i]);
    }
    [[noreturn]] void refuse() const {
        segments_.check(offsets_.empty() ? 0 : static_cast<std::size_t>(offsets_.back()),
                        cpu::simd_level::automatic);
        throw_count_sum();
    }

  private:
    static const Integer* at(const cpu::repetition& of, std::size_t i) {
        return static_cast<const Integer*>(of.counts) + i;
    }
    static bool sum(const cpu::repetition& of, const cpu::repeat_kernels&, std::size_t first,
                    std::size_t count, std::uint64_t* sum) {
        const Integer* const offsets = at(of, first);
        *sum = static_cast<std::uint64_t>(offsets[count]) - static_cast<std::uint64_t>(offsets[0]);
        bool descends = false;
        for (std::size_t i = 0; i < count; ++i) descends |= offsets[i + 1] < offsets[i];
        return !descends;
    }
    static void load(const cpu::repetition& of, const cpu::repeat_kernels&, std::size_t first,
                     std::size_t count, std::uint64_t* to) {
        const Integer* const offsets = at(of, first);
        for (std::size_t i = 0; i < count; ++i)
            to[i] = static_cast<std::uint64_t>(offsets[i + 1]) - static_cast<std::uint64_t>(offsets[i]);
    }

    by_offsets<Integer> segments_;
    std::span<const Integer> offsets_;
};
template <class Integer>
offset_counts<Integer> counts_of(const by_offsets<Integer>& segments) {
    return offset_counts<Integer>(segments);
}

// One count for all of n elements.
class same_count {
  public:
    same_count(std::uint64_t count, std::size_t n) : count_(count) {
        if (n != 0 && count > std::numeric_limits<std::uint64_t>::max() / n) throw_count_sum();
    }

    void describe(cpu::repetition& of) const {
        of.counts = &count_;
        of.count_bytes = 0;
        of.sum = &sum;
        of.load = &load;
    }
    [[nodiscard]] std::uint64_t operator[](std::size_t) const { return count_; }
    [[noreturn]] void refuse() const { throw_count_sum(); }

  private:
    static std::uint64_t of_all(const cpu::repetition& of) {
        return *static_cast<const std::uint64_t*>(of.counts);
    }
    static bool sum(const cpu::repetition& of, const cpu::repeat_kernels&, std::size_t, std::size_t count,
                    std::uint64_t* sum) {
        *sum = count * of_all(of);
        return true;
    }
    static void load(const cpu::repetition& of, const cpu::repeat_kernels&, std::size_t, std::size_t count,
                     std::uint64_t* to) {
        std::fill_n(to, count, of_all(of));
    }

    std::uint64_t count_;
};

// The bodies of cpu::repetition::write.
template <class In, class Out>
cpu::repeated write_elements(const cpu::repetition& of, const cpu::repeat_kernels& kernels, std::size_t first,
                             std::size_t count, std::uint64_t* counts, void* dst, std::size_t room) {
    const In* const in = static_cast<const In*>(of.in) + first;
    if constexpr (is_word<In, Out>)
        return kernels.repeat[std::countr_zero(sizeof(In))](dst, room, in, counts, count);
    else
        return cpu::repeat_each(static_cast<Out*>(dst), room, in, counts, count);
}
template <class Index>
cpu::repeated write_indices(const cpu::repetition&, const cpu::repeat_kernels& kernels, std::size_t first,
                            std::size_t count, std::uint64_t* counts, void* dst, std::size_t room) {
    alignas(64) Index indices[cpu::repeat_block];
    for (std::size_t i = 0; i < count; ++i) indices[i] = static_cast<Index>(first + i);
    return kernels.repeat[std::countr_zero(sizeof(Index))](dst, room, indices, counts, count);
}

// Few elements with few results, which take less time than the engine does to see what there is to do. False
// where there is more of either, or a count that may not be: nothing is done then.
template <class Counts>
bool repeat_few(const cpu::executor& ex, const Counts& counts, const cpu::repetition& of, std::size_t room,
                std::size_t& results) {
    constexpr std::size_t most_elements = 16, most_bytes = 16 * 1024;
    constexpr std::uint64_t most_of_one = std::numeric_limits<std::uint32_t>::max();
    if (of.n > most_elements || room > most_bytes / of.out_bytes) return false;
    std::uint64_t each[most_elements], any = 0, all = 0;
    for (std::size_t i = 0; i < of.n; ++i) {
        each[i] = counts[i];
        any |= each[i];
        all += each[i];
    }
    if (any > most_of_one) return false;
    of.write(of, cpu::repeat_kernels_for(ex.simd()), 0, of.n, each, of.out,
             std::min<std::uint64_t>(room, all));
    results = all;
    return true;
}
template <class Counts>
std::size_t repeat(cpu::executor& ex, const Counts& counts, cpu::repetition& of, std::size_t room) {
    if (of.n == 0) return 0;
    counts.describe(of);
    const cpu::repeat_result result = cpu::run_repeat(ex, of, room);
    if (!result.counted) counts.refuse();
    return result.results;
}
template <class Counts, class In, class Out>
std::size_t repeat_elements(cpu::executor& ex, const In& in, const Counts& counts, Out& out) {
    using element = std::ranges::range_value_t<In>;
    using result = std::ranges::range_value_t<Out>;
    check_disjoint(named("out", out), named("in", in));
    cpu::repetition of{};
    of.n = std::ranges::size(in);
    of.write = &write_elements<element, result>;
    of.in = std::ranges::data(in);
    of.in_bytes = sizeof(element);
    of.out = std::ranges::data(out);
    of.out_bytes = sizeof(result);
    of.is_plain = std::is_trivially_copyable_v<result>;
    of.by_kernels = is_word<element, result>;
    std::size_t results = 0;
    if (repeat_few(ex, counts, of, std::ranges::size(out), results)) return results;
    return repeat(ex, counts, of, std::ranges::size(out));
}

}  // namespace detail

// out = in[i] counts[i] times, i ascending.
template <input_range In, describes_counts Counts, receives<In> Out>
std::size_t repeat(cpu::executor& ex, const In& in, const Counts& counts, Out&& out) {
    const auto given = detail::counts_of(counts);
    given.check(std::ranges::size(in));
    detail::check_disjoint(detail::named("out", out), given.array());
    return detail::repeat_elements(ex, in, given, out);
}

// out = each element of in `count` times.
template <input_range In, core::integer Count, receives<In> Out>
std::size_t repeat(cpu::executor& ex, const In& in, Count count, Out&& out) {
    if (count < Count(0)) {
        throw_error(errc::invalid_argument,
                    "count: must not be negative, but it is " + std::to_string(count));
    }
    const detail::same_count given(static_cast<std::uint64_t>(count), std::ranges::size(in));
    return detail::repeat_elements(ex, in, given, out);
}

// out = i counts[i] times, i ascending.
template <describes_counts Counts, index_range Out>
std::size_t repeat_indices(cpu::executor& ex, const Counts& counts, Out&& out) {
    using index = std::ranges::range_value_t<Out>;
    const auto given = detail::counts_of(counts);
    detail::check_indices<index>(given.elements());
    detail::check_disjoint(detail::named("out", out), given.array());
    cpu::repetition of{};
    of.n = given.elements();
    of.write = &detail::write_indices<index>;
    of.out = std::ranges::data(out);
    of.out_bytes = sizeof(index);
    of.is_plain = of.by_kernels = true;
    std::size_t results = 0;
    if (detail::repeat_few(ex, given, of, std::ranges::size(out), results)) return results;
    return detail::repeat(ex, given, of, std::ranges::size(out));
}

}  // namespace upsweep
