// What the tests of histograms and bins ask of a device.
#pragma once

#include <cstdint>

namespace upsweep::test {

// A device says whether two types are enough (`brief`): a software driver takes up to a second to compile the
// stages of each. The texts of OpenGL ES differ in their first lines only; sanitizers see the same host code
// for all.

// Lower than the device's, to see how work is divided; 0: the device's.
struct device_limits {
    std::uint32_t groups_x = 0;
    std::uint32_t groups_y = 0;
    std::uint64_t binding_bytes = 0;

    [[nodiscard]] bool lowered() const { return groups_x != 0 || groups_y != 0 || binding_bytes != 0; }
};

}  // namespace upsweep::test
