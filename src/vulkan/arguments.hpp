// Checks of the caller's buffers.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <vector>

#include "shader/plan.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/scan.hpp"
#include "vulkan/state.hpp"

namespace upsweep::vulkan::detail {

// Part of a buffer that a call reads or writes, with the name of the argument; no buffer means unused.
struct memory_use {
    const char* name;
    VkBuffer buffer;
    std::uint64_t offset;
    std::uint64_t bytes;
};

// Each throws upsweep::error (invalid_argument).
void check_buffer(const char* name, VkBuffer buffer);
// That so many elements of so many bytes fit a buffer, and a 64-bit number.
void check_bytes(const char* name, std::uint64_t count, std::uint64_t bytes);
// That a span with the bytes() of these does.
void check_fits(const char* name, std::uint64_t bytes);
void check_apart(const memory_use& one, const memory_use& other);
// That the workspace is large enough, if the plan uses one.
void check_workspace(const std::vector<shader::dispatch>& plan, const workspace_span& given,
                     std::uint64_t needed);

// The pipeline of a stage for a built-in operation.
VkPipeline scan_pipeline(executor::state& ex, shader::stage which, const shader::operation& op,
                         std::uint32_t blelloch_size, shader::form shape = shader::form::sequence);
// That of a dispatch for an operation, which may be the caller's.
VkPipeline scan_pipeline(executor::state& ex, const shader::dispatch& next, const shader::operation& op,
                         const user_operator* user, std::uint32_t blelloch_size);
// The commands of a plan of such dispatches; buffers by shader::resource.
commands scan_commands(executor::state& ex, const std::vector<shader::dispatch>& plan,
                       const shader::operation& op, const user_operator* user,
                       const std::array<VkBuffer, shader::resource_count>& buffers,
                       std::uint32_t blelloch_size = 0);

}  // namespace upsweep::vulkan::detail
