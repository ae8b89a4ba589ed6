// The bodies of reduce_segments_under and reduce_offsets_under; included by the files that instantiate them.
#pragma once

#include "registry/cuda/held_types.hpp"
#include "registry/cuda/scans.hpp"
#include "upsweep/cuda/segmented_reduce.cuh"

namespace upsweep::registry::gpu {

// Calls body(load), a load of counted values of that type, if the operator has kernels for totals of as many.
// Returns whether it has.
template <class Op, class Body>
bool visit_counted(dtype held, std::size_t n, const value* initial, const Body& body) {
    using namespace cuda::detail;
    bool is_done = false;
    visit_held_under<Op>(held, [&]<class Held>(std::type_identity<Held> type) {
        if constexpr (!is_complex<Held>) {
            if (sizeof(Held) < 8 && n >= std::size_t{1} << 31) return;  // more than are counted
            load_in_segment<Held, Held, Op> load{Op{}, false, initial != nullptr, {}};
            if (initial != nullptr) load.initial = initial->as<Held>();
            body(type, load_counted<Held, Held, false, Op>{load});
            is_done = true;
        }
    });
    return is_done;
}

template <class Op>
bool reduce_segments_under(dtype held, cuda::executor& ex, const segments_call& call, std::uint64_t* count) {
    using namespace cuda::detail;
    const auto enqueue = [&]<class Held>(std::type_identity<Held>, const auto& load) {
        const store_segments<Held, packed_places<Held>, no_first> store{
            {static_cast<Held*>(call.out), call.n}, {}, count};
        enqueue_segments<false, Held, Held>(
            ex, cuda::by_head_flags(cuda::device_span<const std::uint8_t>(call.heads, call.n)), call.n, Op{},
            load, store, static_cast<const Held*>(call.in));
    };
    return visit_counted<Op>(held, call.n, call.initial, enqueue);
}

template <class Op>
bool reduce_offsets_under(dtype held, cuda::executor& ex, const offsets_call& call) {
    using namespace cuda::detail;
    const auto enqueue = [&]<class Held>(std::type_identity<Held>, const auto& load) {
        auto* const out = static_cast<Held*>(call.out);
        const filled_by_offsets<std::int64_t, Held, Held> segments(
            cuda::by_offsets(cuda::device_span<const std::int64_t>(call.offsets, call.count)), out,
            call.empty.as<Held>(), call.bad, call.marked);
        if (call.n == 0) return segments.fill(ex);
        using places = places_by_offsets<std::int64_t, Held>;
        const store_segments<Held, places, no_first> store{
            places{call.offsets, call.count - 1, out, nullptr}, {}, nullptr};
        enqueue_segments<false, Held, Held>(ex, segments, call.n, Op{}, load, store,
                                            static_cast<const Held*>(call.in));
    };
    return visit_counted<Op>(held, call.n, call.initial, enqueue);
}

}  // namespace upsweep::registry::gpu
