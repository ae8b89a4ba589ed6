// Scans that start afresh at every segment of a sequence in a VkBuffer.
//
// out[i] combines the elements of i's segment up to i (inclusive) or before i (exclusive; the first of a
// segment then receives the initial value, or else the operator's identity). Segments are given in buffers
// too: by a word an element (by_head_flags), by words (by_offsets), or by keys of 32 or 64 bits (by_keys).
//
// Elements, operators, shapes, errors: as in scan.hpp; offsets need n < 2^32 and are fewer than 2^32. Bits:
// the scan of the pairs (head, value) of docs/numerics.md over the whole array; an initial value is combined
// with the first element of every segment. Aliasing: out may be in, of one type; any other overlap, also with
// what describes the segments and with the workspace, is an error. Cost: what describes the segments is read
// once, the input twice and the output written once through memory (one tile of 4096 elements: read once); 2
// to 6 dispatches below 2^31 elements. Source: Blelloch, Prefix sums and their applications, 1990,
// section 1.5.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/operators.hpp"
#include "upsweep/shader/operation.hpp"
#include "upsweep/shader/segments.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/scan.hpp"

namespace upsweep::vulkan {

// Made of a buffer_span of uint32_t, of keys.
using by_head_flags = shader::by_head_flags<VkBuffer>;
using by_offsets = shader::by_offsets<VkBuffer>;
using by_keys = shader::by_keys<VkBuffer>;

template <class T>
struct segmented_options {
    std::optional<T> initial{};  // folded in before the first element of every segment
    bool reverse = false;        // from the end of every segment to its beginning
};

namespace detail {

struct segmented_scan_arguments {
    shader::operation op;
    const user_operator* user;
    shader::segments<VkBuffer> segments;
    bool exclusive, reverse, has_initial;
    std::array<std::uint32_t, 4> initial;
    buffer_span<const std::byte> in;
    buffer_span<std::byte> out;
    workspace_span workspace;
    std::uint64_t element_count;
    std::uint64_t out_count;
};
commands prepare_segmented_scan(executor& ex, const segmented_scan_arguments& given);
workspace_requirements segmented_scan_workspace(const executor& ex, const shader::operation& op,
                                                std::uint64_t length);

template <class T, class In = T>
segmented_scan_arguments segmented_arguments_of(const shader::operation& op, const user_operator* user,
                                                const shader::segments<VkBuffer>& segments, bool exclusive,
                                                const std::type_identity_t<buffer_span<const In>>& in,
                                                const buffer_span<T>& out, const workspace_span& workspace,
                                                const segmented_options<T>& options) {
    return {op,
            user,
            segments,
            exclusive,
            options.reverse,
            options.initial.has_value(),
            options.initial ? shader::words_of(*options.initial) : std::array<std::uint32_t, 4>{},
            {in.buffer, in.bytes(), in.offset},
            {out.buffer, out.bytes(), out.offset},
            workspace,
            in.size,
            out.size};
}
template <class T, class In, class Op>
commands prepare_segmented_scan(executor& ex, const shader::segments<VkBuffer>& segments, bool exclusive,
                                const buffer_span<const In>& in, const buffer_span<T>& out,
                                const workspace_span& workspace, const Op& op,
                                const segmented_options<T>& options) {
    return prepare_segmented_scan(
        ex, segmented_arguments_of<T, In>(operation_on<Op, T, In>(op), user_of(op), segments, exclusive, in,
                                          out, workspace, options));
}

}  // namespace detail

// The workspace that a segmented scan of up to `length` elements needs, however segments are given.
template <class T, class Op = plus>
requires combines_in_shader<Op, T>
[[nodiscard]] workspace_requirements segmented_scan_workspace(const executor& ex, std::uint64_t length,
                                                              const Op& op = {}) {
    return detail::segmented_scan_workspace(ex, detail::operation_on<Op, T>(op), length);
}

// The commands of a segmented scan. Makes pipelines and descriptor sets as the scan of a sequence does; does
// nothing on the device.
template <class Acc = deduced, shader::describes_segments<VkBuffer> Segments, class In, class Op = plus,
          class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_inclusive_segmented_scan(
    executor& ex, const Segments& segments, const buffer_span<In>& in,
    const std::type_identity_t<buffer_span<T>>& out, const workspace_span& workspace, const Op& op = {},
    const std::type_identity_t<segmented_options<T>>& options = {}) {
    return detail::prepare_segmented_scan<T, std::remove_const_t<In>>(ex, segments.described, false, in, out,
                                                                      workspace, op, options);
}
template <class Acc = deduced, shader::describes_segments<VkBuffer> Segments, class In, class Op = plus,
          class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_exclusive_segmented_scan(
    executor& ex, const Segments& segments, const buffer_span<In>& in,
    const std::type_identity_t<buffer_span<T>>& out, const workspace_span& workspace, const Op& op = {},
    const std::type_identity_t<segmented_options<T>>& options = {}) {
    return detail::prepare_segmented_scan<T, std::remove_const_t<In>>(ex, segments.described, true, in, out,
                                                                      workspace, op, options);
}

}  // namespace upsweep::vulkan
