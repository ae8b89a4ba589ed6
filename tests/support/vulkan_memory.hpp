// A buffer of the Vulkan device for a test: any offset, poisoned contents, guards on both sides. The twin of
// gl_memory.hpp.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "support/vulkan_scanner.hpp"
#include "upsweep/vulkan/buffer.hpp"

namespace upsweep::test {

// `size` elements of T, `offset` elements past the guard.
template <class T>
class vulkan_memory {
  public:
    explicit vulkan_memory(std::size_t size, std::size_t offset = 0) : size_(size) {
        buffer_.reset(size * sizeof(T), offset * sizeof(T));
        initial_.assign(buffer_.data(), buffer_.data() + size * sizeof(T));
    }
    // Followed by `surplus` poisoned ones, which are elements too.
    explicit vulkan_memory(std::span<const T> contents, std::size_t offset = 0, std::size_t surplus = 0)
        : vulkan_memory(contents.size() + surplus, offset) {
        if (!contents.empty()) std::memcpy(buffer_.data(), contents.data(), contents.size_bytes());
    }

    [[nodiscard]] vulkan::buffer_span<T> span() const { return buffer_.span<T>(size_); }
    // What is in it now; a failure is recorded if anything outside has been written.
    [[nodiscard]] std::vector<T> read() const {
        EXPECT_TRUE(buffer_.guards_intact()) << "wrote outside the elements";
        std::vector<T> made(size_);
        if (size_ != 0) std::memcpy(static_cast<void*>(made.data()), buffer_.data(), size_ * sizeof(T));
        return made;
    }
    [[nodiscard]] bool untouched() const {
        return buffer_.guards_intact() && std::equal(initial_.begin(), initial_.end(), buffer_.data());
    }

  private:
    guarded_buffer buffer_;
    std::size_t size_;
    std::vector<std::byte> initial_;
};

}  // namespace upsweep::test
