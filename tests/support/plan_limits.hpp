// What every plan keeps: the limits of the device that it is made for, and those of the workspace.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shader/plan.hpp"

namespace upsweep::test {

inline void check_limits(const std::vector<shader::dispatch>& plan, const shader::limits& device) {
    for (std::size_t i = 0; i < plan.size(); ++i) {
        SCOPED_TRACE(i);
        const shader::dispatch& d = plan[i];
        EXPECT_EQ(d.waits, i != 0);
        EXPECT_GE(d.groups_x, 1u);
        EXPECT_LE(d.groups_x, device.groups_x);
        EXPECT_LE(d.groups_y, device.groups_y);
        const std::uint64_t groups = std::uint64_t{d.groups_x} * d.groups_y;
        EXPECT_GE(groups, d.parameters[UPSWEEP_P_GROUPS]);
        EXPECT_LT(groups - d.parameters[UPSWEEP_P_GROUPS], d.groups_y + 1u) << "idle groups";
        for (const shader::binding& bound : d.bindings) {
            if (bound.from == shader::resource::none) continue;
            EXPECT_EQ(bound.offset % device.binding_alignment, 0u);
            EXPECT_LE(bound.bytes, device.binding_bytes);
            EXPECT_GT(bound.bytes, 0u);
        }
    }
}

// What is bound of a workspace between these two bytes of a buffer lies within.
inline void check_workspace(const std::vector<shader::dispatch>& plan, std::uint64_t begin,
                            std::uint64_t end) {
    for (const shader::dispatch& d : plan) {
        for (const shader::binding& bound : d.bindings) {
            if (bound.from != shader::resource::workspace) continue;
            EXPECT_GE(bound.offset, begin);
            EXPECT_LE(bound.offset + bound.bytes, end);
        }
    }
}

}  // namespace upsweep::test
