// Where an array's elements are: what the package says of an array of another library than NumPy's, or what a
// buffer says of itself.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/views.hpp"

namespace upsweep::python {

// Whether a number stands where an array could.
inline bool is_number(nanobind::handle object) { return PyFloat_Check(object.ptr()) != 0; }

class layout {
  public:
    // Of a tuple (address, shape, strides), strides in elements: the package has asked the library that owns
    // the array. `name` is the argument's, for errors. Throws nanobind::type_error for another object.
    layout(nanobind::handle object, const char* name);
    // Of a buffer, whose itemsize its strides are multiples of; throws nanobind::type_error where not.
    layout(const Py_buffer& buffer, const char* name);

    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }  // elements
    [[nodiscard]] std::span<const std::int64_t> shape() const { return {shape_.data(), rank_}; }
    [[nodiscard]] std::span<const std::int64_t> strides() const { return {strides_.data(), rank_}; }
    // One dimension, element after element.
    [[nodiscard]] bool is_sequence() const { return rank_ == 1 && (strides_[0] == 1 || size_ <= 1); }

    // Throws nanobind::value_error unless it has n elements, one after the other in C order. Of any shape.
    void expect_sequence(std::size_t n) const;
    // Repeats elements along axes that it has not, or has one element of, by NumPy's rules. Throws
    // nanobind::value_error where the shapes do not fit.
    [[nodiscard]] layout broadcast_to(std::span<const std::int64_t> shape) const;
    // As totals along an axis of an array of that shape, of which they have one element. With other
    // dimensions, totals that follow each other in C order; throws nanobind::value_error where there are not
    // as many elements.
    [[nodiscard]] layout as_totals(std::span<const std::int64_t> shape, std::size_t axis) const;

  private:
    [[nodiscard]] bool is_packed() const;
    void set_rank(std::size_t rank);
    void add(std::size_t k, std::int64_t extent, std::int64_t stride);

    const char* name_;
    void* data_ = nullptr;
    std::size_t rank_ = 0;
    std::size_t size_ = 1;
    std::array<std::int64_t, max_rank> shape_{};
    std::array<std::int64_t, max_rank> strides_{};
};

}  // namespace upsweep::python
