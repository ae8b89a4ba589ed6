// Histograms of VkBuffers: how many elements belong to each bin.
//
//     histogram:      counts[b] = the number of i with find_bin(bins, in[i]) == b
//     histogram_by:   counts[b] = the number of items i < n for which the user's bin(i) is b
//
// Bins are the CPU's (upsweep/bin_range.hpp, upsweep/histogram.hpp), in every bit of an edge: equal intervals
// or intervals between edges, which lie in host memory and are read by prepare_histogram. What lies outside,
// a NaN, and a bin(i) that is not below the number of counts are not counted. bin is GLSL of the caller's,
// compiled with the stages at build time (upsweep_vulkan_bins in cmake/Shaders.cmake).
//
// Shapes: in has n elements, uint32, int32, float, uint64, int64 or double, n >= 0 and below 2^32; counts one
// word for each bin. No feature is needed for 64 bits. Aliasing: counts and workspace overlap neither each
// other nor anything that is read. Errors: upsweep::error names the argument, with the CPU's words;
// unsupported where counts or edges take more than the device binds at once. Results are the same on every
// driver. Cost: two dispatches; the thresholds of the bins travel within the commands, an element each;
// otherwise as upsweep/gl/histogram.hpp says.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "upsweep/shader/bins.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"

namespace upsweep::vulkan {

struct histogram_options {
    // One word: how many elements there are, read when the commands execute, at most n.
    buffer_span<const std::uint32_t> length{};
    // Four words that a user's bin reads as parameters[UPSWEEP_P_USER + 0], ... + 3.
    std::array<std::uint32_t, 4> user{};
};

// `uint bin(uint item)` in GLSL: a bin's number, or one that is not below the number of bins for none. It
// must always answer the same. cmake/Shaders.cmake makes these.
struct user_bins {
    std::span<const std::uint32_t> count_bins;                          // of a histogram
    std::span<const std::uint32_t> bins_count, bins_move, bins_number;  // of an extraction
};

// The pipelines of a user's bins, for histogram.hpp and bins.hpp. The GLSL sees its own buffers as descriptor
// set 1 of the given layout, in compute stages. The executor must outlive it, and it the commands made with
// it.
class bin_stages {
  public:
    bin_stages(executor& ex, const user_bins& bins, VkDescriptorSetLayout layout);
    ~bin_stages();
    bin_stages(const bin_stages&) = delete;
    bin_stages& operator=(const bin_stages&) = delete;

    class state;
    [[nodiscard]] state& internal() const { return *state_; }

  private:
    std::unique_ptr<state> state_;
};

namespace detail {

struct histogram_arguments {
    shader::bin_bounds bounds;
    std::uint64_t elements;
    std::uint64_t bins;
    buffer_span<const std::byte> in;
    buffer_span<std::uint32_t> counts;
    workspace_span workspace;
    histogram_options options;
};
commands prepare_histogram(executor& ex, const histogram_arguments& arguments);
workspace_requirements histogram_workspace(const executor& ex, shader::element_type type, std::uint64_t bins);

template <class T>
commands prepare_histogram(executor& ex, const buffer_span<const T>& in,
                           const buffer_span<std::uint32_t>& counts, const workspace_span& workspace,
                           const shader::bin_bounds& bounds, const histogram_options& options) {
    return prepare_histogram(
        ex, {bounds, in.size, bounds.count, {in.buffer, in.bytes(), in.offset}, counts, workspace, options});
}

}  // namespace detail

// The workspace for up to so many bins of elements T. The commands write to it as a copy does, too.
template <shader::binned_number T>
[[nodiscard]] workspace_requirements histogram_workspace(const executor& ex, std::uint64_t bins) {
    return detail::histogram_workspace(ex, shader::type_of<T>, bins);
}

// By equal bins: prepare_histogram(gpu, in, counts, workspace, {.lo = 0, .hi = 1, .count = 8}).
template <class In, class T = std::remove_const_t<In>>
requires shader::binned_number<T>
[[nodiscard]] commands prepare_histogram(executor& ex, const buffer_span<In>& in,
                                         const buffer_span<std::uint32_t>& counts,
                                         const workspace_span& workspace,
                                         const std::type_identity_t<bin_range<T>>& range,
                                         const histogram_options& options = {}) {
    return detail::prepare_histogram<T>(ex, in, counts, workspace, shader::bounds_of(range), options);
}
// By edges in host memory, with one count fewer than edges.
template <class In, class T = std::remove_const_t<In>>
requires shader::binned_number<T>
[[nodiscard]] commands prepare_histogram(executor& ex, const buffer_span<In>& in,
                                         const buffer_span<std::uint32_t>& counts,
                                         const workspace_span& workspace,
                                         const std::type_identity_t<bin_edges<T>>& edges,
                                         const histogram_options& options = {}) {
    return detail::prepare_histogram<T>(ex, in, counts, workspace, shader::bounds_of(edges), options);
}

// By what the GLSL says of items 0 to n - 1, into as many bins as there are counts; `set` fits the layout of
// the stages. There is no workspace.
[[nodiscard]] commands prepare_histogram_by(const bin_stages& stages, VkDescriptorSet set, std::uint64_t n,
                                            const buffer_span<std::uint32_t>& counts,
                                            const histogram_options& options = {});

}  // namespace upsweep::vulkan
