// From a run-time type to a C++ type.
#pragma once

#include <type_traits>

#include "registry/dtype.hpp"

namespace upsweep::registry {

// Calls visitor(std::type_identity<T>{}) for the C++ type T of `type`.
template <class Visitor>
decltype(auto) visit_type(dtype type, Visitor&& visitor) {
    switch (type) {
#define UPSWEEP_CASE(enumerator, text, code, type, result) \
    case dtype::enumerator:                                \
        return visitor(std::type_identity<type>{});
        UPSWEEP_DTYPES(UPSWEEP_CASE)
#undef UPSWEEP_CASE
    }
    return visitor(std::type_identity<double>{});  // every enumerator is listed above
}

}  // namespace upsweep::registry
