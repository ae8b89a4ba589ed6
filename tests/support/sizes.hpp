// The sizes at which a scan can go wrong: all small ones, and the neighbourhood of every level of the tree.
#pragma once

#include <cstddef>
#include <vector>

#include "support/build.hpp"
#include "upsweep/core/tree.hpp"

namespace upsweep::test {

// Whether few sizes do: ThreadSanitizer has nothing to find in the rest, and compute-sanitizer has no time
// for it.
inline bool few_sizes() { return thread_sanitizer || under_compute_sanitizer(); }

// Whether a part of the shapes of arrays does: AddressSanitizer finds in the rest what it finds in these, and
// on a software driver each is scanned in every way.
inline bool few_shapes() { return sanitized || under_compute_sanitizer() || in_brief; }

// 0, 1, ..., 300
inline std::vector<std::size_t> small_sizes() {
    std::vector<std::size_t> sizes;
    for (std::size_t n = 0; n <= 300; ++n) sizes.push_back(n);
    return sizes;
}

// k * level + d for k = 1, 2, 3 and d = -3, -1, 0, 1, 3
inline std::vector<std::size_t> sizes_around(std::size_t level) {
    std::vector<std::size_t> sizes;
    for (std::size_t k = 1; k <= 3; ++k) {
        for (const std::ptrdiff_t d : {-3, -1, 0, 1, 3})
            sizes.push_back(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(k * level) + d));
    }
    return sizes;
}

// A kernel's groups of vectors: one is at most 512 elements.
inline constexpr std::size_t kernel_group = 512;

// Small sizes and those around rows, groups and tiles: up to 12,291 elements, of which at most the largest
// are shared between threads. AddressSanitizer is given the neighbours of vectors and levels alone: other
// sizes take the same paths.
inline std::vector<std::size_t> tile_sizes() {
    if (few_sizes()) return {0, 1, 5, 130, 4097};
    if (address_sanitizer) {
        return {0,  1,  2,   3,   4,   5,   7,   8,   9,   15,  16,  17,   31,   33,   63,
                64, 65, 127, 129, 131, 255, 257, 300, 511, 513, 515, 1021, 4095, 4097, 8195};
    }
    if (in_brief) {
        return {0,    1,    2,    3,    4,    5,    6,    7,    8,    9,     31,
                33,   127,  128,  129,  131,  255,  256,  257,  300,  511,   1021,
                4092, 4093, 4095, 4096, 4097, 4099, 8191, 8192, 8195, 12289, 12291};
    }
    std::vector<std::size_t> sizes = small_sizes();
    for (const std::size_t level : {core::row_size, kernel_group, core::tile_size}) {
        for (const std::size_t n : sizes_around(level)) sizes.push_back(n);
    }
    return sizes;
}

// Around supers: up to 393,219 elements, which several threads share.
inline std::vector<std::size_t> super_sizes() {
    if (sanitized) return {core::super_size - 1, 2 * core::super_size + 3};
    if (few_sizes()) return {core::super_size - 1, core::super_size + 1, 3 * core::super_size + 3};
    if (in_brief) {
        return {core::super_size - 1, core::super_size, core::super_size + 3,
                2 * core::super_size + core::tile_size + 3};
    }
    return sizes_around(core::super_size);
}
inline constexpr std::size_t largest_super_size = 3 * core::super_size + 3;

}  // namespace upsweep::test
