// Sorting of the rows of an array, and of segments; the first elements of rows.
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "python/common/errors.hpp"
#include "python/common/layout.hpp"
#include "python/cuda/module.hpp"
#include "registry/cuda/array_choices.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// `a` and `out` are rows of `length` elements, one after the other. `indices`: out is of int64.
void sort_rows(stream& in_stream, nb::handle a, const std::string& type, nb::handle out, std::size_t length,
               bool descending, bool indices) {
    const layout in(a, "a"), to(out, "out");
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    if (in.size() == 0) return;
    const registry::gpu::rows_to_sort call{.type = named_type(type),
                                           .in = in.data(),
                                           .out = to.data(),
                                           .rows = in.size() / length,
                                           .length = length,
                                           .descending = descending,
                                           .indices = indices};
    in_stream.with_scratch(in.size(),
                           [&](cuda::executor& executor) { registry::gpu::sort_rows(executor, call); });
}

// `a` is rows of `length` elements, one after the other; `values` and `indices` are as many rows of k each.
void top_k_rows(stream& in_stream, nb::handle a, const std::string& type, nb::handle values,
                nb::handle indices, std::size_t length, std::size_t k, bool smallest) {
    const layout in(a, "a"), to(values, "values"), places(indices, "indices");
    const std::size_t rows = length == 0 ? 0 : in.size() / length;
    in.expect_sequence(rows * length);
    to.expect_sequence(rows * k);
    places.expect_sequence(rows * k);
    if (rows * k == 0) return;
    const registry::gpu::rows_to_choose call{.type = named_type(type),
                                             .in = in.data(),
                                             .values = to.data(),
                                             .indices = static_cast<std::int64_t*>(places.data()),
                                             .rows = rows,
                                             .length = length,
                                             .k = k,
                                             .smallest = smallest};
    in_stream.with_scratch(in.size(),
                           [&](cuda::executor& executor) { registry::gpu::top_k_rows(executor, call); });
}

// `a` and `out`, of int64 for `indices`, have as many elements as `heads` has bytes, of which one that is not
// zero starts a segment.
void sort_segments(stream& in_stream, nb::handle a, const std::string& type, nb::handle heads, nb::handle out,
                   bool descending, bool indices) {
    const layout in(a, "a"), flags(heads, "heads"), to(out, "out");
    in.expect_sequence(in.size());
    flags.expect_sequence(in.size());
    to.expect_sequence(in.size());
    if (in.size() == 0) return;
    const registry::gpu::segments_to_sort call{.type = named_type(type),
                                               .in = in.data(),
                                               .heads = static_cast<const std::uint8_t*>(flags.data()),
                                               .out = to.data(),
                                               .n = in.size(),
                                               .descending = descending,
                                               .indices = indices};
    in_stream.with_scratch(in.size(),
                           [&](cuda::executor& executor) { registry::gpu::sort_segments(executor, call); });
}

}  // namespace

void add_sorts(nb::module_& module) {
    module.def("sort_rows", &sort_rows, nb::arg("stream"), nb::arg("a"), nb::arg("type"), nb::arg("out"),
               nb::arg("length"), nb::arg("descending"), nb::arg("indices"));
    module.def("top_k_rows", &top_k_rows, nb::arg("stream"), nb::arg("a"), nb::arg("type"), nb::arg("values"),
               nb::arg("indices"), nb::arg("length"), nb::arg("k"), nb::arg("smallest"));
    module.def("sort_segments", &sort_segments, nb::arg("stream"), nb::arg("a"), nb::arg("type"),
               nb::arg("heads"), nb::arg("out"), nb::arg("descending"), nb::arg("indices"));
}

}  // namespace upsweep::python
