// The one call that submits and waits, for programs that want a result now.
#pragma once

#include <vulkan/vulkan_core.h>

#include <span>

#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"

namespace upsweep::vulkan {

// Records the commands one after the other, with barriers between them and to the host's reads and writes on
// both sides, submits them to a queue of the executor's family and waits until they have executed. The queue
// must not be in use by another thread. Allocates a command buffer and a fence for the call. Throws
// upsweep::error (device) if Vulkan reports a failure.
void run(executor& ex, VkQueue queue, std::span<const commands* const> sequence);
inline void run(executor& ex, VkQueue queue, const commands& only) {
    const commands* const one = &only;
    run(ex, queue, std::span(&one, 1));
}

}  // namespace upsweep::vulkan
