// Bin extraction of VkBuffers: the elements of every bin, packed, a stable partition into many parts.
//
//     bins, bins_by:                  out = the elements of bin 0, in order, then those of bin 1, and so on
//     bin_indices, bin_indices_by:    out = their indices
//
// offsets[b] is where bin b begins and offsets[b + 1] where it ends; what has no bin is left out. Bins are
// those of histogram.hpp: equal intervals, intervals between edges, which lie in host memory and are read by
// prepare_bins, or what the caller's bin(i) says of an item. offsets' last value is how many elements have a
// bin, which may be more than `out` has room for: only as many as that are written then, and what lies behind
// the written ones in `out` is left as it is.
//
// Shapes: in has n elements, uint32, int32, float, uint64, int64 or double, n >= 0 and below 2^32;
// prepare_bins_by takes records, any trivially copyable type whose size is a multiple of 4 bytes. offsets has
// a word more than there are bins; out any size. No feature is needed for 64 bits. Aliasing: out, offsets and
// workspace overlap neither each other nor anything that is read. Errors: as in histogram.hpp. Results are
// the same on every driver. Cost and workspace: as upsweep/gl/bins.hpp says; the thresholds of the bins
// travel within the commands, an element each.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/core/bin_arguments.hpp"
#include "upsweep/vulkan/histogram.hpp"

namespace upsweep::vulkan {

using bins_options = histogram_options;

namespace detail {

struct bins_arguments {
    shader::bin_bounds bounds;
    std::uint64_t items;
    std::uint64_t bins;
    std::size_t record_bytes;  // 0: indices
    buffer_span<const std::byte> in;
    buffer_span<std::byte> out;
    std::uint64_t out_count;
    buffer_span<std::uint32_t> offsets;
    workspace_span workspace;
    bins_options options;
};
commands prepare_bins(executor& ex, const bins_arguments& arguments);
commands prepare_bins(const bin_stages& stages, VkDescriptorSet set, const bins_arguments& arguments);
workspace_requirements bins_workspace(const executor& ex, shader::element_type type, std::uint64_t bins,
                                      std::uint64_t n);

template <class T, class Out>
bins_arguments arguments_of(const buffer_span<const T>& in, const buffer_span<Out>& out,
                            std::size_t record_bytes, const buffer_span<std::uint32_t>& offsets,
                            const workspace_span& workspace, const shader::bin_bounds& bounds,
                            const bins_options& options) {
    return {bounds,
            in.size,
            bounds.count,
            record_bytes,
            {in.buffer, in.bytes(), in.offset},
            {out.buffer, out.bytes(), out.offset},
            out.size,
            offsets,
            workspace,
            options};
}

}  // namespace detail

// The workspace for up to n elements T in so many bins. The commands write to it as a copy does, too.
template <shader::binned_number T>
[[nodiscard]] workspace_requirements bins_workspace(const executor& ex, std::uint64_t bins, std::uint64_t n) {
    return detail::bins_workspace(ex, shader::type_of<T>, bins, n);
}
// The same with bins of the caller's.
[[nodiscard]] workspace_requirements bins_by_workspace(const executor& ex, std::uint64_t bins,
                                                       std::uint64_t n);

// By equal bins: prepare_bins(gpu, in, out, offsets, workspace, {.lo = 0, .hi = 1, .count = 8}).
template <class In, class T = std::remove_const_t<In>>
requires shader::binned_number<T>
[[nodiscard]] commands prepare_bins(executor& ex, const buffer_span<In>& in,
                                    const std::type_identity_t<buffer_span<T>>& out,
                                    const buffer_span<std::uint32_t>& offsets,
                                    const workspace_span& workspace,
                                    const std::type_identity_t<bin_range<T>>& range,
                                    const bins_options& options = {}) {
    return detail::prepare_bins(ex, detail::arguments_of<T>(in, out, sizeof(T), offsets, workspace,
                                                            shader::bounds_of(range), options));
}
template <class In, class T = std::remove_const_t<In>>
requires shader::binned_number<T>
[[nodiscard]] commands prepare_bin_indices(executor& ex, const buffer_span<In>& in,
                                           const buffer_span<std::uint32_t>& out,
                                           const buffer_span<std::uint32_t>& offsets,
                                           const workspace_span& workspace,
                                           const std::type_identity_t<bin_range<T>>& range,
                                           const bins_options& options = {}) {
    return detail::prepare_bins(
        ex, detail::arguments_of<T>(in, out, 0, offsets, workspace, shader::bounds_of(range), options));
}

// By edges in host memory.
template <class In, class T = std::remove_const_t<In>>
requires shader::binned_number<T>
[[nodiscard]] commands prepare_bins(executor& ex, const buffer_span<In>& in,
                                    const std::type_identity_t<buffer_span<T>>& out,
                                    const buffer_span<std::uint32_t>& offsets,
                                    const workspace_span& workspace,
                                    const std::type_identity_t<bin_edges<T>>& edges,
                                    const bins_options& options = {}) {
    return detail::prepare_bins(ex, detail::arguments_of<T>(in, out, sizeof(T), offsets, workspace,
                                                            shader::bounds_of(edges), options));
}
template <class In, class T = std::remove_const_t<In>>
requires shader::binned_number<T>
[[nodiscard]] commands prepare_bin_indices(executor& ex, const buffer_span<In>& in,
                                           const buffer_span<std::uint32_t>& out,
                                           const buffer_span<std::uint32_t>& offsets,
                                           const workspace_span& workspace,
                                           const std::type_identity_t<bin_edges<T>>& edges,
                                           const bins_options& options = {}) {
    return detail::prepare_bins(
        ex, detail::arguments_of<T>(in, out, 0, offsets, workspace, shader::bounds_of(edges), options));
}

// By what the GLSL says of items, into one bin fewer than there are offsets: records of any type, or the
// indices of items 0 to n - 1; `set` fits the layout of the stages.
template <class In, class T = std::remove_const_t<In>>
requires record<T>
[[nodiscard]] commands prepare_bins_by(const bin_stages& stages, VkDescriptorSet set,
                                       const buffer_span<In>& in,
                                       const std::type_identity_t<buffer_span<T>>& out,
                                       const buffer_span<std::uint32_t>& offsets,
                                       const workspace_span& workspace, const bins_options& options = {}) {
    detail::bins_arguments given =
        detail::arguments_of<T>(in, out, sizeof(T), offsets, workspace, {}, options);
    given.bins = upsweep::detail::bins_of_offsets(offsets.size);
    return detail::prepare_bins(stages, set, given);
}
[[nodiscard]] commands prepare_bin_indices_by(const bin_stages& stages, VkDescriptorSet set, std::uint64_t n,
                                              const buffer_span<std::uint32_t>& out,
                                              const buffer_span<std::uint32_t>& offsets,
                                              const workspace_span& workspace,
                                              const bins_options& options = {});

}  // namespace upsweep::vulkan
