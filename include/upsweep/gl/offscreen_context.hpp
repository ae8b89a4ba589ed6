// An OpenGL context without window or display, through EGL: for tools, tests and servers. gl::executor never
// makes a context itself; a program that has one needs nothing of this file.
//
// libEGL.so.1 is opened at run time. Tried in order: EGL devices that are hardware (EGL_EXT_platform_device,
// which NVIDIA's driver offers), Mesa's surfaceless platform, software devices. A machine without a GPU thus
// gets Mesa's llvmpipe.
#pragma once

#include <memory>
#include <string>

#include "upsweep/gl/loader.hpp"

namespace upsweep::gl {

enum class api { desktop, es };

struct context_request {
    api kind = api::desktop;  // desktop: core profile
    int major = 4;            // the context may have a higher version
    int minor = 3;
    bool debug = false;     // a debug context, whose driver may report more through KHR_debug
    bool software = false;  // software renderers only
};

class offscreen_context {
  public:
    // Makes the context and makes it current on the calling thread. Throws upsweep::error: unsupported, with
    // what each platform answered, where there is no such context.
    explicit offscreen_context(const context_request& request = {});
    offscreen_context(offscreen_context&&) noexcept;
    offscreen_context& operator=(offscreen_context&&) noexcept;
    ~offscreen_context();

    // Makes the context current on the calling thread. Throws errc::device if EGL refuses.
    void make_current() const;
    // Leaves the calling thread without a current context, if this one is current there.
    void release() const noexcept;

    [[nodiscard]] function_loader loader() const;
    // GL_RENDERER and GL_VERSION: "llvmpipe (LLVM 15.0.6, 256 bits)".
    [[nodiscard]] const std::string& renderer() const;
    [[nodiscard]] const std::string& version() const;
    // Where EGL made it: "surfaceless" or "device 0".
    [[nodiscard]] const std::string& platform() const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace upsweep::gl
