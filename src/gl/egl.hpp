// The part of EGL that an off-screen context needs, loaded from libEGL.so.1 at run time.
#pragma once

#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "upsweep/gl/loader.hpp"

namespace upsweep::gl {

struct egl_functions {
    any_function (*get_proc_address)(const char*);
    EGLint (*get_error)();
    const char* (*query_string)(EGLDisplay, EGLint);
    EGLBoolean (*initialize)(EGLDisplay, EGLint*, EGLint*);
    EGLBoolean (*bind_api)(EGLenum);
    EGLBoolean (*choose_config)(EGLDisplay, const EGLint*, EGLConfig*, EGLint, EGLint*);
    EGLContext (*create_context)(EGLDisplay, EGLConfig, EGLContext, const EGLint*);
    EGLBoolean (*destroy_context)(EGLDisplay, EGLContext);
    EGLBoolean (*make_current)(EGLDisplay, EGLSurface, EGLSurface, EGLContext);
    EGLContext (*get_current_context)();
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_platform_display;  // null without EGL_EXT_platform_base
    PFNEGLQUERYDEVICESEXTPROC query_devices;               // null without EGL_EXT_device_enumeration
    PFNEGLQUERYDEVICESTRINGEXTPROC query_device_string;    // null without EGL_EXT_device_query
};

// Loaded once in a process and never unloaded, since drivers leave threads and exit handlers behind. Throws
// upsweep::error: unsupported, without libEGL.so.1.
const egl_functions& load_egl();

}  // namespace upsweep::gl
