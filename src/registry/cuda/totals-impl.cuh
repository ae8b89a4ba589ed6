// The bodies of reduce_segments_under and reduce_offsets_under; included by the files that instantiate them.
#pragma once

#include <cstdint>

#include "registry/cuda/held_types.hpp"
#include "registry/cuda/scans.hpp"
#include "upsweep/cuda/segmented_reduce.cuh"

namespace upsweep::registry::gpu {

// Calls body(type, load), the load of values of that type, if the operator has kernels for totals of them.
// Returns whether it has.
template <class Op, class Body>
bool visit_totalled(dtype held, const value* initial, const Body& body) {
    bool is_done = false;
    visit_held_under<Op>(held, [&]<class Held>(std::type_identity<Held> type) {
        if constexpr (!is_complex<Held>) {
            is_done = body(type, cuda::detail::load_from<Held>(Op{}, held_initial<Held>(initial)));
        }
    });
    return is_done;
}

template <class Op>
bool reduce_segments_under(dtype held, cuda::executor& ex, const segments_call& call, std::uint64_t* count) {
    using namespace cuda::detail;
    return visit_totalled<Op>(
        held, call.initial, [&]<class Held>(std::type_identity<Held>, const auto& load) {
            const cuda::by_head_flags segments(cuda::device_span<const std::uint8_t>(call.heads, call.n));
            using types =
                head_totals_types<Held, Held, Held, Op, decltype(segments.heads()), keeps_no_firsts>;
            const segment_totals_arguments<types> given{
                static_cast<const Held*>(call.in),     call.n, static_cast<Held*>(call.out),
                {segments.heads(), call.n, count, {}}, Op{},   load};
            enqueue_head_totals(ex, given);
            return true;
        });
}

template <class Op>
bool reduce_offsets_under(dtype held, cuda::executor& ex, const offsets_call& call) {
    using namespace cuda::detail;
    return visit_totalled<Op>(
        held, call.initial, [&]<class Held>(std::type_identity<Held>, const auto& load) {
            using ends = offset_ends<std::int64_t, Held>;
            using types = segment_totals_types<Held, Held, Held, Held, Op, ends>;
            const segment_totals_arguments<types> given{static_cast<const Held*>(call.in),
                                                        call.n,
                                                        static_cast<Held*>(call.out),
                                                        {call.offsets, call.count - 1, call.empty.as<Held>()},
                                                        Op{},
                                                        load};
            enqueue_offset_totals(ex, given);
            return true;
        });
}

}  // namespace upsweep::registry::gpu
