// Looks through EGL's platforms for the first that gives the context asked for.
//
// Displays are not terminated: eglTerminate would also end what other code of the process made on them.
#include "upsweep/gl/offscreen_context.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "gl/egl.hpp"
#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

constexpr unsigned gl_renderer = 0x1F01, gl_version = 0x1F02;  // tokens of glGetString

// Whether a blank-separated list has a word.
bool has_word(const char* list, std::string_view word) {
    if (list == nullptr) return false;
    for (std::string_view rest = list; !rest.empty();) {
        const std::size_t end = rest.find(' ');
        if (rest.substr(0, end) == word) return true;
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return false;
}

struct candidate {
    EGLenum platform;
    void* native;
    std::string name;
};

// In order of preference.
std::vector<candidate> candidates(const egl_functions& egl, bool software_only) {
    const char* const client = egl.query_string(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    std::vector<candidate> hardware, software;
    if (egl.query_devices != nullptr && egl.query_device_string != nullptr &&
        has_word(client, "EGL_EXT_platform_device")) {
        std::array<EGLDeviceEXT, 64> devices{};
        EGLint count = 0;
        if (egl.query_devices(devices.size(), devices.data(), &count) == EGL_FALSE) count = 0;
        for (EGLint i = 0; i < count; ++i) {
            EGLDeviceEXT device = devices.at(static_cast<std::size_t>(i));
            const bool is_software =
                has_word(egl.query_device_string(device, EGL_EXTENSIONS), "EGL_MESA_device_software");
            (is_software ? software : hardware)
                .push_back({EGL_PLATFORM_DEVICE_EXT, device, "device " + std::to_string(i)});
        }
    }
    std::vector<candidate> all;
    if (!software_only) all = std::move(hardware);
    if (!software_only && has_word(client, "EGL_MESA_platform_surfaceless"))
        all.push_back({EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, "surfaceless"});
    all.insert(all.end(), software.begin(), software.end());
    // Mesa before 21.2 has no software device, but its surfaceless platform falls back on llvmpipe.
    if (software_only && software.empty() && has_word(client, "EGL_MESA_platform_surfaceless"))
        all.push_back({EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, "surfaceless"});
    return all;
}

std::string hexadecimal(EGLint code) {
    std::string text = "0x";
    for (int shift = 12; shift >= 0; shift -= 4) text += "0123456789abcdef"[(code >> shift) & 15];
    return text;
}

}  // namespace

struct offscreen_context::state {
    const egl_functions* egl = nullptr;
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    std::string platform, renderer, version;

    state() = default;
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() {
        if (context == EGL_NO_CONTEXT) return;
        release();
        egl->destroy_context(display, context);
    }

    void release() const {
        if (egl->get_current_context() == context)
            egl->make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }

    // Empty, or the step that failed.
    std::string open(const candidate& from, const context_request& request) {
        const auto failed = [&](const char* step) {
            return std::string(step) + " failed (" + hexadecimal(egl->get_error()) + ")";
        };
        platform = from.name;
        display = egl->get_platform_display(from.platform, from.native, nullptr);
        if (display == EGL_NO_DISPLAY) return failed("eglGetPlatformDisplayEXT");
        EGLint major = 0, minor = 0;
        if (egl->initialize(display, &major, &minor) == EGL_FALSE) return failed("eglInitialize");

        const char* const extensions = egl->query_string(display, EGL_EXTENSIONS);
        if (!has_word(extensions, "EGL_KHR_surfaceless_context")) return "needs a surface";
        const bool desktop = request.kind == api::desktop;
        if (egl->bind_api(desktop ? EGL_OPENGL_API : EGL_OPENGL_ES_API) == EGL_FALSE)
            return failed("eglBindAPI");
        EGLConfig config = EGL_NO_CONFIG_KHR;
        if (!has_word(extensions, "EGL_KHR_no_config_context") &&
            !has_word(extensions, "EGL_MESA_configless_context")) {
            const std::array<EGLint, 5> wanted = {EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RENDERABLE_TYPE,
                                                  desktop ? EGL_OPENGL_BIT : EGL_OPENGL_ES3_BIT, EGL_NONE};
            EGLint count = 0;
            if (egl->choose_config(display, wanted.data(), &config, 1, &count) == EGL_FALSE || count == 0)
                return failed("eglChooseConfig");
        }
        std::vector<EGLint> attributes = {EGL_CONTEXT_MAJOR_VERSION, request.major, EGL_CONTEXT_MINOR_VERSION,
                                          request.minor};
        if (desktop) {
            attributes.push_back(EGL_CONTEXT_OPENGL_PROFILE_MASK);
            attributes.push_back(EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT);
        }
        if (request.debug) {
            attributes.push_back(EGL_CONTEXT_OPENGL_DEBUG);
            attributes.push_back(EGL_TRUE);
        }
        attributes.push_back(EGL_NONE);
        context = egl->create_context(display, config, EGL_NO_CONTEXT, attributes.data());
        if (context == EGL_NO_CONTEXT) return failed("eglCreateContext");
        if (egl->make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_FALSE)
            return failed("eglMakeCurrent");

        const auto get_string =
            reinterpret_cast<const unsigned char* (*)(unsigned)>(egl->get_proc_address("glGetString"));
        const auto text = [&](unsigned name) {
            const auto* words = get_string == nullptr ? nullptr : get_string(name);
            return std::string(words == nullptr ? "" : reinterpret_cast<const char*>(words));
        };
        renderer = text(gl_renderer);
        version = text(gl_version);
        return version.empty() ? "has no glGetString" : "";
    }
};

offscreen_context::offscreen_context(const context_request& request) {
    const egl_functions& egl = load_egl();
    std::string answers;
    if (egl.get_platform_display != nullptr) {
        for (const candidate& from : candidates(egl, request.software)) {
            auto attempt = std::make_unique<state>();
            attempt->egl = &egl;
            const std::string failure = attempt->open(from, request);
            if (failure.empty()) {
                state_ = std::move(attempt);
                return;
            }
            answers += "; " + from.name + ": " + failure;
        }
    }
    throw_error(errc::unsupported, "OpenGL: no off-screen context of " +
                                       std::string(request.kind == api::desktop ? "OpenGL " : "OpenGL ES ") +
                                       std::to_string(request.major) + '.' + std::to_string(request.minor) +
                                       (answers.empty() ? "; EGL has no platform for one" : answers));
}
offscreen_context::offscreen_context(offscreen_context&&) noexcept = default;
offscreen_context& offscreen_context::operator=(offscreen_context&&) noexcept = default;
offscreen_context::~offscreen_context() = default;

void offscreen_context::make_current() const {
    if (state_->egl->make_current(state_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, state_->context) ==
        EGL_FALSE)
        throw_error(errc::device,
                    "OpenGL: eglMakeCurrent failed (" + hexadecimal(state_->egl->get_error()) + ")");
}
void offscreen_context::release() const noexcept { state_->release(); }

function_loader offscreen_context::loader() const { return state_->egl->get_proc_address; }
const std::string& offscreen_context::renderer() const { return state_->renderer; }
const std::string& offscreen_context::version() const { return state_->version; }
const std::string& offscreen_context::platform() const { return state_->platform; }

}  // namespace upsweep::gl
