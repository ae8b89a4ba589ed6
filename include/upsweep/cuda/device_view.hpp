// Strided views of n-dimensional arrays in CUDA device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "upsweep/views.hpp"

namespace upsweep::cuda {

// element(i0, i1, ...) = data[i0 * strides[0] + i1 * strides[1] + ...], as in upsweep/views.hpp, but on one
// device. As the memory space is part of the type, a view of host memory handed to a CUDA scan does not
// compile. Owns nothing.
template <class T>
class device_view {
  public:
    using element_type = T;

    // C order: the last index runs fastest.
    device_view(T* data, std::span<const std::int64_t> shape) : described_(data, shape) {}
    device_view(T* data, std::span<const std::int64_t> shape, std::span<const std::int64_t> strides)
        : described_(data, shape, strides) {}
    device_view(T* data, std::initializer_list<any_integer> shape) : described_(data, shape) {}
    device_view(T* data, std::initializer_list<any_integer> shape, std::initializer_list<any_integer> strides)
        : described_(data, shape, strides) {}
    template <class Other>
    requires(std::is_same_v<const Other, T> && !std::is_same_v<Other, T>)
        device_view(const device_view<Other>& other)
        : described_(other.data(), other.shape(), other.strides()) {}

    [[nodiscard]] T* data() const { return described_.data(); }
    [[nodiscard]] std::size_t rank() const { return described_.rank(); }
    [[nodiscard]] std::span<const std::int64_t> shape() const { return described_.shape(); }
    [[nodiscard]] std::span<const std::int64_t> strides() const { return described_.strides(); }
    [[nodiscard]] std::int64_t size() const { return described_.size(); }

    // For engines: the same description, of memory that the host must not touch.
    [[nodiscard]] const strided_view<T>& description() const { return described_; }

  private:
    strided_view<T> described_;
};

}  // namespace upsweep::cuda
