// Totals of arrays of run-time types along an axis: reduce of upsweep/axis_reduce.hpp.
//
// Everything is in host memory, and the device must be the CPU.
#pragma once

#include <cstdint>
#include <span>

#include "registry/byte_views.hpp"
#include "registry/device.hpp"
#include "registry/scanner.hpp"
#include "upsweep/core/axis_geometry.hpp"

namespace upsweep::registry {

// out[i..., k...] = in[i..., 0, k...] (+) ... (+) in[i..., n - 1, k...] along layout.axis: the last result of
// an inclusive scan of each sequence, and of no elements the initial value, or else the operator's identity.
// out_strides has an entry for every dimension, and the axis's is not looked at. Of the request, operator,
// types and initial value count. `out` must not overlap `in`. Throws upsweep::error: unsupported for other
// devices, and as make_scanner and the reduce of views do.
void reduce_array(const device& where, const scan_request& request, const void* in, void* out,
                  const axis_layout& layout);

// The entries of other dimensions than the axis, which may be negative or be none of theirs.
[[nodiscard]] dimensions without_axis(std::span<const std::int64_t> of, int axis);

// What such a call comes to, on any device. Throws invalid_argument as the reduce of views does.
[[nodiscard]] core::axis_geometry check_reduced(const scan_types& types, const void* in, void* out,
                                                const axis_layout& layout);

}  // namespace upsweep::registry
