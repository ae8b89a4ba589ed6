// The emulator as a part of the registry.
#include "registry/emulator/partition_steps.hpp"
#include "registry/emulator/scan_steps.hpp"
#include "registry/trace.hpp"

namespace upsweep::registry {
namespace {

trace_report trace_emulated(const trace_request& request) {
    return info(request.algorithm).is_partition ? trace_partition(request) : trace_scan(request);
}

}  // namespace

void add_emulator();

void add_emulator() { add_emulated_trace(&trace_emulated); }

}  // namespace upsweep::registry
