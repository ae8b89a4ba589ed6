// The check of a driver's arithmetic: the stage `probe` on the operands of shader/conformance.hpp.
#include "upsweep/vulkan/conformance.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "shader/conformance.hpp"
#include "upsweep/vulkan/run.hpp"
#include "vulkan/arguments.hpp"
#include "vulkan/memory.hpp"
#include "vulkan/record.hpp"

namespace upsweep::vulkan {

shader::conformance check_conformance(executor& executor, VkQueue queue) {
    executor::state& ex = executor.internal();
    const memory_context context{ex.vk, ex.handles.physical_device, ex.handles.device, ex.options.allocator};
    shader::conformance report;
    report.checked_float64 = ex.options.shader_float64;
    for (const shader::probe_case& asked : shader::probe_cases(report.checked_float64)) {
        const VkDeviceSize pairs_bytes = 4 * asked.pairs.size();
        const VkDeviceSize results_bytes = 4 * asked.expected.size();
        const owned_buffer pairs(context, pairs_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                 memory_place::host);
        const owned_buffer results(context, results_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                   memory_place::host);
        auto* const result_words = reinterpret_cast<std::uint32_t*>(results.mapped());
        std::copy(asked.pairs.begin(), asked.pairs.end(), reinterpret_cast<std::uint32_t*>(pairs.mapped()));
        std::fill_n(result_words, asked.expected.size(), 0x5a5a5a5au);

        shader::dispatch dispatch;
        dispatch.which = shader::stage::probe;
        dispatch.groups_x = (asked.count() + shader::probe_group_size - 1) / shader::probe_group_size;
        dispatch.parameters[UPSWEEP_P_LENGTH] = asked.count();
        dispatch.bindings[UPSWEEP_INPUT] = {shader::resource::input, 0, pairs_bytes};
        dispatch.bindings[UPSWEEP_OUTPUT] = {shader::resource::output, 0, results_bytes};
        std::array<VkBuffer, shader::resource_count> buffers{};
        buffers[static_cast<std::size_t>(shader::resource::input)] = pairs.handle();
        buffers[static_cast<std::size_t>(shader::resource::output)] = results.handle();
        const VkPipeline pipeline = detail::scan_pipeline(ex, shader::stage::probe, asked.op, 0);
        const commands probe(std::make_unique<commands::state>(
            ex, ex.layout, VK_NULL_HANDLE, std::vector<commands::state::step>{{dispatch, pipeline}},
            buffers));
        run(executor, queue, probe);
        shader::judge(asked, {result_words, asked.expected.size()}, report);
    }
    return report;
}

}  // namespace upsweep::vulkan
