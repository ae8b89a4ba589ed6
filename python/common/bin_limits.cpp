// The package's limits of bins as the registry's.
#include "python/common/bin_limits.hpp"

#include <cstdint>

#include "python/common/errors.hpp"
#include "registry/dtype.hpp"
#include "registry/value.hpp"

namespace upsweep::python {

registry::bin_limits limits_of(const limits& given, std::size_t count) {
    const auto& [first, second, clamp] = given;
    registry::bin_limits made;
    made.count = static_cast<std::uint32_t>(count);
    made.clamp = clamp;
    if (const auto* const hi = std::get_if<std::string>(&second)) {
        made.lo = first;
        made.hi = *hi;
        return made;
    }
    const auto& bytes = std::get<nanobind::bytes>(second);
    const registry::dtype type = named_type(first);
    const std::size_t size = registry::size_of(type);
    for (std::size_t at = 0; at + size <= bytes.size(); at += size)
        made.edges.push_back(registry::value::at(type, bytes.c_str() + at));
    return made;
}

}  // namespace upsweep::python
