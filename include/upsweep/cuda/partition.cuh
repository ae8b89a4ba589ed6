// Stable partition in CUDA device memory: the elements that are chosen, in order, then the others, in order.
//
//     partition, partition_if:                 out = in[i] for every i that is chosen, then for every other i
//     partition_indices, partition_indices_if: out = i for every i that is chosen, then every other i
//
// An element is chosen by a flag, a value that is not zero (true), or by keep(element). *count, in device
// memory, receives how many are chosen, which is where the others begin.
//
// Shapes: flags, in and out are device spans of n >= 0 elements of trivially copyable types; in's convert to
// out's (indices: integers in which n - 1 fits). keep is called on the device, by value, several times for an
// element; where it does not always answer the same, any order may come of it, within out. The calls return
// when the work is in the executor's stream. Aliasing: out overlaps neither in nor flags nor count. Errors:
// upsweep::error names the argument; nothing has been enqueued then. Complexity: in and what chooses are read
// once where the multiprocessors hold all of it (some 20 MB on an H100), else what chooses is first counted;
// out is written once; scratch of about n / 512 bytes in the executor. Source: Blelloch, "Prefix sums and
// their applications", 1990, section 1.3 (the split operation).
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/compact.cuh"

namespace upsweep {

// out = in[i] for each i with flags[i] != 0, then the others.
template <class Flag, class In, class Out>
requires(!std::is_const_v<Out>) void partition(cuda::executor& ex, cuda::device_span<Flag> flags,
                                               cuda::device_span<In> in, cuda::device_span<Out> out,
                                               std::uint64_t* count,
                                               const cuda::compact_options& options = {}) {
    cuda::detail::choose_flagged<true, std::remove_const_t<Flag>, std::remove_const_t<In>>(ex, flags, in, out,
                                                                                           count, options);
}

// out = in[i] for each i with keep(in[i]), then the others.
template <class In, class Out, class Keep>
requires(!std::is_const_v<Out>) void partition_if(cuda::executor& ex, cuda::device_span<In> in,
                                                  cuda::device_span<Out> out, const Keep& keep,
                                                  std::uint64_t* count,
                                                  const cuda::compact_options& options = {}) {
    cuda::detail::choose_if<true, std::remove_const_t<In>>(ex, in, out, keep, count, options);
}

// out = i for each i with flags[i] != 0, then the others.
template <class Flag, class Out>
requires(!std::is_const_v<Out>) void partition_indices(cuda::executor& ex, cuda::device_span<Flag> flags,
                                                       cuda::device_span<Out> out, std::uint64_t* count,
                                                       const cuda::compact_options& options = {}) {
    cuda::detail::choose_indices<true, std::remove_const_t<Flag>>(ex, "flags", flags, out,
                                                                  cuda::detail::by_flag{}, count, options);
}

// out = i for each i with keep(in[i]), then the others.
template <class In, class Out, class Keep>
requires(!std::is_const_v<Out>) void partition_indices_if(cuda::executor& ex, cuda::device_span<In> in,
                                                          cuda::device_span<Out> out, const Keep& keep,
                                                          std::uint64_t* count,
                                                          const cuda::compact_options& options = {}) {
    cuda::detail::choose_indices_if<true, std::remove_const_t<In>>(ex, in, out, keep, count, options);
}

}  // namespace upsweep
