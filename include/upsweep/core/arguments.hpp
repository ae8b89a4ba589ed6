// Checks of arguments that several functions share.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "upsweep/core/portability.hpp"
#include "upsweep/error.hpp"

namespace upsweep::detail {

[[noreturn]] inline void throw_sizes(std::size_t in, std::size_t out) {
    throw_error(errc::invalid_argument, "out: expected " + std::to_string(in) +
                                            " elements, as many as in, but it has " + std::to_string(out));
}
UPSWEEP_ALWAYS_INLINE void check_sizes(std::size_t in, std::size_t out) {
    if (in != out) throw_sizes(in, out);
}

[[noreturn]] inline void throw_overlap() {
    throw_error(
        errc::invalid_argument,
        "out: overlaps in; it must be the same array (equal pointers and element sizes) or disjoint from it");
}

// Whether two arrays are the same memory; any other overlap is an error.
UPSWEEP_ALWAYS_INLINE bool check_overlap(const void* in, std::size_t in_element, const void* out,
                                         std::size_t out_element, std::size_t n) {
    const auto* in_first = static_cast<const char*>(in);
    const auto* out_first = static_cast<const char*>(out);
    const std::less<const char*> before;
    if (n == 0 || !before(in_first, out_first + n * out_element) ||
        !before(out_first, in_first + n * in_element))
        return false;
    if (in_first == out_first && in_element == out_element) return true;
    throw_overlap();
}

inline void check_flags(std::size_t flags, std::size_t in) {
    if (flags != in) {
        throw_error(errc::invalid_argument, "flags: expected " + std::to_string(in) +
                                                ", one for each element of in, but there are " +
                                                std::to_string(flags));
    }
}
// What describes segments: flags or keys, one an element, or offsets.
inline void check_described(std::uint64_t given, std::uint64_t n, const char* things) {
    if (given != n) {
        throw_error(errc::invalid_argument, "segments: expected " + std::to_string(n) + " " + things +
                                                ", one an element, but there are " + std::to_string(given));
    }
}
inline void check_offset_count(std::uint64_t given) {
    if (given == 0) throw_error(errc::invalid_argument, "segments: expected at least one offset");
}
inline void check_key_count(std::uint64_t given, std::uint64_t n) {
    if (given != n) {
        throw_error(errc::invalid_argument, "keys: expected " + std::to_string(n) +
                                                ", one for each element of in, but there are " +
                                                std::to_string(given));
    }
}
// Lengths of runs of n elements must fit theirs.
template <class Length>
void check_lengths(std::uint64_t n) {
    static_assert(std::integral<Length> && !std::same_as<Length, bool>,
                  "lengths: expected integers, for numbers of elements");
    if (n > static_cast<std::uint64_t>(std::numeric_limits<Length>::max())) {
        throw_error(errc::invalid_argument, "lengths: " + std::to_string(n) +
                                                " does not fit its elements, which reach " +
                                                std::to_string(std::numeric_limits<Length>::max()));
    }
}
// `out` must have elements in which the indices of n elements fit.
template <class Index>
void check_indices(std::size_t n) {
    static_assert(std::integral<Index> && !std::same_as<Index, bool>, "out: expected integers, for indices");
    if (n != 0 && n - 1 > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
        throw_error(errc::invalid_argument, "out: index " + std::to_string(n - 1) +
                                                " does not fit its elements, which reach " +
                                                std::to_string(std::numeric_limits<Index>::max()));
    }
}

// Whether two arrays share memory.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
    const auto* first = static_cast<const char*>(a);
    const auto* second = static_cast<const char*>(b);
    const std::less<const char*> before;
    return a_bytes != 0 && b_bytes != 0 && before(first, second + b_bytes) && before(second, first + a_bytes);
}
// out must be no part of what `name` is.
inline void check_disjoint(const char* out, const void* p, std::size_t bytes, const char* name, const void* q,
                           std::size_t q_bytes) {
    if (overlap(p, bytes, q, q_bytes)) {
        throw_error(errc::invalid_argument,
                    std::string(out) + ": overlaps " + name + "; it must be disjoint from it");
    }
}
inline void check_apart(const char* name, const void* p, std::size_t bytes, const void* out,
                        std::size_t out_bytes) {
    check_disjoint("out", out, out_bytes, name, p, bytes);
}

// out: expected n elements, as many as `name`.
inline void check_as_many(const char* out, std::size_t found, const char* name, std::size_t n) {
    if (found != n) {
        throw_error(errc::invalid_argument, std::string(out) + ": expected " + std::to_string(n) +
                                                " elements, as many as " + name + ", but it has " +
                                                std::to_string(found));
    }
}
// Arrays of as many elements of one type.
inline void check_same_or_disjoint(const char* out, const void* p, const char* name, const void* q,
                                   std::size_t bytes) {
    if (p != q && overlap(p, bytes, q, bytes)) {
        throw_error(errc::invalid_argument, std::string(out) + ": overlaps " + name +
                                                "; it must be the same array or disjoint from it");
    }
}

// out: at most n elements, as many as `name`.
[[noreturn]] inline void throw_too_many(const char* out, std::uint64_t found, const char* name,
                                        std::uint64_t n) {
    throw_error(errc::invalid_argument, std::string(out) + ": expected at most " + std::to_string(n) +
                                            " elements, as many as " + name + ", but it has " +
                                            std::to_string(found));
}
inline void check_at_most(const char* out, std::uint64_t found, const char* name, std::uint64_t n) {
    if (found > n) throw_too_many(out, found, name, n);
}

// How long each of so many rows is that have `size` elements in all.
inline std::uint64_t row_length(const char* name, std::uint64_t size, std::uint64_t rows) {
    if (rows == 0 ? size != 0 : size % rows != 0) {
        throw_error(errc::invalid_argument, std::string(name) + ": expected " + std::to_string(rows) +
                                                " rows of equal lengths, but it has " + std::to_string(size) +
                                                " elements");
    }
    return rows == 0 ? 0 : size / rows;
}
// Those of `in`, and those of `out`, which are no longer.
struct row_lengths {
    std::uint64_t in, out;
};
inline row_lengths check_rows(std::uint64_t rows, std::uint64_t in, std::uint64_t out) {
    const row_lengths lengths{row_length("in", in, rows), row_length("out", out, rows)};
    if (lengths.out > lengths.in) {
        throw_error(errc::invalid_argument, "out: expected rows of at most " + std::to_string(lengths.in) +
                                                " elements, as many as those of in, but they have " +
                                                std::to_string(lengths.out));
    }
    return lengths;
}

}  // namespace upsweep::detail
