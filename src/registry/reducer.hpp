// One total a segment, of elements and keys of run-time types: segmented_reduce and reduce_by_key.
//
// Everything is in host memory, and the device must be the CPU.
#pragma once

#include <cstddef>
#include <optional>

#include "registry/device.hpp"
#include "registry/dtype.hpp"
#include "registry/scanner.hpp"
#include "registry/value.hpp"

namespace upsweep::registry {

// Segments of n elements, as upsweep/segments.hpp describes them.
struct segments_given {
    enum class description { flags, keys, offsets };
    description by = description::flags;
    dtype type = dtype::uint8;  // of keys any; of offsets int32 or int64
    const void* data = nullptr;
    std::size_t size = 0;  // n, or of offsets how many there are
};

// out[k] = the total of segment k, which is what an inclusive scan of segments gives for its last element; of
// an empty one the initial value, or else the operator's identity. keys_out[k] = its first key, unless null.
// Returns how many segments there are. Outputs have room for n (by offsets: for the segments) and overlap
// nothing. Of the request, operator, types and initial value count, which every segment starts from. Throws
// upsweep::error: unsupported for other devices, invalid_argument for offsets that are none, and as
// make_scanner does.
std::size_t reduce_segments(const device& where, const scan_request& request, const segments_given& segments,
                            const void* in, std::size_t n, void* keys_out, void* out);

// What a fold of no elements gives, as an element of the results: the initial value, or else the operator's
// identity.
[[nodiscard]] value total_of_nothing(const scan_request& request);

}  // namespace upsweep::registry
