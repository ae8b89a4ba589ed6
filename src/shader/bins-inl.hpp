// What the plans of histograms and of bins share.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "shader/bin_table.hpp"
#include "shader/plan-inl.hpp"

namespace upsweep::shader {

// Gives a dispatch of a stage that finds bins what the table says, which begins the workspace.
inline void set_table(dispatch& to, const bin_table& table, std::uint64_t workspace_offset) {
    std::copy(table.bottom.begin(), table.bottom.end(), to.parameters.begin() + UPSWEEP_P_BOTTOM);
    std::copy(table.top.begin(), table.top.end(), to.parameters.begin() + UPSWEEP_P_TOP);
    to.parameters[UPSWEEP_P_GUESS_FROM] = std::bit_cast<std::uint32_t>(table.guess_from);
    to.parameters[UPSWEEP_P_GUESS_SCALE] = std::bit_cast<std::uint32_t>(table.guess_scale);
    to.bindings[UPSWEEP_THRESHOLDS] = {resource::workspace, workspace_offset, 4 * table.words.size()};
}
inline std::uint32_t table_flags(const bin_table& table) {
    return (table.clamp ? UPSWEEP_F_CLAMP : 0u) | (table.guesses ? UPSWEEP_F_GUESS : 0u);
}

// The dispatches of a histogram whose request is found good; without items `table` does not matter.
[[nodiscard]] std::vector<dispatch> plan_counts(const histogram_request& request, const bin_table& table,
                                                const limits& device);

}  // namespace upsweep::shader
