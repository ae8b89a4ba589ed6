// Buffers that are held for a call.
#include "python/module/array.hpp"

#include <string>

namespace upsweep::python {

held_buffer::held_buffer(nanobind::handle object, const char* name, std::size_t item_bytes, access how)
    : object_(object), name_(name) {
    if (PyTuple_Check(object.ptr()) != 0) return;
    const int flags = how == access::write ? PyBUF_STRIDES | PyBUF_WRITABLE : PyBUF_STRIDES;
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw nanobind::python_error();
    if (view_.itemsize == static_cast<Py_ssize_t>(item_bytes)) return;
    const std::string problem = std::string(name) + ": expected elements of " + std::to_string(item_bytes) +
                                " bytes, but they are of " + std::to_string(view_.itemsize);
    PyBuffer_Release(&view_);
    throw nanobind::type_error(problem.c_str());
}

held_buffer::~held_buffer() { PyBuffer_Release(&view_); }  // does nothing where there is none

layout held_buffer::described() const {
    return view_.obj == nullptr ? layout(object_, name_) : layout(view_, name_);
}

}  // namespace upsweep::python
