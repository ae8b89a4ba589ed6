// Sorts of segments that bytes describe, of which the library's sort takes bits.
#include <cstdint>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/sorted_records.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/cuda/segmented_sort.cuh"
#include "upsweep/cuda/sort_records.hpp"

namespace upsweep::registry::gpu {

void sort_segments(cuda::executor& ex, const segments_to_sort& call) {
    const core::key_order order = order_of(call.type, call.descending);
    if (call.n == 0) return;
    const cuda::device_scope current(ex);
    ex.check_pointer(call.in, "a");
    ex.check_pointer(call.heads, "heads");
    ex.check_pointer(call.out, "out");
    ex.check_before_launch();
    using described = cuda::by_head_flags<std::uint8_t>;
    const described segments(cuda::device_span(call.heads, call.n));
    const cuda::detail::head_maker<described> heads(ex, segments, call.n);
    cuda::segmented_records all = sorted_records(call.in, call.out, call.indices);
    all.n = call.n;
    all.make_heads = &cuda::detail::head_maker<described>::make;
    all.heads_maker = &heads;
    cuda::sort_segments(ex, order, all);
}

}  // namespace upsweep::registry::gpu
