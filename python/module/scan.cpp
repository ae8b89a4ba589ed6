// Scans along an axis, of whole sequences and of segments: the registry's scanners on the memory of arrays.
#include <optional>

#include "python/common/scan_plan.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/scanner.hpp"

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
    bind_plans(module)
        .def("scan", &scan, nb::arg("a"), nb::arg("out"), nb::arg("axis"), nb::arg("exclusive"),
             nb::arg("reverse"), nb::arg("initial").none())
        .def("scan_segments", &scan_segments, nb::arg("a"), nb::arg("heads"), nb::arg("out"),
             nb::arg("exclusive"), nb::arg("reverse"), nb::arg("initial").none());
}

}  // namespace upsweep::python
