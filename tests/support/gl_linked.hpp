// An executor in OpenGL whose programs are counted when they are linked, so that a test sees what is compiled
// when.
#pragma once

#include <string_view>

#include "support/gl_context.hpp"
#include "upsweep/gl/executor.hpp"

namespace upsweep::test {

inline int programs_linked = 0;  // since the last counting_executor was made
inline PFNGLLINKPROGRAMPROC link_of_driver = nullptr;
inline void APIENTRY counted_link(GLuint program) {
    ++programs_linked;
    link_of_driver(program);
}

inline gl::executor counting_executor(const gl_context& context, const gl::executor_options& options) {
    context.find("glLinkProgram", link_of_driver);
    programs_linked = 0;
    const gl::function_loader loader = context.loader();
    return gl::executor(
        [&](const char* name) {
            const bool links = std::string_view(name) == "glLinkProgram";
            return links ? reinterpret_cast<gl::any_function>(counted_link) : loader(name);
        },
        options);
}

}  // namespace upsweep::test
