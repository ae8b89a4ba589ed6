// Every element type of the registry, and the byte order that is not this machine's.
#pragma once

#include <bit>

#include "registry/dtype.hpp"

namespace upsweep::test {

inline constexpr std::endian other_order =
    std::endian::native == std::endian::little ? std::endian::big : std::endian::little;

#define UPSWEEP_TYPE(enumerator, text, code, type, result) registry::dtype::enumerator,
inline constexpr registry::dtype all_types[] = {UPSWEEP_DTYPES(UPSWEEP_TYPE)};
#undef UPSWEEP_TYPE

}  // namespace upsweep::test
