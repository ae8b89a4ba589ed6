// From typed arguments to the kernels of repeated elements: by counts two, of few elements one; by offsets
// and by one count for all one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/repeat_expand.cuh"
#include "upsweep/cuda/repeat_rows.cuh"
#include "upsweep/cuda/repeat_same.cuh"

namespace upsweep::cuda::detail {

// Scratch of a call by counts: tagged words of the sums, and as plain scratch where each row's results begin.
struct repeat_scratch {
    std::uint64_t tiles;
    std::size_t tagged, plain;

    explicit repeat_scratch(std::uint64_t n)
        : tiles((repeat_rows(n) + repeat_tile_rows - 1) / repeat_tile_rows),
          tagged((tagged_bytes(sum_look_back::words(tiles)) + 255) / 256 * 256),
          plain((repeat_rows(n) + 1) * sizeof(std::uint64_t)) {}
    // Whether blocks that make results sum the counts themselves.
    [[nodiscard]] bool needs_none() const { return tiles <= 1; }
};

// Calls whose arguments are found good, of n >= 1 elements.

template <class Places, class Source>
void enqueue_results(executor& ex, const Places& places, const Source& source, std::uint64_t n,
                     device_span<typename Source::result> out, std::uint64_t* count) {
    using Out = typename Source::result;
    constexpr auto kernel = &repeat_kernel<Places, Source>;
    const int at_once = blocks_of_multiprocessor<kernel>(ex, repeat_threads, 0);
    const auto most = std::uint64_t(ex.multiprocessors()) * std::uint64_t(std::max(at_once, 1));
    const auto blocks = static_cast<unsigned>(std::min(most, repeat_shape<Out>::windows(n, out.size())));
    kernel<<<blocks, repeat_threads, 0, ex.stream()>>>({places, source, n, out.data(), out.size(), count});
}

template <class Count, class Source>
void repeat_by_counts(executor& ex, device_span<const Count> counts, const Source& source,
                      device_span<typename Source::result> out, std::uint64_t* count) {
    const device_scope current(ex);
    ex.check_before_launch();
    const std::uint64_t n = counts.size();
    const repeat_scratch layout(n);
    const auto results = [&](const std::uint64_t* starts) {
        enqueue_results(ex, repeats_by_counts<Count>{counts.data(), n, starts}, source, n, out, count);
    };
    if (layout.needs_none()) {
        results(nullptr);
    } else {
        held_scratch plain(ex, ex.take_plain_scratch(layout.plain, layout.tagged));
        held_scratch tagged(ex, ex.take_scratch(layout.tagged));
        auto* const starts = reinterpret_cast<std::uint64_t*>(plain.data());
        sum_rows_kernel<Count><<<blocks_for(layout.tiles), repeat_threads, 0, ex.stream()>>>(
            counts.data(), n, starts, count, reinterpret_cast<launch_state*>(tagged.data()),
            reinterpret_cast<unsigned long long*>(tagged.data() + launch_state_bytes), ex.tagged_words());
        tagged.release();
        results(starts);
        plain.release();
    }
    check(cudaGetLastError(), "launching a repetition");
}

template <class Integer, class Source>
void repeat_by_offsets(executor& ex, device_span<const Integer> offsets, const Source& source,
                       device_span<typename Source::result> out, std::uint64_t* count) {
    const device_scope current(ex);
    ex.check_before_launch();
    const std::uint64_t n = offsets.size() - 1;
    enqueue_results(ex, repeats_by_offsets<Integer>{offsets.data(), n}, source, n, out, count);
    check(cudaGetLastError(), "launching a repetition");
}

// Each element `each` times, `each` >= 1, which is `total` results.
template <class Source>
void repeat_equally(executor& ex, std::uint64_t each, std::uint64_t total, const Source& source,
                    device_span<typename Source::result> out, std::uint64_t* count) {
    using Out = typename Source::result;
    const device_scope current(ex);
    ex.check_before_launch();
    const std::uint64_t results = std::min<std::uint64_t>(total, out.size());
    repeat_same_kernel<<<blocks_for(same_shape<Out>::windows(results)), same_shape<Out>::threads, 0,
                         ex.stream()>>>(source, each, out.data(), results, total, count);
    check(cudaGetLastError(), "launching a repetition");
}

}  // namespace upsweep::cuda::detail
