// The check behind shader::conformance: pairs of operands for the stage `probe`, what the CPU makes of them,
// and the verdict on what a device made of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shader/stages.hpp"
#include "upsweep/shader/conformance.hpp"

namespace upsweep::shader {

// Elements as words: pairs has twice as many as expected.
struct probe_case {
    operation op;
    std::vector<std::uint32_t> pairs;
    std::vector<std::uint32_t> expected;

    [[nodiscard]] std::uint32_t count() const {
        return static_cast<std::uint32_t>(expected.size()) / op.element_words;
    }
};

// Sums, products and affine maps of float, and sums and products of double if asked for.
[[nodiscard]] std::vector<probe_case> probe_cases(bool float64);

// Adds what is wrong with a device's results, as many words as expected, to the report.
void judge(const probe_case& asked, std::span<const std::uint32_t> results, conformance& report);

}  // namespace upsweep::shader
