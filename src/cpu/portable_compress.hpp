// Choice and compaction in plain C++: the level `portable`, and the tails of the vector bodies.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/cpu/portable_memory.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu {

// Of the class that holds them.
template <class Bodies>
constexpr compress_kernels compress_table_of() {
    return {&Bodies::count,
            {&Bodies::template compress<std::uint8_t>, &Bodies::template compress<std::uint16_t>,
             &Bodies::template compress<std::uint32_t>, &Bodies::template compress<std::uint64_t>}};
}

namespace portable {

struct compression {
    static std::size_t count(const std::uint64_t* bits, std::size_t words) {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < words; ++i) sum += static_cast<std::size_t>(std::popcount(bits[i]));
        return sum;
    }
    template <class T>
    static std::size_t compress(void* dst, std::size_t room, const void* src, const std::uint64_t* bits,
                                std::size_t count) {
        auto* to = static_cast<T*>(dst);
        const auto* from = static_cast<const T*>(src);
        std::size_t at = 0;
        for (std::size_t i = 0; i < count && at != room; i += 64) {
            std::uint64_t left = bits[i / 64];
            if (count - i < 64) left &= (std::uint64_t{1} << (count - i)) - 1;
            for (; left != 0 && at != room; left &= left - 1)
                to[at++] = from[i + static_cast<std::size_t>(std::countr_zero(left))];
        }
        return at;
    }
};
inline constexpr compress_kernels compress_table = compress_table_of<compression>();

template <class T>
void compare(const T* x, std::size_t count, const compared_with<T>& with, std::uint64_t* bits) {
    memory::mark(count, bits, [x, with](std::size_t i) { return with(x[i]); });
}

}  // namespace portable
}  // namespace upsweep::cpu
