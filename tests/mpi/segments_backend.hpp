// Segmented scans between ranks, so that the tests of the CPU's run there unchanged: included in front of a
// test's source, behind mpi/backend.hpp. A rank has the flags or keys of its part of the sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/backend.hpp"
#include "support/segment_calls.hpp"
#include "upsweep/mpi/segmented_scan.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {

// call(segments of `count` elements from the first-th on)
template <class Flag, class Call>
void with_part(const by_head_flags<Flag>& all, std::size_t first, std::size_t count, const Call& call) {
    call(by_head_flags(all.flags().subspan(first, count)));
}
template <class Key, class Equal, class Call>
void with_part(const by_keys<Key, Equal>& all, std::size_t first, std::size_t count, const Call& call) {
    call(by_keys(all.keys().subspan(first, count), all.equal()));
}
// Which ranks have no use for: as flags.
template <class Integer, class Call>
void with_part(const by_offsets<Integer>& all, std::size_t first, std::size_t count, const Call& call) {
    std::vector<std::uint8_t> flags(count);
    for (const Integer offset : all.offsets()) {
        const auto at = static_cast<std::size_t>(offset);
        if (at >= first && at - first < count) flags[at - first] = 1;
    }
    call(by_head_flags(flags));
}

template <class Acc, class Segments, class In, class Out, class Op>
void scan_segments(mpi_executor& ex, const Segments& segments, std::span<const In> in, std::span<Out> out,
                   bool exclusive, const Op& op, const batch_options<Acc>& options) {
    ex.in_parts(
        in.data(), in.size(), out.data(),
        [&](mpi::executor& ranks, auto own, auto result, std::size_t first) {
            with_part(segments, first, own.size(), [&](const auto& described) {
                if (exclusive)
                    upsweep::exclusive_segmented_scan<Acc>(ranks, described, own, result, op, options);
                else
                    upsweep::inclusive_segmented_scan<Acc>(ranks, described, own, result, op, options);
            });
        });
}

}  // namespace upsweep::test
