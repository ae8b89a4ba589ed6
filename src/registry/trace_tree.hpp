// The tree of the numeric contract, element by element.
#pragma once

#include "registry/trace.hpp"

namespace upsweep::registry {

// Runs core::odometer. The request has been checked.
[[nodiscard]] trace_report trace_tree(const trace_request& request);

}  // namespace upsweep::registry
