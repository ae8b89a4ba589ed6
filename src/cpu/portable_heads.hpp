// Where segments begin, in plain C++: the level `portable`, and the tails of the vector bodies.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu::portable {

struct segment_heads {
    static std::size_t list(const std::uint64_t* bits, std::size_t words, std::uint32_t* places) {
        std::size_t at = 0;
        for (std::size_t word = 0; word < words; ++word) {
            for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
                places[at++] =
                    static_cast<std::uint32_t>(64 * word + static_cast<std::size_t>(std::countr_zero(left)));
        }
        return at;
    }
    template <class T>
    static bool ascend(const void* numbers, std::size_t n) {
        const auto* x = static_cast<const T*>(numbers);
        bool in_order = n == 0 || x[0] >= 0;
        constexpr std::size_t together = 64;
        for (std::size_t i = 1; i < n && in_order; i += together)
            for (std::size_t k = i; k < n && k < i + together; ++k) in_order &= x[k - 1] <= x[k];
        return in_order;
    }
    static constexpr head_kernels table{&list, {&ascend<std::int32_t>, &ascend<std::int64_t>}};
};

}  // namespace upsweep::cpu::portable
