// The body of scan_segments_under; included by the files that instantiate it.
#pragma once

#include "registry/cuda/held_types.hpp"
#include "registry/cuda/scans.hpp"
#include "upsweep/cuda/segmented_scan.cuh"

namespace upsweep::registry::gpu {

template <class Op>
void scan_segments_under(dtype held, cuda::executor& ex, const segments_call& call) {
    visit_held_under<Op>(held, [&]<class Held>(std::type_identity<Held>) {
        batch_options<Held> options;
        options.reverse = call.reverse;
        if (call.initial != nullptr) options.initial = call.initial->as<Held>();
        inclusive_segmented_scan(
            ex, cuda::by_head_flags(cuda::device_span<const std::uint8_t>(call.heads, call.n)),
            cuda::device_span<const Held>(static_cast<const Held*>(call.in), call.n),
            cuda::device_span<Held>(static_cast<Held*>(call.out), call.n), Op{}, options);
    });
}

}  // namespace upsweep::registry::gpu
