// Linear recurrences along an axis, on what elements the registry's staging converts to float or double.

#include <string>

#include "python/common/errors.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/staging.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/cpu/recurrence.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

template <class T>
void run(cpu::executor& executor, const array& a, const array& b, T x0, const array& out, std::size_t axis,
         bool reverse) {
    core::axis_geometry sequences(out.shape(), a.strides(), b.strides(), out.strides(), axis);
    core::axis_geometry::offsets first{0, 0, 0};
    if (reverse) first = sequences.turn();
    const auto source_of = [&](const array& x, std::ptrdiff_t stride, std::ptrdiff_t from) {
        return cpu::moved(registry::make_source<T>({}, x.type(), x.data(), stride), from);
    };
    const auto to =
        cpu::moved(registry::make_sink<T>({}, out.type(), out.data(), sequences.out_stride), first.out);
    const bool in_place = out.data() == a.data() || out.data() == b.data();
    cpu::run_axis_recurrence<T>(executor, source_of(a, sequences.in_stride, first.in),
                                source_of(b, sequences.second_stride, first.second), x0, to, sequences,
                                in_place);
}

// All of one shape, in which a and b may repeat elements.
void linear_recurrence(nb::handle a, const std::string& a_type, nb::handle b, const std::string& b_type,
                       double x0, nb::handle out, const std::string& out_type, bool in_double,
                       std::size_t axis, bool reverse) {
    const array first(a, "a", named_type(a_type), access::read);
    const array second(b, "b", named_type(b_type), access::read);
    const array to(out, "out", named_type(out_type), access::write);
    const auto same_shape = [&](const array& x) {
        return std::equal(x.shape().begin(), x.shape().end(), to.shape().begin(), to.shape().end());
    };
    if (!same_shape(first) || !same_shape(second) || axis >= to.shape().size())
        throw nb::value_error("out: expected the shape of a and b");
    if (to.size() == 0) return;
    const auto device = processor();
    const unlocked others(first.bytes() + second.bytes() + to.bytes());
    if (in_double)
        run<double>(device->executor(), first, second, x0, to, axis, reverse);
    else
        run<float>(device->executor(), first, second, static_cast<float>(x0), to, axis, reverse);
}

}  // namespace

void add_recurrences(nb::module_& module) {
    module.def("linear_recurrence", &linear_recurrence, nb::arg("a"), nb::arg("a_type"), nb::arg("b"),
               nb::arg("b_type"), nb::arg("x0"), nb::arg("out"), nb::arg("out_type"), nb::arg("in_double"),
               nb::arg("axis"), nb::arg("reverse"));
}

}  // namespace upsweep::python
