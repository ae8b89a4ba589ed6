// Segmented scans between ranks of NCCL, so that the tests of the CPU's run there unchanged: included in
// front of a test's source, behind nccl/backend.cuh. A rank has the flags or keys of its part of the
// sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <vector>

#include "nccl/backend.cuh"
#include "support/segment_calls.hpp"
#include "upsweep/nccl/segmented_scan.cuh"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {

// What describes segments in the host's memory, and the same of device memory. Ranks have no use for offsets:
// these become flags.
template <class Flag>
std::span<const Flag> described(const by_head_flags<Flag>& segments, std::size_t) {
    return segments.flags();
}
template <class Key, class Equal>
std::span<const Key> described(const by_keys<Key, Equal>& segments, std::size_t) {
    return segments.keys();
}
template <class Integer>
std::vector<std::uint8_t> described(const by_offsets<Integer>& segments, std::size_t n) {
    std::vector<std::uint8_t> flags(n);
    for (const Integer offset : segments.offsets()) {
        if (static_cast<std::size_t>(offset) < n) flags[static_cast<std::size_t>(offset)] = 1;
    }
    return flags;
}
template <class Segments, class T>
auto on_device(const Segments&, cuda::device_span<const T> elements) {
    return cuda::by_head_flags<T>(elements);
}
template <class Key, class Equal>
auto on_device(const by_keys<Key, Equal>& segments, cuda::device_span<const Key> elements) {
    return cuda::by_keys<Key, Equal>(elements, segments.equal());
}

template <class Acc, class Segments, class In, class Out, class Op>
void scan_segments(nccl_executor& ex, const Segments& segments, std::span<const In> in, std::span<Out> out,
                   bool exclusive, const Op& op, const batch_options<Acc>& options) {
    const auto description = described(segments, in.size());
    using element = std::ranges::range_value_t<decltype(description)>;
    const bool in_place = static_cast<const void*>(in.data()) == out.data();
    rank_team& team = ex.team();
    const unsigned turn = ex.next_turn();
    const rank_parts parts(team.size(), in.size(), turn);
    team.run([&](test_rank& rank, int number) {
        const std::size_t begin = parts.cuts[std::size_t(number)], own = parts.counts[std::size_t(number)];
        device_staging& staging = rank.staging;
        staging.begin();
        const element* const about = std::ranges::data(description) + begin;
        const std::size_t d = staging.add(own * sizeof(element), device_staging::misalignment(about));
        const std::size_t x = staging.add(own * sizeof(In), device_staging::misalignment(in.data() + begin));
        const std::size_t y =
            in_place ? x : staging.add(own * sizeof(Out), device_staging::misalignment(out.data() + begin));
        staging.place();
        if (own != 0) {
            staging.write(d, about, own * sizeof(element));
            staging.write(x, in.data() + begin, own * sizeof(In));
        }
        staging.upload(rank.local.stream());
        nccl::segmented_options<Acc> asked{options.initial, options.reverse, nullptr};
        if (turn % 3 != 0) asked.elements = &parts.elements;
        const auto there =
            on_device(segments, cuda::device_span<const element>(staging.at<const element>(d), own));
        const cuda::device_span<const In> from(staging.at<const In>(x), own);
        const cuda::device_span<Out> to(staging.at<Out>(y), own);
        if (exclusive)
            upsweep::exclusive_segmented_scan<Acc>(rank.ranks, there, from, to, op, asked);
        else
            upsweep::inclusive_segmented_scan<Acc>(rank.ranks, there, from, to, op, asked);
        staging.download(rank.local.stream());
        EXPECT_TRUE(staging.sentinels_intact()) << "rank " << number << " wrote outside the arrays";
        if (own != 0) std::memcpy(static_cast<void*>(out.data() + begin), staging.host(y), own * sizeof(Out));
    });
}

}  // namespace upsweep::test
