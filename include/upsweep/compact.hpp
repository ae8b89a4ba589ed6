// Stream compaction: the elements that are chosen, packed, in order.
//
//     compact, compact_if:                   out = in[i] for every i that is chosen, i ascending
//     compact_indices, compact_indices_if:   out = i for every i that is chosen, ascending
//
// An element is chosen by a flag, a value that is not zero (true), or by keep(element), which may be called
// from several threads, once for an element. All return how many are chosen, which may be more than `out`
// has room for: only as many as that are written then, and what lies behind the written ones in `out` is
// left as it is.
//
// Shapes: flags and in are contiguous ranges of n >= 0 elements of any types; out is one of any size whose
// elements can be made of in's (indices: integers in which n - 1 fits).
// Aliasing: out may be in (equal pointers and types; elements behind the written ones are then
// unspecified); any other overlap is an error.
// Errors: upsweep::error names the argument; nothing has been written then. An exception from keep or from
// an element's assignment passes through; out is then unspecified.
// Complexity: O(n) work, one read of in and flags and one write of what is chosen; scratch on the stack
// only. In place, elements that are not trivially copyable take one thread.
// Source: Blelloch, "Prefix sums and their applications", 1990, section 1.3 (packing by an exclusive scan
// of the flags).
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ranges>
#include <string>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/cpu/compact.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/error.hpp"
#include "upsweep/predicates.hpp"

namespace upsweep {

// A range of what is zero (false) or not.
template <class R>
concept flag_range = input_range<R> && requires(const std::ranges::range_value_t<R>& flag) {
    { flag != std::ranges::range_value_t<R>(0) } -> std::convertible_to<bool>;
};
// Whether out's elements can be made of in's.
template <class Out, class In>
concept receives = output_range<Out, std::ranges::range_value_t<In>> &&
    std::is_assignable_v<std::ranges::range_reference_t<Out>, std::ranges::range_value_t<Out>>;
// Integers to write: indices, of elements of any type.
template <class Out>
concept index_range = output_range<Out, std::size_t> && std::integral<std::ranges::range_value_t<Out>> &&
                      sizeof(std::ranges::range_value_t<Out>) <= 8;

namespace detail {

// Elements that a kernel can move as words.
template <class In, class Out>
inline constexpr bool is_word =
    std::is_same_v<In, Out>&& std::is_trivially_copyable_v<In>&& std::has_single_bit(sizeof(In)) &&
    sizeof(In) <= 8;

// The bodies of cpu::transfer::move.
template <class In, class Out>
std::size_t move_elements(const cpu::transfer& way, const cpu::compress_kernels& kernels, std::size_t first,
                          std::size_t count, const std::uint64_t* bits, void* dst, std::size_t room) {
    const In* in = static_cast<const In*>(way.in) + first;
    if constexpr (is_word<In, Out>) {
        return kernels.compress[std::countr_zero(sizeof(In))](dst, room, in, bits, count);
    } else {
        Out* out = static_cast<Out*>(dst);
        std::size_t at = 0;
        for (std::size_t word = 0; word < cpu::words_of(count); ++word) {
            for (std::uint64_t left = bits[word]; left != 0 && at != room; left &= left - 1)
                out[at++] =
                    static_cast<Out>(in[64 * word + static_cast<std::size_t>(std::countr_zero(left))]);
        }
        return at;
    }
}
template <class Index>
std::size_t move_indices(const cpu::transfer&, const cpu::compress_kernels& kernels, std::size_t first,
                         std::size_t count, const std::uint64_t* bits, void* dst, std::size_t room) {
    constexpr std::size_t step = 256;
    Index indices[step];
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; i += step) {
        const std::size_t part = std::min(step, count - i);
        for (std::size_t k = 0; k < step; ++k) indices[k] = static_cast<Index>(first + i + k);
        at += kernels.compress[std::countr_zero(sizeof(Index))](static_cast<Index*>(dst) + at, room - at,
                                                                indices, bits + i / 64, part);
    }
    return at;
}

template <class In, class Out>
cpu::transfer transfer_of(const In* in, Out* out) {
    return {in, out, sizeof(In), sizeof(Out), &move_elements<In, Out>, std::is_trivially_copyable_v<Out>};
}
template <class Index>
cpu::transfer transfer_of_indices(Index* out, std::size_t n) {
    check_indices<Index>(n);
    return {nullptr, out, 0, sizeof(Index), &move_indices<Index>, true};
}

// What chooses, as cpu::choice; lives as long as the call.
template <class Flag>
struct flagged {
    const Flag* flags;

    [[nodiscard]] cpu::choice choice() const { return {this, &mark, sizeof(Flag)}; }

  private:
    static void mark(const cpu::choice& which, const cpu::memory_kernels& memory, std::size_t first,
                     std::size_t count, std::uint64_t* bits) {
        const Flag* flags = static_cast<const flagged*>(which.context)->flags + first;
        if constexpr (cpu::word_integer<Flag>)
            memory.mark_nonzero[std::countr_zero(sizeof(Flag))](flags, count, bits);
        else
            cpu::mark_each<Flag>(memory, count, bits,
                                 [=](std::size_t i) -> bool { return flags[i] != Flag(0); });
    }
};
template <class T, class Keep>
class kept {
  public:
    kept(cpu::simd_level level, const T* in, const Keep& keep) : level_(level), in_(in), keep_(keep) {}

