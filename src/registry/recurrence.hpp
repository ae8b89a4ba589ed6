// Linear recurrences along an axis of arrays of run-time types.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "registry/device.hpp"
#include "registry/dtype.hpp"

namespace upsweep::registry {

// x[i] = a[i] x[i-1] + b[i] with x[-1] = x0, along an axis; or from its end.
struct recurrence_call {
    struct array {
        dtype type;
        void* data;
        std::span<const std::int64_t> strides;  // in elements; 0 repeats elements of a and b
    };
    array a, b, out;
    std::optional<double> coefficient;    // if given, that of all elements, in place of a
    std::span<const std::int64_t> shape;  // of all three
    int axis;
    double x0;
    bool in_double;  // the arithmetic; else in float
    bool reverse;
};

// On the CPU's threads. `out` may be a or b (equal pointers, types and strides) and must not overlap them
// otherwise. Throws upsweep::error: invalid_argument for an axis that there is none of and for types that do
// not convert to the arithmetic's, unsupported for another device.
void scan_recurrence(const device& where, const recurrence_call& call);

}  // namespace upsweep::registry
