// A scan, a compaction, a sort, a histogram or an extraction of bins on given buffers, ready to be recorded:
// pipelines, descriptor sets and parameters.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace upsweep::vulkan {

// Where record() writes timestamps: timestamp_count() queries of a pool of type VK_QUERY_TYPE_TIMESTAMP.
struct timestamps {
    VkQueryPool pool = VK_NULL_HANDLE;
    std::uint32_t first = 0;
};

// Made by prepare_...(); movable. The executor must outlive it, and it and the buffers the execution of every
// command buffer in which it was recorded. Recording from several threads at once is allowed.
class commands {
  public:
    commands();  // records nothing
    commands(commands&&) noexcept;
    commands& operator=(commands&&) noexcept;
    ~commands();

    // Records everything into a command buffer that is in the recording state, outside a render pass, of the
    // executor's queue family. Allocates nothing. Changes the compute pipeline, descriptor sets and push
    // constants.
    //
    // Barriers: one between dependent dispatches (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT to itself,
    // SHADER_WRITE to SHADER_READ | SHADER_WRITE), none before the first and none after the last. So the
    // caller makes inputs (and what uses outputs and workspace before) available to
    //     dst stage COMPUTE_SHADER, dst access SHADER_READ | SHADER_WRITE
    // and results available from
    //     src stage COMPUTE_SHADER, src access SHADER_WRITE
    // to whoever reads them: for arguments, DRAW_INDIRECT and INDIRECT_COMMAND_READ.
    //
    // With timestamps: resets the queries, then writes one before the first dispatch and one after each.
    void record(VkCommandBuffer command_buffer, const timestamps& times = {}) const;

    // Dispatches, and what each one runs: "tile_scan".
    [[nodiscard]] std::uint32_t dispatch_count() const;
    [[nodiscard]] std::string_view stage(std::uint32_t dispatch) const;
    [[nodiscard]] std::uint32_t timestamp_count() const { return dispatch_count() + 1; }

    class state;
    explicit commands(std::unique_ptr<state> made);

  private:
    std::unique_ptr<state> state_;
};

}  // namespace upsweep::vulkan
