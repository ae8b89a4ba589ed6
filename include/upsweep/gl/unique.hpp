// Runs of equal neighbours as one element each, of a sequence in an OpenGL buffer object: unique,
// unique_by_key and run_length_encode.
//
//     unique(executor, in, out, arguments)                        out = the first element of every run
//     unique_by_key(executor, keys, in, keys_out, out, arguments) the first key of every run and the record
//                                                                 beside it
//     run_length_encode(executor, in, out, lengths, arguments)    the first element of every run and the
//                                                                 number of its elements
//
// A run is a stretch in which every element equals the one before it. How many runs there are stays on the
// device, in `arguments`, as compact.hpp has it: `found` counts all, `count` those that all outputs have room
// for. Each output receives as many as it has itself room for, the first ones; what lies behind them is left
// as it is. NaNs equal nothing; -0.0 equals 0.0. Elements are moved bit for bit.
//
// Shapes: in and keys have n < 2^32 elements of 4 or 8 bytes, integers or floating-point numbers; records are
// any trivially copyable type whose size is a multiple of 4 bytes. What is moved, and where it goes, must fit
// a storage buffer binding. Aliasing: outputs, arguments and workspace overlap nothing else. Errors: as in
// scan.hpp. Complexity: O(n); keys are read once, what is kept once more, and written once; scratch of n
// bits, of run_length_encode 4 bytes more for each length. Source: Blelloch, Prefix sums and their
// applications, 1990, section 1.3 (packing by an exclusive scan of flags).
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/gl/compact.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/segmented_scan.hpp"
#include "upsweep/shader/segments.hpp"

namespace upsweep::gl {

struct run_options {
    // One word: how many elements there are, at most n. count_at() of an earlier call's arguments serves.
    buffer_span<const std::uint32_t> length{};
    // Of the arguments, as in compact_options.
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
    // At least executor::runs_workspace_bytes, used instead of the executor's own; unspecified afterwards.
    buffer_region workspace{};
};

namespace detail {

template <class Key>
runs_call runs_of(shader::run_values values, buffer_span<const Key> keys, buffer_span<Key> keys_out,
                  buffer_span<indirect_arguments> arguments, const run_options& options) {
    runs_call call;
    call.values = values;
    call.segments = by_keys(keys).described;
    call.described = "in";
    call.keys_out = keys_out.region();
    call.has_keys = true;
    call.arguments = arguments.region();
    call.size = keys.size;
    call.length = options.length.region();
    call.vertices_per_instance = options.vertices_per_instance;
    call.items_per_group = options.items_per_group;
    call.workspace = options.workspace;
    return call;
}

}  // namespace detail

// Compiles the programs of these calls now, so that no later one waits for the driver's compiler.
inline void prepare_unique(executor& ex) { ex.compile(runs_call{}); }

}  // namespace upsweep::gl

namespace upsweep {

template <class In, class T>
requires std::same_as<std::remove_const_t<In>, T> && shader::segment_key<T>
void unique(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<T> out,
            gl::buffer_span<gl::indirect_arguments> arguments, const gl::run_options& options = {}) {
    ex.run(gl::detail::runs_of<T>(shader::run_values::none, in, out, arguments, options));
}

template <class Keys, class In, class Key, gl::record T>
requires std::same_as<std::remove_const_t<Keys>, Key> && shader::segment_key<Key> &&
    std::same_as<std::remove_const_t<In>, T>
void unique_by_key(gl::executor& ex, gl::buffer_span<Keys> keys, gl::buffer_span<In> in,
                   gl::buffer_span<Key> keys_out, gl::buffer_span<T> out,
                   gl::buffer_span<gl::indirect_arguments> arguments, const gl::run_options& options = {}) {
    static_assert(sizeof(T) / 4 <= std::numeric_limits<std::uint32_t>::max());
    detail::check_key_count(keys.size, in.size);
    gl::runs_call call =
        gl::detail::runs_of<Key>(shader::run_values::first, keys, keys_out, arguments, options);
    call.described = "keys";
    call.in = in.region();
    call.out = out.region();
    call.record_words = static_cast<std::uint32_t>(sizeof(T) / 4);
    ex.run(call);
}

template <class In, class T>
requires std::same_as<std::remove_const_t<In>, T> && shader::segment_key<T>
void run_length_encode(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<T> out,
                       gl::buffer_span<std::uint32_t> lengths,
                       gl::buffer_span<gl::indirect_arguments> arguments,
                       const gl::run_options& options = {}) {
    gl::runs_call call = gl::detail::runs_of<T>(shader::run_values::lengths, in, out, arguments, options);
    call.out = lengths.region();
    ex.run(call);
}

}  // namespace upsweep
