// Prefix sums of arrays in CUDA device memory.
//
//     inclusive: out[i] = x[0] (+) x[1] (+) ... (+) x[i]
//     exclusive: out[i] = x[0] (+) ... (+) x[i-1],  out[0] = the initial value, or else the operator's
//     identity
//
// Shapes: in and out are device spans of equal size n >= 0; types, accumulators and bits are those of the
// CPU's scans (upsweep/scan.hpp, docs/numerics.md), for every device, algorithm and grid. The element types
// must be trivially copyable; operators and functions are called on the device and passed by value. The calls
// return when the work is in the executor's stream. Aliasing: out may be in (equal pointers, elements of
// equal size); any other overlap, also of what the options name, is an error. Errors: upsweep::error names
// the argument; nothing has been enqueued then. Failures on the device surface at the latest in
// executor.wait(). Complexity: one read of in and one write of out (reduce-then-scan: two reads); scratch of
// about n / 512 bytes in the executor. Compile with --expt-relaxed-constexpr and -fmad=false, which the
// target upsweep::cuda hands on: a product and a sum of the operator must not become one fused operation.
// Source: docs/cuda-design.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::cuda {

template <class Acc>
struct scan_options {
    std::optional<Acc> initial{};           // folded in before the first element
    const Acc* device_initial = nullptr;    // the same, read from device memory when the scan runs
    bool reverse = false;                   // out[i] = x[i] (+) ... (+) x[n-1]
    Acc* total = nullptr;                   // device memory that receives the fold of everything
    const std::uint64_t* length = nullptr;  // device memory: scan the first min(*length, n) elements only
};

namespace detail {

template <class Types>
void check_call(executor& ex, const void* const (&in)[Types::inputs],
                const char* const (&names)[Types::inputs], const void* out, std::uint64_t n,
                const scan_arguments<Types>& arguments) {
    using out_type = typename Types::Out;
    const checked_array target{"out", out, n, sizeof(out_type), alignof(out_type)};
    for (int k = 0; k < Types::inputs; ++k) {
        const checked_array input{names[k], in[k], n, std::size_t(Types::element_size[k]),
                                  std::size_t(Types::element_alignment[k])};
        input.check(ex);
        if (upsweep::detail::overlap(in[k], input.bytes(), out, target.bytes()) &&
            !(in[k] == out && input.element == target.element)) {
            throw_error(errc::invalid_argument, "out: overlaps " + std::string(names[k]) +
                                                    "; it must be the same array (equal pointers and element "
                                                    "sizes) or disjoint from it");
        }
    }
    target.check(ex);
    // Blocks read and write these when they come to it, in no order.
    const auto single = [&](const char* name, const auto* p) {
        if (p == nullptr) return;
        ex.check_pointer(p, name);
        upsweep::detail::check_apart(name, p, sizeof *p, out, target.bytes());
    };
    single("options.total", arguments.total);
    single("options.device_initial", arguments.device_initial);
    single("options.length", arguments.length);
    if (arguments.total == nullptr) return;
    const auto apart = [&](const char* name, const void* p, std::uint64_t bytes) {
        if (p == nullptr) return;
        upsweep::detail::check_disjoint("options.total", arguments.total, sizeof *arguments.total, name, p,
                                        bytes);
    };
    for (int k = 0; k < Types::inputs; ++k) apart(names[k], in[k], n * std::uint64_t(Types::element_size[k]));
    apart("options.device_initial", arguments.device_initial, sizeof *arguments.device_initial);
    apart("options.length", arguments.length, sizeof *arguments.length);
}

template <class Acc, class In, class Out, class Op, class Load>
using types_of = scan_types<register_type<Acc, Op>, Op, Out, Acc, Load, as_is, In>;

// Fills in what the options say. Scans without an identity must have an initial value where one is stored,
// unless something else stands to the left of the first element (`continues`).
template <bool Exclusive, class Types, class Acc, class Op>
void read_options(scan_arguments<Types>& arguments, const scan_options<Acc>& options, const Op& op,
                  bool continues = false) {
    if (options.initial && options.device_initial != nullptr)
        throw_error(errc::invalid_argument, "options.initial: given together with options.device_initial");
    arguments.reverse = options.reverse;
    arguments.has_initial = options.initial.has_value() || options.device_initial != nullptr;
    arguments.device_initial = options.device_initial;
    if (options.initial) arguments.initial = *options.initial;
    arguments.total = options.total;
    arguments.length = options.length;
    if constexpr (has_identity<Op, Acc>) {
        arguments.start = identity_of<Acc>(op);
    } else if (!arguments.has_initial && !continues) {
        if (Exclusive && arguments.n != 0) {
            throw_error(errc::invalid_argument,
                        "options.initial: an exclusive scan needs an initial value, because the operator has "
                        "no identity");
        }
        if (options.total != nullptr && (arguments.n == 0 || options.length != nullptr)) {
            throw_error(
                errc::invalid_argument,
                "options.total: the total of no elements needs an initial value, because the operator has no "
                "identity");
        }
    }
}

// What a call's kernels are given, once all of it has been checked.
template <bool Exclusive, class Acc, class In, class Out, class Op, class Load>
scan_arguments<types_of<Acc, In, Out, Op, Load>> checked_arguments(executor& ex, device_span<const In> in,
                                                                   device_span<Out> out, const Op& op,
                                                                   const Load& load,
                                                                   const scan_options<Acc>& options,
                                                                   bool continues = false) {
    static_assert(std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out> &&
                      std::is_trivially_copyable_v<Acc>,
                  "elements on a device are copied as bytes: their types must be trivially copyable");
    using types = types_of<Acc, In, Out, Op, Load>;
    upsweep::detail::check_sizes(in.size(), out.size());
    scan_arguments<types> arguments{{in.data()}, out.data(), in.size(), nullptr, false, false, nullptr,
                                    {},          {},         nullptr,   op,      load,  {}};
    read_options<Exclusive>(arguments, options, op, continues);
    check_call<types>(ex, {in.data()}, {"in"}, out.data(), in.size(), arguments);
    return arguments;
}

template <bool Exclusive, class Acc, class In, class Out, class Op, class Load>
void scan(executor& ex, device_span<const In> in, device_span<Out> out, const Op& op, const Load& load,
          const scan_options<Acc>& options) {
    const auto arguments = checked_arguments<Exclusive, Acc, In>(ex, in, out, op, load, options);
    if (in.size() == 0 && options.total == nullptr) return;
    scan_launch<types_of<Acc, In, Out, Op, Load>, Exclusive>(ex, arguments).run();
}

}  // namespace detail

