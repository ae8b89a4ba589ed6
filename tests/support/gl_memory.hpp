// A buffer object for a test: any offset, poisoned contents, sentinels on both sides.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "gl/functions.hpp"
#include "upsweep/gl/buffers.hpp"

namespace upsweep::test {

// `size` elements of T, `offset` elements past a margin that is a multiple of 256 bytes.
template <class T>
class gl_memory {
  public:
    gl_memory(const gl::functions& gl, std::size_t size, std::size_t offset = 0) : gl_(&gl), size_(size) {
        offset_ = margin + offset * sizeof(T);
        initial_.assign(offset_ + size * sizeof(T) + margin, poison);
        gl.gen_buffers(1, &name_);
        fill(initial_);
    }
    // Followed by `surplus` poisoned ones, which are elements too.
    gl_memory(const gl::functions& gl, std::span<const T> contents, std::size_t offset = 0,
              std::size_t surplus = 0)
        : gl_memory(gl, contents.size() + surplus, offset) {
        std::vector<std::byte> bytes = initial_;
        if (!contents.empty()) std::memcpy(bytes.data() + offset_, contents.data(), contents.size_bytes());
        fill(bytes);
    }
    static constexpr std::byte poison{0xa5};
    ~gl_memory() { gl_->delete_buffers(1, &name_); }
    gl_memory(const gl_memory&) = delete;
    gl_memory& operator=(const gl_memory&) = delete;

    [[nodiscard]] GLuint name() const { return name_; }
    [[nodiscard]] gl::buffer_span<T> span() const { return {name_, size_, offset_}; }

    // What is in it now; a failure is recorded if anything outside is no longer poison.
    [[nodiscard]] std::vector<T> read() const {
        const std::vector<std::byte> bytes = read_bytes();
        const auto begin = bytes.begin(),
                   end = begin + static_cast<std::ptrdiff_t>(offset_ + size_ * sizeof(T));
        const auto poisoned = [](std::byte each) { return each == poison; };
        EXPECT_TRUE(std::all_of(begin, begin + static_cast<std::ptrdiff_t>(offset_), poisoned))
            << "wrote in front of the elements";
        EXPECT_TRUE(std::all_of(end, bytes.end(), poisoned)) << "wrote behind the elements";
        std::vector<T> made(size_);
        if (size_ != 0)
            std::memcpy(static_cast<void*>(made.data()), bytes.data() + offset_, size_ * sizeof(T));
        return made;
    }
    [[nodiscard]] bool untouched() const { return read_bytes() == initial_; }

  private:
    static constexpr std::size_t margin = 512;  // bytes

    void fill(const std::vector<std::byte>& bytes) {
        gl_->bind_buffer(GL_COPY_WRITE_BUFFER, name_);
        gl_->buffer_data(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes.size()), bytes.data(),
                         GL_DYNAMIC_COPY);
        gl_->bind_buffer(GL_COPY_WRITE_BUFFER, 0);
    }
    [[nodiscard]] std::vector<std::byte> read_bytes() const {
        std::vector<std::byte> bytes(initial_.size());
        gl_->bind_buffer(GL_COPY_READ_BUFFER, name_);
        const void* const mapped = gl_->map_buffer_range(
            GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(bytes.size()), GL_MAP_READ_BIT);
        EXPECT_NE(mapped, nullptr);
        if (mapped != nullptr) std::memcpy(bytes.data(), mapped, bytes.size());
        gl_->unmap_buffer(GL_COPY_READ_BUFFER);
        gl_->bind_buffer(GL_COPY_READ_BUFFER, 0);
        return bytes;
    }

    const gl::functions* gl_;
    GLuint name_ = 0;
    std::size_t size_, offset_;
    std::vector<std::byte> initial_;
};

}  // namespace upsweep::test
