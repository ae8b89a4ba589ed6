// The total of a sequence in an OpenGL buffer object: reduce on a gl::executor.
//
//     reduce(executor, in, out, op, options)
//         out[0] = initial (+) in[0] (+) ... (+) in[n - 1]
//
// Elements and operators: as in scan.hpp. Shapes: in has n >= 0 elements, out one. Bits: those of the last
// result of inclusive_scan, which are those of the CPU's reduce (upsweep/reduce.hpp), on a driver whose
// executor::conformance() is that. Of no elements the result is the initial value, or else the operator's
// identity; where `length` may be 0, an operator without one needs an initial value. Aliasing: out overlaps
// nothing that is read, workspace nothing at all. Errors: as in scan.hpp. Complexity: O(n) work, one read of
// in; out is all that is written but for 2 n / 4096 elements of scratch, of more than a tile of 4096
// elements. Up to 4 dispatches, and more where in exceeds a binding. Source: Blelloch, Prefix sums and their
// applications, 1990 (the up-sweep), over the tree of docs/numerics.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/scan.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::gl {

template <class T>
struct reduce_options {
    std::optional<T> initial{};  // folded in before the first element
    // One word; if it is given, only the first min(n, that word) elements count, and n is below 2^32.
    buffer_span<const std::uint32_t> length{};
    // At least executor::scan_workspace_bytes, used instead of the executor's own; unspecified afterwards.
    buffer_region workspace{};
};

namespace detail {

template <class T, class In = T, class Op>
reduce_call make_call(std::type_identity_t<buffer_span<const In>> in, buffer_span<T> out, const Op& op,
                      const reduce_options<T>& options) {
    reduce_call call;
    describe_operation<T, In>(call, op, options);
    call.in = in.region();
    call.out = out.region();
    call.size = in.size;
    call.length = options.length.region();
    return call;
}

}  // namespace detail

// Compiles the programs of totals with Op on T now, so that no later one waits for the driver's compiler.
template <class T, class Op = plus, class In = T>
requires loads_in_shader<Op, In, T>
void prepare_reduce(executor& ex, const Op& op = {}) {
    ex.compile(detail::make_call<T, In>({}, {}, op, reduce_options<T>()));
}

}  // namespace upsweep::gl

namespace upsweep {

template <class Acc = deduced, class In, class T, class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void reduce(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<T> out, const Op& op = {},
            const std::type_identity_t<gl::reduce_options<T>>& options = {}) {
    ex.run(gl::detail::make_call<T, std::remove_const_t<In>>(in, out, op, options));
}

}  // namespace upsweep
