// Operators for tests, chosen for what they reveal: swapped operands, a part left out or taken twice, a
// grouping other than the tree's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <string>

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
    brackets operator()(const brackets& a, const brackets& b) const {
        const std::uint32_t pairs = std::min(a.opening, b.closing);
        return {a.closing + b.closing - pairs, a.opening + b.opening - pairs};
    }
    static brackets identity() { return {}; }
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
    matrix operator()(const matrix& a, const matrix& b) const {
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
    [[nodiscard]] std::size_t kept() const { return std::min<std::size_t>(length, 4); }
};
struct concatenate {
    word operator()(const word& a, const word& b) const {
        word joined{a.length + b.length, {}, {}};
        std::array<char, 8> letters{};
        std::copy_n(a.first.begin(), a.kept(), letters.begin());
        std::copy_n(b.first.begin(), b.kept(), letters.begin() + static_cast<std::ptrdiff_t>(a.kept()));
        std::copy_n(letters.begin(), joined.kept(), joined.first.begin());
        std::copy_n(a.last.begin(), a.kept(), letters.begin());
        std::copy_n(b.last.begin(), b.kept(), letters.begin() + static_cast<std::ptrdiff_t>(a.kept()));
        std::copy_n(letters.begin() + static_cast<std::ptrdiff_t>(a.kept() + b.kept() - joined.kept()),
                    joined.kept(), joined.last.begin());
        return joined;
    }
    static word identity() { return {}; }
};

// Not associative at all: the value names the very tree of operations that made it, up to 64-bit collisions.
// Two scans agree under it only if they group alike.
struct fingerprint {
    std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
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
