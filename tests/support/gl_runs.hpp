// Totals of segments and runs of equal neighbours of host memory in an OpenGL context. The twin of
// vulkan_runs.hpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "support/gl_scanner.hpp"
#include "support/host_runs.hpp"
#include "upsweep/gl/segmented_reduce.hpp"
#include "upsweep/gl/unique.hpp"

namespace upsweep::test {

// `stages` receives those that ran. A workspace of the caller's serves every other `turn`.
inline std::size_t run_in_gl(gl::api kind, gl::executor& ex, const host_runs& given, unsigned turn,
                             run_results& got, std::vector<std::string>& stages,
                             std::uint32_t user_text = 0) {
    const host_runs asked = with_surplus(with_length(given, turn));
    const gl::functions& gl = gl_context::of(kind).gl();
    using memory = gl_memory<std::uint32_t>;
    const std::size_t out_words = asked.out_words(), key_words = asked.key_words();
    const memory in(gl, std::span<const std::uint32_t>(asked.in), turn % 5 * asked.in_words);
    const memory described(gl, std::span<const std::uint32_t>(asked.segments.words), 2 * (turn % 7));
    const memory out(gl, asked.room * out_words, turn % 3 * out_words);
    const memory keys_out(gl, asked.keys_room * key_words, turn % 4 * key_words);
    const memory arguments(gl, 12, turn % 6);
    const auto count = static_cast<std::uint32_t>(asked.size);
    const memory length(gl, std::span(&count, 1), turn % 8);

    gl::runs_call call;
    call.values = asked.values;
    call.op = asked.op;
    call.user_text = user_text;
    call.has_initial = asked.initial.has_value();
    if (asked.initial) call.initial = *asked.initial;
    call.segments = {asked.segments.kind, asked.key_words(),      asked.segments.floating,
                     described.name(),    asked.segments.count(), described.span().offset};
    call.in = in.span().region();
    call.out = out.span().region();
    call.keys_out = keys_out.span().region();
    if (!asked.by_offsets()) call.arguments = arguments.span().region();
    call.size = asked.size + asked.surplus;
    if (asked.length_in_buffer) call.length = length.span().region();
    call.record_words = asked.in_words;
    call.has_keys = asked.has_keys;
    const bool totals = asked.values == shader::run_values::totals;
    const std::uint64_t bytes =
        totals ? (asked.by_offsets() ? ex.segmented_reduce_workspace_bytes(asked.op, call.size, asked.room)
                                     : ex.segmented_reduce_workspace_bytes(asked.op, call.size))
               : (asked.values == shader::run_values::lengths ? ex.runs_workspace_bytes(call.size, asked.room)
                                                              : ex.runs_workspace_bytes(call.size));
    const memory workspace(gl, bytes / 4);
    if (turn % 2 == 0) call.workspace = workspace.span().region();
    stages.clear();
    ex.observe([&](std::string_view stage) { stages.emplace_back(stage); });
    ex.run(call);
    ex.observe({});

    static_cast<void>(workspace.read());  // nothing outside it
    EXPECT_EQ(length.read()[0], count) << "changed the length";
    EXPECT_EQ(in.read(), asked.in) << "changed the input";
    EXPECT_EQ(described.read(), asked.segments.words) << "changed what describes the segments";
    got = {out.read(), keys_out.read(), arguments.read()};
    std::uint32_t poison = 0;
    std::memset(&poison, static_cast<int>(memory::poison), sizeof poison);
    return check_runs(asked, got, poison);
}
inline std::size_t run_on(const gl_scanner& scanner, const host_runs& asked, unsigned turn, run_results& got,
                          std::vector<std::string>& stages) {
    return run_in_gl(scanner.kind(), scanner.executor(), asked, turn, got, stages);
}

}  // namespace upsweep::test
