// Axis scans, and totals, of views of host memory in one way, through gl_scanner or vulkan_scanner, for the
// checks of axis_check.hpp and axis_total_check.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "support/axis_memory.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/options.hpp"
#include "upsweep/shader/axis_way.hpp"
#include "upsweep/views.hpp"

namespace upsweep::test {

inline constexpr shader::axis_way forced_ways[] = {shader::axis_way::lanes, shader::axis_way::turned_lanes,
                                                   shader::axis_way::tiles};
// The stage with which a scan in that way ends.
inline std::string last_stage_of(shader::axis_way way) {
    if (way == shader::axis_way::tiles) return "tile_scan";
    return way == shader::axis_way::lanes ? "lane_scan" : "turned_lane_scan";
}

template <class Scanner>
struct axis_executor {
    Scanner& scanner;
    shader::axis_way way = shader::axis_way::automatic;

    template <class T, class Op>
    void scan(const strided_view<const T>& in, const strided_view<T>& out, int axis, bool exclusive,
              const Op& op, const batch_options<T>& options) const {
        const axis_memory<T> to = memory_of<T>(out.data(), extent(out), out.shape(), out.strides());
        std::vector<T> result(to.memory.size());
        scanner.template scan_axis<T>(memory_of<T>(in.data(), extent(in), in.shape(), in.strides()), to,
                                      result.data(), axis, exclusive, op, options, way);
        std::copy(result.begin(), result.end(), out.data() - to.first);
    }
    template <class T, class Op>
    void total(const strided_view<const T>& in, const strided_view<T>& out, int axis, const Op& op,
               const reduce_options<T>& options) const {
        const axis_memory<T> to = memory_of<T>(out.data(), extent(out), out.shape(), out.strides());
        std::vector<T> result(to.memory.size());
        scanner.template total_axis<T>(memory_of<T>(in.data(), extent(in), in.shape(), in.strides()), to,
                                       result.data(), axis, op, options, way);
        std::copy(result.begin(), result.end(), out.data() - to.first);
    }

  private:
    template <class View>
    static upsweep::detail::view_reach extent(const View& view) {
        return upsweep::detail::reach_of(view.shape(), view.strides());
    }
    template <class T>
    static axis_memory<T> memory_of(const T* data, const upsweep::detail::view_reach& reach,
                                    std::span<const std::int64_t> shape,
                                    std::span<const std::int64_t> strides) {
        return {{data + reach.lowest, static_cast<std::size_t>(reach.highest - reach.lowest) + 1},
                static_cast<std::size_t>(-reach.lowest),
                shape,
                strides};
    }
};

template <class Acc, class Scanner, class T, class Op>
void inclusive_scan(const axis_executor<Scanner>& ex, const strided_view<const T>& in,
                    const strided_view<T>& out, int axis, const Op& op, const batch_options<Acc>& options) {
    ex.template scan<T>(in, out, axis, false, op, options);
}
template <class Acc, class Scanner, class T, class Op>
void exclusive_scan(const axis_executor<Scanner>& ex, const strided_view<const T>& in,
                    const strided_view<T>& out, int axis, const Op& op, const batch_options<Acc>& options) {
    ex.template scan<T>(in, out, axis, true, op, options);
}
template <class Acc, class Scanner, class T, class Op>
void reduce(const axis_executor<Scanner>& ex, const strided_view<const T>& in, const strided_view<T>& out,
            int axis, const Op& op, const reduce_options<Acc>& options) {
    ex.template total<T>(in, out, axis, op, options);
}

}  // namespace upsweep::test
