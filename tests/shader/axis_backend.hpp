// Axis scans in OpenGL and Vulkan under test (backend.hpp): of views of host memory, in every way that there
// is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "shader/backend.hpp"
#include "upsweep/axis_scan.hpp"

namespace upsweep::test {

namespace detail {

inline const char* name(shader::axis_way way) {
    constexpr std::array names = {"automatic", "lanes", "turned lanes", "tiles"};
    return names.at(static_cast<std::size_t>(way));
}

// Whether the stages that ran are those of `way`.
inline bool ran(const std::vector<std::string>& stages, shader::axis_way way) {
    constexpr std::array last = {"", "lane_scan", "turned_lane_scan", "tile_scan"};
    if (way == shader::axis_way::automatic)
        return !stages.empty() && std::ranges::find(last, stages.back()) != last.end();
    return !stages.empty() && stages.back() == last.at(static_cast<std::size_t>(way));
}

template <class T>
shader_array array_of_view(const strided_view<T>& view) {
    shader_array made{view.data(), 0, 0, view.shape(), view.strides()};
    if (view.size() == 0) return made;
    const auto [begin, end] = upsweep::detail::extent_of(view);
    made.bytes = begin;
    made.elements = static_cast<std::size_t>(end - begin) / sizeof(T);
    made.first = static_cast<std::size_t>(reinterpret_cast<const char*>(view.data()) - begin) / sizeof(T);
    return made;
}

// call(way, result) carries out a call whose output is `to`, and returns the stages that ran.
template <class T, class Call>
void in_every_way(shader_executor& ex, std::size_t elements, const shader_array& to, const Call& call) {
    std::vector<T> first, next(to.elements);
    // All ways for small arrays; else the automatic one and another in turn.
    constexpr int ways = 4;
    const auto turn = static_cast<int>(ex.next_turn());
    for (int way = 0; way < ways; ++way) {
        if (way != 0 && elements > 3000 && turn % (ways - 1) != way - 1) continue;
        const auto chosen = static_cast<shader::axis_way>(way);
        SCOPED_TRACE(name(chosen));
        const std::vector<std::string>& stages = call(chosen, next.data());
        if (next.empty()) {
            EXPECT_TRUE(stages.empty());
            return;
        }
        // Of no elements there is but one way to make totals.
        EXPECT_TRUE(ran(stages, elements == 0 ? shader::axis_way::lanes : chosen))
            << "another way was taken: " << stages.back();
        if (first.empty()) {
            first = next;
        } else {
            EXPECT_EQ(
                std::memcmp(static_cast<const void*>(first.data()), next.data(), first.size() * sizeof(T)), 0)
                << "differs from the automatic way";
        }
    }
    if (!first.empty())
        std::memcpy(const_cast<void*>(to.bytes), static_cast<const void*>(first.data()),
                    first.size() * sizeof(T));
}

template <class Op, class In, class T>
void axis_scan(shader_executor& ex, const strided_view<In>& in, const strided_view<T>& out, int axis,
               bool exclusive, const batch_options<T>& options) {
    const shader_array from = array_of_view(in), to = array_of_view(out);
    const auto scan = [&](shader::axis_way way, T* result) -> const std::vector<std::string>& {
        return ex.scan_axis({shader::operation_of<Op, T, In>(), from, to, result, axis, exclusive,
                             options.reverse, options.initial ? &*options.initial : nullptr, way});
    };
    in_every_way<T>(ex, static_cast<std::size_t>(in.size()), to, scan);
}

}  // namespace detail

template <class Acc = deduced, class In, class T, class Op = plus>
requires shader::loads_and_combines<Op, In, T> && std::is_same_v<shader::accumulator_for<Acc, In>, T>
void inclusive_scan(shader_executor& ex, const strided_view<In>& in, const strided_view<T>& out, int axis,
                    const Op& = {}, const std::type_identity_t<batch_options<T>>& options = {}) {
    detail::axis_scan<Op>(ex, in, out, axis, false, options);
}
template <class Acc = deduced, class In, class T, class Op = plus>
requires shader::loads_and_combines<Op, In, T> && std::is_same_v<shader::accumulator_for<Acc, In>, T>
void exclusive_scan(shader_executor& ex, const strided_view<In>& in, const strided_view<T>& out, int axis,
                    const Op& = {}, const std::type_identity_t<batch_options<T>>& options = {}) {
    detail::axis_scan<Op>(ex, in, out, axis, true, options);
}

}  // namespace upsweep::test
