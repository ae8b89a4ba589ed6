// What describes the segments of n elements in host memory:
//
//     by_offsets(offsets)      m + 1 integers 0 = o[0] <= o[1] <= ... <= o[m] = n; segment k is
//                              [o[k], o[k + 1]) and may be empty
//     by_head_flags(flags)     n values; one that is not zero (true) starts a segment; element 0 always does
//     by_keys(keys, equal)     n keys; a segment is a run of equal neighbours
//
// They refer to the caller's arrays.
//
// Errors: found by the call that takes the description, as upsweep::error: offsets that do not begin with
// 0, decrease or do not end with n; flags or keys that are not n.
// Complexity: O(n) to find the heads by flags or keys; by offsets O(m) to check them and O(log m) a chunk.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "upsweep/concepts.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/arithmetic.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/simd_level.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/error.hpp"

namespace upsweep {
namespace detail {

// Sets bit i, the first that is not marked yet.
inline void mark_next(std::size_t i, std::uint64_t* bits) {
    if (i % 64 == 0) bits[i / 64] = 0;
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
}

// Moves the bits of elements 1 to count - 1 up, from where those of 0 to count - 2 belong, and sets bit 0.
inline void insert_head(std::size_t count, std::uint64_t* bits) {
    for (std::size_t word = cpu::words_of(count); --word != 0;) {
        if (64 * word + 1 == count) bits[word] = 0;  // not marked
        bits[word] = bits[word] << 1 | bits[word - 1] >> 63;
    }
    bits[0] = count == 1 ? 1 : bits[0] << 1 | 1;
}

}  // namespace detail

// Segment k has the elements [offsets[k], offsets[k + 1]).
template <class Integer>
class by_offsets {
    static_assert(core::integer<Integer>, "by_offsets: offsets must be integers");

  public:
    template <input_range Offsets>
    explicit by_offsets(const Offsets& offsets)
        : offsets_(std::ranges::data(offsets), std::ranges::size(offsets)) {}

    [[nodiscard]] std::span<const Integer> offsets() const { return offsets_; }
    // For engines: throws unless this describes n elements; says, from any element on, which ones start a
    // segment, as in cpu/heads.hpp. Every description has these two.
    void check(std::size_t n, cpu::simd_level level) const {
        if (offsets_.empty() || offsets_.front() != Integer(0)) {
            throw_error(errc::invalid_argument, "segments: offsets must begin with 0");
        }
        if (!never_decrease(cpu::head_kernels_for(level))) {
            const auto bad = std::ranges::adjacent_find(offsets_, std::greater<>());
            throw_error(errc::invalid_argument, "segments: offsets must not decrease, but offset " +
                                                    std::to_string(bad - offsets_.begin() + 1) + " is " +
                                                    std::to_string(*std::next(bad)) + " after " +
                                                    std::to_string(*bad));
        }
        if (static_cast<std::size_t>(offsets_.back()) != n) {
            throw_error(errc::invalid_argument, "segments: the last offset must be the number of elements, " +
                                                    std::to_string(n) + ", but it is " +
                                                    std::to_string(offsets_.back()));
        }
    }
    void mark(const cpu::memory_kernels& memory, std::size_t first, std::size_t count, std::uint64_t* bits,
              std::size_t& hint) const {
        const std::size_t size = offsets_.size();
        std::size_t at = first_from(first, std::min(hint, size));
        for (std::size_t done = 0; done < count; done += most_flags)
            mark_part(memory, first + done, std::min(most_flags, count - done), bits + done / 64, at);
        hint = at;
    }

    // For engines: as in head_marks, cpu/heads.hpp.
    std::size_t list(std::size_t first, std::size_t count, std::size_t most, std::uint32_t* ends,
                     bool& begins, std::size_t& hint) const {
        const std::size_t size = offsets_.size(), last = first + count;
        std::size_t at = first_from(first, std::min(hint, size));
        begins = at != size && as_size(offsets_[at]) == first;
        while (at != size && as_size(offsets_[at]) == first) ++at;
        if (size - at > most && as_size(offsets_[at + most]) <= last) return most + 1;
        std::size_t found = 0, before = first;
        for (; at != size && as_size(offsets_[at]) <= last; ++at) {
            const std::size_t place = as_size(offsets_[at]);
            ends[found] = static_cast<std::uint32_t>(place - first);
            found += place == before ? 0 : 1;  // behind an empty segment it is the same
            before = place;
        }
        hint = at;
        return found;
    }

