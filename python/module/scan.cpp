// Scans along an axis, of whole sequences and of segments, and totals along an axis and of segments: the
// registry's on the memory of arrays.
#include <nanobind/stl/optional.h>

#include <optional>
#include <string>
#include <string_view>

#include "python/common/errors.hpp"
#include "python/common/scan_plan.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/array_reducer.hpp"
#include "registry/reducer.hpp"
#include "registry/scanner.hpp"
#include "upsweep/error.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;
using registry::dtype;

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

// `out` has one element along the axis.
// `out`: totals along the axis (layout::as_totals).
void reduce(const scan_plan& plan, nb::handle a, nb::handle out, int axis,
            const std::optional<nb::bytes>& initial) {
    const array in(a, "a", plan.types.input, access::read);
    const array to(out, "out", plan.types.output, access::write);
    const layout totals = to.where().as_totals(in.shape(), static_cast<std::size_t>(axis));
    const registry::scan_request request = request_of(plan, false, false, initial);
    const auto device = processor();
    const unlocked others(in.bytes() + to.bytes());
    registry::reduce_array(*device, request, in.data(), totals.data(),
                           {in.shape(), in.strides(), totals.strides(), axis});
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

// `by`: "flags", "keys" or "offsets", of that type. `keys_out` None: the first keys are not wanted. Returns
// how many segments there are.
std::size_t reduce_segments(const scan_plan& plan, nb::handle a, const std::string& by,
                            const std::string& type, nb::handle described, nb::handle keys_out,
                            nb::handle out, const std::optional<nb::bytes>& initial) {
    using description = registry::segments_given::description;
    const array in(a, "a", plan.types.input, access::read);
    const array from(described, by.c_str(), named_type(type), access::read);
    const array to(out, "out", plan.types.output, access::write);
    std::optional<array> to_keys;
    if (!keys_out.is_none()) to_keys.emplace(keys_out, "keys_out", from.type(), access::write);
    registry::segments_given segments{description::flags, from.type(), from.data(), from.size()};
    if (by == "keys") segments.by = description::keys;
    if (by == "offsets") segments.by = description::offsets;
    const bool by_offsets = segments.by == description::offsets && from.size() != 0;
    in.expect_sequence(in.size());
    from.expect_sequence(by_offsets ? from.size() : in.size());
    to.expect_sequence(by_offsets ? from.size() - 1 : in.size());
    if (to_keys) to_keys->expect_sequence(in.size());
    const registry::scan_request request = request_of(plan, false, false, initial);
    const auto device = processor();
    try {
        const unlocked others(in.bytes() + from.bytes());
        return registry::reduce_segments(*device, request, segments, in.data(), in.size(),
                                         to_keys ? to_keys->data() : nullptr, to.data());
    } catch (const error& problem) {
        if (std::string_view(problem.what()).starts_with("segments: ")) {
            throw nb::value_error(("offsets: expected integers that ascend from 0 to " +
                                   std::to_string(in.size()) + ", the number of elements")
                                      .c_str());
        }
        throw;
    }
}

}  // namespace

void add_scans(nb::module_& module) {
    bind_plans(module)
        .def("scan", &scan, nb::arg("a"), nb::arg("out"), nb::arg("axis"), nb::arg("exclusive"),
             nb::arg("reverse"), nb::arg("initial").none())
        .def("reduce", &reduce, nb::arg("a"), nb::arg("out"), nb::arg("axis"), nb::arg("initial").none())
        .def("scan_segments", &scan_segments, nb::arg("a"), nb::arg("heads"), nb::arg("out"),
             nb::arg("exclusive"), nb::arg("reverse"), nb::arg("initial").none())
        .def("reduce_segments", &reduce_segments, nb::arg("a"), nb::arg("by"), nb::arg("type"),
             nb::arg("described"), nb::arg("keys_out").none(), nb::arg("out"), nb::arg("initial").none());
}

}  // namespace upsweep::python
