// A compute program from its text, or the driver's reasons against it as upsweep::error.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "gl/functions.hpp"

namespace upsweep::gl {

class compute_program {
  public:
    compute_program() = default;
    // Compiles and links. Throws upsweep::error: errc::device, with `what` (whose text it is) and the
    // driver's log.
    compute_program(const functions& gl, std::string_view what, const std::string& text);
    compute_program(compute_program&& other) noexcept
        : gl_(other.gl_), name_(std::exchange(other.name_, 0)) {}
    compute_program& operator=(compute_program&& other) noexcept {
        std::swap(gl_, other.gl_);
        std::swap(name_, other.name_);
        return *this;
    }
    ~compute_program() {
        if (name_ != 0) gl_->delete_program(name_);
    }

    [[nodiscard]] GLuint name() const { return name_; }

  private:
    const functions* gl_ = nullptr;
    GLuint name_ = 0;
};

}  // namespace upsweep::gl
