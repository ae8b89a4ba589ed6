// Strided views of n-dimensional arrays in buffers of OpenGL and Vulkan, which differ in what a buffer is
// called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>

#include "upsweep/views.hpp"

namespace upsweep::shader {

// Of so many elements of T; where that does not fit 64 bits the largest number, which no buffer has.
template <class T>
constexpr std::uint64_t span_bytes(std::uint64_t size) {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    return size > largest / sizeof(T) ? largest : size * sizeof(T);
}

// element(i0, i1, ...) lies `offset` bytes and i0 * strides[0] + i1 * strides[1] + ... elements into the
// buffer. The offset is a multiple of sizeof(T). Strides may be negative or, for what is only read, zero.
// Owns nothing. Throws upsweep::error, invalid_argument, as strided_view does.
template <class T, class Buffer>
class buffer_view {
  public:
    using element_type = T;

    // C order: the last index runs fastest.
    buffer_view(Buffer buffer, std::uint64_t offset, std::span<const std::int64_t> shape)
        : described_(nullptr, shape), buffer_(buffer), offset_(offset) {}
    buffer_view(Buffer buffer, std::uint64_t offset, std::span<const std::int64_t> shape,
                std::span<const std::int64_t> strides)
        : described_(nullptr, shape, strides), buffer_(buffer), offset_(offset) {}
    buffer_view(Buffer buffer, std::uint64_t offset, std::initializer_list<any_integer> shape)
        : described_(nullptr, shape), buffer_(buffer), offset_(offset) {}
    buffer_view(Buffer buffer, std::uint64_t offset, std::initializer_list<any_integer> shape,
                std::initializer_list<any_integer> strides)
        : described_(nullptr, shape, strides), buffer_(buffer), offset_(offset) {}
    template <class Other>
    requires(std::is_same_v<const Other, T> && !std::is_same_v<Other, T>)
        buffer_view(const buffer_view<Other, Buffer>& other)
        : described_(nullptr, other.shape(), other.strides()),
          buffer_(other.buffer()),
          offset_(other.offset()) {}

    [[nodiscard]] Buffer buffer() const { return buffer_; }
    [[nodiscard]] std::uint64_t offset() const { return offset_; }
    [[nodiscard]] std::size_t rank() const { return described_.rank(); }
    [[nodiscard]] std::span<const std::int64_t> shape() const { return described_.shape(); }
    [[nodiscard]] std::span<const std::int64_t> strides() const { return described_.strides(); }
    [[nodiscard]] std::int64_t size() const { return described_.size(); }

  private:
    strided_view<T> described_;  // without memory
    Buffer buffer_;
    std::uint64_t offset_;
};

}  // namespace upsweep::shader
