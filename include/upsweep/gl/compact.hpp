// Stream compaction and partition on OpenGL buffer objects: vote, scan, compact. The count stays on the
// device, as arguments of indirect draws and dispatches.
//
//     compact:   out = the items that were chosen, in order, as far as out has room
//     partition: out = the items that were chosen, in order, then the others, in order
//
// An item is chosen by a flag, a word that is not zero, or by the user's keep() (user_items). Shapes: n <
// 2^32 items; flags and in have n elements. Records are any trivially copyable type whose size is a multiple
// of 4 bytes. Aliasing: `out`, `arguments` and `workspace` overlap neither each other nor anything that is
// read. Errors: as in scan.hpp. Complexity: O(n) work; flags and records are read once, chosen ones written
// once, and 1/8 byte an item written and read between; scratch of n / 4096 words and n bits. Source: Harris,
// Sengupta and Owens, Parallel prefix sum (scan) with CUDA, 2007, section 39.3.1.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/user.hpp"

namespace upsweep::gl {

// What compact and partition write, 48 bytes.
struct indirect_arguments {
    // For glDrawArraysIndirect; see compact_options::vertices_per_instance.
    std::uint32_t draw_vertices, draw_instances, draw_first_vertex, draw_first_instance;
    // For glDispatchComputeIndirect: ceil(count / items_per_group) groups, two-dimensional where x is not
    // enough.
    std::uint32_t dispatch_x, dispatch_y, dispatch_z;
    std::uint32_t count;     // items chosen, at most the maximum; a length for what follows
    std::uint32_t found;     // items chosen
    std::uint32_t rejected;  // the others
    std::uint32_t zero[2];
};
static_assert(sizeof(indirect_arguments) == 48);
inline constexpr std::uint64_t dispatch_offset = 16;  // bytes
inline constexpr std::uint64_t count_offset = 28;

struct compact_options {
    // At most so many are kept; for compact, what `out` has room for is a limit too. partition moves the
    // others behind as well, but does not count them.
    std::uint32_t maximum = std::numeric_limits<std::uint32_t>::max();
    // 0: the draw has `count` vertices and one instance. Else `count` instances of so many vertices.
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
    // One word: how many items there are, at most n. count_at() of an earlier call's arguments serves.
    buffer_span<const std::uint32_t> length{};
    // Four words that user_items read as parameters[UPSWEEP_P_USER + 0], ... + 3.
    std::array<std::uint32_t, 4> user{};
    // At least executor::compact_workspace_bytes, used instead of the executor's own; unspecified afterwards.
    buffer_region workspace{};
};

// Where `count` stands in arguments, as a length for what follows.
[[nodiscard]] constexpr buffer_span<const std::uint32_t> count_at(buffer_span<indirect_arguments> arguments) {
    return {arguments.buffer, 1, arguments.offset + count_offset};
}

namespace detail {

inline compact_call make_call(buffer_span<indirect_arguments> arguments, const compact_options& options,
                              bool partition) {
    compact_call call;
    call.arguments = arguments.region();
    call.length = options.length.region();
    call.workspace = options.workspace;
    call.partition = partition;
    call.maximum = options.maximum;
    call.vertices_per_instance = options.vertices_per_instance;
    call.items_per_group = options.items_per_group;
    call.user = options.user;
    return call;
}

template <class T>
void run_records(executor& ex, buffer_span<const std::uint32_t> flags, buffer_span<const T> in,
                 buffer_span<T> out, compact_call call) {
    static_assert(sizeof(T) / 4 <= std::numeric_limits<std::uint32_t>::max());
    call.flags = flags.region();
    call.in = in.region();
    call.out = out.region();
    call.size = in.size;
    call.record_words = static_cast<std::uint32_t>(sizeof(T) / 4);
    ex.run(call);
}

inline void run_indices(executor& ex, buffer_span<const std::uint32_t> flags, buffer_span<std::uint32_t> out,
                        compact_call call) {
    call.flags = flags.region();
    call.out = out.region();
    call.size = flags.size;
    ex.run(call);
}

inline void run_user(executor& ex, const user_items& items, std::uint64_t count, compact_call call) {
    call.user_text = items.number();
    call.size = count;
    ex.run(call);
}

}  // namespace detail
}  // namespace upsweep::gl

namespace upsweep {

// out = in[i] for each i with flags[i] != 0. `in` and `flags` have equal size; `out` may be smaller.
template <class In, gl::record T>
requires std::same_as<std::remove_const_t<In>, T>
void compact(gl::executor& ex, gl::buffer_span<const std::uint32_t> flags, gl::buffer_span<In> in,
             gl::buffer_span<T> out, gl::buffer_span<gl::indirect_arguments> arguments,
             const gl::compact_options& options = {}) {
    gl::detail::run_records<T>(ex, flags, in, out, gl::detail::make_call(arguments, options, false));
}
// out = i for each i with flags[i] != 0.
inline void compact_indices(gl::executor& ex, gl::buffer_span<const std::uint32_t> flags,
                            gl::buffer_span<std::uint32_t> out,
                            gl::buffer_span<gl::indirect_arguments> arguments,
                            const gl::compact_options& options = {}) {
    gl::detail::run_indices(ex, flags, out, gl::detail::make_call(arguments, options, false));
}
// move(i, 0), move(i', 1), ... for each i < count with keep(i).
inline void compact(gl::executor& ex, const gl::user_items& items, std::uint64_t count,
                    gl::buffer_span<gl::indirect_arguments> arguments,
                    const gl::compact_options& options = {}) {
    gl::detail::run_user(ex, items, count, gl::detail::make_call(arguments, options, false));
}

// The same, with what was not chosen behind what was. `out` has the size of `in`.
template <class In, gl::record T>
requires std::same_as<std::remove_const_t<In>, T>
void partition(gl::executor& ex, gl::buffer_span<const std::uint32_t> flags, gl::buffer_span<In> in,
               gl::buffer_span<T> out, gl::buffer_span<gl::indirect_arguments> arguments,
               const gl::compact_options& options = {}) {
    gl::detail::run_records<T>(ex, flags, in, out, gl::detail::make_call(arguments, options, true));
}
inline void partition_indices(gl::executor& ex, gl::buffer_span<const std::uint32_t> flags,
                              gl::buffer_span<std::uint32_t> out,
                              gl::buffer_span<gl::indirect_arguments> arguments,
                              const gl::compact_options& options = {}) {
    gl::detail::run_indices(ex, flags, out, gl::detail::make_call(arguments, options, true));
}
inline void partition(gl::executor& ex, const gl::user_items& items, std::uint64_t count,
                      gl::buffer_span<gl::indirect_arguments> arguments,
                      const gl::compact_options& options = {}) {
    gl::detail::run_user(ex, items, count, gl::detail::make_call(arguments, options, true));
}

}  // namespace upsweep