    // For engines: likewise.
    std::optional<std::size_t> last(std::size_t first, std::size_t count, std::size_t& hint) const {
        hint = first_from(first + count, std::min(hint, offsets_.size()));
        if (hint == 0 || as_size(offsets_[hint - 1]) < first) return std::nullopt;
        return as_size(offsets_[hint - 1]) - first;
    }

  private:
    // Whether no offset is above the next.
    [[nodiscard]] bool never_decrease(const cpu::head_kernels& kernels) const {
        if constexpr (sizeof(Integer) == 4 || sizeof(Integer) == 8) {  // as signed numbers, which most are
            if (kernels.ascend[sizeof(Integer) / 8](offsets_.data(), offsets_.size())) return true;
        }
        return std::ranges::adjacent_find(offsets_, std::greater<>()) == offsets_.end();
    }

    static constexpr std::size_t most_flags = 4096 + 64;  // a tile and what is behind it, in whole words

    // Up to so many elements; offsets[at] is the first that is not below `first`, and becomes the first
    // behind them. Where there are many, each sets a byte, as a bit would have to wait for the one before it.
    void mark_part(const cpu::memory_kernels& memory, std::size_t first, std::size_t count,
                   std::uint64_t* bits, std::size_t& at) const {
        const std::size_t words = cpu::words_of(count), end = first + count, size = offsets_.size();
        const Integer* const o = offsets_.data();
        if (size - at <= words || as_size(o[at + words]) >= end) {
            std::fill_n(bits, words, std::uint64_t{0});
            for (; at != size && as_size(o[at]) < end; ++at) {
                const std::size_t i = as_size(o[at]) - first;
                bits[i / 64] |= std::uint64_t{1} << (i % 64);
            }
            return;
        }
        std::uint8_t flags[most_flags];
        std::fill_n(flags, 64 * words, std::uint8_t{0});
        std::size_t next = at;
        constexpr std::size_t together = 4;
        for (; size - next >= together && as_size(o[next + together - 1]) < end; next += together)
            for (std::size_t k = 0; k < together; ++k) flags[as_size(o[next + k]) - first] = 1;
        for (; next != size && as_size(o[next]) < end; ++next) flags[as_size(o[next]) - first] = 1;
        memory.mark_nonzero[0](flags, 64 * words, bits);
        at = next;
    }

    // The first offset that is not below `element`, looked for in steps that double, from `near` on.
    [[nodiscard]] std::size_t first_from(std::size_t element, std::size_t near) const {
        const auto below = [&](std::size_t at) { return as_size(offsets_[at]) < element; };
        std::size_t low = near;   // offsets in front of it are below
        std::size_t high = near;  // those from it on are not
        for (std::size_t step = 1; low != 0 && !below(low - 1); step *= 2) {
            high = low - 1;
            low -= std::min(low, step);
        }
        if (low == near) {
            for (std::size_t step = 1; high != offsets_.size() && below(high); step *= 2) {
                low = high + 1;
                high += std::min(offsets_.size() - high, step);
            }
        }
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            (below(middle) ? low : high) = below(middle) ? middle + 1 : middle;
        }
        return low;
    }
    static std::size_t as_size(Integer offset) { return static_cast<std::size_t>(offset); }
    std::span<const Integer> offsets_;
};
template <input_range Offsets>
by_offsets(const Offsets&) -> by_offsets<std::ranges::range_value_t<Offsets>>;

// An element whose flag is not zero (true) starts a segment, and so does element 0.
template <class Flag>
class by_head_flags {
  public:
    template <input_range Flags>
    explicit by_head_flags(const Flags& flags) : flags_(std::ranges::data(flags), std::ranges::size(flags)) {}

    [[nodiscard]] std::span<const Flag> flags() const { return flags_; }
    // For engines.
    [[nodiscard]] std::span<const Flag> elements() const { return flags_; }
    void check(std::size_t n, cpu::simd_level) const {
        detail::check_described(flags_.size(), n, "head flags");
    }
    void mark(const cpu::memory_kernels& memory, std::size_t first, std::size_t count, std::uint64_t* bits,
              std::size_t&) const {
        const std::size_t inside = std::min(count, flags_.size() - first);  // the end of all is no element
        if constexpr (cpu::word_integer<Flag>) {
            memory.mark_nonzero[cpu::log2_size<Flag>](flags_.data() + first, inside, bits);
        } else {
            cpu::mark_each<Flag>(memory, inside, bits,
                                 [&](std::size_t i) { return flags_[first + i] != Flag(0); });
        }
        if (inside != count) detail::mark_next(inside, bits);
        if (first == 0) bits[0] |= 1;
    }

