// How often the library calls each function of OpenGL: a loader whose functions count and pass on.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "gl/functions.hpp"

namespace upsweep::test {

class gl_calls {
  public:
    enum function : std::size_t {
#define UPSWEEP_GL_NAME(member, name, capitals) member,
        UPSWEEP_GL_FUNCTIONS(UPSWEEP_GL_NAME)
#undef UPSWEEP_GL_NAME
            functions
    };

    // `loader` with everything that the library uses counted; one at a time.
    static gl::function_loader counting(const gl::function_loader& loader) {
        return [loader](const char* name) -> gl::any_function {
            const gl::any_function found = loader(name);
#define UPSWEEP_GL_COUNT(member, each, capitals) \
    if (std::string_view(name) == "gl" #each) return counted<member, PFNGL##capitals##PROC>::wrap(found);
            UPSWEEP_GL_FUNCTIONS(UPSWEEP_GL_COUNT)
#undef UPSWEEP_GL_COUNT
            return found;
        };
    }
    static void reset() { counts_.fill(0); }
    static std::size_t of(function which) { return counts_.at(which); }
    static std::size_t all() { return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0}); }

  private:
    template <std::size_t At, class Pointer>
    struct counted;
    template <std::size_t At, class Result, class... Given>
    struct counted<At, Result(APIENTRYP)(Given...)> {
        static inline Result(APIENTRYP original)(Given...) = nullptr;
        static Result APIENTRY call(Given... given) {
            ++counts_[At];
            return original(given...);
        }
        static gl::any_function wrap(gl::any_function found) {
            original = reinterpret_cast<Result(APIENTRYP)(Given...)>(found);
            return reinterpret_cast<gl::any_function>(&call);
        }
    };

    static inline std::array<std::size_t, functions> counts_{};
};

}  // namespace upsweep::test
