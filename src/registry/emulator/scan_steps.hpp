// The steps of scans and reductions in the emulator.
#pragma once

#include "registry/trace.hpp"

namespace upsweep::registry {

[[nodiscard]] trace_report trace_scan(const trace_request& request);

}  // namespace upsweep::registry
