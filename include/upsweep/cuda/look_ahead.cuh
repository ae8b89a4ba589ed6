// The scan for Hopper and later: one persistent block a multiprocessor, whose warps have roles.
//
//   loader      takes units of rows by ticket and has the copy engine bring them into a ring of stages
//   summing     fold runs as soon as a stage has landed, then rows and tiles, and publish the tiles' totals;
//               with several stages in flight, totals run ahead of the scan
//   look-ahead  one warp, or two in turn, fold the totals of all tiles between this block's previous unit and
//               its present one: no block waits for another's prefix, only for totals, which depend on
//               nothing
//   scanning    combine what stands to the left with each element and store; where one result a segment is
//               kept, rows in which none begins are passed over
//   heads       where elements are in segments: ask what describes these which elements begin one; where
//               it is the elements themselves, the warps that sum do
//
// A look-back would publish prefixes and wait for them; here every block computes the prefix itself, from
// totals alone, in the order of the tree. That costs one read of n / 4096 totals a block, from the cache.
//
// A unit is one, two or four tiles; or, where a tile of large elements does not fit into a stage, a power of
// two of its rows. Then rows publish their totals too, and one more warp joins the parts of a tile: the block
// that has its last rows publishes its total.
//
// Progress: tickets are taken in order by running blocks, and a block waits only for totals of units with
// smaller tickets, whose owners fold them without waiting for anyone.
#pragma once

#include <cstdint>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/look_ahead_counts.cuh"
#include "upsweep/cuda/look_ahead_heads.cuh"
#include "upsweep/cuda/look_ahead_left.cuh"
#include "upsweep/cuda/look_ahead_loader.cuh"
#include "upsweep/cuda/look_ahead_results.cuh"
#include "upsweep/cuda/look_ahead_ring.cuh"
#include "upsweep/cuda/look_ahead_shape.cuh"
#include "upsweep/cuda/look_ahead_totals.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

namespace detail {

// The kernels' body. `results(ring, warp)` is the part of the warps that scan.
template <class Types, class Results>
__device__ __forceinline__ void run_look_ahead(const scan_arguments<Types>& arguments, launch_state* state,
                                               unsigned long long* tagged, std::uint64_t words,
                                               const Results& results) {
#if __CUDA_ARCH__ >= 900
    using shape = look_ahead_shape<Types>;
    using Acc = typename Types::Acc;
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t tiles = shape::tile_count(arguments.n);
    const std::uint64_t n = arguments.size();
    const int warp = int(threadIdx.x / 32);
    const look_ahead_ring<Types> ring{arguments, shared, n, int(threadIdx.x % 32)};
    ring.initialize_barriers();
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0) arguments.store_empty_total();

    constexpr int loading_warp = 2 * shape::warps;
    if (warp < shape::warps) {
        results(ring, warp);
    } else if (warp == loading_warp) {
        look_ahead_loader<Types>{ring, *state, tagged}.load();
    } else {
        const published<Acc> tile_totals{tagged, tiles};
        const published<Acc> row_totals{tagged + tiles * words_for<sizeof(Acc)>,
                                        shape::row_count(arguments.n)};
        const look_ahead_totals<Types> totals{ring, tile_totals, row_totals};
        const int look_ahead_warp = warp - loading_warp - 1;
        const int head_warp = look_ahead_warp - shape::look_ahead_warps - (shape::parts > 1);
        if (warp < loading_warp)
            totals.sum(warp - shape::warps);
        else if (shape::head_warps > 0 && head_warp >= 0)
            look_ahead_heads<Types>{ring}.find(head_warp);
        else if (look_ahead_warp >= shape::look_ahead_warps)
            totals.join_parts_of_tiles();
        else if constexpr (Types::chooses)
            look_ahead_counts<Types>{ring, tile_totals}.run();
        else
            look_ahead_left<Types>{ring, tile_totals}.run(look_ahead_warp);
    }
    if (ring.control(0).tag == last_tag) {
        __syncthreads();
        if (warp == 0) clear_tags(*state, tagged, words);
    }
#endif
}

}  // namespace detail

// One block a multiprocessor, or as many as there are units if those are fewer. The workspace is a
// launch_state and `words` tagged words.
template <class Types, bool Exclusive>
__global__ void __launch_bounds__(look_ahead_shape<Types>::threads, 1)
    look_ahead_kernel(const __grid_constant__ scan_arguments<Types> arguments, launch_state* state,
                      unsigned long long* tagged, std::uint64_t words) {
#if __CUDA_ARCH__ >= 900
    detail::run_look_ahead(arguments, state, tagged, words, [](const auto& ring, int warp) {
        detail::look_ahead_results<Types, Exclusive>{ring}.scan(warp);
    });
#endif
}

}  // namespace upsweep::cuda