// Bytes of scratch that a scan of up to n elements needs, whichever algorithm runs; never decreases with n.
// For executors that use the caller's memory.
template <class In, class Out = In, class Op = plus, class Acc = core::accumulator_for<deduced, In, Op>>
[[nodiscard]] std::size_t scan_workspace_bytes(std::uint64_t n, const Op& = {}) {
    return workspace_bytes_of<detail::types_of<Acc, In, Out, core::known_operator_t<Op, Acc>, as_is>>(n);
}

}  // namespace upsweep::cuda

namespace upsweep {

// out[i] = in[0] (+) ... (+) in[i]
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void inclusive_scan(
    cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out, const Op& op = {},
    const std::type_identity_t<cuda::scan_options<A>>& options = {}) {
    cuda::detail::scan<false, A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), cuda::as_is{},
                                                          options);
}

// out[i] = in[0] (+) ... (+) in[i-1]; out[0] = the initial value, or else the operator's identity.
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void exclusive_scan(
    cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out, const Op& op = {},
    const std::type_identity_t<cuda::scan_options<A>>& options = {}) {
    cuda::detail::scan<true, A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), cuda::as_is{},
                                                         options);
}

// out[i] = f(in[0]) (+) ... (+) f(in[i]). f is called on the device, up to three times an element.
template <class Acc = deduced, class In, class Out, class Op, class Function,
          class A = core::accumulator_for<
              Acc, std::decay_t<std::invoke_result_t<const Function&, const std::remove_const_t<In>&>>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void transform_inclusive_scan(
    cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out, const Op& op, const Function& f,
    const std::type_identity_t<cuda::scan_options<A>>& options = {}) {
    cuda::detail::scan<false, A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), f, options);
}

// out[i] = f(in[0]) (+) ... (+) f(in[i-1])
template <class Acc = deduced, class In, class Out, class Op, class Function,
          class A = core::accumulator_for<
              Acc, std::decay_t<std::invoke_result_t<const Function&, const std::remove_const_t<In>&>>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void transform_exclusive_scan(
    cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out, const Op& op, const Function& f,
    const std::type_identity_t<cuda::scan_options<A>>& options = {}) {
    cuda::detail::scan<true, A, std::remove_const_t<In>>(ex, in, out, core::known<A>(op), f, options);
}

}  // namespace upsweep
