// A compute program from its text, or the driver's reasons against it as upsweep::error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gl/functions.hpp"

namespace upsweep::gl {

class compute_program {
  public:
    compute_program() = default;
    // Compiles and links. Throws upsweep::error: errc::device, with `what` (whose text it is) and the
    // driver's log.
    compute_program(const functions& gl, std::string_view what, const std::string& text);
    compute_program(compute_program&& other) noexcept
        : gl_(other.gl_), name_(std::exchange(other.name_, 0)), uniforms_(std::move(other.uniforms_)) {}
    compute_program& operator=(compute_program&& other) noexcept {
        std::swap(gl_, other.gl_);
        std::swap(name_, other.name_);
        std::swap(uniforms_, other.uniforms_);
        return *this;
    }
    ~compute_program() {
        if (name_ != 0) gl_->delete_program(name_);
    }

    [[nodiscard]] GLuint name() const { return name_; }
    // The array of uniforms at location 0, which keeps its values: what it has already is not sent again.
    void set_uniforms(std::span<const std::uint32_t> values);

  private:
    const functions* gl_ = nullptr;
    GLuint name_ = 0;
    std::vector<std::uint32_t> uniforms_;  // as last sent
};

}  // namespace upsweep::gl
