// Sorting of the rows of an array, and of segments; the first elements of rows.

#include <cstddef>
#include <cstdint>
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

// `a` is rows of `length` elements, one after the other; `values` and `indices` are as many rows of k each.
void top_k_rows(nb::handle a, const std::string& type, nb::handle values, nb::handle indices,
                std::size_t length, std::size_t k, bool smallest) {
    const array in(a, "a", named_type(type), access::read);
    const array to(values, "values", named_type(type), access::write);
    const array places(indices, "indices", registry::dtype::int64, access::write);
    const std::size_t rows = length == 0 ? 0 : in.size() / length;
    in.expect_sequence(rows * length);
    to.expect_sequence(rows * k);
    places.expect_sequence(rows * k);
    if (rows * k == 0) return;
    const auto device = processor();
    const unlocked others(in.bytes());
    registry::top_k_rows(*device, in.type(), in.data(), to.data(), static_cast<std::int64_t*>(places.data()),
                         rows, length, k, smallest);
}

// `a` and `out`, of int64 for `indices`, have as many elements as `heads` has bytes, of which one that is not
// zero starts a segment.
void sort_segments(nb::handle a, const std::string& type, nb::handle heads, nb::handle out, bool descending,
                   bool indices) {
    const array in(a, "a", named_type(type), access::read);
    const array flags(heads, "heads", registry::dtype::uint8, access::read);
    const array to(out, "out", indices ? registry::dtype::int64 : in.type(), access::write);
    in.expect_sequence(in.size());
    flags.expect_sequence(in.size());
    to.expect_sequence(in.size());
    if (in.size() == 0) return;
    const auto device = processor();
    const unlocked others(in.bytes());
    const auto* const starts = static_cast<const std::uint8_t*>(flags.data());
    if (indices)
        registry::sort_segment_indices(*device, in.type(), starts, in.data(),
                                       static_cast<std::int64_t*>(to.data()), in.size(), descending);
    else
        registry::sort_segments(*device, in.type(), starts, in.data(), to.data(), in.size(), descending);
}

}  // namespace

void add_sorts(nb::module_& module) {
    module.def("sort_rows", &sort_rows, nb::arg("a"), nb::arg("type"), nb::arg("out"), nb::arg("length"),
               nb::arg("descending"));
    module.def("sort_row_indices", &sort_row_indices, nb::arg("a"), nb::arg("type"), nb::arg("out"),
               nb::arg("length"), nb::arg("descending"));
    module.def("top_k_rows", &top_k_rows, nb::arg("a"), nb::arg("type"), nb::arg("values"),
               nb::arg("indices"), nb::arg("length"), nb::arg("k"), nb::arg("smallest"));
    module.def("sort_segments", &sort_segments, nb::arg("a"), nb::arg("type"), nb::arg("heads"),
               nb::arg("out"), nb::arg("descending"), nb::arg("indices"));
}

}  // namespace upsweep::python
