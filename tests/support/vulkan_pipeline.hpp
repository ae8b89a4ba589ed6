// A compute pipeline of a test's own: storage buffers 0, 1, ... of set 0, whole buffers.
#pragma once

#include <volk.h>

#include <cstdint>
#include <initializer_list>
#include <span>

#include "support/vulkan_device.hpp"

namespace upsweep::test {

class buffer_set {
  public:
    explicit buffer_set(std::initializer_list<const vulkan_buffer*> buffers);
    ~buffer_set();
    buffer_set(const buffer_set&) = delete;
    buffer_set& operator=(const buffer_set&) = delete;

    [[nodiscard]] VkDescriptorSetLayout layout() const { return layout_; }
    [[nodiscard]] VkDescriptorSet set() const { return set_; }

  private:
    VkDescriptorSetLayout layout_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
};

class test_pipeline {
  public:
    test_pipeline(std::span<const std::uint32_t> module, const buffer_set& buffers);
    ~test_pipeline();
    test_pipeline(const test_pipeline&) = delete;
    test_pipeline& operator=(const test_pipeline&) = delete;

    void bind(VkCommandBuffer commands, const buffer_set& buffers) const;

  private:
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
};

// A command buffer that is recording; run() submits it and waits.
class one_submission {
  public:
    one_submission();
    ~one_submission();
    one_submission(const one_submission&) = delete;
    one_submission& operator=(const one_submission&) = delete;
    [[nodiscard]] VkCommandBuffer commands() const { return commands_; }
    void run();

  private:
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

}  // namespace upsweep::test
