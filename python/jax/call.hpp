// What XLA hands to a handler (its foreign function interface, FFI) as the registry's calls. Arrays are
// dense, their last dimension running fastest. Handlers of the CPU and of CUDA have these in common; neither
// has the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string_view>
#include <utility>

#include "registry/recurrence.hpp"
#include "registry/scanner.hpp"
#include "upsweep/views.hpp"
#include "xla/ffi/api/ffi.h"

namespace upsweep::python {

using xla_array = xla::ffi::AnyBuffer;
using xla_result = xla::ffi::Result<xla::ffi::AnyBuffer>;
using xla_attributes = xla::ffi::Dictionary;

struct jax_handlers {
    XLA_FFI_Handler *scan, *segmented_scan, *linear_recurrence, *sort;
};
// For Python: a dictionary jax_handlers, of capsules, which JAX registers by their names.
void add_handlers(nanobind::module_& module, const jax_handlers& handlers);

// The bindings of handlers, which begin with what the platform adds.
template <class Binding>
auto of_one_array(Binding binding) {
    return std::move(binding).template Arg<xla_array>().template Ret<xla_array>().Attrs();
}
template <class Binding>
auto of_two_arrays(Binding binding) {
    return std::move(binding)
        .template Arg<xla_array>()
        .template Arg<xla_array>()
        .template Ret<xla_array>()
        .Attrs();
}

// An exception as XLA has errors.
[[nodiscard]] xla::ffi::Error error_of(const std::exception_ptr& thrown);
template <class Body>
[[nodiscard]] xla::ffi::Error attempt(const Body& body) {
    try {
        body();
        return {};
    } catch (...) {
        return error_of(std::current_exception());
    }
}

// Throws upsweep::error (unsupported) for a type that the library has not.
[[nodiscard]] registry::dtype type_of(const xla_array& x);

// Attributes: op and totals, names; exclusive, reverse; initial, the bytes of an element of the totals' type
// in hexadecimal digits, or nothing.
[[nodiscard]] registry::scan_request scan_request_of(const xla_array& in, const xla_array& out,
                                                     const xla_attributes& given);

// Attribute: axis. Shape and strides of an array as its sequences want them, in three dimensions.
class sequences {
  public:
    sequences(const xla_array& x, const xla_attributes& given);
    [[nodiscard]] registry::axis_layout layout() const { return {shape_, strides_, strides_, 1}; }
    // One sequence, element after element.
    [[nodiscard]] bool is_one() const { return shape_[0] == 1 && shape_[2] == 1; }

  private:
    std::array<std::int64_t, 3> shape_{1, 1, 1};
    std::array<std::int64_t, 3> strides_{};
};

// Attributes: axis, reverse, x0, in_double. a and b have as many dimensions as the result, and repeat their
// elements along those where they have one and the result more.
class recurrence {
  public:
    recurrence(const xla_array& a, const xla_array& b, const xla_array& out, const xla_attributes& given);
    recurrence(const recurrence&) = delete;
    recurrence& operator=(const recurrence&) = delete;
    [[nodiscard]] const registry::recurrence_call& call() const { return call_; }

  private:
    using strides = std::array<std::int64_t, max_rank>;
    registry::recurrence_call::array describe(const xla_array& x, strides& held) const;
    std::array<std::int64_t, max_rank> shape_{};
    std::size_t rank_;
    strides a_{}, b_{}, out_{};
    registry::recurrence_call call_{};
};

// Attributes: descending, indices. Rows along the last dimension.
struct sort_call {
    sort_call(const xla_array& in, const xla_attributes& given);
    registry::dtype type;
    std::size_t rows, length;
    bool descending, indices;
};

}  // namespace upsweep::python
