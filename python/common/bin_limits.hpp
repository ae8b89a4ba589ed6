// Where bins are, as the package says it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <variant>

#include "registry/binner.hpp"

namespace upsweep::python {

// lo, hi and clamp of registry::bin_limits; or the type of edges (int64, uint64 or float64), their bytes, and
// clamp.
using limits = std::tuple<std::string, std::variant<std::string, nanobind::bytes>, bool>;

[[nodiscard]] registry::bin_limits limits_of(const limits& given, std::size_t count);

}  // namespace upsweep::python
