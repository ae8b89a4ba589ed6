// Runs of equal neighbours.
#include <cstdint>
#include <optional>
#include <string>

#include "python/common/errors.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/runs.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// `lengths`: of int64, or None. Returns how many runs there are.
std::size_t encode_runs(nb::handle a, const std::string& type, nb::handle out, nb::handle lengths) {
    const array in(a, "a", named_type(type), access::read);
    const array to(out, "out", in.type(), access::write);
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    std::optional<array> counts;
    if (!lengths.is_none()) {
        counts.emplace(lengths, "lengths", registry::dtype::int64, access::write);
        counts->expect_sequence(in.size());
    }
    const auto device = processor();
    const unlocked others(in.bytes());
    return registry::encode_runs(*device, in.type(), in.data(), in.size(), to.data(),
                                 counts ? static_cast<std::int64_t*>(counts->data()) : nullptr);
}

// `out`: of int64.
void number_runs(nb::handle a, const std::string& type, nb::handle out) {
    const array in(a, "a", named_type(type), access::read);
    const array to(out, "out", registry::dtype::int64, access::write);
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    const auto device = processor();
    const unlocked others(in.bytes());
    registry::number_runs(*device, in.type(), in.data(), in.size(), static_cast<std::int64_t*>(to.data()));
}

}  // namespace

void add_runs(nb::module_& module) {
    module.def("encode_runs", &encode_runs, nb::arg("a"), nb::arg("type"), nb::arg("out"),
               nb::arg("lengths").none());
    module.def("number_runs", &number_runs, nb::arg("a"), nb::arg("type"), nb::arg("out"));
}

}  // namespace upsweep::python
