// Axis scans on the CUDA back end under test (backend.cuh): of views of host memory, in every way that their
// shape and strides allow.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "cuda/backend.cuh"
#include "upsweep/axis_scan.hpp"
#include "upsweep/cuda/axis_scan.cuh"

namespace upsweep::test {

namespace detail {

template <class T>
struct viewed_memory {
    const char* first;
    std::size_t bytes;

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
    constexpr std::array others = {cuda::axis_way::lanes,         cuda::axis_way::turned_lanes,
                                   cuda::axis_way::chunked_lanes, cuda::axis_way::rows,
                                   cuda::axis_way::lines,         cuda::axis_way::line_tiles,
                                   cuda::axis_way::line_by_line};
    for (std::size_t k = 0; k < others.size(); ++k) {
        if (elements > 20000 && turn % others.size() != k) continue;
        if (others[k] == cuda::axis_way::line_by_line && sequences > 1000) continue;  // a launch each
        ways.push_back(others[k]);
    }
    return ways;
}

template <class Acc, class In, class Out, class Op>
void axis_scan(cuda_executor& ex, const strided_view<In>& in, const strided_view<Out>& out, int axis,
               bool exclusive, const Op& op, const batch_options<Acc>& options) {
    const viewed_memory<In> from(in);
    const viewed_memory<Out> to(out);
    const bool in_place = static_cast<const void*>(in.data()) == out.data();
    const std::vector<char> input(from.first, from.first + from.bytes);
    std::vector<char> result;
    device_staging& staging = ex.staging();
    const auto elements = static_cast<std::size_t>(in.size());
    const auto along = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(in.rank()) : axis);
    const std::size_t sequences =
        elements / std::max<std::size_t>(1, static_cast<std::size_t>(in.shape()[along]));
    for (const cuda::axis_way way : ways_to_try(elements, sequences, ex.next_turn())) {
        SCOPED_TRACE(cuda::name(way));
        staging.begin();
        const std::size_t x = staging.add(from.bytes, from.misalignment());
        const std::size_t y = in_place ? x : staging.add(to.bytes, to.misalignment());
        staging.place();
        staging.write(x, input.data(), from.bytes);
        if (!in_place) staging.write(y, to.first, to.bytes);  // what lies between the elements stays
        staging.upload(ex.device().stream());
        const cuda::device_view<In> source(
            reinterpret_cast<In*>(staging.device(x) +
                                  (reinterpret_cast<const char*>(in.data()) - from.first)),
            in.shape(), in.strides());
        const cuda::device_view<Out> target(
            reinterpret_cast<Out*>(staging.device(y) + (reinterpret_cast<char*>(out.data()) - to.first)),
            out.shape(), out.strides());
        ex.device().set_axis_way(way);
        try {
            if (exclusive)
                upsweep::exclusive_scan<Acc>(ex.device(), source, target, axis, op, options);
            else
                upsweep::inclusive_scan<Acc>(ex.device(), source, target, axis, op, options);
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
        if (!in_place) {
            EXPECT_EQ(std::memcmp(staging.host(x), input.data(), from.bytes), 0) << "changed the input";
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

}  // namespace upsweep::test
