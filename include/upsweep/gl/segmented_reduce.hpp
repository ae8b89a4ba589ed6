// One total a segment, of a sequence in an OpenGL buffer object: segmented_reduce and reduce_by_key.
//
//     segmented_reduce(executor, by_offsets, in, out, op, options)
//     segmented_reduce(executor, by_head_flags or by_keys, in, out, arguments, op, options)
//         out[k] = in[b] (+) ... (+) in[e - 1] for every segment k, whose elements are [b, e); of an empty
//         one the initial value, or else the operator's identity
//     reduce_by_key(executor, keys, in, keys_out, out, arguments, op, options)
//         the same of runs of equal keys; keys_out[k] = the first key of run k
//
// Segments are those of segmented_scan.hpp; by flags and keys they are never empty. How many they are stays
// on the device, in `arguments`, as compact.hpp has it: `found` counts all, `count` those whose results all
// outputs have room for. Each output receives as many as it has itself room for, the first ones; what lies
// behind them is left as it is. Keys are compared with their neighbours only: to have one total for each key,
// sort by it first.
//
// Elements, operators, errors: as in scan.hpp. Shapes: in, flags and keys have n < 2^32 elements; out of m
// segments by offsets has m. Offsets, outputs, and the keys of reduce_by_key must fit a storage buffer
// binding each. Offsets are not read by the host: where they are not what they should be, what out holds is
// unspecified; an operator without identity needs an initial value with them. Bits: out[k] is what
// inclusive_segmented_scan gives for the segment's last element. Aliasing: outputs, arguments and workspace
// overlap nothing else. Complexity: O(n), and O(m) for m offsets; what describes the segments is read once
// (offsets: three times), first keys of reduce_by_key once more, the elements twice (one tile of 4096: once),
// and only results are written but for n bits and n / 2048 elements of scratch, by offsets 4 m bytes more.
// Source: Blelloch, Prefix sums and their applications, 1990, section 1.5.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/gl/compact.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/scan.hpp"
#include "upsweep/gl/segmented_scan.hpp"
#include "upsweep/gl/user.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/shader/segments.hpp"

namespace upsweep::gl {

template <class T>
struct segmented_reduce_options {
    std::optional<T> initial{};  // folded in before the first element of every segment
    // By flags and keys, one word: how many elements there are, at most n. count_at() of an earlier call's
    // arguments serves.
    buffer_span<const std::uint32_t> length{};
    // Of the arguments, as in compact_options.
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
    // At least executor::segmented_reduce_workspace_bytes, used instead of the executor's own; unspecified
    // afterwards.
    buffer_region workspace{};
};

namespace detail {

template <class T, class In = T, class Op>
runs_call reduction(const shader::segments<std::uint32_t>& segments,
                    std::type_identity_t<buffer_span<const In>> in, buffer_span<T> out,
                    buffer_span<indirect_arguments> arguments, const Op& op,
                    const segmented_reduce_options<T>& options) {
    runs_call call;
    call.values = shader::run_values::totals;
    describe_operation<T, In>(call, op, options);
    call.segments = segments;
    call.in = in.region();
    call.out = out.region();
    call.arguments = arguments.region();
    call.size = in.size;
    call.length = options.length.region();
    call.vertices_per_instance = options.vertices_per_instance;
    call.items_per_group = options.items_per_group;
    return call;
}

}  // namespace detail

// Compiles the programs of reductions with Op on T now, so that no later one waits for the driver's compiler.
template <class T, class Op = plus, class In = T>
requires loads_in_shader<Op, In, T>
void prepare_segmented_reduce(executor& ex, const Op& op = {}) {
    ex.compile(detail::reduction<T, In>({}, {}, {}, {}, op, {}));
}

}  // namespace upsweep::gl

namespace upsweep {

template <class Acc = deduced, class In, class T, class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void segmented_reduce(gl::executor& ex, const gl::by_offsets& segments, gl::buffer_span<In> in,
                      gl::buffer_span<T> out, const Op& op = {},
                      const std::type_identity_t<gl::segmented_reduce_options<T>>& options = {}) {
    ex.run(gl::detail::reduction<T, std::remove_const_t<In>>(segments.described, in, out, {}, op, options));
}
template <class Acc = deduced, class Segments, class In, class T, class Op = plus>
requires(std::same_as<Segments, gl::by_head_flags> || std::same_as<Segments, gl::by_keys>) &&
    gl::accumulates_in_shader<Op, Acc, In, T> void segmented_reduce(
        gl::executor& ex, const Segments& segments, gl::buffer_span<In> in, gl::buffer_span<T> out,
        gl::buffer_span<gl::indirect_arguments> arguments, const Op& op = {},
        const std::type_identity_t<gl::segmented_reduce_options<T>>& options = {}) {
    ex.run(gl::detail::reduction<T, std::remove_const_t<In>>(segments.described, in, out, arguments, op,
                                                             options));
}

template <class Acc = deduced, class Keys, class In, class Key, class T, class Op = plus>
requires std::same_as<std::remove_const_t<Keys>, Key> && shader::segment_key<Key> &&
    gl::accumulates_in_shader<Op, Acc, In, T>
void reduce_by_key(gl::executor& ex, gl::buffer_span<Keys> keys, gl::buffer_span<In> in,
                   gl::buffer_span<Key> keys_out, gl::buffer_span<T> out,
                   gl::buffer_span<gl::indirect_arguments> arguments, const Op& op = {},
                   const std::type_identity_t<gl::segmented_reduce_options<T>>& options = {}) {
    detail::check_key_count(keys.size, in.size);
    gl::runs_call call = gl::detail::reduction<T, std::remove_const_t<In>>(gl::by_keys(keys).described, in,
                                                                           out, arguments, op, options);
    call.described = "keys";
    call.keys_out = keys_out.region();
    call.has_keys = true;
    ex.run(call);
}

}  // namespace upsweep
