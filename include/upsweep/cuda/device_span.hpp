// Arrays in CUDA device memory. The memory space is part of the type, so a span of host memory handed to a
// CUDA scan does not compile, nor a device_span handed to a CPU scan.
#pragma once

#include <cstddef>
#include <type_traits>

namespace upsweep::cuda {

// `size` elements from `data` on, on one device; owns nothing. The pointer need only be aligned for T.
template <class T>
class device_span {
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr device_span() = default;
    constexpr device_span(T* data, std::size_t size) : data_(data), size_(size) {}
    template <class Other>
    requires(std::is_same_v<const Other, T> &&
             !std::is_same_v<Other, T>) constexpr device_span(const device_span<Other>& other)
        : data_(other.data()), size_(other.size()) {}

    [[nodiscard]] constexpr T* data() const { return data_; }
    [[nodiscard]] constexpr std::size_t size() const { return size_; }
    [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
    // Elements [offset, offset + count). Precondition: they are within the span.
    [[nodiscard]] constexpr device_span subspan(std::size_t offset, std::size_t count) const {
        return {data_ + offset, count};
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace upsweep::cuda
