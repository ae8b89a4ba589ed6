#include "registry/array_reducer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "registry/accumulation.hpp"
#include "registry/reducer.hpp"
#include "registry/staging.hpp"
#include "upsweep/core/reduced_axis.hpp"
#include "upsweep/cpu/axis_reduce.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/error.hpp"
#include "upsweep/views.hpp"

namespace upsweep::registry {
namespace {

void store_nothing(const scan_request& request, void* out, const core::axis_geometry& geometry) {
    const value nothing = total_of_nothing(request);
    const auto size = static_cast<std::ptrdiff_t>(size_of(nothing.type()));
    auto* const bytes = static_cast<std::byte*>(out);
    for (std::size_t k = 0; k < geometry.sequence_count; ++k)
        std::memcpy(bytes + geometry.begin(k).second * size, nothing.data(), static_cast<std::size_t>(size));
}

template <class Acc, class Op>
void reduce_sequences(cpu::executor& ex, const scan_request& request, const void* in, void* out,
                      const core::axis_geometry& geometry) {
    const accumulation<Acc> how{is_truth(request)};
    const std::optional<Acc> initial = initial_of<Acc>(request);
    const cpu::source<Acc> source = make_source<Acc>(how, request.types.input, in, geometry.in_stride);
    const cpu::sink<Acc> sink = make_sink<Acc>(how, request.types.output, out, 1);
    if constexpr (cpu::has_kernels<Acc, Op>) {
        cpu::run_axis_reduce(cpu::operation_of<Acc, Op>, ex, source, sink, geometry, initial);
    } else {
        const cpu::memory_kernels& memory = cpu::memory_kernels_for(ex.simd());
        cpu::for_each_sequence(
            ex, geometry, sizeof(Acc) * cpu::tuning::generic_cost,
            [&](cpu::executor& with, std::size_t sequence) {
                const auto at = geometry.begin(sequence);
                const staged_source<Acc> staged{cpu::moved(source, at.in), memory, geometry.length};
                const Acc total = cpu::run_generic_reduce<Acc>(with, staged, Op(), geometry.length, initial);
                sink.store(cpu::moved(sink, at.second), memory, 0, 1, &total);
            });
    }
}

}  // namespace

dimensions without_axis(std::span<const std::int64_t> of, int axis) {
    const std::int64_t along = axis < 0 ? axis + static_cast<std::int64_t>(of.size()) : axis;
    dimensions others;
    for (std::size_t k = 0; k < of.size(); ++k)
        if (static_cast<std::int64_t>(k) != along) others.push(of[k]);
    return others;
}

core::axis_geometry check_reduced(const scan_types& types, const void* in, void* out,
                                  const axis_layout& layout) {
    check_strides(layout);
    const dimensions shape = without_axis(layout.shape, layout.axis);
    const dimensions strides = without_axis(layout.out_strides, layout.axis);
    static_cast<void>(detail::check_reduced(
        byte_view(static_cast<const char*>(in), layout.shape, layout.in_strides, types.input),
        byte_view(static_cast<char*>(out), shape.all(), strides.all(), types.output), layout.axis,
        size_of(types.input), size_of(types.output)));
    const std::size_t along =
        static_cast<std::size_t>(layout.axis) + (layout.axis < 0 ? layout.shape.size() : 0);
    return core::reduced_geometry(layout.shape, layout.in_strides, strides.all(), along);
}

void reduce_array(const device& where, const scan_request& request, const void* in, void* out,
                  const axis_layout& layout) {
    const scan_types& types = request.types;
    static_cast<void>(resolve_types(request.op, types.input, types.output, types.accumulator));
    if (where.accelerated() != nullptr) {
        throw_error(errc::unsupported,
                    "device " + where.name() + ": arrays are reduced along an axis on the CPU only");
    }
    const core::axis_geometry geometry = check_reduced(types, in, out, layout);
    if (geometry.sequence_count == 0) return;
    if (geometry.length == 0) return store_nothing(request, out, geometry);
    visit_operation(request, [&]<class Op>(Op) {
        visit_accumulator<Op>(request, [&]<class Acc>(std::type_identity<Acc>) {
            reduce_sequences<Acc, Op>(where.executor(), request, in, out, geometry);
        });
    });
}

}  // namespace upsweep::registry
