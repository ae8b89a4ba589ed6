// Repeated elements of host memory on the GPU, so that the tests of the CPU's run on it unchanged: included
// in front of a test's source, behind cuda/backend.cuh.
#pragma once

#include <cstddef>
#include <ranges>
#include <span>

#include "cuda/backend.cuh"
#include "cuda/reduce_backend.cuh"
#include "cuda/segments_backend.cuh"
#include "upsweep/cuda/repeat.cuh"
#include "upsweep/repeat.hpp"

namespace upsweep::test {

// Counts in the host's memory, and the same of device memory.
template <class Counts>
auto described_counts(const Counts& counts) {
    if constexpr (is_by_offsets<Counts>)
        return described(counts);
    else
        return std::span<const std::ranges::range_value_t<Counts>>(std::ranges::data(counts),
                                                                   std::ranges::size(counts));
}
template <class Counts, class T>
auto counts_on_device(const Counts& counts, cuda::device_span<const T> there) {
    if constexpr (is_by_offsets<Counts>)
        return on_device(counts, there.data(), there.size());
    else
        return there;
}

// The CPU's functions stay visible beside these.
using upsweep::repeat;
using upsweep::repeat_indices;

// There is one way to repeat elements, whichever algorithm scans.
template <class In, describes_counts Counts, class Out>
std::size_t repeat(cuda_executor& ex, const In& in, const Counts& counts, Out&& out) {
    const auto description = described_counts(counts);
    reducing_call arrays(ex);
    const std::size_t x = arrays.add(in), c = arrays.add(description), y = arrays.add(out);
    arrays.place();
    const auto from = arrays.input(x, in);
    const auto there = counts_on_device(counts, arrays.input(c, description));
    const std::size_t written = arrays.run(0, [&](cuda::executor& device) {
        upsweep::repeat(device, from, there, arrays.output(y, out), arrays.count());
    });
    arrays.fetch(y, out, written);
    return written;
}
template <class In, core::integer Count, class Out>
std::size_t repeat(cuda_executor& ex, const In& in, Count count, Out&& out) {
    reducing_call arrays(ex);
    const std::size_t x = arrays.add(in), y = arrays.add(out);
    arrays.place();
    const auto from = arrays.input(x, in);
    const std::size_t written = arrays.run(0, [&](cuda::executor& device) {
        upsweep::repeat(device, from, count, arrays.output(y, out), arrays.count());
    });
    arrays.fetch(y, out, written);
    return written;
}
template <describes_counts Counts, class Out>
std::size_t repeat_indices(cuda_executor& ex, const Counts& counts, Out&& out) {
    const auto description = described_counts(counts);
    reducing_call arrays(ex);
    const std::size_t c = arrays.add(description), y = arrays.add(out);
    arrays.place();
    const auto there = counts_on_device(counts, arrays.input(c, description));
    const std::size_t written = arrays.run(0, [&](cuda::executor& device) {
        upsweep::repeat_indices(device, there, arrays.output(y, out), arrays.count());
    });
    arrays.fetch(y, out, written);
    return written;
}

}  // namespace upsweep::test
