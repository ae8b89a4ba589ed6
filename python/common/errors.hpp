// The library's errors as Python's exceptions, and the names of types between the two.
#pragma once

#include <exception>
#include <string>

#include "registry/dtype.hpp"

namespace upsweep::python {

// For nanobind::register_exception_translator.
void translate_errors(const std::exception_ptr& thrown, void*);

// By NumPy's name, without byte order. Throws nanobind::type_error for a type that there is none of.
[[nodiscard]] registry::dtype named_type(const std::string& name);
[[nodiscard]] std::string type_name(registry::dtype type);

}  // namespace upsweep::python
