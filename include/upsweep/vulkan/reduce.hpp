// The total of a sequence in a VkBuffer.
//
//     prepare_reduce(executor, in, out, workspace, op, options)
//         out[0] = initial (+) in[0] (+) ... (+) in[n - 1]
//
// Elements and operators: as in scan.hpp. Shapes: in has n >= 0 elements, out one. Bits: those of the last
// result of an inclusive scan, which are those of the CPU's reduce (upsweep/reduce.hpp). Of no elements the
// result is the initial value, or else the operator's identity; where `length` may be 0, an operator without
// one needs an initial value. Aliasing: no two arguments may overlap of which one is written. Errors: as in
// scan.hpp. Cost: one read of in; out is all that is written but for 2 n / 4096 elements of the workspace, of
// more than a tile of 4096 elements. Up to 4 dispatches, and more where in exceeds a binding. Source:
// Blelloch, Prefix sums and their applications, 1990 (the up-sweep), over the tree of docs/numerics.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/operators.hpp"
#include "upsweep/shader/operation.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/scan.hpp"

namespace upsweep::vulkan {

template <class T>
struct reduce_options {
    std::optional<T> initial{};  // folded in before the first element
    // One word: how many elements there are, read when the commands execute; more than in.size count as
    // in.size, which must be below 2^32.
    buffer_span<const std::uint32_t> length{};
};

namespace detail {

struct reduce_arguments {
    shader::operation op;
    const user_operator* user;
    bool has_initial;
    std::array<std::uint32_t, 4> initial;
    buffer_span<const std::byte> in;
    buffer_span<std::byte> out;
    workspace_span workspace;
    buffer_span<const std::uint32_t> length;
    std::uint64_t element_count;
};
commands prepare_reduce(executor& ex, const reduce_arguments& given);

template <class T, class In = T>
reduce_arguments arguments_of(const shader::operation& op, const user_operator* user,
                              const std::type_identity_t<buffer_span<const In>>& in,
                              const buffer_span<T>& out, const workspace_span& workspace,
                              const reduce_options<T>& options) {
    return {op,
            user,
            options.initial.has_value(),
            options.initial ? shader::words_of(*options.initial) : std::array<std::uint32_t, 4>{},
            {in.buffer, in.bytes(), in.offset},
            {out.buffer, out.bytes(), out.offset},
            workspace,
            options.length,
            in.size};
}

}  // namespace detail

// The commands of a total, whose workspace is that of a scan: scan_workspace(). Makes pipelines and
// descriptor sets as the scan does; does nothing on the device.
template <class Acc = deduced, class In, class Op = plus, class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_reduce(executor& ex, const buffer_span<In>& in,
                                      const std::type_identity_t<buffer_span<T>>& out,
                                      const workspace_span& workspace, const Op& op = {},
                                      const std::type_identity_t<reduce_options<T>>& options = {}) {
    return detail::prepare_reduce(
        ex, detail::arguments_of<T, std::remove_const_t<In>>(
                detail::operation_on<Op, T, In>(op), detail::user_of(op), in, out, workspace, options));
}

}  // namespace upsweep::vulkan
