// Scans along an axis, of whole sequences and of segments: the registry's scanners on the memory of arrays.
#include <nanobind/stl/optional.h>

#include <cstring>
#include <optional>
#include <string>

#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/scanner.hpp"
#include "registry/visit.hpp"
#include "upsweep/error.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;
using registry::dtype;

// An operator and the types of its scan; Python keeps those that it has used.
struct scan_plan {
    registry::operation op;
    registry::scan_types types;
};

scan_plan make_plan(const std::string& op, const std::string& input, const std::optional<std::string>& output,
                    const std::optional<std::string>& accumulator) {
    const auto type_of = [](const std::optional<std::string>& name) {
        return name ? std::optional(named_type(*name)) : std::nullopt;
    };
    const auto operation = registry::parse_operation(op);
    if (!operation) {
        throw nb::value_error(
            ("op: expected one of " + registry::operation_names() + ", but it is " + op).c_str());
    }
    try {
        return {*operation, registry::resolve_types(*operation, named_type(input), type_of(output),
                                                    type_of(accumulator))};
    } catch (const error& problem) {
        throw nb::type_error((std::string("dtype: ") + problem.what()).c_str());
    }
}

registry::value value_of(dtype type, const nb::bytes& element) {
    if (element.size() != registry::size_of(type))
        throw nb::type_error("initial: it is no element of the accumulator's type");
    return registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
        T held;
        std::memcpy(static_cast<void*>(&held), element.data(), sizeof(T));
        return registry::value::of(type, held);
    });
}

registry::scan_request request_of(const scan_plan& plan, bool exclusive, bool reverse,
                                  const std::optional<nb::bytes>& initial) {
    registry::scan_request request{plan.op, plan.types, exclusive, reverse, {}, 0};
    if (initial) request.initial = value_of(plan.types.accumulator, *initial);
    return request;
}

void scan(const scan_plan& plan, nb::handle a, nb::handle out, int axis, bool exclusive, bool reverse,
          const std::optional<nb::bytes>& initial) {
    const array in(a, "a", plan.types.input, access::read);
    const array to(out, "out", plan.types.output, access::write);
    const registry::scan_request request = request_of(plan, exclusive, reverse, initial);
    const auto device = processor();
    const unlocked others(in.bytes() + to.bytes());
    const auto scanner = registry::make_scanner(*device, request);
    if (in.is_sequence() && to.is_sequence() && in.size() == to.size())
        scanner->scan(in.data(), to.data(), in.size());
    else
        scanner->scan_axis(in.data(), to.data(), {in.shape(), in.strides(), to.strides(), axis});
}

void scan_segments(const scan_plan& plan, nb::handle a, nb::handle heads, nb::handle out, bool exclusive,
                   bool reverse, const std::optional<nb::bytes>& initial) {
    const array in(a, "a", plan.types.input, access::read);
    const array flags(heads, "heads", dtype::uint8, access::read);
    const array to(out, "out", plan.types.output, access::write);
    in.expect_sequence(in.size());
    flags.expect_sequence(in.size());
    to.expect_sequence(in.size());
    const registry::scan_request request = request_of(plan, exclusive, reverse, initial);
    const auto device = processor();
    const unlocked others(in.bytes() + to.bytes());
    registry::make_scanner(*device, request)
        ->scan_segments(in.data(), static_cast<const std::uint8_t*>(flags.data()), to.data(), in.size());
}

}  // namespace

void add_scans(nb::module_& module) {
    nb::class_<scan_plan>(module, "ScanPlan")
        .def_prop_ro("output", [](const scan_plan& plan) { return type_name(plan.types.output); })
        .def_prop_ro("accumulator", [](const scan_plan& plan) { return type_name(plan.types.accumulator); })
        .def("scan", &scan, nb::arg("a"), nb::arg("out"), nb::arg("axis"), nb::arg("exclusive"),
             nb::arg("reverse"), nb::arg("initial").none())
        .def("scan_segments", &scan_segments, nb::arg("a"), nb::arg("heads"), nb::arg("out"),
             nb::arg("exclusive"), nb::arg("reverse"), nb::arg("initial").none());
    module.def("make_plan", &make_plan, nb::arg("op"), nb::arg("input"), nb::arg("output").none(),
               nb::arg("accumulator").none());
}

}  // namespace upsweep::python
