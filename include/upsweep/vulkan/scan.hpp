// Prefix sums of a sequence in a VkBuffer.
//
//     inclusive: out[i] = x[0] (+) x[1] (+) ... (+) x[i]
//     exclusive: out[i] = x[0] (+) ... (+) x[i-1],  out[0] = the initial value, or else the operator's
//     identity
//
// Shapes: in and out have equal size n >= 0 of one type, which is the accumulator: uint32, int32, float,
// uint64, int64, double, affine_map<float>, with the operators of operators.def that combine it; or any type
// of 4, 8 or 16 bytes with an operator of the caller's. Numbers of fewer bytes than these, of 8, 16 or 32
// bits, float16 and bfloat16 too, convert to the accumulator type when loaded, which is the output's and must
// be named, prepare_inclusive_scan<std::uint32_t>(executor, bytes, words, workspace), but for 16-bit floating
// point, where it is float unless named. Their buffer must have all of the 4-byte word that the last one lies
// in, which the library cannot see. Bits: those of docs/numerics.md, with and without subgroups. Aliasing:
// out may be in (same buffer, offset and type); any other overlap, also with workspace, total and length, is
// an error. Errors: upsweep::error names the argument. Cost: the output is written once, the input read once
// where sequence_way is look_back or in one tile of 4096 elements, elsewhere twice; 1 to 4 dispatches below
// 2^31 elements. Sources: docs/numerics.md for the tree; reduce-then-scan is Merrill and Grimshaw, Parallel
// scan for stream architectures, 2009; look-back Merrill and Garland, Single-pass parallel prefix scan with
// decoupled look-back, 2016, and Smith, Levien and Owens, Decoupled fallback: a portable single-pass GPU
// scan, 2025.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "upsweep/operators.hpp"
#include "upsweep/shader/operation.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"

