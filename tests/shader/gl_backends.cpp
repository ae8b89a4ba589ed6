// OpenGL under test: contexts of OpenGL 4.3 core and OpenGL ES 3.1, whose messages fail the test that runs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shader/scanner_executor.hpp"
#include "support/gl_runs.hpp"
#include "support/gl_scanner.hpp"

namespace upsweep::test {
namespace {

class gl_shader_executor final : public scanner_executor<gl_scanner> {
  public:
    gl_shader_executor(gl::api kind, gl::executor& ex)
        : scanner_executor(kind, ex), kind_(kind), executor_(ex) {}

    [[nodiscard]] std::string name() const {
        return executor_.device().version + ", " + executor_.device().renderer;
    }
    [[nodiscard]] bool is_what_it_claims() override {
        const gl::offscreen_context& context = gl_context::of(kind_).context();
        const gl::device_info& device = executor_.device();
        return device.es == (kind_ == gl::api::es) && device.version == context.version() &&
               device.renderer == context.renderer();
    }
    [[nodiscard]] std::string refusal(const shader::operation& op) override {
        if (!executor_.supports(op)) return name() + ": sums and products of double";
        // The texts of OpenGL ES differ in their first lines only; sanitizers see the same host code for all.
        if ((executor_.device().es || sanitized) && !is_representative(op))
            return name() + ": operators whose programs differ little from others";
        return {};
    }
    [[nodiscard]] std::string refusal_of_batches() override {
        return executor_.device().es
                   ? name() + ": what gl_axis_test, gl_segments_test and gl_runs_test have in brief"
                   : std::string();
    }
    [[nodiscard]] const shader::conformance& conformance() override {
        gl_context::of(kind_).context().make_current();
        return executor_.conformance();
    }

  private:
    gl::api kind_;
    gl::executor& executor_;
};

class listener : public ::testing::EmptyTestEventListener {
    void OnTestEnd(const ::testing::TestInfo&) override {
        for (const gl::api kind : {gl::api::desktop, gl::api::es}) {
            for (const std::string& each : gl_context::of(kind).take_complaints())
                ADD_FAILURE() << "the driver complains: " << each;
        }
    }
};
const bool listening = [] {
    ::testing::UnitTest::GetInstance()->listeners().Append(new listener);
    return true;
}();

}  // namespace

const std::vector<shader_backend>& shader_backends() {
    // Never destroyed: drivers dislike late destruction.
    static const std::vector<shader_backend>& made = *[] {
        auto* const list = new std::vector<shader_backend>;
        for (const gl::api kind : {gl::api::desktop, gl::api::es}) {
            auto executor =
                std::make_unique<gl_shader_executor>(kind, *new gl::executor(gl_context::of(kind).loader()));
            std::string name = executor->name();
            list->push_back({std::move(name), std::move(executor)});
        }
        return list;
    }();
    return made;
}

}  // namespace upsweep::test
