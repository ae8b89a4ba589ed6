// Totals of arrays in CUDA device memory: reduce and transform_reduce.
//
//     reduce(executor, in, out, op, options)
//         *out = initial (+) in[0] (+) ... (+) in[n - 1]
//     transform_reduce(executor, in, out, op, f, options)
//         the same of f(in[0]), ..., f(in[n - 1])
//
// Shapes: in is a device span of n >= 0 elements; out points to one element in device memory. Types,
// accumulators and bits are those of the CPU's (upsweep/reduce.hpp): of the last result of inclusive_scan,
// for every device and grid. Of no elements the result is the initial value, or else the operator's identity;
// where `length` may be 0, an operator without one needs an initial value. Elements must be trivially
// copyable; operators and functions are called on the device and passed by value. The calls return when the
// work is in the executor's stream. Aliasing: out overlaps neither in nor what the options name. Errors:
// upsweep::error names the argument; nothing has been enqueued then. Complexity: one read of in, one kernel;
// scratch of about n / 100 bytes in the executor, for more than a tile of elements (docs/cuda-design.md).
// Source: Blelloch, "Prefix sums and their applications", 1990 (the up-sweep).
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/reduce_launch.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::cuda {

template <class Acc>
struct reduce_options {
    std::optional<Acc> initial{};           // folded in before the first element
    const Acc* device_initial = nullptr;    // the same, read from device memory when the reduction runs
    const std::uint64_t* length = nullptr;  // device memory: the first min(*length, n) elements only
};

namespace detail {

// The arguments of kernels that a call has, but for the arrays.
template <class Types, class Acc, class Op, class Load>
scan_arguments<Types> reduce_arguments(const Op& op, const Load& load, std::uint64_t n,
                                       const reduce_options<Acc>& options) {
    scan_arguments<Types> made{{nullptr}, nullptr, n,       nullptr, false, false, nullptr,
                               {},        {},      nullptr, op,      load,  {}};
    if (options.initial && options.device_initial != nullptr)
        throw_error(errc::invalid_argument, "options.initial: given together with options.device_initial");
    made.has_initial = options.initial.has_value() || options.device_initial != nullptr;
    made.device_initial = options.device_initial;
    if (options.initial) made.initial = *options.initial;
    made.length = options.length;
    if constexpr (has_identity<Op, Acc>) {
        made.start = identity_of<Acc>(op);
    } else if (!made.has_initial && (n == 0 || options.length != nullptr)) {
        throw_error(errc::invalid_argument,
                    "options.initial: the total of no elements needs an initial value, because the operator "
                    "has no identity");
    }
    return made;
}

template <class Acc, class In, class Out, class Op, class Load>
void reduce(executor& ex, device_span<const In> in, Out* out, const Op& op, const Load& load,
            const reduce_options<Acc>& options) {
    static_assert(std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out> &&
                      std::is_trivially_copyable_v<Acc>,
                  "elements on a device are copied as bytes: their types must be trivially copyable");
    using types = types_of<Acc, In, Out, Op, Load>;
    reduced_sequence<types> sequence{reduce_arguments<types>(op, load, in.size(), options)};
    const checked_array source = checked_array::of("in", in);
    const checked_array target = checked_array::of("out", device_span<Out>(out, 1));
    source.check(ex);
    target.check(ex);
    const auto apart = [&](const char* name, const void* p, std::size_t bytes) {
        if (p == nullptr) return;
        upsweep::detail::check_disjoint("out", out, sizeof *out, name, p, bytes);
    };
    apart("in", in.data(), source.bytes());
    const auto single = [&](const char* name, const auto* p) {
        if (p != nullptr) ex.check_pointer(p, name);
        apart(name, p, sizeof *p);
    };
    single("options.device_initial", options.device_initial);
    single("options.length", options.length);
    sequence.scan.in[0] = in.data();
    sequence.scan.out = out;
    reduce_launch<types, reduced_sequence<types>>(ex, sequence).run();
}

}  // namespace detail

// Bytes of scratch that a reduction of up to n elements needs; never decreases with n. For executors that use
// the caller's memory.
template <class In, class Op = plus, class Acc = core::accumulator_for<deduced, In, Op>>
[[nodiscard]] std::size_t reduce_workspace_bytes(std::uint64_t n, const Op& = {}) {
    return reduce_workspace_bytes_of<detail::types_of<Acc, In, Acc, core::known_operator_t<Op, Acc>, as_is>>(
        n, 1);
}

}  // namespace upsweep::cuda

namespace upsweep {

template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A>
void reduce(cuda::executor& ex, cuda::device_span<In> in, Out* out, const Op& op = {},
            const std::type_identity_t<cuda::reduce_options<A>>& options = {}) {
    cuda::detail::reduce<A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), cuda::as_is{}, options);
}

// f is called on the device, once for an element, or a few times for the last one.
template <class Acc = deduced, class In, class Out, class Op, class Function,
          class A = core::accumulator_for<
              Acc, std::decay_t<std::invoke_result_t<const Function&, const std::remove_const_t<In>&>>, Op>>
requires combines<Op, A>
void transform_reduce(cuda::executor& ex, cuda::device_span<In> in, Out* out, const Op& op, const Function& f,
                      const std::type_identity_t<cuda::reduce_options<A>>& options = {}) {
    cuda::detail::reduce<A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), f, options);
}

}  // namespace upsweep
