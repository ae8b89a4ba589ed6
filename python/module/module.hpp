// The parts of the extension module, a file each.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace upsweep::python {

void add_scans(nanobind::module_& module);
void add_recurrences(nanobind::module_& module);
void add_sorts(nanobind::module_& module);
// In a build with the headers of JAX alone.
void add_jax_handlers(nanobind::module_& module);
void add_choices(nanobind::module_& module);
void add_bins(nanobind::module_& module);
void add_runs(nanobind::module_& module);
void add_repeats(nanobind::module_& module);

}  // namespace upsweep::python
