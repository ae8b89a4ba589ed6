// Elements repeated, each as often as a count says, in OpenGL buffer objects: the inverse of
// run_length_encode, and how work that is counted is allocated.
//
//     repeat(executor, in, counts, out, arguments)
//         out = in[0] counts[0] times, in[1] counts[1] times, ...
//     repeat_indices(executor, counts, out, arguments)
//         out = 0 counts[0] times, 1 counts[1] times, ...
//
// counts are words, one an element; or by_offsets(offsets), with one offset more than elements: element i is
// repeated offsets[i + 1] - offsets[i] times. So a result of every segment comes to each of its elements, and
// repeat_indices(executor, by_offsets(offsets), out, arguments) is the number of each element's segment.
//
// How many results there are stays on the device, in `arguments`, as compact.hpp has it: `found` is the sum
// of the counts, `count` how many of them out has room for, `rejected` the others. As many as there is room
// for are written, the first ones, and what lies behind them is left. Elements are moved bit for bit.
//
// Shapes: in and counts have n < 2^32 elements, in's of any trivially copyable type whose size is a multiple
// of 4 bytes; out has any size. That the sum of the counts is less than 2^32, that offsets begin with 0 and
// do not decrease, is a precondition, as the host does not read them; where it is not so, arguments and what
// is in out may be anything, but nothing else is written. Offsets, which counts become, what is moved, and
// where it goes, must fit a storage buffer binding. Aliasing: out, arguments and workspace overlap nothing
// else. Errors: as in scan.hpp. Complexity: O(n + r log n) for r results, where out has room for them, and
// O(n + r) unless nearly all counts are 0; counts are read once or twice, offsets written and read once,
// elements read and results written once; scratch of 4 bytes for each count. By offsets one dispatch, and no
// scratch. Source: Blelloch, Prefix sums and their applications, 1990, section 1.4 (allocation by an
// exclusive scan of counts).
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/gl/compact.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/segmented_scan.hpp"

namespace upsweep::gl {

struct repeat_options {
    // One word: how many elements there are, at most n. count_at() of an earlier call's arguments serves. Not
    // by offsets.
    buffer_span<const std::uint32_t> length{};
    // Of the arguments, as in compact_options.
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
    // At least executor::repeat_workspace_bytes, used instead of the executor's own; unspecified afterwards.
    // Not used by offsets.
    buffer_region workspace{};
};

namespace detail {

inline repeat_call repeat_of(buffer_span<const std::uint32_t> counts,
                             buffer_span<indirect_arguments> arguments, const repeat_options& options) {
    repeat_call call;
    call.counts = counts.region();
    call.size = counts.size;
    call.arguments = arguments.region();
    call.length = options.length.region();
    call.vertices_per_instance = options.vertices_per_instance;
    call.items_per_group = options.items_per_group;
    call.workspace = options.workspace;
    return call;
}
inline repeat_call repeat_of(const by_offsets& segments, buffer_span<indirect_arguments> arguments,
                             const repeat_options& options) {
    const shader::segments<std::uint32_t>& given = segments.described;
    repeat_call call = repeat_of(buffer_span<const std::uint32_t>{given.buffer, given.count, given.offset},
                                 arguments, options);
    call.by_offsets = true;
    call.size = given.count == 0 ? 0 : given.count - 1;
    return call;
}

template <class T>
void repeat_records(executor& ex, buffer_span<const T> in, buffer_span<T> out, repeat_call call) {
    static_assert(sizeof(T) / 4 <= std::numeric_limits<std::uint32_t>::max());
    call.in = in.region();
    call.out = out.region();
    call.size = in.size;
    call.record_words = static_cast<std::uint32_t>(sizeof(T) / 4);
    ex.run(call);
}
inline void repeat_places(executor& ex, buffer_span<std::uint32_t> out, repeat_call call) {
    call.out = out.region();
    ex.run(call);
}

}  // namespace detail

// Compiles the programs of these calls now, so that no later one waits for the driver's compiler.
inline void prepare_repeat(executor& ex) { ex.compile(repeat_call{}); }

}  // namespace upsweep::gl

namespace upsweep {

// out = in[i] counts[i] times, i ascending.
template <class In, gl::record T>
requires std::same_as<std::remove_const_t<In>, T>
void repeat(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<const std::uint32_t> counts,
            gl::buffer_span<T> out, gl::buffer_span<gl::indirect_arguments> arguments,
            const gl::repeat_options& options = {}) {
    gl::detail::repeat_records<T>(ex, in, out, gl::detail::repeat_of(counts, arguments, options));
}
template <class In, gl::record T>
requires std::same_as<std::remove_const_t<In>, T>
void repeat(gl::executor& ex, gl::buffer_span<In> in, const gl::by_offsets& segments, gl::buffer_span<T> out,
            gl::buffer_span<gl::indirect_arguments> arguments, const gl::repeat_options& options = {}) {
    gl::detail::repeat_records<T>(ex, in, out, gl::detail::repeat_of(segments, arguments, options));
}

// out = i counts[i] times, i ascending.
inline void repeat_indices(gl::executor& ex, gl::buffer_span<const std::uint32_t> counts,
                           gl::buffer_span<std::uint32_t> out,
                           gl::buffer_span<gl::indirect_arguments> arguments,
                           const gl::repeat_options& options = {}) {
    gl::detail::repeat_places(ex, out, gl::detail::repeat_of(counts, arguments, options));
}
inline void repeat_indices(gl::executor& ex, const gl::by_offsets& segments,
                           gl::buffer_span<std::uint32_t> out,
                           gl::buffer_span<gl::indirect_arguments> arguments,
                           const gl::repeat_options& options = {}) {
    gl::detail::repeat_places(ex, out, gl::detail::repeat_of(segments, arguments, options));
}

}  // namespace upsweep
