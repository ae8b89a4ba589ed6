// Places in arrays of elements whose type is known to those alone who made the call.
#pragma once

#include <cstddef>

namespace upsweep::cpu {

inline void* advanced(void* p, std::size_t bytes) { return static_cast<std::byte*>(p) + bytes; }

}  // namespace upsweep::cpu
