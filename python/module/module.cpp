// upsweep._module: what the package in python/upsweep calls. Its functions take arrays whose types and shapes
// the package has checked, and write to arrays that the package has made.
#include "python/module/module.hpp"

#include <exception>

#include "python/module/threads.hpp"
#include "upsweep/error.hpp"
#include "upsweep/version.hpp"

namespace upsweep::python {
namespace {

PyObject* exception_for(const std::error_code& code) {
    if (code == errc::invalid_argument) return PyExc_ValueError;
    if (code == errc::unsupported) return PyExc_NotImplementedError;
    if (code == errc::out_of_memory) return PyExc_MemoryError;
    return PyExc_RuntimeError;
}

void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const error& problem) {
        PyErr_SetString(exception_for(problem.code()), problem.what());
    }
}

}  // namespace

registry::dtype named_type(const std::string& name) {
    const auto type = registry::parse_dtype(name);
    if (!type)
        throw nanobind::type_error(
            ("dtype: expected one of " + registry::dtype_names() + ", but it is " + name).c_str());
    return *type;
}

std::string type_name(registry::dtype type) { return std::string(registry::name(type)); }

}  // namespace upsweep::python

NB_MODULE(_module, module) {
    using namespace upsweep::python;
    nanobind::register_exception_translator(&translate);
    module.attr("version") = UPSWEEP_VERSION_STRING;
    add_threads(module);
    add_scans(module);
    add_recurrences(module);
    add_sorts(module);
    add_choices(module);
    add_bins(module);
}
