// Scans along an axis and of segments, and linear recurrences.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "python/common/errors.hpp"
#include "python/common/layout.hpp"
#include "python/common/scan_plan.hpp"
#include "python/cuda/module.hpp"
#include "registry/cuda/arrays.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

void scan(const scan_plan& plan, stream& in_stream, nb::handle a, nb::handle out, int axis, bool exclusive,
          bool reverse, const std::optional<nb::bytes>& initial) {
    const layout in(a, "a"), to(out, "out");
    registry::gpu::scan_array(request_of(plan, exclusive, reverse, initial), in_stream.executor(), in.data(),
                              to.data(), {in.shape(), in.strides(), to.strides(), axis});
}

void scan_segments(const scan_plan& plan, stream& in_stream, nb::handle a, nb::handle heads, nb::handle out,
                   bool exclusive, bool reverse, const std::optional<nb::bytes>& initial) {
    const layout in(a, "a"), flags(heads, "heads"), to(out, "out");
    for (const layout* each : {&in, &flags, &to}) each->expect_sequence(in.size());
    registry::gpu::scan_array_segments(request_of(plan, exclusive, reverse, initial), in_stream.executor(),
                                       in.data(), static_cast<const std::uint8_t*>(flags.data()), to.data(),
                                       in.size());
}

// `a`, which may be a number, and `b` of shapes that broadcast to that of `out`.
void linear_recurrence(stream& in_stream, nb::handle a, const std::string& a_type, nb::handle b,
                       const std::string& b_type, double x0, nb::handle out, const std::string& out_type,
                       bool in_double, int axis, bool reverse) {
    const layout to(out, "out");
    const layout second = layout(b, "b").broadcast_to(to.shape());
    registry::recurrence_call call{};
    call.b = {named_type(b_type), second.data(), second.strides()};
    call.out = {named_type(out_type), to.data(), to.strides()};
    call.shape = to.shape();
    call.axis = axis;
    call.x0 = x0;
    call.in_double = in_double;
    call.reverse = reverse;
    std::optional<layout> first;
    if (is_number(a)) {
        call.coefficient = nb::cast<double>(a);
    } else {
        first = layout(a, "a").broadcast_to(to.shape());
        call.a = {named_type(a_type), first->data(), first->strides()};
    }
    registry::gpu::scan_recurrence(in_stream.executor(), call);
}

}  // namespace

void add_scans(nb::module_& module) {
    bind_plans(module)
        .def("scan", &scan, nb::arg("stream"), nb::arg("a"), nb::arg("out"), nb::arg("axis"),
             nb::arg("exclusive"), nb::arg("reverse"), nb::arg("initial").none())
        .def("scan_segments", &scan_segments, nb::arg("stream"), nb::arg("a"), nb::arg("heads"),
             nb::arg("out"), nb::arg("exclusive"), nb::arg("reverse"), nb::arg("initial").none());
    module.def("linear_recurrence", &linear_recurrence, nb::arg("stream"), nb::arg("a"), nb::arg("a_type"),
               nb::arg("b"), nb::arg("b_type"), nb::arg("x0"), nb::arg("out"), nb::arg("out_type"),
               nb::arg("in_double"), nb::arg("axis"), nb::arg("reverse"));
}

}  // namespace upsweep::python
