// Tuples as shapes and strides.
#include "python/cuda/array.hpp"

#include <string>

namespace upsweep::python {

namespace nb = nanobind;

device_array::device_array(nb::handle object, const char* name) : name_(name) {
    const auto fail = [&](const std::string& problem) {
        throw nb::type_error((std::string(name) + ": " + problem).c_str());
    };
    if (!nb::isinstance<nb::tuple>(object)) fail("expected an address, a shape and strides");
    const auto parts = nb::borrow<nb::tuple>(object);
    if (parts.size() != 3) fail("expected an address, a shape and strides");
    data_ = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(parts[0]));
    const auto shape = nb::borrow<nb::sequence>(parts[1]), strides = nb::borrow<nb::sequence>(parts[2]);
    rank_ = nb::len(shape);
    if (rank_ > max_rank) fail("expected at most " + std::to_string(max_rank) + " dimensions");
    if (nb::len(strides) != rank_) fail("expected a stride for each dimension");
    for (std::size_t k = 0; k < rank_; ++k) {
        shape_[k] = nb::cast<std::int64_t>(shape[k]);
        strides_[k] = nb::cast<std::int64_t>(strides[k]);
        size_ *= static_cast<std::size_t>(shape_[k]);
    }
}

void device_array::expect_sequence(std::size_t n) const {
    if (rank_ == 1 && size_ == n && (strides_[0] == 1 || n <= 1)) return;
    throw nb::value_error(
        (std::string(name_) + ": expected " + std::to_string(n) + " elements, one after the other").c_str());
}

}  // namespace upsweep::python
