// Sorting of the rows of an array.

#include <string>

#include "python/common/errors.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/sorter.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// `a` and `out` are rows * length elements, one after the other.
void sort_rows(nb::handle a, const std::string& type, nb::handle out, std::size_t length, bool descending) {
    const array in(a, "a", named_type(type), access::read);
    const array to(out, "out", named_type(type), access::write);
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    if (in.size() == 0) return;
    const auto device = processor();
    const unlocked others(in.bytes());
    registry::sort_rows(*device, in.type(), in.data(), to.data(), in.size() / length, length, descending);
}

void sort_row_indices(nb::handle a, const std::string& type, nb::handle out, std::size_t length,
                      bool descending) {
    const array in(a, "a", named_type(type), access::read);
    const array to(out, "out", registry::dtype::int64, access::write);
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    if (in.size() == 0) return;
    const auto device = processor();
    const unlocked others(in.bytes());
    registry::sort_row_indices(*device, in.type(), in.data(), static_cast<std::int64_t*>(to.data()),
                               in.size() / length, length, descending);
}

}  // namespace

void add_sorts(nb::module_& module) {
    module.def("sort_rows", &sort_rows, nb::arg("a"), nb::arg("type"), nb::arg("out"), nb::arg("length"),
               nb::arg("descending"));
    module.def("sort_row_indices", &sort_row_indices, nb::arg("a"), nb::arg("type"), nb::arg("out"),
               nb::arg("length"), nb::arg("descending"));
}

}  // namespace upsweep::python
