// Prefix sums of a sequence in an OpenGL buffer object: inclusive_scan and exclusive_scan on a gl::executor.
//
//     inclusive: out[i] = x[0] (+) x[1] (+) ... (+) x[i]
//     exclusive: out[i] = x[0] (+) ... (+) x[i-1],  out[0] = the initial value, or else the operator's
//     identity
//
// Elements: uint32, int32, float, uint64, int64, double, affine_map<float>, and what a user_operator
// combines; the operators of operators.hpp that combine them. Numbers of fewer bytes, of 8, 16 or 32 bits,
// float16 and bfloat16 too, convert to the accumulator type when loaded, which is the output's and must be
// named, inclusive_scan<std::uint32_t>(executor, bytes, words), but for 16-bit floating point, where it is
// float unless named. Their buffer must have all of the 4-byte word that the last one lies in. Anything else
// does not compile. Sums and products of double need OpenGL, not ES. Shapes: `in` and `out` have equal size
// n >= 0. Bits: those of docs/numerics.md, on a driver whose executor::conformance() is that. Aliasing: `out`
// may be `in` (same buffer, offset and type); any other overlap is an error, with `total`, `length` and
// `workspace` too.
//
// Errors: upsweep::error, before any command is issued: invalid_argument names the argument; unsupported
// where the device lacks something; out_of_memory; errc::device with the driver's log where a program does
// not compile. Complexity: O(n) work; the output is written once, the input read once where sequence_way is
// look_back or in one tile of 4096 elements, elsewhere twice; scratch of 2 n / 4096 elements. Sources:
// docs/numerics.md for the tree; Merrill and Grimshaw, Parallel scan for stream architectures, 2009, for
// reduce-then-scan; Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back, 2016, and
// Smith, Levien and Owens, Decoupled fallback: a portable single-pass GPU scan, 2025, for look-back;
// Blelloch, Prefix sums and their applications, 1990.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/user.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::gl {

template <class T>
struct scan_options {
    std::optional<T> initial{};  // folded in before the first element
    bool reverse = false;        // out[i] = x[i] (+) ... (+) x[n-1] instead of x[0] (+) ... (+) x[i]
    // One element; receives initial (+) x[0] (+) ... (+) x[n-1], or the identity if there is nothing to fold.
    buffer_span<T> total{};
    // One word; if it is given, only the first min(n, that word) elements are scanned, and n is below 2^32.
    // Reversed, they are still the first ones, and their sum runs from the last of them.
    buffer_span<const std::uint32_t> length{};
    scan_algorithm algorithm = scan_algorithm::tree;
    std::uint32_t work_group_size = 256;  // of blelloch: 1 to 1024, any number
    // At least executor::scan_workspace_bytes, used instead of the executor's own; unspecified afterwards.
    buffer_region workspace{};
};

// Op combines T in a shader.
template <class Op, class T>
concept combines_in_shader = shader::supported<Op, T> || std::same_as<Op, user_operator<T>>;

// And elements of In, which are T's or become such when they are loaded.
template <class Op, class In, class T>
concept loads_in_shader = shader::loads_and_combines<Op, In, T> ||
    (std::same_as<Op, user_operator<T>>&& std::same_as<std::remove_const_t<In>, T>);

// They are accumulated in T: Acc names it, or they say so (shader/operation.hpp).
template <class Op, class Acc, class In, class T>
concept accumulates_in_shader =
    std::same_as<shader::accumulator_for<Acc, In>, T> && loads_in_shader<Op, In, T>;

namespace detail {

// What calls that fold are told alike.
template <class T, class In = T, class Call, class Op, class Options>
void describe_operation(Call& call, const Op& op, const Options& options) {
    if constexpr (shader::supported<Op, T>) {
        call.op = shader::operation_of<Op, T, In>();
    } else {
        call.op = op.operation();
        call.user_text = op.number();
    }
    call.has_initial = options.initial.has_value();
    if (options.initial) call.initial = shader::words_of(*options.initial);
    call.workspace = options.workspace;
}
// And scans of every kind.
template <class T, class In = T, class Call, class Op, class Options>
void describe_scan(Call& call, bool exclusive, const Op& op, const Options& options) {
    describe_operation<T, In>(call, op, options);
    call.exclusive = exclusive;
    call.reverse = options.reverse;
}

template <class T, class In = T, class Op>
scan_call make_call(std::type_identity_t<buffer_span<const In>> in, buffer_span<T> out, bool exclusive,
                    const Op& op, const scan_options<T>& options) {
    scan_call call;
    describe_scan<T, In>(call, exclusive, op, options);
    call.in = in.region();
    call.out = out.region();
    call.size = in.size;
    call.total = options.total.region();
    call.length = options.length.region();
    call.algorithm = options.algorithm;
    call.work_group_size = options.work_group_size;
    return call;
}

}  // namespace detail

// Compiles the programs of scans with Op on T now, so that no later one waits for the driver's compiler; or
// of elements of In in T: prepare<std::uint32_t, plus, std::uint8_t>(executor).
template <class T, class Op = plus, class In = T>
requires loads_in_shader<Op, In, T>
void prepare(executor& ex, const Op& op = {}, scan_algorithm algorithm = scan_algorithm::tree) {
    ex.compile(detail::make_call<T, In>({}, {}, algorithm == scan_algorithm::blelloch, op,
                                        {.algorithm = algorithm}));
}

}  // namespace upsweep::gl

namespace upsweep {

// out[i] = in[0] (+) ... (+) in[i]
template <class Acc = deduced, class In, class T, class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void inclusive_scan(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<T> out, const Op& op = {},
                    const std::type_identity_t<gl::scan_options<T>>& options = {}) {
    ex.run(gl::detail::make_call<T, std::remove_const_t<In>>(in, out, false, op, options));
}

// out[i] = in[0] (+) ... (+) in[i-1]; out[0] = options.initial, or else the operator's identity.
template <class Acc = deduced, class In, class T, class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void exclusive_scan(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<T> out, const Op& op = {},
                    const std::type_identity_t<gl::scan_options<T>>& options = {}) {
    ex.run(gl::detail::make_call<T, std::remove_const_t<In>>(in, out, true, op, options));
}

}  // namespace upsweep
