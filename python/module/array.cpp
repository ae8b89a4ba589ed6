// Buffers as shapes and strides in elements.
#include "python/module/array.hpp"

#include <string>

namespace upsweep::python {

array::array(nanobind::handle object, const char* name, registry::dtype type, access how)
    : name_(name), type_(type) {
    const int flags = how == access::write ? PyBUF_STRIDES | PyBUF_WRITABLE : PyBUF_STRIDES;
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw nanobind::python_error();
    const auto fail = [&](const std::string& problem) {
        PyBuffer_Release(&view_);
        throw nanobind::type_error((std::string(name) + ": " + problem).c_str());
    };
    const auto bytes = static_cast<Py_ssize_t>(registry::size_of(type));
    if (view_.itemsize != bytes)
        fail("elements of " + std::to_string(view_.itemsize) + " bytes are no " +
             std::string(registry::name(type)));
    if (static_cast<std::size_t>(view_.ndim) > max_rank)
        fail("expected at most " + std::to_string(max_rank) + " dimensions");
    rank_ = static_cast<std::size_t>(view_.ndim);
    for (std::size_t k = 0; k < rank_; ++k) {
        shape_[k] = view_.shape[k];
        strides_[k] = view_.strides[k] / bytes;
        size_ *= static_cast<std::size_t>(shape_[k]);
    }
    for (std::size_t k = 0; k < rank_ && size_ != 0; ++k) {
        if (view_.strides[k] % bytes != 0 && shape_[k] > 1) fail("its strides are no whole elements");
    }
}

array::~array() { PyBuffer_Release(&view_); }

void array::expect_sequence(std::size_t n) const {
    if (is_sequence() && size_ == n) return;
    throw nanobind::value_error(
        (std::string(name_) + ": expected " + std::to_string(n) + " elements, one after the other").c_str());
}

}  // namespace upsweep::python