  private:
    std::span<const Flag> flags_;
};
template <input_range Flags>
by_head_flags(const Flags&) -> by_head_flags<std::ranges::range_value_t<Flags>>;

// An element whose key is not equal to the one before it starts a segment. equal(earlier, later) may be
// called from several threads.
template <class Key, class Equal = std::equal_to<>>
class by_keys {
  public:
    template <input_range Keys>
    explicit by_keys(const Keys& keys, Equal same = {})
        : keys_(std::ranges::data(keys), std::ranges::size(keys)), equal_(std::move(same)) {}

    [[nodiscard]] std::span<const Key> keys() const { return keys_; }
    // For engines.
    [[nodiscard]] std::span<const Key> elements() const { return keys_; }
    // What compares neighbours.
    [[nodiscard]] const Equal& equal() const { return equal_; }
    // For engines.
    void check(std::size_t n, cpu::simd_level) const { detail::check_described(keys_.size(), n, "keys"); }
    void mark(const cpu::memory_kernels& memory, std::size_t first, std::size_t count, std::uint64_t* bits,
              std::size_t&) const {
        // Element 0 and the end of all have no neighbour to be compared with, and are heads.
        const std::size_t skipped = first == 0 ? 1 : 0;
        const std::size_t inside = std::min(count, keys_.size() - first);
        if constexpr (cpu::word_integer<Key> &&
                      (std::same_as<Equal, std::equal_to<>> || std::same_as<Equal, std::equal_to<Key>>)) {
            memory.mark_changes[cpu::log2_size<Key>](keys_.data() + first + skipped, inside - skipped, bits);
        } else {
            cpu::mark_each<Key>(memory, inside - skipped, bits, [&](std::size_t i) {
                const std::size_t at = first + skipped + i;
                return !std::invoke(equal_, keys_[at - 1], keys_[at]);
            });
        }
        if (skipped != 0) detail::insert_head(inside, bits);
        if (inside != count) detail::mark_next(inside, bits);
    }

  private:
    std::span<const Key> keys_;
    Equal equal_;
};
template <input_range Keys, class Equal = std::equal_to<>>
by_keys(const Keys&, Equal = {}) -> by_keys<std::ranges::range_value_t<Keys>, Equal>;

// For engines: which of these a type is.
template <class Segments>
inline constexpr bool is_by_offsets = false;
template <class Integer>
inline constexpr bool is_by_offsets<by_offsets<Integer>> = true;
template <class Segments>
inline constexpr bool is_by_head_flags = false;
template <class Flag>
inline constexpr bool is_by_head_flags<by_head_flags<Flag>> = true;
template <class Segments>
inline constexpr bool is_by_keys = false;
template <class Key, class Equal>
inline constexpr bool is_by_keys<by_keys<Key, Equal>> = true;
// What a call takes as segments, by_head_flags(flags), say, but not flags alone.
template <class Segments>
concept describes_segments = is_by_offsets<Segments> || is_by_head_flags<Segments> || is_by_keys<Segments>;

namespace detail {

// What a call reads and writes, by the name of the argument.
struct named_array {
    const char* name;
    const void* data;
    std::size_t bytes;
};
template <class R>
named_array named(const char* name, const R& r) {
    return {name, std::ranges::data(r), std::ranges::size(r) * sizeof(std::ranges::range_value_t<R>)};
}
inline void check_disjoint(const named_array& out, const named_array& other) {
    check_disjoint(out.name, out.data, out.bytes, other.name, other.data, other.bytes);
}

// What describes segments.
template <class Segments>
named_array described(const Segments& segments) {
    if constexpr (requires { segments.offsets(); })
        return named("segments", segments.offsets());
    else
        return named("segments", segments.elements());
}

// The runs of a call, which outlives them: what cannot be copied is referred to.
template <input_range Keys, class Equal>
auto runs_of(const Keys& keys, const Equal& equal) {
    if constexpr (std::copy_constructible<Equal>)
        return by_keys(keys, equal);
    else
        return by_keys(keys, std::cref(equal));
}

}  // namespace detail

}  // namespace upsweep
