// Scans that start afresh at every segment of one sequence that lies on many GPUs: inclusive_segmented_scan,
// exclusive_segmented_scan, and ..._scan_by_key, with an nccl::executor.
//
// Formula: those of cuda/segmented_scan.cuh, over the ranks' `in` one after the other, in the order of ranks.
// Segments are described by cuda::by_head_flags or cuda::by_keys of the rank's own elements, and go from rank
// to rank: the first element of all begins one, that of a later rank as its flag, or the key of the element
// before it, says. Offsets would be those of the whole; ranks have flags or keys.
// Shapes, types, aliasing: as there, for each rank's arrays. Bits: those of one scan of the whole
// (docs/numerics.md), for any number of ranks and any distribution.
// Options: `reverse` and whether there is an initial value must be the same on every rank, and so must the
// value, which every segment starts from. Errors, complexity, messages, scratch: as nccl/scan.cuh, and one
// more gather, of a flag or key of each rank; what describes the segments is read as often as in.
#pragma once

#include <optional>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/segmented_scan.cuh"
#include "upsweep/nccl/scan.cuh"
#include "upsweep/nccl/segment_edge.cuh"
#include "upsweep/options.hpp"

namespace upsweep {
namespace nccl {

template <class Acc>
struct segmented_options {
    std::optional<Acc> initial{};            // of every segment
    bool reverse = false;                    // from the last element of each segment to its first
    const distribution* elements = nullptr;  // if given, the ranks' counts are not asked for
};

namespace detail {

template <bool Exclusive, class Acc, class In, class Out, class Op, class Segments>
void segmented_scan(const executor& ex, const Segments& segments, cuda::device_span<const In> in,
                    cuda::device_span<Out> out, const Op& op, const segmented_options<Acc>& options) {
    const segment_edge<Segments> edge(segments);
    using heads = typename segment_edge<Segments>::heads;
    const batch_options<Acc> local{options.initial, options.reverse};
    auto arguments = cuda::detail::segmented_arguments<Exclusive, Acc, In>(
        ex.local(), segments, heads{segments.heads(), nullptr}, in, out, op, local, true);
    std::optional<distribution> agreed;
    const distribution& elements = distribution_of(ex, in.size(), options.elements, agreed);
    if constexpr (Exclusive && !has_identity<Op, Acc>) {
        if (!options.initial) check_start(elements);
    }
    scan_piece<cuda::detail::segmented_types<Acc, In, Out, Op, heads>, Exclusive>(ex, arguments, elements,
                                                                                  edge);
}

}  // namespace detail
}  // namespace nccl

template <class Acc = deduced, nccl::cut_among_ranks Segments, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void inclusive_segmented_scan(
    nccl::executor& ex, const Segments& segments, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<nccl::segmented_options<A>>& options = {}) {
    nccl::detail::segmented_scan<false, A, std::remove_const_t<In>>(ex, segments, in, out, core::known<A>(op),
                                                                    options);
}

template <class Acc = deduced, nccl::cut_among_ranks Segments, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void exclusive_segmented_scan(
    nccl::executor& ex, const Segments& segments, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<nccl::segmented_options<A>>& options = {}) {
    nccl::detail::segmented_scan<true, A, std::remove_const_t<In>>(ex, segments, in, out, core::known<A>(op),
                                                                   options);
}

// The segmented scans by keys under the names that other libraries use.
template <class Acc = deduced, class Key, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void inclusive_scan_by_key(
    nccl::executor& ex, cuda::device_span<Key> keys, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<nccl::segmented_options<A>>& options = {}) {
    inclusive_segmented_scan<A>(ex, cuda::by_keys(keys), in, out, op, options);
}

template <class Acc = deduced, class Key, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void exclusive_scan_by_key(
    nccl::executor& ex, cuda::device_span<Key> keys, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<nccl::segmented_options<A>>& options = {}) {
    exclusive_segmented_scan<A>(ex, cuda::by_keys(keys), in, out, op, options);
}

}  // namespace upsweep
