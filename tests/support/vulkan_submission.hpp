// One submission of a test's own commands.
#pragma once

#include <volk.h>

namespace upsweep::test {

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
