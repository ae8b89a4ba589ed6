// Linear recurrences along an axis.

#include <optional>
#include <string>

#include "python/common/errors.hpp"
#include "python/module/array.hpp"
#include "python/module/module.hpp"
#include "python/module/threads.hpp"
#include "registry/recurrence.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// `a`, which may be a number, and `b` of shapes that broadcast to that of `out`.
void linear_recurrence(nb::handle a, const std::string& a_type, nb::handle b, const std::string& b_type,
                       double x0, nb::handle out, const std::string& out_type, bool in_double,
                       std::size_t axis, bool reverse) {
    const array second(b, "b", named_type(b_type), access::read);
    const array to(out, "out", named_type(out_type), access::write);
    const layout terms = second.where().broadcast_to(to.shape());
    if (axis >= to.shape().size()) throw nb::value_error("axis: the array has no such dimension");
    if (to.size() == 0) return;
    registry::recurrence_call call{};
    call.b = {second.type(), terms.data(), terms.strides()};
    call.out = {to.type(), to.data(), to.strides()};
    call.shape = to.shape();
    call.axis = static_cast<int>(axis);
    call.x0 = x0;
    call.in_double = in_double;
    call.reverse = reverse;
    std::optional<array> first;
    std::optional<layout> factors;
    if (is_number(a)) {
        call.coefficient = nb::cast<double>(a);
    } else {
        first.emplace(a, "a", named_type(a_type), access::read);
        factors = first->where().broadcast_to(to.shape());
        call.a = {first->type(), factors->data(), factors->strides()};
    }
    const auto device = processor();
    const unlocked others((first ? first->bytes() : 0) + second.bytes() + to.bytes());
    registry::scan_recurrence(*device, call);
}

}  // namespace

void add_recurrences(nb::module_& module) {
    module.def("linear_recurrence", &linear_recurrence, nb::arg("a"), nb::arg("a_type"), nb::arg("b"),
               nb::arg("b_type"), nb::arg("x0"), nb::arg("out"), nb::arg("out_type"), nb::arg("in_double"),
               nb::arg("axis"), nb::arg("reverse"));
}

}  // namespace upsweep::python
