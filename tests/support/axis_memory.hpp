// An array in host memory, as the tests of axis scans carry it to a device: all bytes that it spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::test {

template <class T>
struct axis_memory {
    std::span<const T> memory;
    std::size_t first;  // of it is the element with indices 0
    std::span<const std::int64_t> shape, strides;
};

}  // namespace upsweep::test
