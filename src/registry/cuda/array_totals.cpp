// Totals along an axis: by kernels that read elements as they are, or of elements that are converted first.
#include <optional>
#include <span>

#include "registry/array_reducer.hpp"
#include "registry/cuda/arrays.hpp"
#include "registry/cuda/held_scan.hpp"
#include "registry/cuda/reductions.hpp"
#include "registry/cuda/stream_memory.hpp"
#include "registry/visit.hpp"
#include "upsweep/cuda/device_scope.hpp"

namespace upsweep::registry::gpu {

void reduce_array(const scan_request& request, cuda::executor& ex, const void* in, void* out,
                  const axis_layout& layout) {
    const held_scan how(request);
    const core::axis_geometry geometry = check_reduced(how.types, in, out, layout);
    if (geometry.sequence_count == 0) return;
    if (geometry.length != 0) ex.check_pointer(in, "in");
    ex.check_pointer(out, "out");
    const cuda::device_scope current(ex);
    const std::size_t rank = layout.shape.size();
    const auto axis = static_cast<std::size_t>(layout.axis) + (layout.axis < 0 ? rank : 0);

    // Totals go where the results will be, or to temporary memory where those are something else.
    std::array<std::int64_t, max_rank> one_along{};
    std::ranges::copy(layout.shape, one_along.begin());
    one_along.at(axis) = 1;
    const auto out_shape = std::span(one_along).first(rank);
    const auto packed = packed_strides(out_shape, layout.out_strides);
    const auto held_strides = how.stores ? std::span(packed).first(rank) : layout.out_strides;
    std::optional<stream_memory> totals;
    if (how.stores) totals.emplace(ex, geometry.sequence_count * size_of(how.as.held));
    void* const held = totals ? totals->data() : out;
    axis_call call{
        in, held, {layout.shape, layout.in_strides, held_strides, layout.axis}, false, how.initial};
    // The identity of the accumulator, which may be held in a wider type.
    if (geometry.length == 0) call.initial = &how.as.start;
    const bool is_plus = how.as.op == operation::plus;
    if (!(is_plus && reduce_widening(how.types.input, how.as.held, ex, call))) {
        std::optional<stream_memory> elements;
        const auto lie = packed_strides(layout.shape, layout.in_strides);
        if (how.loads && geometry.length != 0) {
            const auto strides = std::span(lie).first(rank);
            elements.emplace(ex, count_of(layout.shape) * size_of(how.as.held));
            load_elements(how.load(), conversion_between(layout.shape, layout.in_strides, strides, axis), in,
                          elements->data(), ex.stream());
            call.in = elements->data();
            call.layout.in_strides = strides;
        }
        visit_operation(how.as.op, [&]<class Op>(Op) { reduce_axis_under<Op>(how.as.held, ex, call); });
    }
    if (how.stores)
        store_results(how.store(), how.order,
                      conversion_between(out_shape, held_strides, layout.out_strides, axis), held, out,
                      ex.stream());
}

}  // namespace upsweep::registry::gpu
