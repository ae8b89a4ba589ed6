// Opens libEGL.so.1 and finds its functions.
#include "gl/egl.hpp"

#include <dlfcn.h>

#include <string>

#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

void* open_library() {
    void* library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr)
        throw_error(errc::unsupported, std::string("OpenGL: EGL cannot be loaded: ") + dlerror());
    return library;
}

template <class Function>
void find(void* library, const char* name, Function& found) {
    void* const symbol = dlsym(library, name);
    if (symbol == nullptr) throw_error(errc::unsupported, std::string("OpenGL: libEGL.so.1 has no ") + name);
    found = reinterpret_cast<Function>(symbol);
}

egl_functions load() {
    void* const library = open_library();
    egl_functions egl{};
    find(library, "eglGetProcAddress", egl.get_proc_address);
    find(library, "eglGetError", egl.get_error);
    find(library, "eglQueryString", egl.query_string);
    find(library, "eglInitialize", egl.initialize);
    find(library, "eglBindAPI", egl.bind_api);
    find(library, "eglChooseConfig", egl.choose_config);
    find(library, "eglCreateContext", egl.create_context);
    find(library, "eglDestroyContext", egl.destroy_context);
    find(library, "eglMakeCurrent", egl.make_current);
    find(library, "eglGetCurrentContext", egl.get_current_context);
    const auto extension = [&](const char* name, auto& found) {
        found = reinterpret_cast<std::remove_reference_t<decltype(found)>>(egl.get_proc_address(name));
    };
    extension("eglGetPlatformDisplayEXT", egl.get_platform_display);
    extension("eglQueryDevicesEXT", egl.query_devices);
    extension("eglQueryDeviceStringEXT", egl.query_device_string);
    return egl;
}

}  // namespace

const egl_functions& load_egl() {
    static const egl_functions loaded = load();
    return loaded;
}

}  // namespace upsweep::gl
