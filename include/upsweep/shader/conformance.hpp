// Whether a driver computes the bits of docs/numerics.md: what a check on the device found.
#pragma once

#include <string>
#include <vector>

namespace upsweep::shader {

// Integer operations and minimum and maximum of any type need no check: they are integer arithmetic in the
// stages.
struct conformance {
    // One line each: "float sums: subnormal results become zero". Empty for a driver whose scans have the
    // CPU's bits.
    std::vector<std::string> findings;
    // Whether double was checked too; without the device feature it cannot be used either.
    bool checked_float64 = false;

    [[nodiscard]] bool conforming() const { return findings.empty(); }
};

}  // namespace upsweep::shader
