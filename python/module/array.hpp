// The memory of a Python object with the buffer protocol, such as a NumPy array, while a call uses it.
//
// The package has settled shapes, types and overlap in Python, where NumPy's own rules are at hand; here they
// are taken for granted, but for what would reach past an array's memory.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "registry/dtype.hpp"
#include "upsweep/views.hpp"

namespace upsweep::python {

enum class access { read, write };

// Holds the array, so that nothing can free or resize it. Made and destroyed with the GIL held; all else can
// be called without it.
class array {
  public:
    // `name` is the argument's, for errors. Throws nanobind::type_error for an object without such memory and
    // for elements of another size than `type` has.
    array(nanobind::handle object, const char* name, registry::dtype type, access how);
    ~array();
    array(const array&) = delete;
    array& operator=(const array&) = delete;

    [[nodiscard]] void* data() const { return view_.buf; }
    [[nodiscard]] registry::dtype type() const { return type_; }
    [[nodiscard]] std::size_t size() const { return size_; }  // elements
    [[nodiscard]] std::size_t bytes() const { return size_ * registry::size_of(type_); }
    [[nodiscard]] std::span<const std::int64_t> shape() const { return {shape_.data(), rank_}; }
    // In elements.
    [[nodiscard]] std::span<const std::int64_t> strides() const { return {strides_.data(), rank_}; }
    // One dimension, element after element.
    [[nodiscard]] bool is_sequence() const { return rank_ == 1 && (strides_[0] == 1 || size_ <= 1); }

    // Throws nanobind::value_error unless it is a sequence of n elements.
    void expect_sequence(std::size_t n) const;

  private:
    const char* name_;
    registry::dtype type_;
    Py_buffer view_{};
    std::size_t rank_ = 0;
    std::size_t size_ = 1;
    std::array<std::int64_t, max_rank> shape_{};
    std::array<std::int64_t, max_rank> strides_{};
};

}  // namespace upsweep::python
