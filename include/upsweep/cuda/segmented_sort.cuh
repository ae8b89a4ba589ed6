// Stable sorting in CUDA device memory of every segment by itself.
//
//     segmented_sort:           out = the elements of each segment in ascending order, where the segment is
//     segmented_sort_indices:   out = the indices of in's elements in that order: of a segment [b, e)
//                               in[out[b]], ..., in[out[e - 1]] is sorted
//     segmented_sort_by_key:    keys_out = the keys in that order; values_out = the value of each
//     segmented_sort_by:        out = the elements of each segment in the order of key(element)
//
// Segments are described by cuda::by_offsets, by_head_flags or by_keys (segment_heads.cuh), of device spans;
// there may be any number of them, of any lengths. The order, types, options, aliasing and errors are those
// of sorting (upsweep/cuda/sort.cuh); outputs must not overlap what describes the segments. Results are the
// CPU's (upsweep/segmented_sort.hpp), in every bit. With options.length, what lies behind is in no segment.
//
// Complexity: one reading of what describes the segments. Segments of up to 7,680 keys of four bytes or fewer
// (3,584 of eight) are read and written once, by one kernel for all of them, and merged in O(n log longest).
// Longer ones are sorted in parts of up to 7,168 (3,072), which are merged two by two, in log(longest / part)
// more readings and writings or one more. Scratch in the executor: segmented_sort_workspace_bytes(), as the
// host does not know how long segments are.
//
// Sources: Batcher, "Sorting networks and their applications", 1968; Green, McColl and Bader, "GPU merge
// path", 2012.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/cuda/sort.cuh"
#include "upsweep/cuda/sort_records.hpp"

namespace upsweep {
namespace cuda {
namespace detail {

inline constexpr unsigned mark_threads = 256;

// A bit for each of n elements, and zeros up to the last of so many words.
template <class Heads>
__global__ void __launch_bounds__(mark_threads)
    mark_heads_kernel(const Heads heads, std::uint64_t n, std::uint32_t* words, std::uint64_t count) {
    const std::uint64_t step = std::uint64_t(gridDim.x) * mark_threads;
    for (std::uint64_t i = std::uint64_t(blockIdx.x) * mark_threads + threadIdx.x; i < count * 32;
         i += step) {
        const unsigned votes = __ballot_sync(0xffffffffu, i < n && heads.template bits<1>(i, n, false) != 0);
        if (threadIdx.x % 32 == 0) words[i / 32] = votes;
    }
}

// Makes the heads of segments in the executor's stream.
template <class Segments>
class head_maker {
  public:
    head_maker(const executor& ex, const Segments& segments, std::uint64_t n)
        : ex_(ex), segments_(segments), n_(n) {}

    static void make(const void* maker, std::uint32_t* words) {
        const auto& self = *static_cast<const head_maker*>(maker);
        auto heads = self.segments_.heads();
        if constexpr (std::same_as<decltype(heads), marked_heads>) {
            self.segments_.prepare(self.ex_, heads, words, self.n_, false);
        } else {
            const std::uint64_t count = marked_heads::count(self.n_);
            const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(
                (count * 32 - 1) / mark_threads + 1, std::uint64_t(self.ex_.multiprocessors()) * 8));
            mark_heads_kernel<<<blocks, mark_threads, 0, self.ex_.stream()>>>(heads, self.n_, words, count);
        }
    }

  private:
    const executor& ex_;
    const Segments& segments_;
    std::uint64_t n_;
};

// `all` has been checked, but for the segments.
template <class Key, class Segments>
void enqueue_segmented_sort(executor& ex, const Segments& segments, const sort_options& options,
                            const records& all) {
    segments.check(ex, all.n);
    const checked_array described = segments.array();
    const auto apart = [&](const char* name, const void* out, std::size_t bytes) {
        if (out != nullptr)
            upsweep::detail::check_disjoint(name, out, bytes, described.name, described.data,
                                            described.bytes());
    };
    apart(all.what == records::kind::values && all.keys_out != nullptr ? "keys_out" : "out", all.keys_out,
          all.n * sizeof(Key));
    apart(all.what == records::kind::values && all.make_keys == nullptr ? "values_out" : "out",
          all.values_out, all.n * all.value_bytes);
    const head_maker<Segments> heads(ex, segments, all.n);
    segmented_records sorted{all};
    sorted.make_heads = &head_maker<Segments>::make;
    sorted.heads_maker = &heads;
    const device_scope current(ex);
    ex.check_before_launch();
    sort_segments(ex, core::order_of<Key>(options.descending), sorted);
}

}  // namespace detail

// As sort_workspace_bytes and sort_by_workspace_bytes.
template <sort_key Key, class Value = void>
[[nodiscard]] std::size_t segmented_sort_workspace_bytes(const executor&, std::uint64_t n) {
    std::size_t value = 0;
    if constexpr (!std::is_void_v<Value>) value = sizeof(Value);
    return launch_state_bytes + segmented_sort_scratch_bytes(n, sizeof(Key), value);
}
template <sort_key Key, class Element>
[[nodiscard]] std::size_t segmented_sort_by_workspace_bytes(const executor& ex, std::uint64_t n) {
    return (n * sizeof(Key) + 255) / 256 * 256 + segmented_sort_workspace_bytes<Key, Element>(ex, n);
}

}  // namespace cuda

template <class Segments, class In, class Out>
requires sort_key<std::remove_const_t<In>> && std::same_as<std::remove_const_t<In>, Out>
void segmented_sort(cuda::executor& ex, const Segments& segments, cuda::device_span<In> in,
                    cuda::device_span<Out> out, const cuda::sort_options& options = {}) {
    cuda::detail::enqueue_segmented_sort<Out>(ex, segments, options,
                                              cuda::detail::element_records(ex, in, out, options));
}

template <class Segments, class In, cuda::index_element Out>
requires sort_key<std::remove_const_t<In>>
void segmented_sort_indices(cuda::executor& ex, const Segments& segments, cuda::device_span<In> in,
                            cuda::device_span<Out> out, const cuda::sort_options& options = {}) {
    cuda::detail::enqueue_segmented_sort<std::remove_const_t<In>>(
        ex, segments, options, cuda::detail::index_records(ex, in, out, options));
}

template <class Segments, class Keys, class Values, class KeysOut, class ValuesOut>
requires sort_key<std::remove_const_t<Keys>> && std::same_as<std::remove_const_t<Keys>, KeysOut> &&
    std::same_as<std::remove_const_t<Values>, ValuesOut>
void segmented_sort_by_key(cuda::executor& ex, const Segments& segments, cuda::device_span<Keys> keys,
                           cuda::device_span<Values> values, cuda::device_span<KeysOut> keys_out,
                           cuda::device_span<ValuesOut> values_out, const cuda::sort_options& options = {}) {
    cuda::detail::enqueue_segmented_sort<KeysOut>(
        ex, segments, options, cuda::detail::keyed_records(ex, keys, values, keys_out, values_out, options));
}

template <class Segments, class In, class Out, class F>
requires std::same_as<std::remove_const_t<In>, Out> && sort_key<std::invoke_result_t<F, const Out&>>
void segmented_sort_by(cuda::executor& ex, const Segments& segments, cuda::device_span<In> in,
                       cuda::device_span<Out> out, const F& key, const cuda::sort_options& options = {}) {
    const cuda::detail::key_maker maker(ex, in, options.length, key);
    using number = typename decltype(maker)::number;
    cuda::detail::enqueue_segmented_sort<number>(ex, segments, options, maker.records_of(in, out, options));
}

}  // namespace upsweep
