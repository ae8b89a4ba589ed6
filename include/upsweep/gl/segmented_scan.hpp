// Scans that start afresh at every segment of a sequence in an OpenGL buffer object:
// inclusive_segmented_scan, exclusive_segmented_scan, and ..._scan_by_key.
//
// out[i] combines the elements of i's segment up to i (inclusive) or before i (exclusive; the first of a
// segment then receives the initial value, or else the operator's identity). Segments are given in buffers
// too: by a word an element (by_head_flags), by words (by_offsets), or by keys of 32 or 64 bits (by_keys).
//
// Elements, operators, shapes, errors: as in scan.hpp; offsets need n < 2^32 and are fewer than 2^32. Bits:
// the scan of the pairs (head, value) of docs/numerics.md over the whole array; an initial value is combined
// with the first element of every segment. Aliasing: out may be in, of one type; any other overlap, also with
// what describes the segments and with the workspace, is an error. Complexity: O(n) work, and O(m) for m
// offsets; what describes the segments is read once, the input twice and the output written once (one tile of
// 4096 elements: read once); scratch of n bits and n / 2048 elements. Source: Blelloch, Prefix sums and their
// applications, 1990, section 1.5.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/scan.hpp"
#include "upsweep/gl/user.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/shader/segments.hpp"

namespace upsweep::gl {

// Made of a buffer_span of uint32_t, of keys.
using by_head_flags = shader::by_head_flags<std::uint32_t>;
using by_offsets = shader::by_offsets<std::uint32_t>;
using by_keys = shader::by_keys<std::uint32_t>;

template <class T>
struct segmented_options {
    std::optional<T> initial{};  // folded in before the first element of every segment
    bool reverse = false;        // from the end of every segment to its beginning
    // At least executor::segmented_workspace_bytes, used instead of the executor's own; unspecified
    // afterwards.
    buffer_region workspace{};
};

namespace detail {

template <class T, class In = T, class Op>
segmented_call make_call(const shader::segments<std::uint32_t>& segments,
                         std::type_identity_t<buffer_span<const In>> in, buffer_span<T> out, bool exclusive,
                         const Op& op, const segmented_options<T>& options) {
    segmented_call call;
    describe_scan<T, In>(call, exclusive, op, options);
    call.segments = segments;
    call.in = in.region();
    call.out = out.region();
    call.size = in.size;
    return call;
}

}  // namespace detail

// Compiles the programs of segmented scans with Op on T now, so that no later one waits for the driver's
// compiler.
template <class T, class Op = plus, class In = T>
requires loads_in_shader<Op, In, T>
void prepare_segmented_scan(executor& ex, const Op& op = {}) {
    ex.compile(detail::make_call<T, In>({}, {}, {}, false, op, {}));
}

}  // namespace upsweep::gl

namespace upsweep {

template <class Acc = deduced, shader::describes_segments<std::uint32_t> Segments, class In, class T,
          class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void inclusive_segmented_scan(gl::executor& ex, const Segments& segments, gl::buffer_span<In> in,
                              gl::buffer_span<T> out, const Op& op = {},
                              const std::type_identity_t<gl::segmented_options<T>>& options = {}) {
    ex.run(
        gl::detail::make_call<T, std::remove_const_t<In>>(segments.described, in, out, false, op, options));
}
template <class Acc = deduced, shader::describes_segments<std::uint32_t> Segments, class In, class T,
          class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void exclusive_segmented_scan(gl::executor& ex, const Segments& segments, gl::buffer_span<In> in,
                              gl::buffer_span<T> out, const Op& op = {},
                              const std::type_identity_t<gl::segmented_options<T>>& options = {}) {
    ex.run(gl::detail::make_call<T, std::remove_const_t<In>>(segments.described, in, out, true, op, options));
}

// The segmented scans by keys under the names that other libraries use.
template <class Acc = deduced, class Key, class In, class T, class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void inclusive_scan_by_key(gl::executor& ex, gl::buffer_span<Key> keys, gl::buffer_span<In> in,
                           gl::buffer_span<T> out, const Op& op = {},
                           const std::type_identity_t<gl::segmented_options<T>>& options = {}) {
    inclusive_segmented_scan<Acc>(ex, gl::by_keys(keys), in, out, op, options);
}
template <class Acc = deduced, class Key, class In, class T, class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void exclusive_scan_by_key(gl::executor& ex, gl::buffer_span<Key> keys, gl::buffer_span<In> in,
                           gl::buffer_span<T> out, const Op& op = {},
                           const std::type_identity_t<gl::segmented_options<T>>& options = {}) {
    exclusive_segmented_scan<Acc>(ex, gl::by_keys(keys), in, out, op, options);
}

}  // namespace upsweep