namespace upsweep::vulkan {

enum class scan_algorithm : std::uint8_t {
    tree,      // the bits of docs/numerics.md
    blelloch,  // exclusive, in blocks of 2 * work_group_size; the same bits for exact operators, others for
               // the rest
};

template <class T>
struct scan_options {
    std::optional<T> initial{};  // folded in before the first element
    bool reverse = false;        // out[i] = x[i] (+) ... (+) x[n-1] instead of x[0] (+) ... (+) x[i]
    buffer_span<T> total{};      // one element that receives initial (+) x[0] (+) ... (+) x[n-1]
    // One word: how many elements there are, read when the commands execute; more than in.size count as
    // in.size. What follows them in out is left alone. in.size must be below 2^32.
    buffer_span<const std::uint32_t> length{};
    scan_algorithm algorithm = scan_algorithm::tree;
    std::uint32_t work_group_size = 256;  // of blelloch: 1 to maxComputeWorkGroupInvocations, any number
};

// An operator written in GLSL and compiled with the stages at build time: cmake/Shaders.cmake makes these.
struct user_operator {
    std::uint32_t element_words;  // 1, 2 or 4: the element has 4 * element_words bytes
    bool exact, neutral, commutative, has_identity;
    // SPIR-V of tile_totals, super_totals, super_prefixes, tile_scan, look_back_scan, blelloch_scan,
    // blelloch_add; the last two are empty without identity.
    std::array<std::span<const std::uint32_t>, 7> modules;
    // For scans along an axis: the first four of these, lane_scan.
    std::array<std::span<const std::uint32_t>, 5> axis_modules;
    // For scans and totals of segments: the first five of these, segment_totals, look_back_totals,
    // fill_empty.
    std::array<std::span<const std::uint32_t>, 8> segment_modules;
};

namespace detail {

struct scan_arguments {
    shader::operation op;
    const user_operator* user;
    bool exclusive;
    bool reverse;
    bool has_initial;
    std::array<std::uint32_t, 4> initial;
    scan_algorithm algorithm;
    std::uint32_t work_group_size;
    buffer_span<const std::byte> in;
    buffer_span<std::byte> out;
    workspace_span workspace;
    buffer_span<std::byte> total;
    buffer_span<const std::uint32_t> length;
    std::uint64_t element_count;
    std::uint64_t out_count;
};
commands prepare_scan(executor& ex, const scan_arguments& arguments);
workspace_requirements scan_workspace(const executor& ex, const shader::operation& op, std::uint64_t length,
                                      scan_algorithm algorithm, std::uint32_t work_group_size);
// Throws unless an element of the caller's type is what the operator combines.
shader::operation operation_of(const user_operator& op, std::size_t element_bytes);

// Of a built-in operator or one of the caller's.
template <class Op, class T, class In = T>
shader::operation operation_on(const Op& op) {
    if constexpr (std::is_same_v<Op, user_operator>)
        return operation_of(op, sizeof(T));
    else
        return shader::operation_of<Op, T, In>();
}
template <class Op>
const user_operator* user_of(const Op& op) {
    if constexpr (std::is_same_v<Op, user_operator>)
        return &op;
    else
        return nullptr;
}

template <class T, class In = T>
commands prepare_scan(executor& ex, const shader::operation& op, const user_operator* user, bool exclusive,
                      const std::type_identity_t<buffer_span<const In>>& in, const buffer_span<T>& out,
                      const workspace_span& workspace, const scan_options<T>& options) {
    return prepare_scan(
        ex, {op,
             user,
             exclusive,
             options.reverse,
             options.initial.has_value(),
             options.initial ? shader::words_of(*options.initial) : std::array<std::uint32_t, 4>{},
             options.algorithm,
             options.work_group_size,
             {in.buffer, in.bytes(), in.offset},
             {out.buffer, out.bytes(), out.offset},
             workspace,
             {options.total.buffer, options.total.bytes(), options.total.offset},
             options.length,
             in.size,
             out.size});
}

}  // namespace detail

// Op combines T in a shader: one of operators.def, or an operator of the caller's.
template <class Op, class T>
concept combines_in_shader = shader::supported<Op, T> || std::is_same_v<Op, user_operator>;

// And elements of In, which are T's or become such when they are loaded.
template <class Op, class In, class T>
concept loads_in_shader = shader::loads_and_combines<Op, In, T> ||
    (std::is_same_v<Op, user_operator>&& std::is_same_v<std::remove_const_t<In>, T>);

// The workspace that a scan of up to `length` elements needs.
template <class T, class Op = plus>
requires shader::supported<Op, T>
[[nodiscard]] workspace_requirements scan_workspace(const executor& ex, std::uint64_t length, const Op& = {},
                                                    scan_algorithm algorithm = scan_algorithm::tree,
                                                    std::uint32_t work_group_size = 256) {
    return detail::scan_workspace(ex, shader::operation_of<Op, T>(), length, algorithm, work_group_size);
}
template <class T>
[[nodiscard]] workspace_requirements scan_workspace(const executor& ex, std::uint64_t length,
                                                    const user_operator& op,
                                                    scan_algorithm algorithm = scan_algorithm::tree,
                                                    std::uint32_t work_group_size = 256) {
    return detail::scan_workspace(ex, detail::operation_of(op, sizeof(T)), length, algorithm,
                                  work_group_size);
}

// The commands of a scan. Makes the pipelines at the first call for an operator and type, which takes
// milliseconds, and descriptor sets; does nothing on the device. With an operator of the caller's an element
// is any trivially copyable type of as many bytes.
template <class Acc = deduced, class In, class Op = plus, class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_inclusive_scan(executor& ex, const buffer_span<In>& in,
                                              const std::type_identity_t<buffer_span<T>>& out,
                                              const workspace_span& workspace, const Op& op = {},
                                              const std::type_identity_t<scan_options<T>>& options = {}) {
    return detail::prepare_scan<T, std::remove_const_t<In>>(
        ex, detail::operation_on<Op, T, In>(op), detail::user_of(op), false, in, out, workspace, options);
}
template <class Acc = deduced, class In, class Op = plus, class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_exclusive_scan(executor& ex, const buffer_span<In>& in,
                                              const std::type_identity_t<buffer_span<T>>& out,
                                              const workspace_span& workspace, const Op& op = {},
                                              const std::type_identity_t<scan_options<T>>& options = {}) {
    return detail::prepare_scan<T, std::remove_const_t<In>>(
        ex, detail::operation_on<Op, T, In>(op), detail::user_of(op), true, in, out, workspace, options);
}

}  // namespace upsweep::vulkan
