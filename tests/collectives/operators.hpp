// Elements and operators for tests of collectives, callable on host and device: of 1 to 64 bytes, with and
// without an identity, commutative or not, and one that shows the grouping of its operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>

#include "support/random.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::test {

// Affine maps over 32-bit integers with the number of maps composed: not commutative, and an element lost or
// doubled shows in the count.
struct counted_map {
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    std::uint32_t count = 0;
    friend bool operator==(const counted_map&, const counted_map&) = default;
    friend std::ostream& operator<<(std::ostream& out, const counted_map& x) {
        return out << x.a << "x+" << x.b << '#' << x.count;
    }
};
static_assert(sizeof(counted_map) == 12);
struct compose_maps {
    UPSWEEP_HOST_DEVICE constexpr counted_map operator()(const counted_map& f, const counted_map& g) const {
        return {f.a * g.a, g.a * f.b + g.b, f.count + g.count};
    }
    UPSWEEP_HOST_DEVICE static constexpr counted_map identity() { return {}; }
};

// 4 x 4 matrices modulo 2^32, row by row.
struct wide_matrix {
    std::uint32_t m[16] = {};
    friend bool operator==(const wide_matrix&, const wide_matrix&) = default;
    friend std::ostream& operator<<(std::ostream& out, const wide_matrix& x) {
        out << '[';
        for (const std::uint32_t v : x.m) out << v << ' ';
        return out << ']';
    }
};
static_assert(sizeof(wide_matrix) == 64);
struct multiply_matrices {
    UPSWEEP_HOST_DEVICE constexpr wide_matrix operator()(const wide_matrix& a, const wide_matrix& b) const {
        wide_matrix product;
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                for (int k = 0; k < 4; ++k) product.m[4 * i + j] += a.m[4 * i + k] * b.m[4 * k + j];
            }
        }
        return product;
    }
    UPSWEEP_HOST_DEVICE static constexpr wide_matrix identity() {
        wide_matrix one;
        for (int i = 0; i < 4; ++i) one.m[5 * i] = 1;
        return one;
    }
};

// Not associative and without an identity: the value names the tree of operations that made it, up to 64-bit
// collisions. Scans agree under it only if they group alike.
struct operation_tree {
    UPSWEEP_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
        const std::uint64_t z =
            a * 0x9e3779b97f4a7c15u + (b ^ (b >> 29)) * 0xc2b2ae3d27d4eb4fu + 0x165667b19e3779f9u;
        return z ^ (z >> 31);
    }
};

template <class T>
T random_element(random_bits& random) {
    if constexpr (std::same_as<T, counted_map>) {
        return {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()), 1};
    } else if constexpr (std::same_as<T, wide_matrix>) {
        wide_matrix x;
        for (std::uint32_t& v : x.m) v = static_cast<std::uint32_t>(random());
        return x;
    } else if constexpr (std::floating_point<T>) {
        return static_cast<T>(random.between(-1, 1));
    } else {
        return static_cast<T>(random());
    }
}

}  // namespace upsweep::test
