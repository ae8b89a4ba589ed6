// The SPIR-V of the built-in operators: which variant of a stage serves an operation.
#pragma once

#include <cstdint>
#include <span>

#include "shader/stages.hpp"

namespace upsweep::vulkan {

// Types and operators of one size share a module through specialisation constants.
// Empty for a stage that an operation or a form does not have.
[[nodiscard]] std::span<const std::uint32_t> module_of(shader::stage which, const shader::operation& op,
                                                       shader::form shape, bool subgroups);

}  // namespace upsweep::vulkan
