// What an executor owns, and how it carries a plan out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gl/device.hpp"
#include "gl/functions.hpp"
#include "gl/programs.hpp"
#include "gl/state.hpp"
#include "shader/plan.hpp"
#include "upsweep/gl/executor.hpp"

namespace upsweep::gl {

// The regions of a call by the plan's names for them.
using resources = std::array<buffer_region, shader::resource_count>;
inline buffer_region& of(resources& all, shader::resource which) {
    return all.at(static_cast<std::size_t>(which));
}

// All members change state that the caller of them saves.
struct executor::state {
    state(const function_loader& loader, const executor_options& options);
    ~state();
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    [[nodiscard]] bool supports(const shader::operation& op) const;
    // Throws upsweep::error, unsupported, unless it does.
    void check_operation(const shader::operation& op) const;
    // Throws upsweep::error, invalid_argument, unless the region lies within a buffer object.
    void check_buffer(const char* what, const buffer_region& region) const;
    // The same of an input, whose last word must lie within it too: elements of fewer bytes are loaded in
    // words.
    void check_input(const buffer_region& region) const;
    [[nodiscard]] std::uint64_t bytes_of(std::uint32_t buffer) const;
    // Throws errc::out_of_memory.
    void grow_scratch(std::uint64_t bytes);
    // The caller's workspace if there is one, else the executor's, of at least so many bytes.
    buffer_region workspace(const buffer_region& given, std::uint64_t bytes);
    // To the beginning of a region, in order with what the context does before and after.
    void upload(std::span<const std::uint32_t> words, const buffer_region& to) const;
    GLuint program(const shader::dispatch& next, const shader::program_key& key, std::uint32_t user_text);
    // Every program of scans in that form.
    void compile_form(shader::form shape, const shader::operation& op, std::uint32_t user_text);
    // With a table, which goes to the beginning of the workspace first.
    void carry_out(const std::vector<shader::dispatch>& plan, resources from, const shader::program_key& key,
                   std::uint32_t user_text, std::span<const std::uint32_t> table = {});

    functions gl;
    device_info device;
    shader::limits limits;
    program_cache programs;
    std::optional<shader::conformance> conformance;
    std::function<void(std::string_view)> observer;
    buffer_region scratch{};
};

}  // namespace upsweep::gl
