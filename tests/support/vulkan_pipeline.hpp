// A compute pipeline of a test's or a benchmark's own: storage buffers 0, 1, ... of set 0, whole buffers.
#pragma once

#include <volk.h>

#include <cstdint>
#include <initializer_list>
#include <span>

namespace upsweep::test {

class buffer_set {
  public:
    buffer_set(VkDevice device, std::initializer_list<VkBuffer> buffers);
    ~buffer_set();
    buffer_set(const buffer_set&) = delete;
    buffer_set& operator=(const buffer_set&) = delete;

    [[nodiscard]] VkDescriptorSetLayout layout() const { return layout_; }
    [[nodiscard]] VkDescriptorSet set() const { return set_; }

  private:
    VkDevice device_;
    VkDescriptorSetLayout layout_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
};

class plain_pipeline {
  public:
    // For buffer sets of as many buffers as that one.
    plain_pipeline(VkDevice device, std::span<const std::uint32_t> module, const buffer_set& buffers);
    ~plain_pipeline();
    plain_pipeline(const plain_pipeline&) = delete;
    plain_pipeline& operator=(const plain_pipeline&) = delete;

    void bind(VkCommandBuffer commands, const buffer_set& buffers) const;

  private:
    VkDevice device_;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace upsweep::test
