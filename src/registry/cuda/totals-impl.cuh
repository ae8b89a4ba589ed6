// The body of reduce_segments_under; included by the files that instantiate it.
#pragma once

#include "registry/cuda/held_types.hpp"
#include "registry/cuda/scans.hpp"
#include "upsweep/cuda/segmented_reduce.cuh"

namespace upsweep::registry::gpu {

template <class Held, class Op>
void enqueue_totals(cuda::executor& ex, const segments_call& call, std::uint64_t* count) {
    using namespace cuda::detail;
    load_in_segment<Held, Held, Op> load{Op{}, false, call.initial != nullptr, {}};
    if (call.initial != nullptr) load.initial = call.initial->as<Held>();
    const store_segments<Held, packed_places<Held>, no_first> store{
        {static_cast<Held*>(call.out), call.n}, {}, count};
    enqueue_segments<false, Held, Held>(
        ex, cuda::by_head_flags(cuda::device_span<const std::uint8_t>(call.heads, call.n)), call.n, Op{},
        load_counted<Held, Held, false, Op>{load}, store, static_cast<const Held*>(call.in));
}

template <class Op>
bool reduce_segments_under(dtype held, cuda::executor& ex, const segments_call& call, std::uint64_t* count) {
    bool is_done = false;
    visit_held_under<Op>(held, [&]<class Held>(std::type_identity<Held>) {
        if constexpr (!is_complex<Held>) {
            if (sizeof(Held) < 8 && call.n >= std::size_t{1} << 31) return;  // more than are counted
            enqueue_totals<Held, Op>(ex, call, count);
            is_done = true;
        }
    });
    return is_done;
}

}  // namespace upsweep::registry::gpu
