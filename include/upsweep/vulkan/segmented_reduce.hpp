// One total a segment, of a sequence in a VkBuffer.
//
//     prepare_segmented_reduce(executor, by_offsets, in, out, workspace, op, options)
//     prepare_segmented_reduce(executor, by_head_flags or by_keys, in, out, arguments, workspace, op,
//     options)
//         out[k] = in[b] (+) ... (+) in[e - 1] for every segment k, whose elements are [b, e); of an empty
//         one the initial value, or else the operator's identity
//     prepare_reduce_by_key(executor, keys, in, keys_out, out, arguments, workspace, op, options)
//         the same of runs of equal keys; keys_out[k] = the first key of run k
//
// Segments are those of segmented_scan.hpp; by flags and keys they are never empty. How many they are stays
// on the device, in `arguments`, as compact.hpp has it: `found` counts all, `count` those whose results all
// outputs have room for. Each output receives as many as it has itself room for, the first ones; what lies
// behind them is left as it is. Keys are compared with their neighbours only: to have one total for each key,
// sort by it first.
//
// Elements, operators, errors: as in scan.hpp. Shapes: in, flags and keys have n < 2^32 elements; out of m
// segments by offsets has m. Offsets, outputs, and the keys of reduce_by_key must fit a storage buffer
// binding each. Offsets are not read by the host: where they are not what they should be, what out holds is
// unspecified; an operator without identity needs an initial value with them. Bits: out[k] is what
// inclusive_segmented_scan gives for the segment's last element. Aliasing: no two arguments may overlap of
// which one is written. Cost: 4 dispatches for a tile of 4096 elements (reduce_by_key: 5, by offsets: 7), 1
// to 5 more for many tiles and one for each binding more that a sequence takes; what describes the segments
// is read once (offsets: three times), first keys of reduce_by_key once more, the elements twice (one tile:
// once), and only results are written but for n bits and n / 2048 elements, by offsets 4 m bytes more.
// Source: Blelloch, Prefix sums and their applications, 1990, section 1.5.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/shader/segments.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/compact.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/runs.hpp"
#include "upsweep/vulkan/scan.hpp"
#include "upsweep/vulkan/segmented_scan.hpp"

namespace upsweep::vulkan {

template <class T>
struct segmented_reduce_options {
    std::optional<T> initial{};  // folded in before the first element of every segment
    // By flags and keys, one word: how many elements there are, read when the commands execute, at most n.
    // indirect_arguments::count of an earlier call serves.
    buffer_span<const std::uint32_t> length{};
    // Of the arguments, as in compact_options.
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
};

namespace detail {

template <class T, class In = T>
runs_arguments reduction(const shader::operation& op, const user_operator* user,
                         const shader::segments<VkBuffer>& segments,
                         const std::type_identity_t<buffer_span<const In>>& in, const buffer_span<T>& out,
                         const buffer_span<indirect_arguments>& arguments, const workspace_span& workspace,
                         const segmented_reduce_options<T>& options) {
    runs_arguments made;
    made.values = shader::run_values::totals;
    made.op = op;
    made.user = user;
    made.has_initial = options.initial.has_value();
    if (options.initial) made.initial = shader::words_of(*options.initial);
    made.segments = segments;
    set_elements(made, in);
    set_results(made, out);
    made.arguments = arguments;
    made.length = options.length;
    made.vertices_per_instance = options.vertices_per_instance;
    made.items_per_group = options.items_per_group;
    made.workspace = workspace;
    return made;
}
template <class T, class In, class Op>
runs_arguments reduction_by(const Op& op, const shader::segments<VkBuffer>& segments,
                            const buffer_span<const In>& in, const buffer_span<T>& out,
                            const buffer_span<indirect_arguments>& arguments, const workspace_span& workspace,
                            const segmented_reduce_options<T>& options) {
    return reduction<T, In>(operation_on<Op, T, In>(op), user_of(op), segments, in, out, arguments, workspace,
                            options);
}
// What the size of a workspace depends on.
inline runs_arguments sized_reduction(const shader::operation& op, std::uint64_t length) {
    runs_arguments made;
    made.values = shader::run_values::totals;
    made.op = op;
    made.element_count = length;
    return made;
}

}  // namespace detail

// The workspace that totals of up to `length` elements by flags or keys need; by offsets that of so many
// segments.
template <class T, class Op = plus>
requires combines_in_shader<Op, T>
[[nodiscard]] workspace_requirements segmented_reduce_workspace(const executor& ex, std::uint64_t length,
                                                                const Op& op = {}) {
    return detail::runs_workspace(ex, detail::sized_reduction(detail::operation_on<Op, T>(op), length));
}
template <class T, class Op = plus>
requires combines_in_shader<Op, T>
[[nodiscard]] workspace_requirements segmented_reduce_workspace_by_offsets(const executor& ex,
                                                                           std::uint64_t length,
                                                                           std::uint64_t segments,
                                                                           const Op& op = {}) {
    detail::runs_arguments sized = detail::sized_reduction(detail::operation_on<Op, T>(op), length);
    sized.segments.kind = shader::segments_by::offsets;
    sized.room = segments;
    return detail::runs_workspace(ex, sized);
}

// The commands of a reduction. Makes pipelines and descriptor sets as the scan of a sequence does; does
// nothing on the device.
template <class Acc = deduced, class In, class Op = plus, class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_segmented_reduce(
    executor& ex, const by_offsets& segments, const buffer_span<In>& in,
    const std::type_identity_t<buffer_span<T>>& out, const workspace_span& workspace, const Op& op = {},
    const std::type_identity_t<segmented_reduce_options<T>>& options = {}) {
    return detail::prepare_runs(ex, detail::reduction_by<T, std::remove_const_t<In>>(
                                        op, segments.described, in, out, {}, workspace, options));
}
template <class Acc = deduced, class Segments, class In, class Op = plus,
          class T = shader::accumulator_for<Acc, In>>
requires(std::same_as<Segments, by_head_flags> || std::same_as<Segments, by_keys>) &&
    loads_in_shader<Op, In, T> [[nodiscard]] commands
    prepare_segmented_reduce(executor& ex, const Segments& segments, const buffer_span<In>& in,
                             const std::type_identity_t<buffer_span<T>>& out,
                             const buffer_span<indirect_arguments>& arguments,
                             const workspace_span& workspace, const Op& op = {},
                             const std::type_identity_t<segmented_reduce_options<T>>& options = {}) {
    return detail::prepare_runs(ex, detail::reduction_by<T, std::remove_const_t<In>>(
                                        op, segments.described, in, out, arguments, workspace, options));
}

template <class Acc = deduced, class Keys, class In, class Op = plus, class Key = std::remove_const_t<Keys>,
          class T = shader::accumulator_for<Acc, In>>
requires shader::segment_key<Key> && loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_reduce_by_key(
    executor& ex, const buffer_span<Keys>& keys, const buffer_span<In>& in,
    const std::type_identity_t<buffer_span<Key>>& keys_out, const std::type_identity_t<buffer_span<T>>& out,
    const buffer_span<indirect_arguments>& arguments, const workspace_span& workspace, const Op& op = {},
    const std::type_identity_t<segmented_reduce_options<T>>& options = {}) {
    upsweep::detail::check_key_count(keys.size, in.size);
    detail::runs_arguments made = detail::reduction_by<T, std::remove_const_t<In>>(
        op, by_keys(keys).described, in, out, arguments, workspace, options);
    made.described = "keys";
    detail::set_keys_out(made, keys_out);
    return detail::prepare_runs(ex, made);
}

}  // namespace upsweep::vulkan
