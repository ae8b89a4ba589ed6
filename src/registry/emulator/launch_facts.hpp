// What a launch tells without being understood: its events, and how many there were of each kind.
#pragma once

#include <functional>

#include "registry/emulator/launch.hpp"

namespace upsweep::registry {

// Fills `counts` and `events`. `cell_at` says which cell lies at an offset of shared memory.
void tell_launch(const launched& from, const term_table& table,
                 const std::function<trace_cell(std::size_t offset)>& cell_at, trace_report& report);

}  // namespace upsweep::registry
