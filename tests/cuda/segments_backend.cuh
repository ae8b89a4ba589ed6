// Segmented scans of host memory on the GPU, so that the tests of the CPU's run on it unchanged: included in
// front of a test's source, behind cuda/backend.cuh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "cuda/backend.cuh"
#include "support/segment_calls.hpp"
#include "upsweep/cuda/segmented_scan.cuh"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {

// What describes segments in the host's memory: its bytes, and the same of device memory.
template <class Integer>
auto described(const by_offsets<Integer>& segments) {
    return segments.offsets();
}
template <class Flag>
auto described(const by_head_flags<Flag>& segments) {
    return segments.flags();
}
template <class Key, class Equal>
auto described(const by_keys<Key, Equal>& segments) {
    return segments.keys();
}
template <class Integer>
auto on_device(const by_offsets<Integer>&, const Integer* data, std::size_t size) {
    return cuda::by_offsets<Integer>(cuda::device_span<const Integer>(data, size));
}
template <class Flag>
auto on_device(const by_head_flags<Flag>&, const Flag* data, std::size_t size) {
    return cuda::by_head_flags<Flag>(cuda::device_span<const Flag>(data, size));
}
template <class Key, class Equal>
auto on_device(const by_keys<Key, Equal>& segments, const Key* data, std::size_t size) {
    return cuda::by_keys<Key, Equal>(cuda::device_span<const Key>(data, size), segments.equal());
}

template <class Acc, class Segments, class In, class Out, class Op>
void scan_segments(cuda_executor& ex, const Segments& segments, std::span<const In> in, std::span<Out> out,
                   bool exclusive, const Op& op, const batch_options<Acc>& options) {
    const auto description = described(segments);
    using element = std::remove_const_t<typename decltype(description)::element_type>;
    device_staging& staging = ex.staging();
    const auto misalignment = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64; };
    const bool in_place = static_cast<const void*>(in.data()) == out.data();
    staging.begin();
    const std::size_t d = staging.add(description.size_bytes(), misalignment(description.data()));
    const std::size_t x = staging.add(in.size_bytes(), misalignment(in.data()));
    const std::size_t y = in_place ? x : staging.add(out.size_bytes(), misalignment(out.data()));
    staging.place();
    staging.write(d, description.data(), description.size_bytes());
    staging.write(x, in.data(), in.size_bytes());
    cuda::executor& device = ex.device();
    staging.upload(device.stream());
    const auto there = on_device(segments, staging.at<const element>(d), description.size());
    const cuda::device_span<const In> from(staging.at<const In>(x), in.size());
    const cuda::device_span<Out> to(staging.at<Out>(y), out.size());
    if (exclusive)
        upsweep::exclusive_segmented_scan<Acc>(device, there, from, to, op, options);
    else
        upsweep::inclusive_segmented_scan<Acc>(device, there, from, to, op, options);
    staging.download(device.stream());
    if (!in.empty()) {
        EXPECT_EQ(device.latest(), ex.choice()) << "another algorithm ran";
        std::memcpy(static_cast<void*>(out.data()), staging.host(y), out.size_bytes());
    }
    EXPECT_TRUE(staging.sentinels_intact()) << "wrote outside the arrays";
}

}  // namespace upsweep::test
