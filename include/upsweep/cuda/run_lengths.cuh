// How long runs are whose first elements a compaction keeps: differences between the places of first
// elements.
//
// A warp moves the first elements of a piece of the array, a multiple of a row. It knows the places of all of
// them, and so how long each run is but the last, whose end lies in a later piece. Of that one it stores
// where it begins instead, and leaves, for the piece, where the piece's own first run begins and how many
// runs are before it. Once all pieces are done a second kernel goes over them: the run before a piece's first
// one ends where that one begins. So each length is finished by one thread, whatever lies between, and the
// scan is of counts alone.
#pragma once

#include <cstdint>

#include "upsweep/cuda/async.cuh"

namespace upsweep::cuda {

// Where lengths are not wanted.
struct no_lengths {};

// What is known of a piece: 48 bits of how many runs begin before it, and 16 of the place in it of its first
// run, counted from 1; 0 if none begins there.
struct first_run {
    std::uint64_t word;

    static constexpr int most_places = 0xfffe;
    __device__ __forceinline__ static first_run of(std::uint64_t before, int place) {
        return {before << 16 | unsigned(place + 1)};
    }
    __device__ __forceinline__ bool exists() const { return word != 0; }
    __device__ __forceinline__ std::uint64_t before() const { return word >> 16; }
    __device__ __forceinline__ unsigned place() const { return unsigned(word & 0xffff) - 1; }
};

template <class LengthType>
struct run_lengths {
    using Length = LengthType;
    Length* out;
    std::uint64_t room;
    first_run* pieces;  // of the launch

    // By all lanes of a warp, of a piece that begins with element `first` of the array: of its `count` runs,
    // which `begin` are before, the k-th begins at place(k) of it.
    template <class Place>
    __device__ __forceinline__ void store(std::uint64_t piece, std::uint64_t first, std::uint64_t begin,
                                          int count, int lane, const Place& place) const {
#pragma unroll 4
        for (int k = lane; k < count; k += 32) {
            const auto own = unsigned(place(k));
            const std::uint64_t length = k + 1 < count ? unsigned(place(k + 1)) - own : first + own;
            if (begin + unsigned(k) < room) out[begin + unsigned(k)] = static_cast<Length>(length);
        }
        if (lane == 0) pieces[piece] = count > 0 ? first_run::of(begin, int(place(0))) : first_run{0};
    }
};

namespace detail {

// Finishes the lengths of runs that end in pieces [0, count) of a launch, which begins with element `first`,
// or where the array of n elements ends, if `upto`, the number of runs up to there, is given. Any number of
// blocks.
template <class Length>
__global__ void finish_lengths_kernel(run_lengths<Length> lengths, std::uint64_t count, unsigned piece_items,
                                      std::uint64_t first, std::uint64_t n, const std::uint64_t* upto) {
    wait_for_earlier_launch();
    const std::uint64_t thread = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x;
    const std::uint64_t threads = std::uint64_t(gridDim.x) * blockDim.x;
    const auto finish = [&](std::uint64_t run, std::uint64_t end) {
        if (run >= lengths.room) return;
        lengths.out[run] = static_cast<Length>(end - static_cast<std::uint64_t>(lengths.out[run]));
    };
    for (std::uint64_t piece = thread; piece < count; piece += threads) {
        const first_run own = lengths.pieces[piece];
        if (own.exists() && own.before() > 0)
            finish(own.before() - 1, first + piece * piece_items + own.place());
    }
    if (thread == 0 && upto != nullptr && *upto > 0) finish(*upto - 1, n);
}

}  // namespace detail

}  // namespace upsweep::cuda
