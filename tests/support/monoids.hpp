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
// empty word. Letters are bytes of a number, the first one the lowest, so that an operator, which compilers
// copy into every place of a kernel, is a few shifts.
struct word {
    std::uint32_t length = 0;
    std::uint32_t first = 0;  // the first min(length, 4) letters, then zeros
    std::uint32_t last = 0;   // the last min(length, 4) letters, then zeros
    friend bool operator==(const word&, const word&) = default;
    friend std::ostream& operator<<(std::ostream& out, const word& w) {
        return out << w.text(w.first) << ".." << w.text(w.last) << '/' << w.length;
    }
    static word letter(char c) { return {1, static_cast<unsigned char>(c), static_cast<unsigned char>(c)}; }
    [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint32_t kept() const { return length < 4 ? length : 4; }
    [[nodiscard]] std::string text(std::uint32_t letters) const {
        std::string all;
        for (std::uint32_t i = 0; i < kept(); ++i) all += static_cast<char>(letters >> (8 * i) & 0xff);
        return all;
    }
};
struct concatenate {
    UPSWEEP_HOST_DEVICE word operator()(const word& a, const word& b) const {
        const std::uint32_t length = a.length + b.length, kept = length < 4 ? length : 4;
        // The kept letters of a and behind them those of b; what is shifted out is not kept.
        const auto joined = [&a](std::uint32_t of_a, std::uint32_t of_b) {
            return of_a | static_cast<std::uint64_t>(of_b) << (8 * a.kept());
        };
        const std::uint32_t dropped = a.kept() + b.kept() - kept;
        return {length, static_cast<std::uint32_t>(joined(a.first, b.first)),
                static_cast<std::uint32_t>(joined(a.last, b.last) >> (8 * dropped))};
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
