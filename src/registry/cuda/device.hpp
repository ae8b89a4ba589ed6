// What a GPU does for the registry: scanners of host memory, and scans to be timed.
#pragma once

#include <memory>
#include <string>

#include "registry/back_end.hpp"

namespace upsweep::registry::gpu {

// As the members of accelerator; `device` is CUDA's number. Throw upsweep::error if it cannot be used.
[[nodiscard]] std::unique_ptr<scanner> make_gpu_scanner(int device, const scan_request& request,
                                                        const std::string& name);
[[nodiscard]] std::unique_ptr<timed_scan> prepare_gpu_scan(int device, operation op, dtype held,
                                                           std::size_t n, bool exclusive);

}  // namespace upsweep::registry::gpu
