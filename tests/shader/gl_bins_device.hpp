// OpenGL for the tests of histograms and bins: a context of one kind.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shader/bins_device.hpp"
#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "upsweep/gl/bins.hpp"

namespace upsweep::test {

template <gl::api Kind>
class gl_bins_device {
  public:
    static constexpr gl::api kind = Kind;
    static constexpr bool brief = Kind == gl::api::es || sanitized;

    explicit gl_bins_device(const device_limits& limits = {}) {
        const gl_context& context = gl_context::of(Kind);
        if (limits.lowered()) {
            own_.emplace(context.loader(),
                         gl::executor_options{limits.groups_x, limits.groups_y, limits.binding_bytes});
            executor_ = &*own_;
        } else {
            static gl::executor* const shared = new gl::executor(context.loader());
            executor_ = shared;
        }
        executor_->observe([this](std::string_view stage) { stages_.emplace_back(stage); });
    }
    ~gl_bins_device() {
        executor_->observe({});
        for (const std::string& each : gl_context::of(Kind).take_complaints())
            ADD_FAILURE() << "the driver complains: " << each;
    }
    gl_bins_device(const gl_bins_device&) = delete;
    gl_bins_device& operator=(const gl_bins_device&) = delete;

    // Whether calls go to that kind of context, and to nothing else.
    [[nodiscard]] bool is_what_it_claims() const {
        const gl::offscreen_context& context = gl_context::of(Kind).context();
        return executor_->device().es == (Kind == gl::api::es) &&
               executor_->device().version == context.version() &&
               executor_->device().renderer == context.renderer();
    }
    // Where a user's text finds its values.
    void bind_users(const gl_memory<std::uint32_t>& values) const {
        const gl::buffer_region region = values.span().region();
        functions().bind_buffer_range(GL_SHADER_STORAGE_BUFFER, 5, region.buffer,
                                      static_cast<GLintptr>(region.offset),
                                      static_cast<GLsizeiptr>(region.bytes));
    }
    void forget_users() const { functions().bind_buffer_base(GL_SHADER_STORAGE_BUFFER, 5, 0); }
    std::vector<std::string> take_stages() { return std::exchange(stages_, {}); }

    template <class T>
    [[nodiscard]] gl_memory<T> memory(std::size_t size, std::size_t offset = 0) const {
        return {functions(), size, offset};
    }
    template <class T>
    [[nodiscard]] gl_memory<T> memory(const std::vector<T>& contents, std::size_t offset = 0,
                                      std::size_t surplus = 0) const {
        return {functions(), std::span<const T>(contents), offset, surplus};
    }

    template <class T, class Bins>
    void histogram(const gl_memory<T>& in, const gl_memory<std::uint32_t>& counts, const Bins& bins,
                   const gl_memory<std::uint32_t>* length = nullptr) {
        gl::histogram_options options;
        if (length != nullptr) options.length = length->span();
        // Every other call brings a workspace.
        const std::uint64_t needed = gl::histogram_workspace_bytes<T>(*executor_, counts.span().size);
        const gl_memory<std::byte> workspace(functions(), needed);
        if (++calls_ % 2 == 0) options.workspace = workspace.span().region();
        upsweep::histogram(*executor_, in.span(), counts.span(), bins, options);
        EXPECT_EQ(workspace.read().size(), needed);
    }

    // To `out`, of T, the elements, or, of words, the indices.
    template <class T, class Out, class Bins>
    void bins(const gl_memory<T>& in, const gl_memory<Out>& out, const gl_memory<std::uint32_t>& offsets,
              const Bins& by, const gl_memory<std::uint32_t>* length = nullptr, bool indices = false) {
        gl::bins_options options;
        if (length != nullptr) options.length = length->span();
        const std::uint64_t needed =
            gl::bins_workspace_bytes<T>(*executor_, offsets.span().size - 1, in.span().size);
        const gl_memory<std::byte> workspace(functions(), needed);
        if (++calls_ % 2 == 0) options.workspace = workspace.span().region();
        if constexpr (std::same_as<Out, std::uint32_t>) {
            if (indices) bin_indices(*executor_, in.span(), out.span(), offsets.span(), by, options);
        }
        if constexpr (std::same_as<Out, T>) {
            if (!indices) upsweep::bins(*executor_, in.span(), out.span(), offsets.span(), by, options);
        }
        EXPECT_EQ(workspace.read().size(), needed);
    }

    [[nodiscard]] gl::executor& executor() const { return *executor_; }

  private:
    [[nodiscard]] static const gl::functions& functions() { return gl_context::of(Kind).gl(); }

    std::optional<gl::executor> own_;
    gl::executor* executor_ = nullptr;
    std::vector<std::string> stages_;
    std::size_t calls_ = 0;
};

using core43 = gl_bins_device<gl::api::desktop>;
using es31 = gl_bins_device<gl::api::es>;
using both_kinds = testing::Types<core43, es31>;

// residue_bin() of words of the user's.
inline constexpr const char* residues_of_the_users = R"(
layout(std430, binding = 5) readonly buffer value_block { uint values[]; };
uint bin(uint item) {
    uint value = values[item];
    return value % 7u == 0u ? 0xffffffffu : value % parameters[UPSWEEP_P_USER];
})";

}  // namespace upsweep::test
