// The memory of an array while a call uses it: of an object with the buffer protocol, such as a NumPy array,
// or of a tuple that describes one.
//
// The package has settled shapes, types and overlap in Python, where NumPy's own rules are at hand; here they
// are taken for granted, but for what would reach past an array's memory.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "python/common/layout.hpp"
#include "registry/dtype.hpp"

namespace upsweep::python {

enum class access { read, write };

// A buffer that is held, so that nothing can free or resize it; or none, for a tuple, whose array the caller
// holds.
class held_buffer {
  public:
    held_buffer(nanobind::handle object, const char* name, std::size_t item_bytes, access how);
    ~held_buffer();
    held_buffer(const held_buffer&) = delete;
    held_buffer& operator=(const held_buffer&) = delete;

    [[nodiscard]] layout described() const;

  private:
    nanobind::handle object_;
    const char* name_;
    Py_buffer view_{};  // of no object where there is none
};

// Made and destroyed with the GIL held; all else can be called without it.
class array {
  public:
    // `name` is the argument's, for errors. Throws nanobind::type_error for an object without such memory and
    // for elements of another size than `type` has.
    array(nanobind::handle object, const char* name, registry::dtype type, access how)
        : type_(type), held_(object, name, registry::size_of(type), how), layout_(held_.described()) {}

    [[nodiscard]] registry::dtype type() const { return type_; }
    [[nodiscard]] std::size_t bytes() const { return size() * registry::size_of(type_); }
    [[nodiscard]] const layout& where() const { return layout_; }
    [[nodiscard]] void* data() const { return layout_.data(); }
    [[nodiscard]] std::size_t size() const { return layout_.size(); }  // elements
    [[nodiscard]] std::span<const std::int64_t> shape() const { return layout_.shape(); }
    [[nodiscard]] std::span<const std::int64_t> strides() const { return layout_.strides(); }
    [[nodiscard]] bool is_sequence() const { return layout_.is_sequence(); }
    void expect_sequence(std::size_t n) const { layout_.expect_sequence(n); }

  private:
    registry::dtype type_;
    held_buffer held_;
    layout layout_;
};

}  // namespace upsweep::python
