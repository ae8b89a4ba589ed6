// Scans along an axis in one way, beside the CPU's: by columns, and of lines by one look-ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/device_array.cuh"
#include "support/bits.hpp"
#include "upsweep/axis_scan.hpp"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/recurrence.cuh"
#include "upsweep/recurrence.hpp"

namespace upsweep::test {

using shape_of_view = std::vector<std::int64_t>;

// Where an array lies in memory: elements in front of it, and between its rows.
struct placement {
    std::size_t offset = 0;
    std::int64_t gap = 0;
};

template <class T>
struct placed_array {
    shape_of_view shape, strides;
    std::size_t offset, extent;

    placed_array(const shape_of_view& its_shape, const placement& where)
        : shape(its_shape), strides(its_shape.size()), offset(where.offset) {
        std::int64_t stride = 1;
        for (std::size_t k = shape.size(); k-- != 0;) {
            strides[k] = stride;
            stride *= shape[k] + (k + 1 == shape.size() ? where.gap : 0);
        }
        extent = offset + static_cast<std::size_t>(stride) + 9;
    }
    cuda::device_view<T> on(T* data) const { return {data + offset, shape, strides}; }
    strided_view<T> on_host(T* data) const { return {data + offset, shape, strides}; }
};

// scan(executor, inputs..., output) along an axis, by columns or if it is the last by lines ahead, and by the
// CPU, of random inputs: the results' arrays must agree in every byte, those outside of the results too.
template <class In, class Out, int Inputs, class Scan>
void expect_scan(const shape_of_view& shape, int axis, const Scan& scan, const placement& from = {},
                 const placement& to = {}, bool in_place = false) {
    const bool is_last = axis + 1 == static_cast<int>(shape.size());
    const cuda::axis_way way = is_last ? cuda::axis_way::lines_ahead : cuda::axis_way::columns;
    const placed_array<const In> source(shape, from);
    const placed_array<Out> target(shape, to);
    std::vector<device_array<In>> x;
    std::vector<std::vector<In>> host_x;
    for (int k = 0; k < Inputs; ++k) {
        x.push_back(random_array<In>(source.extent, 7 + static_cast<std::uint64_t>(k)));
        host_x.push_back(x.back().read());
    }
    device_array<Out> y(target.extent);
    y.poison();
    std::vector<Out> expected = y.read();
    const auto run = [&](auto& ex, const auto& in, const auto& second, const auto& out) {
        if constexpr (Inputs == 2)
            scan(ex, in, second, out);
        else
            scan(ex, in, out);
    };
    cuda::executor ex;
    ex.set_axis_way(way);
    cpu::executor host(1);
    if constexpr (std::is_same_v<In, Out>) {
        if (in_place) {
            y = std::move(x[0]);
            x[0] = device_array<In>(host_x[0]);
            expected = host_x[0];
            const auto out = target.on_host(expected.data());
            run(host, strided_view<const In>(out.data(), shape, target.strides),
                source.on_host(host_x.back().data()), out);
            const auto device_out = target.on(y.data());
            run(ex, cuda::device_view<const In>(device_out.data(), shape, target.strides),
                source.on(x.back().data()), device_out);
        }
    }
    if (!in_place) {
        run(host, source.on_host(host_x[0].data()), source.on_host(host_x.back().data()),
            target.on_host(expected.data()));
        run(ex, source.on(x[0].data()), source.on(x.back().data()), target.on(y.data()));
    }
    EXPECT_EQ(ex.latest_axis_way(), way);
    const std::vector<Out> got = y.read();
    ASSERT_EQ(first_difference(got.data(), expected.data(), got.size()), got.size());
    for (int k = 0; k < Inputs; ++k) {
        const std::vector<In> kept = x[static_cast<std::size_t>(k)].read();
        ASSERT_EQ(
            std::memcmp(kept.data(), host_x[static_cast<std::size_t>(k)].data(), kept.size() * sizeof(In)), 0)
            << "input " << k << " was changed";
    }
}

inline std::string text_of(const shape_of_view& shape) {
    std::string text;
    for (const std::int64_t extent : shape) text += std::to_string(extent) + " ";
    return text;
}

struct kind {
    bool exclusive, reverse, initial;
};
inline constexpr kind kinds[] = {{false, false, false},
                                 {true, false, false},
                                 {false, true, true},
                                 {true, true, false},
                                 {true, false, true}};

template <class In, class Out = In, class Op = plus>
void expect_sums(const shape_of_view& shape, int axis, const kind& what, const placement& from = {},
                 const placement& to = {}, bool in_place = false) {
    SCOPED_TRACE(text_of(shape) + "axis " + std::to_string(axis) + (what.exclusive ? " exclusive" : "") +
                 (what.reverse ? " reverse" : "") + (what.initial ? " initial" : "") + " offsets " +
                 std::to_string(from.offset) + " " + std::to_string(to.offset) + " gaps " +
                 std::to_string(from.gap) + " " + std::to_string(to.gap) + (in_place ? " in place" : ""));
    using acc = std::conditional_t<std::is_same_v<In, Out>, deduced, Out>;
    expect_scan<In, Out, 1>(
        shape, axis,
        [&](auto& ex, const auto& in, const auto& out) {
            batch_options<core::accumulator_for<acc, In, Op>> options{.reverse = what.reverse};
            if (what.initial) options.initial = core::accumulator_for<acc, In, Op>(3);
            if (what.exclusive)
                exclusive_scan<acc>(ex, in, out, axis, Op{}, options);
            else
                inclusive_scan<acc>(ex, in, out, axis, Op{}, options);
        },
        from, to, in_place);
}
template <class T>
void expect_recurrence(const shape_of_view& shape, int axis, bool reverse, const placement& from = {},
                       const placement& to = {}, bool in_place = false) {
    SCOPED_TRACE(text_of(shape) + "recurrence along " + std::to_string(axis));
    expect_scan<T, T, 2>(
        shape, axis,
        [&](auto& ex, const auto& a, const auto& b, const auto& out) {
            linear_recurrence(ex, a, b, T(0.5), out, axis, {.reverse = reverse});
        },
        from, to, in_place);
}

}  // namespace upsweep::test