    // `moved`: the elements are read again when they are moved.
    [[nodiscard]] cpu::choice choice(bool moved = true) const { return {this, &mark, moved ? 0 : sizeof(T)}; }

  private:
    static void mark(const cpu::choice& which, const cpu::memory_kernels& memory, std::size_t first,
                     std::size_t count, std::uint64_t* bits) {
        const auto& self = *static_cast<const kept*>(which.context);
        const T* in = self.in_ + first;
        if constexpr (core::compares_numbers<Keep, T> && cpu::has_compare_kernel<T>) {
            if (core::fits<T>(self.keep_.value)) {
                const compared_with<T> same{self.keep_.how, static_cast<T>(self.keep_.value)};
                return cpu::compare_kernel_for<T>(self.level_)(in, count, same, bits);
            }
        }
        if constexpr (std::is_trivially_copyable_v<Keep> &&
                      std::copy_constructible<Keep>) {  // a copy, that no store can change
            cpu::mark_each<T>(memory, count, bits, [in, keep = self.keep_](std::size_t i) -> bool {
                return std::invoke(keep, in[i]);
            });
        } else {
            cpu::mark_each<T>(memory, count, bits,
                              [&](std::size_t i) -> bool { return std::invoke(self.keep_, in[i]); });
        }
    }

    cpu::simd_level level_;
    const T* in_;
    const Keep& keep_;
};

// Whether in and out share memory, which they may in one way.
template <class In, class Out>
bool check_shared(const In* in, std::size_t n, const Out* out, std::size_t room) {
    const bool shared = overlap(in, n * sizeof(In), out, room * sizeof(Out));
    if (shared && !(std::is_same_v<In, Out> && static_cast<const void*>(in) == out)) {
        throw_error(
            errc::invalid_argument,
            "out: overlaps in; it must be the same array (equal pointers and types) or disjoint from it");
    }
    return shared;
}
template <class Flags, class In, class Out>
void check_compact_flags(const Flags& flags, const In& in, const Out& out) {
    const std::size_t n = std::ranges::size(in);
    check_flags(std::ranges::size(flags), n);
    check_apart("flags", std::ranges::data(flags), n * sizeof(std::ranges::range_value_t<Flags>),
                std::ranges::data(out), std::ranges::size(out) * sizeof(std::ranges::range_value_t<Out>));
}

template <class In, class Out>
std::size_t compact(cpu::executor& ex, const cpu::choice& which, const In* in, std::size_t n, Out* out,
                    std::size_t room) {
    const bool shared = check_shared(in, n, out, room);
    if (n == 0) return 0;
    return cpu::run_compact(ex, which, transfer_of(in, out), n, room, shared);
}

}  // namespace detail

// out = in[i] for each i with flags[i] != 0.
template <flag_range Flags, input_range In, receives<In> Out>
std::size_t compact(cpu::executor& ex, const Flags& flags, const In& in, Out&& out) {
    detail::check_compact_flags(flags, in, out);
    const detail::flagged<std::ranges::range_value_t<Flags>> chosen{std::ranges::data(flags)};
    return detail::compact(ex, chosen.choice(), std::ranges::data(in), std::ranges::size(in),
                           std::ranges::data(out), std::ranges::size(out));
}

// out = in[i] for each i with keep(in[i]).
template <input_range In, receives<In> Out, std::predicate<const std::ranges::range_value_t<In>&> Keep>
std::size_t compact_if(cpu::executor& ex, const In& in, Out&& out, const Keep& keep) {
    const detail::kept<std::ranges::range_value_t<In>, Keep> chosen(ex.simd(), std::ranges::data(in), keep);
    return detail::compact(ex, chosen.choice(), std::ranges::data(in), std::ranges::size(in),
                           std::ranges::data(out), std::ranges::size(out));
}

// out = i for each i with flags[i] != 0.
template <flag_range Flags, index_range Out>
std::size_t compact_indices(cpu::executor& ex, const Flags& flags, Out&& out) {
    using flag = std::ranges::range_value_t<Flags>;
    using index = std::ranges::range_value_t<Out>;
    const std::size_t n = std::ranges::size(flags);
    detail::check_apart("flags", std::ranges::data(flags), n * sizeof(flag), std::ranges::data(out),
                        std::ranges::size(out) * sizeof(index));
    const cpu::transfer way = detail::transfer_of_indices(std::ranges::data(out), n);
    const detail::flagged<flag> chosen{std::ranges::data(flags)};
    return n == 0 ? 0 : cpu::run_compact(ex, chosen.choice(), way, n, std::ranges::size(out), false);
}

// out = i for each i with keep(in[i]).
template <input_range In, index_range Out, std::predicate<const std::ranges::range_value_t<In>&> Keep>
std::size_t compact_indices_if(cpu::executor& ex, const In& in, Out&& out, const Keep& keep) {
    using element = std::ranges::range_value_t<In>;
    using index = std::ranges::range_value_t<Out>;
    const std::size_t n = std::ranges::size(in);
    detail::check_apart("in", std::ranges::data(in), n * sizeof(element), std::ranges::data(out),
                        std::ranges::size(out) * sizeof(index));
    const cpu::transfer way = detail::transfer_of_indices(std::ranges::data(out), n);
    const detail::kept<element, Keep> chosen(ex.simd(), std::ranges::data(in), keep);
    return n == 0 ? 0 : cpu::run_compact(ex, chosen.choice(false), way, n, std::ranges::size(out), false);
}

}  // namespace upsweep
