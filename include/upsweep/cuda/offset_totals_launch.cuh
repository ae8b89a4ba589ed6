// From typed arguments to the kernels that make one total a segment, by offsets, in a stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/offset_totals.cuh"
#include "upsweep/cuda/offset_totals_tile.cuh"

namespace upsweep::cuda::detail {

template <class Out>
__global__ void fill_kernel(Out* out, std::uint64_t count, const Out value) {
    const std::uint64_t step = std::uint64_t(gridDim.x) * blockDim.x;
    for (std::uint64_t k = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; k < count; k += step)
        out[k] = value;
}

// A call whose arguments are found good, but for what this chooses itself.
template <class Types>
class offset_totals_launch {
  public:
    using arguments = offset_totals_arguments<Types>;

    offset_totals_launch(executor& ex, const arguments& given) : ex_(ex), given_(given) {}

    static std::size_t scratch_bytes(std::uint64_t n) {
        return offset_totals_scratch<Types>{}.place(nullptr, arguments::tiles_of(n));
    }

    void run() {
        if (given_.segments == 0) return;
        const device_scope current(ex_);
        ex_.check_before_launch();
        if (given_.n == 0) {
            fill_kernel<<<blocks(given_.segments), threads, 0, ex_.stream()>>>(given_.out, given_.segments,
                                                                               given_.empty);
            return cuda::check(cudaGetLastError(), "filling in empty segments");
        }
        constexpr auto kernel = &offset_totals_kernel<Types>;
        require_kernel<kernel>(ex_, shape::shared_bytes);
        held_scratch taken(ex_, ex_.take_plain_scratch(scratch_bytes(given_.n)));
        const std::uint64_t tiles = given_.tiles(), supers = (tiles + 31) / 32;
        given_.scratch.place(taken.data(), tiles);
        const int at_once = blocks_of_multiprocessor<kernel>(ex_, shape::threads, shape::shared_bytes);
        const auto most = std::uint64_t(std::max(at_once, 1)) * std::uint64_t(ex_.multiprocessors());
        given_.finds_itself = tiles <= most;
        if (!given_.finds_itself)
            find_segments_kernel<Types><<<blocks(tiles + 1), threads, 0, ex_.stream()>>>(given_);
        kernel<<<unsigned(std::min(tiles, most)), shape::threads, shape::shared_bytes, ex_.stream()>>>(
            given_);
        if (tiles > 1) {
            // Few supers are folded by whoever asks for them.
            const bool folds = supers > 32;
            if (folds)
                launch_early<&fold_offset_tiles_kernel<Types>>(ex_, blocks(supers * 32), threads, given_);
            launch_early<&finish_offset_totals_kernel<Types>>(ex_, blocks(supers * 32), threads, given_,
                                                              folds);
        }
        taken.release();
        cuda::check(cudaGetLastError(), "launching totals of segments");
    }

  private:
    using shape = offset_totals_shape<Types>;
    static constexpr unsigned threads = 128;

    [[nodiscard]] unsigned blocks(std::uint64_t wanted) const {
        const std::uint64_t most = std::uint64_t(ex_.multiprocessors()) * 16;
        return unsigned(std::min((wanted + threads - 1) / threads, most));
    }

    executor& ex_;
    arguments given_;
};

}  // namespace upsweep::cuda::detail
