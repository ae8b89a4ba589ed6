// The elements of a stretch of an array, moved to where their bins lie, in order: ranked by the warps of a
// block, gathered by bins in shared memory, and stored from there, neighbours of a bin together.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/choosing.cuh"
#include "upsweep/cuda/count_bins.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

template <moving What, class OutType, class InType, class ClassesType>
struct split_arguments {
    using In = InType;
    using Out = OutType;
    using Classes = ClassesType;
    static constexpr bool moves_elements = What == moving::elements;

    const In* in;
    array_cut cut;
    Classes classes;
    Out* out;
    std::uint64_t room;
    // before[bin * stretches + stretch]: elements of earlier bins, and of this one in earlier stretches.
    const std::uint64_t* before;
    std::uint64_t* offsets;  // of the bins, written by the first block; null: not wanted
};

namespace detail {

// A block's tile: what a thread takes at once, and the shared memory it passes through.
template <class Arguments>
struct split_shape {
    using In = typename Arguments::In;
    using Out = typename Arguments::Out;
    // What is gathered: elements, unless they fill a sector of memory by themselves; or places in the tile.
    using Staged = std::conditional_t<Arguments::moves_elements, Out, std::uint16_t>;
    static constexpr bool stages = !Arguments::moves_elements || sizeof(Out) <= 32;
    static constexpr int widest = sizeof(In) > sizeof(Staged) ? sizeof(In) : sizeof(Staged);
    static constexpr int items = widest <= 4 ? 16 : widest <= 8 ? 8 : widest <= 16 ? 4 : widest <= 32 ? 2 : 1;
    static constexpr int warps = 16;
    static constexpr int threads = 32 * warps;
    static constexpr int tile = threads * items;

    static constexpr int aligned(int bytes) { return (bytes + 15) / 16 * 16; }
    // In order: addresses of the bins; counters of the warps; sums; and either which lanes have which bin, or
    // gathered elements and their bins.
    static constexpr int addresses_bytes(int bins) { return aligned(bins * 8); }
    // A warp's counters or lanes, of the bins and what has none: whole pieces of 16 bytes.
    static constexpr int line(int bins) { return (bins + 8) / 8 * 8; }
    static constexpr int counters_bytes(int bins) { return warps * line(bins) * 2; }
    static constexpr int sums_bytes = warps * 4;
    static constexpr int staged_bytes = stages ? aligned(tile * int(sizeof(Staged))) : 0;
    static constexpr int bins_bytes = stages ? tile * 2 : 0;
    static constexpr int lanes_bytes(int bins) { return warps * line(bins) * 4; }
    static constexpr int shared_bytes(int bins) {
        const int gathered = staged_bytes + bins_bytes;
        return addresses_bytes(bins) + counters_bytes(bins) + sums_bytes +
               (gathered > lanes_bytes(bins) ? gathered : lanes_bytes(bins));
    }
};

// An element in a register or not there yet, of a type that may have no default constructor.
template <class T>
union held_element {
    T value;
    __device__ __forceinline__ held_element() {}
};

// One block at its stretch, tile by tile. A number of `bins` stands for no bin.
template <class Arguments>
class splitter {
    using shape = split_shape<Arguments>;
    using In = typename Arguments::In;
    using Out = typename Arguments::Out;
    using Staged = typename shape::Staged;
    static constexpr int items = shape::items;

  public:
    __device__ __forceinline__ splitter(const Arguments& arguments, char* shared)
        : arguments_(arguments),
          bins_(arguments.classes.bins()),
          line_(unsigned(shape::line(int(bins_)))),
          lane_(threadIdx.x % 32),
          warp_(threadIdx.x / 32) {
        const int bins = int(bins_);
        address_ = reinterpret_cast<std::uint64_t*>(shared);
        char* const behind_addresses = shared + shape::addresses_bytes(bins);
        counters_ = reinterpret_cast<std::uint16_t*>(behind_addresses);
        char* const behind_counters = behind_addresses + shape::counters_bytes(bins);
        sums_ = reinterpret_cast<std::uint32_t*>(behind_counters);
        char* const rest = behind_counters + shape::sums_bytes;
        lanes_ = reinterpret_cast<std::uint32_t*>(rest);
        staged_ = reinterpret_cast<Staged*>(rest);
        staged_bin_ = reinterpret_cast<std::uint16_t*>(rest + shape::staged_bytes);
    }

