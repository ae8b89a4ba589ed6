// Elements in an OpenGL buffer object: what std::span is for host memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/shader/buffer_view.hpp"

namespace upsweep::gl {

// Bytes of a buffer object. Name 0: nothing.
struct buffer_region {
    std::uint32_t buffer = 0;  // the object's name
    std::uint64_t offset = 0;  // bytes
    std::uint64_t bytes = 0;
};

// `size` elements of T, the first of them `offset` bytes into the buffer object; the offset is a multiple of
// the element's size, or of 4 for larger elements that are only moved. T = const ... for what is only read.
template <class T>
struct buffer_span {
    using element_type = T;

    std::uint32_t buffer = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;

    [[nodiscard]] constexpr buffer_region region() const {
        return {buffer, offset, shader::span_bytes<T>(size)};
    }
    // Elements first, first + 1, ..., first + count - 1.
    [[nodiscard]] constexpr buffer_span part(std::uint64_t first, std::uint64_t count) const {
        return {buffer, count, offset + first * sizeof(T)};
    }
    constexpr operator buffer_span<const T>() const requires(!std::is_const_v<T>) {
        return {buffer, size, offset};
    }
};

// What can be moved as it is: words.
template <class T>
concept record = std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0;

// A strided n-dimensional array of T in a buffer object: buffer_view<T>(name, offset in bytes, shape,
// strides).
template <class T>
using buffer_view = shader::buffer_view<T, std::uint32_t>;

}  // namespace upsweep::gl
