// An axis of an array as it lies in a file.
#pragma once

#include <cstdint>

#include "cli/io/array_file.hpp"

namespace upsweep::cli {

// (outer, length, inner) as the array lies in the file; sequences run along `length`.
struct array_extents {
    std::uint64_t outer = 1;
    std::uint64_t length = 1;
    std::uint64_t inner = 1;

    [[nodiscard]] std::uint64_t slab() const { return length * inner; }
};

// `axis` from 0 on.
[[nodiscard]] array_extents extents_of(const array_header& header, int axis);

// `axis` of --axis, from 0 on. Throws usage_error if the array, of one dimension or more, has none of that
// number.
[[nodiscard]] int axis_in_range(int axis, const array_reader& reader);

}  // namespace upsweep::cli
