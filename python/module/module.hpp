// The parts of the extension module, a file each, and the names of types between them and Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "registry/dtype.hpp"

namespace upsweep::python {

void add_scans(nanobind::module_& module);
void add_recurrences(nanobind::module_& module);
void add_sorts(nanobind::module_& module);
void add_choices(nanobind::module_& module);
void add_bins(nanobind::module_& module);

// By NumPy's name, without byte order. Throws nanobind::type_error for a type that there is none of.
[[nodiscard]] registry::dtype named_type(const std::string& name);
[[nodiscard]] std::string type_name(registry::dtype type);

}  // namespace upsweep::python
