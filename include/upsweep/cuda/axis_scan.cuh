// Scans along one axis of strided n-dimensional arrays in CUDA device memory: the overloads of inclusive_scan
// and exclusive_scan on views.
//
// Every one-dimensional slice along the axis is a sequence of its own, with the bits of scanning it alone, on
// the CPU or here. Shapes: in and out have equal shapes; strides are their own, negative ones too. `axis`
// counts from 0, or from the end if negative. An extent of 0 is legal. in may repeat elements (stride 0); out
// must not. Aliasing: out may be in (equal pointers, strides and element sizes); any other overlap of the
// ranges of bytes that the two span is an error, even if they interleave without sharing an element. The
// calls return when the work is in the executor's stream. Errors, bits, types and accumulator: as in
// cuda/scan.cuh. Complexity: one read of in and one write of out, in some ways (docs/cuda-design.md) a second
// read of long and few sequences; scratch of about size / 128 accumulators in the executor there.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/axis_launch.cuh"
#include "upsweep/cuda/device_view.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/options.hpp"

namespace upsweep::cuda {

namespace detail {

template <class T>
void check_view(executor& ex, const device_view<T>& view, const char* name) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "elements on a device are copied as bytes: their types must be trivially copyable");
    if (reinterpret_cast<std::uintptr_t>(view.data()) % alignof(T) != 0)
        throw_error(errc::invalid_argument,
                    std::string(name) + ": the pointer is not aligned for its elements");
    ex.check_pointer(view.data(), name);
}

template <bool Exclusive, class Acc, class In, class Out, class Op>
void axis_scan(executor& ex, const device_view<In>& in, const device_view<Out>& out, int axis, const Op& op,
               const batch_options<Acc>& options) {
    using element = std::remove_const_t<In>;
    using types = types_of<Acc, element, Out, Op, as_is>;
    upsweep::detail::check_views(in.description(), out.description(), axis);
    axis_arguments<types> arguments{
        {{in.data()}, out.data(), 0, nullptr, false, false, nullptr, {}, {}, nullptr, op, {}, {}},
        core::axis_geometry(in.shape(), in.strides(), out.strides(), static_cast<std::size_t>(axis))};
    arguments.scan.n = arguments.geometry.length;
    read_options<Exclusive>(arguments.scan,
                            scan_options<Acc>{.initial = options.initial, .reverse = options.reverse}, op);
    if (in.size() == 0) return;
    check_view(ex, in, "in");
    check_view(ex, out, "out");
    if (options.reverse) {
        const auto first = arguments.geometry.turn();
        arguments.scan.in[0] = in.data() + first.in;
        arguments.scan.out += first.out;
    }
    axis_launch<types, Exclusive>(ex, arguments).run();
}

}  // namespace detail

// Bytes of scratch that scans of `sequences` sequences of `length` elements need, whatever their strides;
// never decreases with either. For executors that use the caller's memory.
template <class In, class Out = In, class Op = plus, class Acc = core::accumulator_for<deduced, In, Op>>
[[nodiscard]] std::size_t axis_scan_workspace_bytes(std::uint64_t length, std::uint64_t sequences,
                                                    const Op& = {}) {
    return axis_workspace_bytes_of<detail::types_of<Acc, In, Out, core::known_operator_t<Op, Acc>, as_is>>(
        length, sequences);
}

}  // namespace upsweep::cuda

namespace upsweep {

// Along `axis`: out[i] = in[0] (+) ... (+) in[i]
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&
    (!std::is_const_v<Out>)void inclusive_scan(cuda::executor& ex, const cuda::device_view<In>& in,
                                               const cuda::device_view<Out>& out, int axis, const Op& op = {},
                                               const std::type_identity_t<batch_options<A>>& options = {}) {
    cuda::detail::axis_scan<false, A>(ex, in, out, axis, core::known<A>(op), options);
}

// Along `axis`: out[i] = in[0] (+) ... (+) in[i-1]; out[0] = the initial value, or else the operator's
// identity.
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&
    (!std::is_const_v<Out>)void exclusive_scan(cuda::executor& ex, const cuda::device_view<In>& in,
                                               const cuda::device_view<Out>& out, int axis, const Op& op = {},
                                               const std::type_identity_t<batch_options<A>>& options = {}) {
    cuda::detail::axis_scan<true, A>(ex, in, out, axis, core::known<A>(op), options);
}

}  // namespace upsweep
