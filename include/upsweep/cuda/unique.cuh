// Runs of equal neighbours as one element each, of arrays in CUDA device memory: unique, unique_by_key and
// run_length_encode.
//
//     unique(executor, in, out, count, equal)                   out = the first element of every run
//     unique_by_key(executor, keys, in, keys_out, out, count, equal)
//                                                               the first key of every run and the element
//                                                               beside it
//     run_length_encode(executor, in, out, lengths, count, equal)
//                                                               the first element of every run and the number
//                                                               of its elements
//
// A run is a stretch in which every element equals the one before it. *count, in device memory, receives how
// many runs there are, which may be more than an output has room for: only as many as that are written then,
// the first ones, and what lies behind them is left as it is. NaNs equal nothing; -0.0 equals 0.0. Elements
// are moved bit for bit.
//
// Shapes: in and keys are device spans of n >= 0 elements of trivially copyable types; equal is called on the
// device, by value, with two of them, the earlier one first. Lengths are integers in which n fits. The calls
// return when the work is in the executor's stream. Aliasing: outputs and count must overlap nothing else.
// Errors: upsweep::error names the argument; nothing has been enqueued then. Complexity: O(n), one read of in
// (unique_by_key: and two of keys) and one write of what is kept; scratch is that of a compaction, of
// run_length_encode and 8 bytes more for every 32 elements at most. Source: as upsweep/unique.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/segmented_reduce.cuh"

namespace upsweep {
namespace cuda {

namespace detail {

struct by_head {
    template <class T>
    __device__ __forceinline__ bool operator()(const T&, bool head) const {
        return head;
    }
};

// Calls whose arguments are found good, of n >= 1 elements.

// The elements beside the first keys.
template <class Types, class Key, class Equal>
void keep_first(executor& ex, const by_keys<Key, Equal>& runs, const void* in,
                device_span<typename Types::Out> out, std::uint64_t* count,
                const typename Types::Lengths& lengths = {}) {
    const choose_arguments<Types> arguments{{{in},
                                             out.data(),
                                             runs.elements().size(),
                                             nullptr,
                                             false,
                                             false,
                                             nullptr,
                                             0,
                                             0,
                                             nullptr,
                                             {},
                                             {},
                                             {},
                                             runs.heads()},
                                            out.size(),
                                            0,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            false,
                                            lengths};
    choose_launch<Types, false>(ex, arguments, count).run();
}
template <class Out, class T, class Key, class Equal, bool Own>
using first_types = choose_heads_types<Out, by_head, T, heads_of_array<Key, differs<Key, Equal>>, Own>;
template <class Length, class Out, class Key, class Equal>
using encoded_types = encode_types<Length, Out, by_head, Key, heads_of_array<Key, differs<Key, Equal>>>;

}  // namespace detail

// Bytes of scratch that run_length_encode needs of up to n elements, whichever algorithm runs; never
// decreases with n. For executors that use the caller's memory. Those of unique are
// compact_workspace_bytes<Out, In>(n), of unique_by_key the more of the two compactions'.
template <class In, class Length, class Out = In>
[[nodiscard]] std::size_t run_length_encode_workspace_bytes(std::uint64_t n) {
    return choose_workspace_bytes_of<
        detail::encoded_types<Length, Out, std::remove_const_t<In>, std::equal_to<>>>(n);
}

}  // namespace cuda

// out = the first element of every run of equal neighbours.
template <class In, class Out, class Equal = std::equal_to<>>
requires(!std::is_const_v<Out>) void unique(cuda::executor& ex, cuda::device_span<In> in,
                                            cuda::device_span<Out> out, std::uint64_t* count,
                                            const Equal& equal = {}) {
    using cuda::detail::checked_array;
    cuda::detail::check_outputs(ex, {checked_array::of("out", out), cuda::detail::count_array(count)},
                                {checked_array::of("in", in)});
    if (in.size() == 0) return cuda::detail::clear_count(ex, count);
    using element = std::remove_const_t<In>;
    cuda::detail::keep_first<cuda::detail::first_types<Out, element, element, Equal, true>>(
        ex, cuda::by_keys<element, Equal>(in, equal), in.data(), out, count);
}

// The same of keys, and the elements beside them.
template <class Key, class In, class KeyOut, class Out, class Equal = std::equal_to<>>
requires(!std::is_const_v<Out> &&
         !std::is_const_v<KeyOut>) void unique_by_key(cuda::executor& ex, cuda::device_span<Key> keys,
                                                      cuda::device_span<In> in,
                                                      cuda::device_span<KeyOut> keys_out,
                                                      cuda::device_span<Out> out, std::uint64_t* count,
                                                      const Equal& equal = {}) {
    using cuda::detail::checked_array;
    using key = std::remove_const_t<Key>;
    using element = std::remove_const_t<In>;
    detail::check_key_count(keys.size(), in.size());
    cuda::detail::check_outputs(ex,
                                {checked_array::of("keys_out", keys_out), checked_array::of("out", out),
                                 cuda::detail::count_array(count)},
                                {checked_array::of("keys", keys), checked_array::of("in", in)});
    if (in.size() == 0) return cuda::detail::clear_count(ex, count);
    const cuda::by_keys<key, Equal> runs(keys, equal);
    cuda::detail::keep_first<cuda::detail::first_types<KeyOut, key, key, Equal, true>>(ex, runs, keys.data(),
                                                                                       keys_out, count);
    cuda::detail::keep_first<cuda::detail::first_types<Out, element, key, Equal, false>>(ex, runs, in.data(),
                                                                                         out, count);
}

// out = the first element of every run of equal neighbours, lengths = how many elements it has.
template <class In, class Out, class Length, class Equal = std::equal_to<>>
requires(!std::is_const_v<Out> &&
         !std::is_const_v<Length>) void run_length_encode(cuda::executor& ex, cuda::device_span<In> in,
                                                          cuda::device_span<Out> out,
                                                          cuda::device_span<Length> lengths,
                                                          std::uint64_t* count, const Equal& equal = {}) {
    using cuda::detail::checked_array;
    using element = std::remove_const_t<In>;
    detail::check_lengths<Length>(in.size());
    cuda::detail::check_outputs(ex,
                                {checked_array::of("out", out), checked_array::of("lengths", lengths),
                                 cuda::detail::count_array(count)},
                                {checked_array::of("in", in)});
    if (in.size() == 0) return cuda::detail::clear_count(ex, count);
    cuda::detail::keep_first<cuda::detail::encoded_types<Length, Out, element, Equal>>(
        ex, cuda::by_keys<element, Equal>(in, equal), in.data(), out, count,
        {lengths.data(), lengths.size(), nullptr});
}

}  // namespace upsweep
