// Which elements start a segment, as bits: what every description of segments is turned into, a few rows at a
// time.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu {

// The heads of a sequence in the order of the scan, erased to a function pointer called once a piece.
struct head_marks {
    const void* segments;
    std::size_t n;
    bool backwards;  // scanned from the last element to the first; a segment then starts at its last element

    // Sets bit i % 64 of bits[i / 64] for every i < count if element first + i starts a segment, and clears
    // the other bits of these words. `hint` is 0 at first, then what the last call left: calls in order are
    // fast.
    void (*mark)(const head_marks&, const memory_kernels&, std::size_t first, std::size_t count,
                 std::uint64_t* bits, std::size_t& hint);
    std::size_t bytes = 0;  // read to mark an element

    // Null, or the same as places, where heads are few: ends[0], ends[1], ... = those of the heads, counted
    // from `first`, behind it and up to first + count, that one too. `begins` becomes whether element `first`
    // is one. Returns how many there are if that is no more than `most`; else it may return more, with
    // nothing done. There is room for most + 1.
    std::size_t (*list)(const head_marks&, std::size_t first, std::size_t count, std::size_t most,
                        std::uint32_t* ends, bool& begins, std::size_t& hint) = nullptr;
    // Null, or the last head of elements [first, first + count), counted from `first`, if there is one.
    std::optional<std::size_t> (*last)(const head_marks&, std::size_t first, std::size_t count,
                                       std::size_t& hint) = nullptr;
};

constexpr std::size_t words_of(std::size_t bits) { return (bits + 63) / 64; }

// visit(i) for every bit that is set.
template <class Visit>
void for_each_bit(const std::uint64_t* bits, std::size_t count, const Visit& visit) {
    for (std::size_t word = 0; word < words_of(count); ++word) {
        for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
            visit(64 * word + static_cast<std::size_t>(std::countr_zero(left)));
    }
}

// Integers that kernels read as words. With the compiler's extensions those of 128 bits are integers too.
template <class T>
concept word_integer = std::integral<T> && sizeof(T) <= 8;

// In what a test of T writes its answers, 0 or 1, so that compilers make vectors of it: elements as wide as
// T.
template <class T>
using answer_of =
    std::conditional_t<std::is_floating_point_v<T> && sizeof(T) <= 8, T,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                          std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

// bits[...] of test(0), ..., test(count - 1), which look at elements of type T; the bits past them in the
// last word are 0.
template <class T, class Test>
void mark_each(const memory_kernels& memory, std::size_t count, std::uint64_t* bits, const Test& test) {
    using answer = answer_of<T>;
    constexpr std::size_t most = 512;
    // A count that compilers know, of few enough vectors of 16 bytes that they need no loop.
    constexpr std::size_t step = sizeof(answer) == 8 ? 32 : 64;
    answer answers[most];
    for (std::size_t i = 0; i < count; i += most) {
        const std::size_t part = std::min(most, count - i);
        std::size_t k = 0;
        for (; k + step <= part; k += step) {
            for (std::size_t j = 0; j < step; ++j) answers[k + j] = test(i + k + j) ? answer(1) : answer(0);
        }
        for (; k < part; ++k) answers[k] = test(i + k) ? answer(1) : answer(0);
        memory.mark_nonzero[std::countr_zero(sizeof(answer))](answers, part, bits + i / 64);
    }
}

constexpr std::uint64_t reversed(std::uint64_t word) {
    const auto swap = [&](int distance, std::uint64_t lower) {
        word = ((word >> distance) & lower) | ((word & lower) << distance);
    };
    swap(1, 0x5555555555555555u);
    swap(2, 0x3333333333333333u);
    swap(4, 0x0f0f0f0f0f0f0f0fu);
    swap(8, 0x00ff00ff00ff00ffu);
    swap(16, 0x0000ffff0000ffffu);
    return (word >> 32) | (word << 32);
}

// Turns the first `count` bits around; those past them are 0, before and after.
inline void reverse_bits(std::uint64_t* bits, std::size_t count) {
    const std::size_t words = words_of(count);
    for (std::size_t i = 0, j = words - 1; i <= j && j < words; ++i, --j) {
        const std::uint64_t low = reversed(bits[i]);
        bits[i] = reversed(bits[j]);
        bits[j] = low;
    }
    if (const std::size_t empty = 64 * words - count; empty != 0) {
        for (std::size_t i = 0; i + 1 < words; ++i)
            bits[i] = (bits[i] >> empty) | (bits[i + 1] << (64 - empty));
        bits[words - 1] >>= empty;
    }
}

namespace detail {

template <class Segments>
void mark_heads(const head_marks& of, const memory_kernels& memory, std::size_t first, std::size_t count,
                std::uint64_t* bits, std::size_t& hint) {
    const auto& segments = *static_cast<const Segments*>(of.segments);
    if (!of.backwards) return segments.mark(memory, first, count, bits, hint);
    // An element ends its segment if the next one, or the end of all, starts one.
    segments.mark(memory, of.n - first - count + 1, count, bits, hint);
    reverse_bits(bits, count);
}

template <class Segments>
std::size_t list_heads(const head_marks& of, std::size_t first, std::size_t count, std::size_t most,
                       std::uint32_t* ends, bool& begins, std::size_t& hint) {
    return static_cast<const Segments*>(of.segments)->list(first, count, most, ends, begins, hint);
}

template <class Segments>
std::optional<std::size_t> last_head(const head_marks& of, std::size_t first, std::size_t count,
                                     std::size_t& hint) {
    return static_cast<const Segments*>(of.segments)->last(first, count, hint);
}

}  // namespace detail

// `segments` must outlive the marks. Segments:
//   void mark(memory, first, count, bits, hint) const
//       as head_marks::mark, for elements from front to back and for n itself, which counts as a head
//   list(first, count, most, ends, begins, hint), last(first, count, hint)
//       optional, both: as in head_marks
//   elements()
//       optional: an array of what is read to mark them, one an element
template <class Segments>
head_marks marks_of(const Segments& segments, std::size_t n, bool backwards) {
    head_marks marks{&segments, n, backwards, &detail::mark_heads<Segments>};
    if constexpr (requires { &Segments::list; }) {
        if (!backwards) {
            marks.list = &detail::list_heads<Segments>;
            marks.last = &detail::last_head<Segments>;
        }
    }
    if constexpr (requires { segments.elements(); }) marks.bytes = sizeof(*segments.elements().data());
    return marks;
}

}  // namespace upsweep::cpu
