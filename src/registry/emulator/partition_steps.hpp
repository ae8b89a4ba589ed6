// The steps of partitions of a warp in the emulator.
#pragma once

#include "registry/trace.hpp"

namespace upsweep::registry {

[[nodiscard]] trace_report trace_partition(const trace_request& request);

}  // namespace upsweep::registry
