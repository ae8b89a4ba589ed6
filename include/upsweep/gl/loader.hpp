// How OpenGL's functions reach the library: through a loader that the caller passes in, so that nothing is
// linked. eglGetProcAddress and glfwGetProcAddress fit as they are; others need a cast in a lambda:
//     [](const char* name) { return reinterpret_cast<upsweep::gl::any_function>(SDL_GL_GetProcAddress(name));
//     }
#pragma once

#include <functional>

namespace upsweep::gl {

using any_function = void (*)();
// The function of that name in the current context, or null.
using function_loader = std::function<any_function(const char* name)>;

}  // namespace upsweep::gl
