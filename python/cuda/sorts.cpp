// Sorting of the rows of an array.
#include <nanobind/stl/string.h>

#include <string>

#include "python/common/errors.hpp"
#include "python/cuda/array.hpp"
#include "python/cuda/module.hpp"
#include "registry/cuda/array_choices.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// `a` and `out` are rows of `length` elements, one after the other. `indices`: out is of int64.
void sort_rows(const stream& in_stream, nb::handle a, const std::string& type, nb::handle out,
               std::size_t length, bool descending, bool indices) {
    const device_array in(a, "a"), to(out, "out");
    in.expect_sequence(in.size());
    to.expect_sequence(in.size());
    if (in.size() == 0) return;
    const registry::gpu::rows_to_sort call{named_type(type),   in.data(), to.data(),
                                           in.size() / length, length,    descending};
    cuda::executor executor = in_stream.transient();
    if (indices)
        registry::gpu::sort_row_indices(executor, call);
    else
        registry::gpu::sort_rows(executor, call);
}

}  // namespace

void add_sorts(nb::module_& module) {
    module.def("sort_rows", &sort_rows, nb::arg("stream"), nb::arg("a"), nb::arg("type"), nb::arg("out"),
               nb::arg("length"), nb::arg("descending"), nb::arg("indices"));
}

}  // namespace upsweep::python