    __device__ __forceinline__ void run() {
        const std::uint64_t n = arguments_.cut.size();
        const std::uint64_t first = min(std::uint64_t(blockIdx.x) * arguments_.cut.each, n);
        const std::uint64_t end = min(first + arguments_.cut.each, n);
        for (unsigned bin = threadIdx.x; bin < bins_; bin += shape::threads) {
            const std::uint64_t before = arguments_.before[bin * std::uint64_t(gridDim.x) + blockIdx.x];
            address_[bin] = reinterpret_cast<std::uintptr_t>(arguments_.out) + before * sizeof(Out);
            if (blockIdx.x == 0 && arguments_.offsets != nullptr) arguments_.offsets[bin] = before;
        }
        std::uint64_t tile = first;
        for (; end - tile >= std::uint64_t(shape::tile); tile += shape::tile)
            move<true>(tile, unsigned(shape::tile));
        if (tile != end) move<false>(tile, unsigned(end - tile));
    }

  private:
    template <bool Whole>
    __device__ __forceinline__ void move(std::uint64_t tile, unsigned valid) {
        const unsigned from = warp_ * (32 * items) + lane_;
        held_element<In> x[items];
        unsigned found[items];
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (Whole || from + k * 32 < valid) x[k].value = arguments_.in[tile + from + k * 32];
        clear_counters();
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            found[k] = bins_;
            if (Whole || from + k * 32 < valid) found[k] = min(arguments_.classes(x[k].value), bins_);
        }
        rank(found);
        __syncthreads();
        const unsigned chosen = locate();
        if constexpr (shape::stages) {
#pragma unroll
            for (unsigned k = 0; k < items; ++k) {
                const unsigned bin = bin_of(found[k]), at = place_of(found[k]);
                if (bin == bins_) continue;
                if constexpr (Arguments::moves_elements)
                    staged_[at] = convert<Staged>(x[k].value);
                else
                    staged_[at] = static_cast<Staged>(from + k * 32);
                staged_bin_[at] = static_cast<std::uint16_t>(bin);
            }
            __syncthreads();
            if (chosen == shape::tile) {
#pragma unroll
                for (unsigned k = 0; k < items; ++k) put_staged(tile, threadIdx.x + k * shape::threads);
            } else {
                for (unsigned at = threadIdx.x; at < chosen; at += shape::threads) put_staged(tile, at);
            }
        } else {
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (bin_of(found[k]) != bins_)
                    put(bin_of(found[k]), place_of(found[k]), convert<Out>(x[k].value));
        }
        __syncthreads();
        // Behind this tile's elements, which end where the next bin's begin.
        for (unsigned bin = threadIdx.x; bin < bins_; bin += shape::threads)
            address_[bin] += (bin + 1 < bins_ ? counters_[bin + 1] : chosen) * std::uint64_t(sizeof(Out));
        __syncthreads();
    }

