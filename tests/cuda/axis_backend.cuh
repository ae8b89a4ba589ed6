// Axis scans on the CUDA back end under test (backend.cuh): of views of host memory, in every way that their
// shape and strides allow.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/backend.cuh"
#include "upsweep/axis_scan.hpp"
#include "upsweep/cuda/axis_scan.cuh"

namespace upsweep::test {

namespace detail {

struct viewed_memory {
    const char* first;
    std::size_t bytes;

    template <class T>
    explicit viewed_memory(const strided_view<T>& view)
        : first(reinterpret_cast<const char*>(view.data())), bytes(0) {
        if (view.size() == 0) return;
        const auto [begin, end] = upsweep::detail::extent_of(view);
        first = begin;
        bytes = static_cast<std::size_t>(end - begin);
    }
    [[nodiscard]] std::size_t misalignment() const { return reinterpret_cast<std::uintptr_t>(first) % 64; }
};

// The ways to try: all of small arrays; else the automatic one and another in turn.
inline std::vector<cuda::axis_way> ways_to_try(std::size_t elements, std::size_t sequences, unsigned turn) {
    std::vector<cuda::axis_way> ways{cuda::axis_way::automatic};
    constexpr std::array others = {
        cuda::axis_way::lanes,         cuda::axis_way::word_lanes,  cuda::axis_way::turned_lanes,
        cuda::axis_way::chunked_lanes, cuda::axis_way::rows,        cuda::axis_way::columns,
        cuda::axis_way::lines,         cuda::axis_way::line_tiles,  cuda::axis_way::lines_ahead,
        cuda::axis_way::line_by_line,  cuda::axis_way::short_lines, cuda::axis_way::packed_lanes};
    for (std::size_t k = 0; k < others.size(); ++k) {
        if (elements > 20000 && turn % others.size() != k) continue;
        if (others[k] == cuda::axis_way::line_by_line && sequences > 1000) continue;  // a launch each
        ways.push_back(others[k]);
    }
    return ways;
}

// call(device views of the inputs..., one of the output) in every way, whose results must be those of the
// automatic one. The output may be one of the inputs.
template <class Out, class Call, class... In>
void scan_in_every_way(cuda_executor& ex, int axis, const Call& call, const strided_view<Out>& out,
                       const strided_view<In>&... in) {
    constexpr std::size_t none = sizeof...(In);
    const viewed_memory to(out);
    const std::array<viewed_memory, sizeof...(In)> from{viewed_memory(in)...};
    std::size_t in_place = none;
    for (std::size_t k = 0; k < from.size(); ++k)
        if (from[k].first == to.first) in_place = k;
    std::vector<std::vector<char>> input;
    for (const auto& memory : from) input.emplace_back(memory.first, memory.first + memory.bytes);
    std::vector<char> result;
    device_staging& staging = ex.staging();
    const auto elements = static_cast<std::size_t>(out.size());
    const auto along = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(out.rank()) : axis);
    const std::size_t sequences =
        elements / std::max<std::size_t>(1, static_cast<std::size_t>(out.shape()[along]));
    for (const cuda::axis_way way : ways_to_try(elements, sequences, ex.next_turn())) {
        SCOPED_TRACE(cuda::name(way));
        staging.begin();
        std::array<std::size_t, sizeof...(In)> x{};
        for (std::size_t k = 0; k < from.size(); ++k)
            x[k] = staging.add(from[k].bytes, from[k].misalignment());
        const std::size_t y = in_place != none ? x[in_place] : staging.add(to.bytes, to.misalignment());
        staging.place();
        for (std::size_t k = 0; k < from.size(); ++k) staging.write(x[k], input[k].data(), from[k].bytes);
        if (in_place == none) staging.write(y, to.first, to.bytes);  // what lies between the elements stays
        staging.upload(ex.device().stream());
        const auto there = [&]<class T>(const strided_view<T>& view, std::size_t array, const char* first) {
            const auto offset = reinterpret_cast<const char*>(view.data()) - first;
            return cuda::device_view<T>(reinterpret_cast<T*>(staging.device(array) + offset), view.shape(),
                                        view.strides());
        };
        ex.device().set_axis_way(way);
        try {
            [&]<std::size_t... k>(std::index_sequence<k...>) {
                call(there(in, x[k], from[k].first)..., there(out, y, to.first));
            }
            (std::index_sequence_for<In...>());
        } catch (const error& refused) {
            // Not every array can be scanned in every way.
            if (way != cuda::axis_way::automatic && refused.code() == errc::unsupported) continue;
            throw;
        }
        staging.download(ex.device().stream());
        EXPECT_TRUE(staging.sentinels_intact()) << "wrote outside the arrays";
        if (elements == 0) return;
        if (way == cuda::axis_way::automatic) {
            EXPECT_NE(ex.device().latest_axis_way(), cuda::axis_way::automatic);
        } else {
            EXPECT_EQ(ex.device().latest_axis_way(), way) << "another way was taken";
        }
        for (std::size_t k = 0; k < from.size(); ++k) {
            if (k == in_place) continue;
            EXPECT_EQ(std::memcmp(staging.host(x[k]), input[k].data(), from[k].bytes), 0)
                << "changed input " << k;
        }
        const auto* made = reinterpret_cast<const char*>(staging.host(y));
        if (result.empty()) {
            result.assign(made, made + to.bytes);
        } else {
            EXPECT_EQ(std::memcmp(result.data(), made, to.bytes), 0) << "differs from the automatic way";
        }
    }
    std::memcpy(const_cast<char*>(to.first), result.data(), result.size());
}

template <class Acc, class In, class Out, class Op>
void axis_scan(cuda_executor& ex, const strided_view<In>& in, const strided_view<Out>& out, int axis,
               bool exclusive, const Op& op, const batch_options<Acc>& options) {
    const auto scan = [&](const cuda::device_view<In>& source, const cuda::device_view<Out>& target) {
        if (exclusive)
            upsweep::exclusive_scan<Acc>(ex.device(), source, target, axis, op, options);
        else
            upsweep::inclusive_scan<Acc>(ex.device(), source, target, axis, op, options);
    };
    scan_in_every_way(ex, axis, scan, out, in);
}

}  // namespace detail

