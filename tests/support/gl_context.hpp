// Contexts for tests of the OpenGL back end: every test runs in OpenGL 4.3 core and in OpenGL ES 3.1, with
// debug output on; a message about an error or about undefined behaviour fails the test.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "gl/functions.hpp"
#include "support/build.hpp"
#include "support/gl_sanitizer.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/offscreen_context.hpp"

namespace upsweep::test {

// A context of one kind, kept for the whole program, since making one takes longer than most tests.
class gl_context {
  public:
    explicit gl_context(gl::api kind)
        : context_(gl::context_request{.kind = kind,
                                       .major = kind == gl::api::es ? 3 : 4,
                                       .minor = kind == gl::api::es ? 1 : 3,
                                       .debug = true}),
          functions_(gl::load_functions(context_.loader())) {
        const bool es = kind == gl::api::es;
        find(es ? "glDebugMessageCallbackKHR" : "glDebugMessageCallback", debug_callback_);
        find("glEnable", enable_);
        find("glGetError", get_error_);
        debug_callback_(take_message, &complaints_);
        enable_(GL_DEBUG_OUTPUT);
        enable_(GL_DEBUG_OUTPUT_SYNCHRONOUS);
        std::cout << "driver: " << context_.renderer() << ", " << context_.version() << ", "
                  << context_.platform() << std::endl;
    }

    // That of a kind, made when it is first asked for. Throws upsweep::error where there is none.
    static gl_context& of(gl::api kind) {
        static gl_context* made[2] = {nullptr, nullptr};  // never destroyed: drivers dislike late destruction
        gl_context*& mine = made[static_cast<std::size_t>(kind)];
        if (mine == nullptr) mine = new gl_context(kind);
        mine->context_.make_current();
        return *mine;
    }

    [[nodiscard]] const gl::functions& gl() const { return functions_; }
    [[nodiscard]] const gl::offscreen_context& context() const { return context_; }
    [[nodiscard]] gl::function_loader loader() const { return context_.loader(); }
    template <class Function>
    void find(const char* name, Function& found) const {
        found = reinterpret_cast<Function>(context_.loader()(name));
        ASSERT_NE(found, nullptr) << name;
    }

    // Messages since the last call, and what glGetError says.
    std::vector<std::string> take_complaints() {
        for (GLenum error = get_error_(); error != GL_NO_ERROR; error = get_error_())
            complaints_.push_back("glGetError: " + std::to_string(error));
        return std::exchange(complaints_, {});
    }

  private:
    static void APIENTRY take_message(GLenum, GLenum type, GLuint, GLenum, GLsizei length,
                                      const GLchar* words, const void* to) {
        if (type != GL_DEBUG_TYPE_ERROR && type != GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) return;
        static_cast<std::vector<std::string>*>(const_cast<void*>(to))
            ->emplace_back(words, static_cast<std::size_t>(length));
    }

    gl::offscreen_context context_;
    gl::functions functions_;
    PFNGLDEBUGMESSAGECALLBACKPROC debug_callback_ = nullptr;
    PFNGLENABLEPROC enable_ = nullptr;
    PFNGLGETERRORPROC get_error_ = nullptr;
    std::vector<std::string> complaints_;
};

// A test in both kinds of context.
class gl_test : public ::testing::TestWithParam<gl::api> {
  protected:
    void SetUp() override { at().take_complaints(); }
    void TearDown() override {
        for (const std::string& each : at().take_complaints())
            ADD_FAILURE() << "the driver complains: " << each;
    }

    gl_context& at() const { return gl_context::of(GetParam()); }
    [[nodiscard]] const gl::functions& gl() const { return at().gl(); }
    [[nodiscard]] bool es() const { return GetParam() == gl::api::es; }
    // Whether one operator of a kind is enough: a software driver takes over a second to compile the stages
    // of each. The texts of OpenGL ES differ in their first lines only; sanitizers see the same host code for
    // all.
    [[nodiscard]] bool brief() const { return es() || sanitized; }
    // One for each kind of context, so that its programs are compiled once.
    gl::executor& executor() const {
        static gl::executor* made[2] = {nullptr, nullptr};
        gl::executor*& mine = made[static_cast<std::size_t>(GetParam())];
        const gl_context& context = at();
        if (mine == nullptr) mine = new gl::executor(context.loader());
        return *mine;
    }
};

inline std::string gl_kind(const ::testing::TestParamInfo<gl::api>& info) {
    return info.param == gl::api::es ? "es31" : "core43";
}
#define UPSWEEP_IN_BOTH_CONTEXTS(suite) \
    INSTANTIATE_TEST_SUITE_P(opengl, suite, ::testing::Values(gl::api::desktop, gl::api::es), gl_kind)

}  // namespace upsweep::test
