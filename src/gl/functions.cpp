// Fills the table of functions.
#include "gl/functions.hpp"

#include <string>

#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

template <class Function>
void find(const function_loader& loader, const char* name, Function& found) {
    found = reinterpret_cast<Function>(loader(name));
    if (found == nullptr)
        throw_error(
            errc::invalid_argument,
            std::string(
                "loader: expected the functions of OpenGL 4.3 or OpenGL ES 3.1, but it does not find ") +
                name);
}

}  // namespace

functions load_functions(const function_loader& loader) {
    if (!loader) throw_error(errc::invalid_argument, "loader: expected a function such as eglGetProcAddress");
    functions gl;
#define UPSWEEP_GL_LOAD(member, name, capitals) find(loader, "gl" #name, gl.member);
    UPSWEEP_GL_FUNCTIONS(UPSWEEP_GL_LOAD)
#undef UPSWEEP_GL_LOAD
    return gl;
}

}  // namespace upsweep::gl
