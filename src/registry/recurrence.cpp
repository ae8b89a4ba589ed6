// The elements are staged as float or double, in which the engine of recurrences works.
#include "registry/recurrence.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "registry/scanner.hpp"
#include "registry/staging.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cpu/recurrence.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

template <class T>
void run_recurrence(cpu::executor& executor, const recurrence_call& call, std::size_t axis) {
    const std::vector<std::int64_t> none(call.shape.size(), 0);
    core::axis_geometry sequences(call.shape, call.coefficient ? std::span(none) : call.a.strides,
                                  call.b.strides, call.out.strides, axis);
    core::axis_geometry::offsets first{0, 0, 0};
    if (call.reverse) first = sequences.turn();
    const auto source_of = [&](const recurrence_call::array& x, std::ptrdiff_t stride, std::ptrdiff_t from) {
        return cpu::moved(make_source<T>({}, x.type, x.data, stride), from);
    };
    const auto to =
        cpu::moved(make_sink<T>({}, call.out.type, call.out.data, sequences.out_stride), first.out);
    const auto coefficient = static_cast<T>(call.coefficient.value_or(0));
    const auto by = call.coefficient ? cpu::make_source<T>(&coefficient, 0)
                                     : source_of(call.a, sequences.in_stride, first.in);
    const bool in_place = (!call.coefficient && call.out.data == call.a.data) || call.out.data == call.b.data;
    cpu::run_axis_recurrence<T>(executor, by, source_of(call.b, sequences.second_stride, first.second),
                                static_cast<T>(call.x0), to, sequences, in_place);
}

}  // namespace

void scan_recurrence(const device& where, const recurrence_call& call) {
    if (where.accelerated() != nullptr)
        throw_error(errc::unsupported, "device: recurrences of arrays in host memory run on the CPU");
    const auto rank = static_cast<int>(call.shape.size());
    if (call.axis < -rank || call.axis >= rank)
        throw_error(errc::invalid_argument, "axis: there is no axis " + std::to_string(call.axis));
    for (const std::int64_t extent : call.shape)
        if (extent == 0) return;
    const auto axis = static_cast<std::size_t>(call.axis < 0 ? call.axis + rank : call.axis);
    if (call.in_double)
        run_recurrence<double>(where.executor(), call, axis);
    else
        run_recurrence<float>(where.executor(), call, axis);
}

}  // namespace upsweep::registry
