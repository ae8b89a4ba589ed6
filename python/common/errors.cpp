#include "python/common/errors.hpp"

#include <nanobind/nanobind.h>

#include <new>

#include "upsweep/error.hpp"

namespace upsweep::python {
namespace {

PyObject* exception_for(const std::error_code& code) {
    if (code == errc::invalid_argument) return PyExc_ValueError;
    if (code == errc::unsupported) return PyExc_NotImplementedError;
    if (code == errc::out_of_memory) return PyExc_MemoryError;
    return PyExc_RuntimeError;
}

}  // namespace

void translate_errors(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const error& problem) {
        PyErr_SetString(exception_for(problem.code()), problem.what());
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, "scratch: there is no memory for it");
    }
}

registry::dtype named_type(const std::string& name) {
    const auto type = registry::parse_dtype(name);
    if (!type)
        throw nanobind::type_error(
            ("dtype: expected one of " + registry::dtype_names() + ", but it is " + name).c_str());
    return *type;
}

std::string type_name(registry::dtype type) { return std::string(registry::name(type)); }

}  // namespace upsweep::python
