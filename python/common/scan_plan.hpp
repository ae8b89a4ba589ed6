// Scans as Python asks for them: an operator with its types, which Python keeps, and what differs from call
// to call.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "registry/scanner.hpp"

namespace upsweep::python {

struct scan_plan {
    registry::operation op;
    registry::scan_types types;
};

// Throws nanobind::value_error for an operator that there is none of, type_error for types that do not fit.
[[nodiscard]] scan_plan make_plan(const std::string& op, const std::string& input,
                                  const std::optional<std::string>& output,
                                  const std::optional<std::string>& accumulator);

// `initial`: an element of the accumulator's type, as bytes.
[[nodiscard]] registry::scan_request request_of(const scan_plan& plan, bool exclusive, bool reverse,
                                                const std::optional<nanobind::bytes>& initial);

// The class ScanPlan of a module, which adds the methods that scan, and the function that makes one.
nanobind::class_<scan_plan> bind_plans(nanobind::module_& module);

}  // namespace upsweep::python
