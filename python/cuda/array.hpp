// An array in device memory as Python describes it: the package has asked the library that owns it.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/views.hpp"

namespace upsweep::python {

// Of a tuple (address, shape, strides), strides in elements.
class device_array {
  public:
    // `name` is the argument's, for errors. Throws nanobind::type_error for another object.
    device_array(nanobind::handle object, const char* name);

    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }  // elements
    [[nodiscard]] std::span<const std::int64_t> shape() const { return {shape_.data(), rank_}; }
    [[nodiscard]] std::span<const std::int64_t> strides() const { return {strides_.data(), rank_}; }

    // Throws nanobind::value_error unless it is a sequence of n elements, one after the other.
    void expect_sequence(std::size_t n) const;

  private:
    const char* name_;
    void* data_ = nullptr;
    std::size_t rank_ = 0;
    std::size_t size_ = 1;
    std::array<std::int64_t, max_rank> shape_{};
    std::array<std::int64_t, max_rank> strides_{};
};

}  // namespace upsweep::python
