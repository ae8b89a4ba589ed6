// From run-time types to those of elements that have an order.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "registry/device.hpp"
#include "registry/dtype.hpp"
#include "registry/visit.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {

// Calls call(std::type_identity<Element>{}) for the type of an element, of bool that of its byte. Throws
// upsweep::error where the type has no order, or the device does not sort.
template <class Call>
void with_order(const device& where, dtype type, const Call& call) {
    if (where.accelerated() != nullptr)
        throw_error(errc::unsupported, "device " + where.name() + ": elements are sorted on the CPU only");
    visit_type(type, [&]<class Element>(std::type_identity<Element> element) {
        if constexpr (is_complex<Element>)
            throw_error(errc::invalid_argument,
                        std::string(name(type)) + " has no order to sort its elements in");
        else if constexpr (std::is_same_v<Element, bool>)
            call(std::type_identity<std::uint8_t>());
        else
            call(element);
    });
}

}  // namespace upsweep::registry