    // This warp's, and which of its lanes have which bin.
    __device__ __forceinline__ void clear_counters() const {
        auto* const counters = reinterpret_cast<uint4*>(counters_ + warp_ * line_);
        auto* const lanes = reinterpret_cast<uint4*>(lanes_ + warp_ * line_);
        for (unsigned k = lane_; k < line_ / 8; k += 32) {
            counters[k] = {};
            lanes[2 * k] = {};
            lanes[2 * k + 1] = {};
        }
        __syncwarp();
    }
    // Bins become bins and ranks: how many of the warp's elements before an element are of its bin. Counters
    // receive how many there are in all.
    __device__ __forceinline__ void rank(unsigned (&found)[items]) const {
        std::uint16_t* const counters = counters_ + warp_ * line_;
        std::uint32_t* const lanes = lanes_ + warp_ * line_;
        const unsigned below = (1u << lane_) - 1, above = ~below << 1;
        const bool matches = bins_ <= split_matched_bins;
#pragma unroll
        for (int k = 0; k < items; ++k) {
            const unsigned bin = found[k];
            unsigned equal = 0xffffffffu;
            if (matches) {
                equal = __match_any_sync(0xffffffffu, bin);
            } else {
                int all = 0;
                __match_all_sync(0xffffffffu, bin, &all);
                if (all == 0) {
                    atomicOr(lanes + bin, 1u << lane_);
                    __syncwarp();
                    equal = lanes[bin];
                }
            }
            const unsigned rank = counters[bin] + __popc(equal & below);
            __syncwarp();
            if ((equal & above) == 0) {
                counters[bin] = static_cast<std::uint16_t>(rank + 1);
                lanes[bin] = 0;
            }
            __syncwarp();
            found[k] = bin | rank << 16;
        }
    }
    __device__ __forceinline__ static unsigned bin_of(unsigned found) { return found & 0xffffu; }
    // In the tile's elements by bins, when these are located.
    __device__ __forceinline__ unsigned place_of(unsigned found) const {
        return counters_[warp_ * line_ + bin_of(found)] + (found >> 16);
    }

    // Counters become where in the tile the elements of a warp and bin begin, bins by threads in turn, a
    // bin's warps in order; addresses those of the tile's first element, were it of that bin. Returns how
    // many elements have a bin.
    __device__ __forceinline__ unsigned locate() const {
        unsigned done = 0;
        for (unsigned round = 0; round < bins_; round += shape::threads) {
            const unsigned bin = round + threadIdx.x;
            unsigned sum = 0;
            if (bin < bins_) {
#pragma unroll
                for (int w = 0; w < shape::warps; ++w) sum += counters_[w * line_ + bin];
            }
            unsigned upto = sum;
#pragma unroll
            for (unsigned distance = 1; distance < 32; distance *= 2) {
                const unsigned left = __shfl_up_sync(0xffffffffu, upto, distance);
                if (lane_ >= distance) upto += left;
            }
            if (lane_ == 31) sums_[warp_] = upto;
            __syncthreads();
            unsigned left = 0, all = 0;
#pragma unroll
            for (unsigned w = 0; w < shape::warps; ++w) {
                left += w < warp_ ? sums_[w] : 0;
                all += sums_[w];
            }
            if (bin < bins_) {
                unsigned at = done + left + upto - sum;
                address_[bin] -= at * std::uint64_t(sizeof(Out));
#pragma unroll
                for (int w = 0; w < shape::warps; ++w) {
                    const unsigned count = counters_[w * line_ + bin];
                    counters_[w * line_ + bin] = static_cast<std::uint16_t>(at);
                    at += count;
                }
            }
            done += all;
            __syncthreads();
        }
        return done;
    }

    __device__ __forceinline__ void put_staged(std::uint64_t tile, unsigned at) const {
        if constexpr (Arguments::moves_elements)
            put(staged_bin_[at], at, staged_[at]);
        else
            put(staged_bin_[at], at, static_cast<Out>(tile + staged_[at]));
    }
    // What is at place `at` of the tile's elements by bins, to where it belongs, if there is room.
    __device__ __forceinline__ void put(unsigned bin, unsigned at, const Out& value) const {
        const std::uint64_t to = address_[bin] + at * std::uint64_t(sizeof(Out));
        const std::uint64_t end =
            reinterpret_cast<std::uintptr_t>(arguments_.out) + arguments_.room * sizeof(Out);
        if (to < end) *reinterpret_cast<Out*>(to) = value;
    }

    const Arguments& arguments_;
    unsigned bins_, line_;
    unsigned lane_, warp_;
    std::uint64_t* address_;
    std::uint16_t* counters_;
    std::uint32_t* sums_;
    std::uint32_t* lanes_;
    Staged* staged_;
    std::uint16_t* staged_bin_;
};

}  // namespace detail

template <class Arguments>
__global__ void __launch_bounds__(detail::split_shape<Arguments>::threads, split_blocks_per_multiprocessor)
    split_bins_kernel(Arguments arguments) {
    extern __shared__ __align__(128) char shared[];
    detail::splitter<Arguments>(arguments, shared).run();
}

}  // namespace upsweep::cuda
