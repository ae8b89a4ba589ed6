// Runs of equal neighbours as one element each, of a sequence in a VkBuffer.
//
//     prepare_unique(executor, in, out, arguments, workspace)
//         out = the first element of every run
//     prepare_unique_by_key(executor, keys, in, keys_out, out, arguments, workspace)
//         the first key of every run and the record beside it
//     prepare_run_length_encode(executor, in, out, lengths, arguments, workspace)
//         the first element of every run and the number of its elements
//
// A run is a stretch in which every element equals the one before it. How many runs there are stays on the
// device, in `arguments`, as compact.hpp has it: `found` counts all, `count` those that all outputs have room
// for. Each output receives as many as it has itself room for, the first ones; what lies behind them is left
// as it is. NaNs equal nothing; -0.0 equals 0.0. Elements are moved bit for bit.
//
// Shapes: in and keys have n < 2^32 elements of 4 or 8 bytes, integers or floating-point numbers; records are
// any trivially copyable type whose size is a multiple of 4 bytes. What is moved, and where it goes, must fit
// a storage buffer binding. Aliasing: no two arguments may overlap of which one is written. Errors:
// upsweep::error names the argument. Cost: 4 dispatches (unique_by_key: 5, run_length_encode: 6), up to 2
// more above 2^24 elements; keys are read once, what is kept once more, and written once; n bits, of
// run_length_encode 4 bytes more for each length. Source: Blelloch, Prefix sums and their applications, 1990,
// section 1.3 (packing by an exclusive scan of flags).
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/shader/segments.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/compact.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/runs.hpp"
#include "upsweep/vulkan/segmented_scan.hpp"

namespace upsweep::vulkan {

struct run_options {
    // One word: how many elements there are, read when the commands execute, at most n.
    // indirect_arguments::count of an earlier call serves.
    buffer_span<const std::uint32_t> length{};
    // Of the arguments, as in compact_options.
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
};

namespace detail {

template <class Key>
runs_arguments runs_of(shader::run_values values, const buffer_span<const Key>& keys,
                       const buffer_span<Key>& keys_out, const buffer_span<indirect_arguments>& arguments,
                       const workspace_span& workspace, const run_options& options) {
    runs_arguments made;
    made.values = values;
    made.segments = by_keys(keys).described;
    made.described = "in";
    made.element_count = keys.size;
    set_keys_out(made, keys_out);
    made.arguments = arguments;
    made.length = options.length;
    made.vertices_per_instance = options.vertices_per_instance;
    made.items_per_group = options.items_per_group;
    made.workspace = workspace;
    return made;
}

}  // namespace detail

// The workspace that unique and unique_by_key of up to `length` elements need, and that of run_length_encode
// with room for so many lengths.
[[nodiscard]] inline workspace_requirements unique_workspace(const executor& ex, std::uint64_t length) {
    detail::runs_arguments sized;
    sized.element_count = length;
    return detail::runs_workspace(ex, sized);
}
[[nodiscard]] inline workspace_requirements run_length_encode_workspace(const executor& ex,
                                                                        std::uint64_t length,
                                                                        std::uint64_t lengths) {
    detail::runs_arguments sized;
    sized.values = shader::run_values::lengths;
    sized.element_count = length;
    sized.room = lengths;
    return detail::runs_workspace(ex, sized);
}

// The commands. Make pipelines and descriptor sets as the scan of a sequence does; do nothing on the device.
template <class In, class T = std::remove_const_t<In>>
requires shader::segment_key<T>
[[nodiscard]] commands prepare_unique(executor& ex, const buffer_span<In>& in,
                                      const std::type_identity_t<buffer_span<T>>& out,
                                      const buffer_span<indirect_arguments>& arguments,
                                      const workspace_span& workspace, const run_options& options = {}) {
    return detail::prepare_runs(
        ex, detail::runs_of<T>(shader::run_values::none, in, out, arguments, workspace, options));
}

template <class Keys, class In, class Key = std::remove_const_t<Keys>, record T = std::remove_const_t<In>>
requires shader::segment_key<Key>
[[nodiscard]] commands prepare_unique_by_key(executor& ex, const buffer_span<Keys>& keys,
                                             const buffer_span<In>& in,
                                             const std::type_identity_t<buffer_span<Key>>& keys_out,
                                             const std::type_identity_t<buffer_span<T>>& out,
                                             const buffer_span<indirect_arguments>& arguments,
                                             const workspace_span& workspace,
                                             const run_options& options = {}) {
    static_assert(sizeof(T) / 4 <= std::numeric_limits<std::uint32_t>::max());
    upsweep::detail::check_key_count(keys.size, in.size);
    detail::runs_arguments made =
        detail::runs_of<Key>(shader::run_values::first, keys, keys_out, arguments, workspace, options);
    made.described = "keys";
    made.record_words = static_cast<std::uint32_t>(sizeof(T) / 4);
    detail::set_elements(made, in);
    detail::set_results(made, out);
    return detail::prepare_runs(ex, made);
}

template <class In, class T = std::remove_const_t<In>>
requires shader::segment_key<T>
[[nodiscard]] commands prepare_run_length_encode(executor& ex, const buffer_span<In>& in,
                                                 const std::type_identity_t<buffer_span<T>>& out,
                                                 const buffer_span<std::uint32_t>& lengths,
                                                 const buffer_span<indirect_arguments>& arguments,
                                                 const workspace_span& workspace,
                                                 const run_options& options = {}) {
    detail::runs_arguments made =
        detail::runs_of<T>(shader::run_values::lengths, in, out, arguments, workspace, options);
    detail::set_results(made, lengths);
    return detail::prepare_runs(ex, made);
}

}  // namespace upsweep::vulkan
