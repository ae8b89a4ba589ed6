#include "python/common/scan_plan.hpp"

#include "python/common/errors.hpp"
#include "upsweep/error.hpp"

namespace upsweep::python {

namespace nb = nanobind;

namespace {

registry::value value_of(registry::dtype type, const nb::bytes& element) {
    if (element.size() != registry::size_of(type))
        throw nb::type_error("initial: it is no element of the accumulator's type");
    return registry::value::at(type, element.data());
}

// Whether there are any of these elements, without another type being named.
bool has_totals(registry::operation op, registry::dtype elements) {
    try {
        static_cast<void>(registry::resolve_types(op, elements, std::nullopt, std::nullopt));
        return true;
    } catch (const error&) {
        return false;
    }
}

}  // namespace

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
    const registry::dtype elements = named_type(input);
    try {
        return {*operation,
                registry::resolve_types(*operation, elements, type_of(output), type_of(accumulator))};
    } catch (const error& problem) {
        const bool is_named = accumulator || (output && has_totals(*operation, elements));
        throw nb::type_error((std::string(is_named ? "dtype: " : "a: ") + problem.what()).c_str());
    }
}

registry::scan_request request_of(const scan_plan& plan, bool exclusive, bool reverse,
                                  const std::optional<nb::bytes>& initial) {
    registry::scan_request request{plan.op, plan.types, exclusive, reverse, {}, 0};
    if (initial) request.initial = value_of(plan.types.accumulator, *initial);
    return request;
}

nb::class_<scan_plan> bind_plans(nb::module_& module) {
    module.def("make_plan", &make_plan, nb::arg("op"), nb::arg("input"), nb::arg("output").none(),
               nb::arg("accumulator").none());
    return nb::class_<scan_plan>(module, "ScanPlan")
        .def_prop_ro("output", [](const scan_plan& plan) { return type_name(plan.types.output); })
        .def_prop_ro("accumulator", [](const scan_plan& plan) { return type_name(plan.types.accumulator); });
}

}  // namespace upsweep::python
