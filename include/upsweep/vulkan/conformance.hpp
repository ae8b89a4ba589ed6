// Whether a device's driver computes the bits of docs/numerics.md.
#pragma once

#include <vulkan/vulkan_core.h>

#include "upsweep/shader/conformance.hpp"
#include "upsweep/vulkan/executor.hpp"

namespace upsweep::vulkan {

// Computes a few thousand sums and products on the device and compares their bits with the CPU's. A driver
// that flushes subnormal numbers or fuses products and sums, although the stages forbid it, is found here;
// its scans of floats then differ from the CPU's in such cases, and are otherwise usable.
//
// Allocates some memory that the host sees, submits to the queue and waits; milliseconds. Throws
// upsweep::error.
[[nodiscard]] shader::conformance check_conformance(executor& ex, VkQueue queue);

}  // namespace upsweep::vulkan