template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
void inclusive_scan(cuda_executor& ex, const strided_view<In>& in, const strided_view<Out>& out, int axis,
                    const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    detail::axis_scan<A>(ex, in, out, axis, false, op, options);
}
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
void exclusive_scan(cuda_executor& ex, const strided_view<In>& in, const strided_view<Out>& out, int axis,
                    const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    detail::axis_scan<A>(ex, in, out, axis, true, op, options);
}

template <class Acc = deduced, class A, class B, class Out,
          class T = cuda::detail::recurrence_number<Acc, A, B>>
void linear_recurrence(cuda_executor& ex, const strided_view<A>& a, const strided_view<B>& b,
                       const std::type_identity_t<T>& x0, const strided_view<Out>& out, int axis,
                       const recurrence_options& options = {}) {
    const auto recur = [&](const cuda::device_view<A>& first, const cuda::device_view<B>& second,
                           const cuda::device_view<Out>& target) {
        upsweep::linear_recurrence<Acc>(ex.device(), first, second, x0, target, axis, options);
    };
    detail::scan_in_every_way(ex, axis, recur, out, a, b);
}

template <class Acc = deduced, class B, class Out, class T = cuda::detail::recurrence_number<Acc, B, B>>
void linear_recurrence(cuda_executor& ex, const std::type_identity_t<T>& a, const strided_view<B>& b,
                       const std::type_identity_t<T>& x0, const strided_view<Out>& out, int axis,
                       const recurrence_options& options = {}) {
    const auto recur = [&](const cuda::device_view<B>& input, const cuda::device_view<Out>& target) {
        upsweep::linear_recurrence<Acc>(ex.device(), a, input, x0, target, axis, options);
    };
    detail::scan_in_every_way(ex, axis, recur, out, b);
}

}  // namespace upsweep::test
