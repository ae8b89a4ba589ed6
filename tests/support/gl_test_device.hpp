// OpenGL, core or ES, with limits of a test's choice: what the devices of the tests of orders (gl_sorter.hpp,
// gl_top_k_test.cpp) have beside their calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "support/sort_records.hpp"
#include "upsweep/gl/executor.hpp"

namespace upsweep::test {

class gl_test_device {
  public:
    template <class T>
    class memory : public gl_memory<T> {
      public:
        memory(const gl_test_device& on, std::size_t size, std::size_t offset = 0)
            : gl_memory<T>(on.context_->gl(), size, offset) {}
        memory(const gl_test_device& on, std::span<const T> contents, std::size_t offset = 0)
            : gl_memory<T>(on.context_->gl(), contents, offset) {}
    };

    gl_test_device(gl::api kind, const sort_limits& limits)
        : kind_(kind),
          context_(&gl_context::of(kind)),
          executor_(context_->loader(), {.max_groups_x = limits.groups_x,
                                         .max_groups_y = limits.groups_y,
                                         .max_binding_bytes = limits.binding_bytes,
                                         .merged_keys = limits.merged_keys}) {
        executor_.observe([this](std::string_view stage) { stages_.emplace_back(stage); });
    }
    gl_test_device(const gl_test_device&) = delete;
    gl_test_device& operator=(const gl_test_device&) = delete;

    [[nodiscard]] std::string name() const { return executor_.device().version; }
    [[nodiscard]] bool is_what_it_claims() const {
        const bool es = kind_ == gl::api::es;
        return executor_.device().es == es && (name().rfind("OpenGL ES", 0) == 0) == es;
    }
    [[nodiscard]] const std::vector<std::string>& stages() const { return stages_; }
    std::vector<std::string> take_complaints() { return gl_context::of(kind_).take_complaints(); }

  protected:
    // The executor, its context made current, for a call that has no stages yet.
    gl::executor& begin() {
        gl_context::of(kind_);
        stages_.clear();
        return executor_;
    }
    template <class Options>
    static Options with_length(Options options, const memory<std::uint32_t>* length) {
        if (length != nullptr) options.length = length->span();
        return options;
    }

  private:
    gl::api kind_;
    gl_context* context_;
    gl::executor executor_;
    std::vector<std::string> stages_;
};

}  // namespace upsweep::test
