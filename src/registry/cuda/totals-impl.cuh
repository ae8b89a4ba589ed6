// The body of reduce_segments_under; included by the files that instantiate it.
#pragma once

#include "registry/cuda/held_types.hpp"
#include "registry/cuda/scans.hpp"
#include "upsweep/cuda/segmented_reduce.cuh"

namespace upsweep::registry::gpu {

// By segments whose totals go to `places`, and are counted unless `count` is null.
template <class Held, class Op, class Segments, class Places>
void enqueue_totals(cuda::executor& ex, const totals_call& call, const Segments& segments,
                    const Places& places, std::uint64_t* count) {
    using namespace cuda::detail;
    load_in_segment<Held, Held, Op> load{Op{}, false, call.initial != nullptr, {}};
    if (call.initial != nullptr) load.initial = call.initial->as<Held>();
    const store_segments<Held, Places, no_first> store{places, {}, count};
    enqueue_segments<false, Held, Held>(ex, segments, call.n, Op{}, load_counted<Held, Held, false, Op>{load},
                                        store, static_cast<const Held*>(call.in));
}

template <class Op>
bool reduce_segments_under(dtype held, cuda::executor& ex, const totals_call& call) {
    bool is_done = false;
    visit_held_under<Op>(held, [&]<class Held>(std::type_identity<Held>) {
        if constexpr (!is_complex<Held>) {
            if (sizeof(Held) < 8 && call.n >= std::size_t{1} << 31) return;  // more than are counted
            auto* const out = static_cast<Held*>(call.out);
            if (call.heads != nullptr) {
                const cuda::by_head_flags segments(cuda::device_span<const std::uint8_t>(call.heads, call.n));
                enqueue_totals<Held, Op>(ex, call, segments, cuda::detail::packed_places<Held>{out, call.n},
                                         call.count);
            } else {
                const cuda::device_span<const std::int64_t> offsets(call.offsets, call.offset_count);
                const cuda::detail::places_by_offsets<std::int64_t, Held> places{call.offsets,
                                                                                 call.offset_count - 1, out};
                cuda::detail::fill_empty(ex, offsets, out, call.empty.as<Held>());
                enqueue_totals<Held, Op>(ex, call, cuda::by_offsets(offsets), places, nullptr);
            }
            is_done = true;
        }
    });
    return is_done;
}

}  // namespace upsweep::registry::gpu
