// Elements repeated, each as often as a count says, in VkBuffers: the inverse of run_length_encode, and how
// work that is counted is allocated.
//
//     prepare_repeat(executor, in, counts, out, arguments, workspace)
//         out = in[0] counts[0] times, in[1] counts[1] times, ...
//     prepare_repeat_indices(executor, counts, out, arguments, workspace)
//         out = 0 counts[0] times, 1 counts[1] times, ...
//     prepare_repeat(executor, in, by_offsets(offsets), out, arguments)
//     prepare_repeat_indices(executor, by_offsets(offsets), out, arguments)
//
// counts are words, one an element; or there is one offset more than elements: element i is repeated
// offsets[i + 1] - offsets[i] times. So a result of every segment comes to each of its elements, and the
// last of these calls gives the number of each element's segment.
//
// How many results there are stays on the device, in `arguments`, as compact.hpp has it: `found` is the sum
// of the counts, `count` how many of them out has room for, `rejected` the others. As many as there is room
// for are written, the first ones, and what lies behind them is left. Elements are moved bit for bit.
//
// Shapes: in and counts have n < 2^32 elements, in's of any trivially copyable type whose size is a multiple
// of 4 bytes; out has any size. That the sum of the counts is less than 2^32, that offsets begin with 0 and
// do not decrease, is a precondition, as the host does not read them; where it is not so, arguments and what
// is in out may be anything, but nothing else is written. Offsets, which counts become, what is moved, and
// where it goes, must fit a storage buffer binding. Aliasing: no two arguments may overlap of which one is
// written. Errors: upsweep::error names the argument. Cost: O(n + r log n) for r results, where out has room
// for them, and O(n + r) unless nearly all counts are 0; by counts 2 dispatches up to 4096 elements, 3 up to
// 131072, 4 or 5 above; counts are read once or twice, offsets written and read once, elements read and
// results written once; 4 bytes for each count. By offsets one dispatch, and no workspace. Source: Blelloch,
// Prefix sums and their applications, 1990, section 1.4 (allocation by an exclusive scan of counts).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/compact.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/segmented_scan.hpp"

namespace upsweep::vulkan {

struct repeat_options {
    // One word: how many elements there are, read when the commands execute, at most n.
    // indirect_arguments::count of an earlier call serves. Not by offsets.
    buffer_span<const std::uint32_t> length{};
    // Of the arguments, as in compact_options.
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
};

namespace detail {

struct repeat_arguments {
    std::uint64_t elements;
    std::size_t record_bytes;  // 0: indices
    bool by_offsets;           // counts are the offsets of segments
    buffer_span<const std::uint32_t> counts;
    buffer_span<const std::byte> in;
    buffer_span<std::byte> out;
    std::uint64_t room;
    buffer_span<indirect_arguments> arguments;
    workspace_span workspace;
    repeat_options options;
};
commands prepare_repeat(executor& ex, const repeat_arguments& given);

inline buffer_span<const std::uint32_t> offsets_of(const by_offsets& segments) {
    return {segments.described.buffer, segments.described.count, segments.described.offset};
}

template <class T>
commands prepare_repeat(executor& ex, const buffer_span<const T>& in, bool by_offsets,
                        const buffer_span<const std::uint32_t>& counts, const buffer_span<T>& out,
                        const buffer_span<indirect_arguments>& arguments, const workspace_span& workspace,
                        const repeat_options& options) {
    static_assert(sizeof(T) / 4 <= std::numeric_limits<std::uint32_t>::max());
    return prepare_repeat(ex, {in.size,
                               sizeof(T),
                               by_offsets,
                               counts,
                               {in.buffer, in.bytes(), in.offset},
                               {out.buffer, out.bytes(), out.offset},
                               out.size,
                               arguments,
                               workspace,
                               options});
}

}  // namespace detail

// The workspace for up to n counts.
[[nodiscard]] workspace_requirements repeat_workspace(const executor& ex, std::uint64_t n);

// The commands. Make pipelines and descriptor sets as the scan of a sequence does; do nothing on the device.
template <class In, record T = std::remove_const_t<In>>
[[nodiscard]] commands prepare_repeat(executor& ex, const buffer_span<In>& in,
                                      const buffer_span<const std::uint32_t>& counts,
                                      const std::type_identity_t<buffer_span<T>>& out,
                                      const buffer_span<indirect_arguments>& arguments,
                                      const workspace_span& workspace, const repeat_options& options = {}) {
    return detail::prepare_repeat<T>(ex, in, false, counts, out, arguments, workspace, options);
}
template <class In, record T = std::remove_const_t<In>>
[[nodiscard]] commands prepare_repeat(executor& ex, const buffer_span<In>& in, const by_offsets& segments,
                                      const std::type_identity_t<buffer_span<T>>& out,
                                      const buffer_span<indirect_arguments>& arguments,
                                      const repeat_options& options = {}) {
    return detail::prepare_repeat<T>(ex, in, true, detail::offsets_of(segments), out, arguments, {}, options);
}

[[nodiscard]] commands prepare_repeat_indices(executor& ex, const buffer_span<const std::uint32_t>& counts,
                                              const buffer_span<std::uint32_t>& out,
                                              const buffer_span<indirect_arguments>& arguments,
                                              const workspace_span& workspace,
                                              const repeat_options& options = {});
[[nodiscard]] commands prepare_repeat_indices(executor& ex, const by_offsets& segments,
                                              const buffer_span<std::uint32_t>& out,
                                              const buffer_span<indirect_arguments>& arguments,
                                              const repeat_options& options = {});

}  // namespace upsweep::vulkan
