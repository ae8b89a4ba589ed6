// Tuples and buffers as shapes and strides in elements.
#include "python/common/layout.hpp"

#include <string>

namespace upsweep::python {

namespace nb = nanobind;

namespace {

// Of a tuple or list, whose items it does not own.
std::int64_t number_at(nb::handle sequence, std::size_t k) {
    return nb::cast<std::int64_t>(nb::handle(PySequence_Fast_GET_ITEM(sequence.ptr(), k)));
}

bool is_tuple_or_list(nb::handle object) {
    return PyTuple_Check(object.ptr()) != 0 || PyList_Check(object.ptr()) != 0;
}

nb::builtin_exception wrong(const char* name, const std::string& problem) {
    return nb::type_error((std::string(name) + ": " + problem).c_str());
}

}  // namespace

layout::layout(nb::handle object, const char* name) : name_(name) {
    const auto* const what = "expected an address, a shape and strides";
    if (PyTuple_Check(object.ptr()) == 0 || PyTuple_GET_SIZE(object.ptr()) != 3) throw wrong(name, what);
    const auto part = [&](Py_ssize_t k) { return nb::handle(PyTuple_GET_ITEM(object.ptr(), k)); };
    const nb::handle shape = part(1), strides = part(2);
    if (!is_tuple_or_list(shape) || !is_tuple_or_list(strides)) throw wrong(name, what);
    data_ = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(part(0)));
    set_rank(nb::len(shape));
    if (nb::len(strides) != rank_) throw wrong(name, "expected a stride for each dimension");
    for (std::size_t k = 0; k < rank_; ++k) add(k, number_at(shape, k), number_at(strides, k));
}

layout::layout(const Py_buffer& buffer, const char* name) : name_(name), data_(buffer.buf) {
    set_rank(static_cast<std::size_t>(buffer.ndim));
    for (std::size_t k = 0; k < rank_; ++k) add(k, buffer.shape[k], buffer.strides[k] / buffer.itemsize);
    for (std::size_t k = 0; k < rank_ && size_ != 0; ++k) {
        if (buffer.strides[k] % buffer.itemsize != 0 && shape_[k] > 1)
            throw wrong(name, "its strides are no whole elements");
    }
}

void layout::set_rank(std::size_t rank) {
    if (rank > max_rank) throw wrong(name_, "expected at most " + std::to_string(max_rank) + " dimensions");
    rank_ = rank;
}

void layout::add(std::size_t k, std::int64_t extent, std::int64_t stride) {
    shape_[k] = extent;
    strides_[k] = stride;
    size_ *= static_cast<std::size_t>(extent);
}

// In C order without gaps.
bool layout::is_packed() const {
    std::int64_t following = 1;
    for (std::size_t k = rank_; k-- > 0 && size_ != 0;) {
        if (shape_[k] != 1 && strides_[k] != following) return false;
        following *= shape_[k];
    }
    return true;
}

void layout::expect_sequence(std::size_t n) const {
    if (size_ == n && is_packed()) return;
    throw nb::value_error(
        (std::string(name_) + ": expected " + std::to_string(n) + " elements, one after the other").c_str());
}

layout layout::as_totals(std::span<const std::int64_t> shape, std::size_t axis) const {
    layout made = *this;
    if (rank_ != shape.size()) {
        made.set_rank(shape.size());
        std::int64_t following = 1;
        for (std::size_t k = shape.size(); k-- > 0;) {
            made.shape_[k] = k == axis ? 1 : shape[k];
            made.strides_[k] = following;
            following *= made.shape_[k];
        }
        made.size_ = static_cast<std::size_t>(following);
    }
    if (made.size_ != size_) {
        const std::string expected = std::string(name_) + ": expected " + std::to_string(made.size_) +
                                     " totals, but there are " + std::to_string(size_);
        throw nb::value_error(expected.c_str());
    }
    return made;
}
layout layout::broadcast_to(std::span<const std::int64_t> shape) const {
    const auto refuse = [&] {
        throw nb::value_error(
            (std::string(name_) + ": its shape does not broadcast with that of out").c_str());
    };
    if (rank_ > shape.size()) refuse();
    layout wide = *this;
    wide.rank_ = shape.size();
    wide.size_ = 1;
    const std::size_t added = shape.size() - rank_;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const bool is_own = k >= added && shape_[k - added] == shape[k];
        if (!is_own && k >= added && shape_[k - added] != 1) refuse();
        wide.add(k, shape[k], is_own ? strides_[k - added] : 0);
    }
    return wide;
}

}  // namespace upsweep::python
