// The bodies of scan_under and scan_axis_under; included by the files that instantiate them.
#pragma once

#include "registry/cuda/held_types.hpp"
#include "registry/cuda/scans.hpp"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/scan.cuh"

namespace upsweep::registry::gpu {

template <class Op>
void scan_under(dtype held, cuda::executor& ex, const scan_call& call) {
    visit_held_under<Op>(held, [&]<class Held>(std::type_identity<Held>) {
        const cuda::device_span<const Held> in(static_cast<const Held*>(call.in), call.n);
        const cuda::device_span<Held> out(static_cast<Held*>(call.out), call.n);
        cuda::scan_options<Held> options;
        options.device_initial = static_cast<const Held*>(call.initial);
        options.reverse = call.reverse;
        options.total = static_cast<Held*>(call.total);
        inclusive_scan(ex, in, out, Op{}, options);
    });
}

template <class Held>
batch_options<Held> batch_options_of(const axis_call& call) {
    batch_options<Held> options;
    options.reverse = call.reverse;
    if (call.initial != nullptr) options.initial = call.initial->as<Held>();
    return options;
}

template <class Op>
void scan_axis_under(dtype held, cuda::executor& ex, const axis_call& call) {
    visit_held_under<Op>(held, [&]<class Held>(std::type_identity<Held>) {
        const axis_layout& layout = call.layout;
        inclusive_scan(
            ex,
            cuda::device_view<const Held>(static_cast<const Held*>(call.in), layout.shape, layout.in_strides),
            cuda::device_view<Held>(static_cast<Held*>(call.out), layout.shape, layout.out_strides),
            layout.axis, Op{}, batch_options_of<Held>(call));
    });
}

}  // namespace upsweep::registry::gpu
