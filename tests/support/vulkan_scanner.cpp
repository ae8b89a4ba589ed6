// Guards on the device, and what every Vulkan test program does: say which driver runs, fail over validation
// messages.
#include "support/vulkan_scanner.hpp"

#include <iostream>

#include "support/vulkan_submission.hpp"

namespace upsweep::test {
namespace {

constexpr std::byte guard{0xa5};
constexpr std::byte poison{0xcb};

bool all_equal(const std::byte* first, std::size_t bytes, std::byte value) {
    return std::all_of(first, first + bytes, [value](std::byte b) { return b == value; });
}

// What the layers must complain about: a buffer without bytes; and, where they watch synchronization, two
// writes of the same bytes with nothing between them, which are recorded and never submitted.
void provoke_messages() {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer none = VK_NULL_HANDLE;
    vkCreateBuffer(vulkan_device::get().device(), &info, nullptr, &none);
    vkDestroyBuffer(vulkan_device::get().device(), none, nullptr);
    EXPECT_FALSE(vulkan_messages().empty()) << "the validation layers do not see a wrong argument";
    if (vulkan_device::get().validation() != "sync") return;
    const vulkan_buffer target(16);
    const one_submission submission;
    vkCmdFillBuffer(submission.commands(), target.handle(), 0, 16, 1);
    vkCmdFillBuffer(submission.commands(), target.handle(), 0, 16, 2);
    EXPECT_FALSE(vulkan_messages().empty()) << "the validation layers do not see a missing barrier";
}

class validation_listener : public ::testing::EmptyTestEventListener {
    void OnTestProgramStart(const ::testing::UnitTest&) override {
        std::cout << "driver: " << vulkan_device::get().description() << std::endl;
        if (!vulkan_device::get().validation().empty()) provoke_messages();
    }
    void OnTestEnd(const ::testing::TestInfo&) override {
        for (const std::string& message : vulkan_messages()) ADD_FAILURE() << message;
    }
};

// Before main, so that the tests need no main of their own. Listeners belong to GoogleTest.
const bool listening = [] {
    ::testing::UnitTest::GetInstance()->listeners().Append(new validation_listener);
    return true;
}();

}  // namespace

void guarded_buffer::reset(std::size_t bytes, std::size_t offset) {
    first_ = guard_bytes + offset;
    bytes_ = bytes;
    memory_.reserve(first_ + bytes + guard_bytes);
    std::fill_n(memory_.data(), first_, guard);
    std::fill_n(data(), bytes, poison);
    std::fill_n(data() + bytes, guard_bytes, guard);
}

bool guarded_buffer::guards_intact() const {
    if (memory_.size() == 0) return true;
    return all_equal(memory_.data(), first_, guard) && all_equal(data() + bytes_, guard_bytes, guard);
}

bool vulkan_scanner::untouched(const std::byte* first, std::size_t bytes) {
    return all_equal(first, bytes, poison);
}

}  // namespace upsweep::test
