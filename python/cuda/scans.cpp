// Scans along an axis and of segments, totals of either, and linear recurrences.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>

#include "python/common/errors.hpp"
#include "python/common/layout.hpp"
#include "python/common/scan_plan.hpp"
#include "python/cuda/module.hpp"
#include "registry/cuda/array_choices.hpp"
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

// `out`: totals along the axis (layout::as_totals).
void reduce(const scan_plan& plan, stream& in_stream, nb::handle a, nb::handle out, int axis,
            const std::optional<nb::bytes>& initial) {
    const layout in(a, "a");
    const layout to = layout(out, "out").as_totals(in.shape(), static_cast<std::size_t>(axis));
    registry::gpu::reduce_array(request_of(plan, false, false, initial), in_stream.executor(), in.data(),
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

std::size_t held_bytes(const scan_plan& plan) {
    return registry::gpu::held_bytes(request_of(plan, false, false, std::nullopt));
}
// `out`: of the results' type, or of bytes, held_bytes of them for each element. Waits, as it returns how
// many segments there are.
std::uint64_t reduce_segments(const scan_plan& plan, stream& in_stream, nb::handle a, nb::handle heads,
                              nb::handle out, const std::optional<nb::bytes>& initial) {
    const layout in(a, "a"), flags(heads, "heads"), to(out, "out");
    in.expect_sequence(in.size());
    flags.expect_sequence(in.size());
    to.expect_sequence(in.size() * std::max<std::size_t>(held_bytes(plan), 1));
    awaited<std::uint64_t> count(in_stream);
    registry::gpu::reduce_array_segments(request_of(plan, false, false, initial), in_stream.executor(),
                                         in.data(), static_cast<const std::uint8_t*>(flags.data()), in.size(),
                                         to.data(), in.size(), count.data());
    return count.wait();
}
// The same by keys, elements of that type. `keys_out`: for first ones, or None.
std::uint64_t reduce_by_keys(const scan_plan& plan, stream& in_stream, nb::handle a, nb::handle keys,
                             const std::string& type, nb::handle keys_out, nb::handle out,
                             const std::optional<nb::bytes>& initial) {
    const layout in(a, "a"), from(keys, "keys"), to(out, "out");
    in.expect_sequence(in.size());
    from.expect_sequence(in.size());
    to.expect_sequence(in.size() * std::max<std::size_t>(held_bytes(plan), 1));
    registry::gpu::keys_call call{named_type(type), from.data(), nullptr};
    if (!keys_out.is_none()) {
        const layout first(keys_out, "keys_out");
        first.expect_sequence(in.size());
        call.keys_out = first.data();
    }
    awaited<std::uint64_t> count(in_stream);
    registry::gpu::reduce_array_by_keys(request_of(plan, false, false, initial), in_stream.executor(),
                                        in.data(), call, to.data(), in.size(), count.data());
    return count.wait();
}
// By offsets of int64: one result for each segment. Waits until these are looked at, as it returns whether
// they are good; if not, out has anything.
bool reduce_by_offsets(const scan_plan& plan, stream& in_stream, nb::handle a, nb::handle offsets,
                       nb::handle out, const std::optional<nb::bytes>& initial) {
    const layout in(a, "a"), at(offsets, "offsets"), to(out, "out");
    in.expect_sequence(in.size());
    at.expect_sequence(std::max<std::size_t>(at.size(), 1));
    to.expect_sequence(at.size() - 1);
    std::uint64_t* const bad = in_stream.count();
    std::optional<counted> told;
    registry::gpu::reduce_array_by_offsets(request_of(plan, false, false, initial), in_stream.executor(),
                                           in.data(), in.size(), static_cast<const std::int64_t*>(at.data()),
                                           at.size(), to.data(), bad, [&] { told.emplace(in_stream); });
    return told->wait() == 0;
}
void store_totals(const scan_plan& plan, stream& in_stream, nb::handle held, nb::handle out) {
    const layout from(held, "held"), to(out, "out");
    to.expect_sequence(to.size());
    if (from.size() < to.size() * held_bytes(plan)) throw nb::value_error("held: too few totals");
    registry::gpu::store_totals(request_of(plan, false, false, std::nullopt), in_stream.executor(),
                                from.data(), to.data(), to.size());
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
        .def("reduce", &reduce, nb::arg("stream"), nb::arg("a"), nb::arg("out"), nb::arg("axis"),
             nb::arg("initial").none())
        .def("scan_segments", &scan_segments, nb::arg("stream"), nb::arg("a"), nb::arg("heads"),
             nb::arg("out"), nb::arg("exclusive"), nb::arg("reverse"), nb::arg("initial").none())
        .def_prop_ro("held_bytes", &held_bytes)
        .def("reduce_segments", &reduce_segments, nb::arg("stream"), nb::arg("a"), nb::arg("heads"),
             nb::arg("out"), nb::arg("initial").none())
        .def("reduce_by_keys", &reduce_by_keys, nb::arg("stream"), nb::arg("a"), nb::arg("keys"),
             nb::arg("type"), nb::arg("keys_out").none(), nb::arg("out"), nb::arg("initial").none())
        .def("reduce_by_offsets", &reduce_by_offsets, nb::arg("stream"), nb::arg("a"), nb::arg("offsets"),
             nb::arg("out"), nb::arg("initial").none())
        .def("store_totals", &store_totals, nb::arg("stream"), nb::arg("held"), nb::arg("out"));
    module.def("linear_recurrence", &linear_recurrence, nb::arg("stream"), nb::arg("a"), nb::arg("a_type"),
               nb::arg("b"), nb::arg("b_type"), nb::arg("x0"), nb::arg("out"), nb::arg("out_type"),
               nb::arg("in_double"), nb::arg("axis"), nb::arg("reverse"));
}

}  // namespace upsweep::python
