// From typed arguments to the kernels that make one total a segment, in a stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/count_scan.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/head_ends.cuh"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/mark_heads.cuh"
#include "upsweep/cuda/offset_ends.cuh"
#include "upsweep/cuda/segment_totals.cuh"
#include "upsweep/cuda/segment_totals_tile.cuh"

namespace upsweep::cuda::detail {

template <class Out>
__global__ void fill_kernel(Out* out, std::uint64_t count, const Out value) {
    const std::uint64_t step = std::uint64_t(gridDim.x) * blockDim.x;
    for (std::uint64_t k = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; k < count; k += step)
        out[k] = value;
}

inline constexpr unsigned totals_threads = 128;  // of what is not a block's
inline unsigned blocks_for_totals(const executor& ex, std::uint64_t wanted) {
    const std::uint64_t most = std::uint64_t(ex.multiprocessors()) * 16;
    return unsigned(std::min((wanted + totals_threads - 1) / totals_threads, most));
}

// A call of n >= 1 elements whose arguments are found good, but for what this chooses itself.
template <class Types>
class segment_totals_launch {
  public:
    using arguments = segment_totals_arguments<Types>;
    using Ends = typename Types::Ends;

    segment_totals_launch(executor& ex, const arguments& given) : ex_(ex), given_(given) {}

    // Of plain scratch, and of the scratch that find_ends takes.
    static std::size_t other_bytes(std::uint64_t n) {
        return (Ends::other_bytes(arguments::tiles_of(n)) + 255) / 256 * 256;
    }
    static std::size_t plain_bytes(std::uint64_t n) {
        segment_totals_scratch<Types> scratch{};
        typename Ends::Found found{};
        return place(scratch, found, nullptr, n);
    }

    // find_ends(ends, tiles, are_few) enqueues what says where segments end; if there are few tiles, each
    // block has one.
    template <class FindEnds>
    void run(const FindEnds& find_ends) {
        const device_scope current(ex_);
        ex_.check_before_launch();
        constexpr auto kernel = &segment_totals_kernel<Types>;
        constexpr auto finish = &finish_segment_totals_kernel<Types>;
        require_kernel<kernel>(ex_, shape::shared_bytes);
        held_scratch taken(ex_, ex_.take_plain_scratch(plain_bytes(given_.n), other_bytes(given_.n)));
        place(given_.scratch, given_.ends.found, taken.data(), given_.n);
        const std::uint64_t tiles = given_.tiles(), supers = (tiles + 31) / 32;
        const int at_once = blocks_of_multiprocessor<kernel>(ex_, shape::threads, shape::shared_bytes);
        const auto most = std::uint64_t(std::max(at_once, 1)) * std::uint64_t(ex_.multiprocessors());
        find_ends(given_.ends, tiles, tiles <= most);
        // Kernels of one source are compiled for the same devices.
        const bool early = given_.ends.waits() && prepare<finish>(ex_, 0, 90) == readiness::ready;
        launch_behind(ex_, early, kernel, unsigned(std::min(tiles, most)), shape::threads,
                      shape::shared_bytes, given_);
        if (tiles > 1) {
            // Few supers are folded by whoever asks for them.
            const bool folds = supers > 32;
            const unsigned blocks = blocks_for_totals(ex_, supers * 32);
            if (folds) launch_early<&fold_segment_tiles_kernel<Types>>(ex_, blocks, totals_threads, given_);
            launch_early<finish>(ex_, blocks, totals_threads, given_, folds);
        }
        taken.release();
        cuda::check(cudaGetLastError(), "launching totals of segments");
    }

  private:
    using shape = segment_totals_shape<Types>;

    static std::size_t place(segment_totals_scratch<Types>& scratch, typename Ends::Found& found, char* data,
                             std::uint64_t n) {
        const std::uint64_t tiles = arguments::tiles_of(n);
        scratch_layout layout(data);
        scratch.place(layout, tiles);
        found.place(layout, tiles, Types::tile);
        return layout.bytes();
    }

    executor& ex_;
    arguments given_;
};

// By offsets, of any number of elements.
template <class Types>
void enqueue_offset_totals(executor& ex, const segment_totals_arguments<Types>& given) {
    const std::uint64_t segments = given.ends.segments;
    if (segments == 0) return;
    if (given.n == 0) {
        const device_scope current(ex);
        ex.check_before_launch();
        fill_kernel<<<blocks_for_totals(ex, segments), totals_threads, 0, ex.stream()>>>(given.out, segments,
                                                                                         given.ends.empty);
        return cuda::check(cudaGetLastError(), "filling in empty segments");
    }
    segment_totals_launch<Types>(ex, given).run([&](auto& ends, std::uint64_t tiles, bool are_few) {
        ends.finds_itself = are_few;
        if (!are_few) {
            find_segments_kernel<<<blocks_for_totals(ex, tiles + 1), totals_threads, 0, ex.stream()>>>(
                ends, tiles, unsigned(Types::tile));
        }
    });
}

// By heads, of n >= 1 elements.
template <class Types>
void enqueue_head_totals(executor& ex, const segment_totals_arguments<Types>& given) {
    using launch = segment_totals_launch<Types>;
    launch(ex, given).run([&](auto& ends, std::uint64_t tiles, bool are_few) {
        ends.marks_itself = tiles == 1;
        ends.sums_counts = are_few;
        if (ends.marks_itself) return;
        const auto most = std::uint64_t(ex.multiprocessors()) * 64;
        mark_heads_kernel<<<unsigned(std::min(tiles, most)), marking_threads, 0, ex.stream()>>>(
            ends.heads, given.n, ends.found, tiles, unsigned(Types::tile / chunk_items));
        if (are_few) return;
        held_scratch other(ex, ex.take_scratch(launch::other_bytes(given.n)));
        scan_counts(ex, other.data(), ends.found.tile_heads, tiles, nullptr);
        other.release();
    });
}

}  // namespace upsweep::cuda::detail
