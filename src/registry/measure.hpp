// Times a scan in memory beside a copy of the same bytes, for `upsweep bench` and `upsweep devices`.
#pragma once

#include <cstddef>

#include "registry/device.hpp"
#include "registry/operation.hpp"

namespace upsweep::registry {

struct measurement {
    double seconds = 0;       // of the scan, median
    double copy_seconds = 0;  // of a copy of the same bytes by the same device, median; on the CPU by all
                              // threads, with streaming stores where they are faster
    int rounds = 0;
};

// Scan and copy of n elements in turn, in interleaved rounds for about `budget` seconds (at least 5 rounds).
// Input, accumulator and output are of one type (float32 accumulators for 16-bit floats). n >= 1. Throws
// upsweep::error (out_of_memory) if the two arrays do not fit, and (unsupported) for types whose accumulators
// a device other than the CPU holds in another type (held.hpp): their elements would be converted besides.
[[nodiscard]] measurement measure_scan(const device& where, operation op, dtype type, std::size_t n,
                                       bool exclusive, double budget = 0.5);

// Bytes read and written a second by a copy that exceeds all caches (on the CPU 128 MiB, with all threads);
// takes about a fifth of a second.
[[nodiscard]] double copy_bandwidth(const device& where);

}  // namespace upsweep::registry
