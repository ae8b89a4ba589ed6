// Operators for tests, chosen for what they reveal: swapped operands, a part left out or taken twice, a
// grouping other than the tree's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <string>

#include "upsweep/core/portability.hpp"

namespace upsweep::test {

// The bicyclic monoid: strings of brackets, "))((" after all pairs () cancelled, as (closing, opening).
// Associative, not commutative, and nearly every permutation of its operands shows.
struct brackets {
    std::uint32_t closing = 0;
    std::uint32_t opening = 0;
    friend bool operator==(const brackets&, const brackets&) = default;
    friend std::ostream& operator<<(std::ostream& out, const brackets& b) {
        return out << b.closing << ")(" << b.opening;
    }
};
struct bicyclic {
    UPSWEEP_HOST_DEVICE brackets operator()(const brackets& a, const brackets& b) const {
        const std::uint32_t pairs = std::min(a.opening, b.closing);
        return {a.closing + b.closing - pairs, a.opening + b.opening - pairs};
    }
    UPSWEEP_HOST_DEVICE static brackets identity() { return {}; }
};

// 2 x 2 matrices modulo 2^32, row by row.
struct matrix {
    std::array<std::uint32_t, 4> m{1, 0, 0, 1};
    friend bool operator==(const matrix&, const matrix&) = default;
    friend std::ostream& operator<<(std::ostream& out, const matrix& x) {
        return out << '[' << x.m[0] << ' ' << x.m[1] << "; " << x.m[2] << ' ' << x.m[3] << ']';
    }
};
struct matrix_product {
    UPSWEEP_HOST_DEVICE matrix operator()(const matrix& a, const matrix& b) const {
        return {{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
                 a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
    }
};

// The free monoid seen through a keyhole: of a word, its length and its first and last four letters.
// Associative; any letter out of place near the ends, and any lost or doubled one, shows. The default is the
// empty word.
struct word {
    std::uint32_t length = 0;
    std::array<char, 4> first{};  // the first min(length, 4) letters, then zeros
    std::array<char, 4> last{};   // the last min(length, 4) letters, then zeros
    friend bool operator==(const word&, const word&) = default;
    friend std::ostream& operator<<(std::ostream& out, const word& w) {
        return out << std::string(w.first.data(), w.kept()) << ".." << std::string(w.last.data(), w.kept())
                   << '/' << w.length;
    }
    static word letter(char c) { return {1, {c}, {c}}; }
    [[nodiscard]] UPSWEEP_HOST_DEVICE std::size_t kept() const { return std::min<std::size_t>(length, 4); }
};
struct concatenate {
    UPSWEEP_HOST_DEVICE word operator()(const word& a, const word& b) const {
        word joined{a.length + b.length, {}, {}};
        // The kept letters of both; not std::copy_n, whose memmove CUDA's devices lack.
        const std::size_t from_a = a.kept(), count = from_a + b.kept(), kept = joined.kept();
        for (std::size_t i = 0; i < kept; ++i)
            joined.first[i] = i < from_a ? a.first[i] : b.first[i - from_a];
        for (std::size_t i = count - kept; i < count; ++i)
            joined.last[i - (count - kept)] = i < from_a ? a.last[i] : b.last[i - from_a];
        return joined;
    }
    UPSWEEP_HOST_DEVICE static word identity() { return {}; }
};

// Not associative at all: the value names the very tree of operations that made it, up to 64-bit collisions.
// Two scans agree under it only if they group alike.
struct fingerprint {
    UPSWEEP_HOST_DEVICE std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
        std::uint64_t z =
            a * 0x9e3779b97f4a7c15u + (b ^ (b >> 29)) * 0xc2b2ae3d27d4eb4fu + 0x165667b19e3779f9u;
        return z ^ (z >> 31);
    }
};

// The same for the eye: "ab" (+) "cd" is "(ab+cd)", single letters stay bare.
struct parenthesise {
    std::string operator()(const std::string& a, const std::string& b) const {
        return "(" + a + "+" + b + ")";
    }
};

}  // namespace upsweep::test
