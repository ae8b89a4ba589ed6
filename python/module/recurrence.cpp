// Linear recurrences along an axis, on what elements the registry's staging converts to float or double.

#include <array>
#include <string>

#include "python/common/errors.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/staging.hpp"
#include "upsweep/cpu/axis.hpp"
#include "upsweep/cpu/recurrence.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// Of the first element of sequence number `sequence`, counted in C order over the dimensions beside the axis.
std::ptrdiff_t offset_of(const array& view, std::size_t axis, std::size_t sequence) {
    std::ptrdiff_t offset = 0;
    for (std::size_t k = view.shape().size(); k-- != 0;) {
        if (k == axis) continue;
        const auto extent = static_cast<std::size_t>(view.shape()[k]);
        offset += static_cast<std::ptrdiff_t>(sequence % extent) * view.strides()[k];
        sequence /= extent;
    }
    return offset;
}

template <class T>
void run(cpu::executor& executor, const array& a, const array& b, T x0, const array& out, std::size_t axis) {
    const auto length = static_cast<std::size_t>(out.shape()[axis]);
    const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(out.size() / length),
                                            static_cast<std::int64_t>(length)};
    const std::array<std::int64_t, 2> strides{shape[1], 1};
    const core::axis_geometry sequences(shape, strides, strides, 1);
    const auto source_of = [&](const array& x) {
        return registry::make_source<T>({}, x.type(), x.data(), x.strides()[axis]);
    };
    const cpu::source<T> from_a = source_of(a), from_b = source_of(b);
    const cpu::sink<T> to = registry::make_sink<T>({}, out.type(), out.data(), out.strides()[axis]);
    const bool in_place = out.data() == a.data() || out.data() == b.data();
    const std::size_t bytes = from_a.element_size + from_b.element_size + to.element_size;
    cpu::for_each_sequence(executor, sequences, bytes, [&](cpu::executor& with, std::size_t sequence) {
        cpu::run_recurrence<T>(with, cpu::moved(from_a, offset_of(a, axis, sequence)),
                               cpu::moved(from_b, offset_of(b, axis, sequence)), x0,
                               cpu::moved(to, offset_of(out, axis, sequence)),
                               {length, false, in_place, length * bytes});
    });
}

// All of one shape, in which a and b may repeat elements.
void linear_recurrence(nb::handle a, const std::string& a_type, nb::handle b, const std::string& b_type,
                       double x0, nb::handle out, const std::string& out_type, bool in_double,
                       std::size_t axis) {
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
        run<double>(device->executor(), first, second, x0, to, axis);
    else
        run<float>(device->executor(), first, second, static_cast<float>(x0), to, axis);
}

}  // namespace

void add_recurrences(nb::module_& module) {
    module.def("linear_recurrence", &linear_recurrence, nb::arg("a"), nb::arg("a_type"), nb::arg("b"),
               nb::arg("b_type"), nb::arg("x0"), nb::arg("out"), nb::arg("out_type"), nb::arg("in_double"),
               nb::arg("axis"));
}

}  // namespace upsweep::python
