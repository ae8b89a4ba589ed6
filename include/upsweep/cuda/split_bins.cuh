// One pass of an extraction of bins over one portion of the elements: each goes to where the elements of its
// bin, and before them those of smaller bins, leave off.
//
// Blocks take tiles by ticket, rank a tile's elements by bin (digit_ranks.cuh), gather them by bins in shared
// memory and store them from there, neighbours of a bin together. How many elements of a bin earlier tiles
// have is found by looking back, a thread a bin (digit_look_back.cuh).
#pragma once

#include <cstdint>

#include "upsweep/cuda/bin_classes.cuh"
#include "upsweep/cuda/digit_look_back.cuh"
#include "upsweep/cuda/digit_ranks.cuh"
#include "upsweep/cuda/split_shape.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

namespace detail {

// One block at its tiles. A number of `bins` stands for no bin.
template <class Arguments>
class splitter {
    using shape = typename Arguments::shape;
    using In = typename Arguments::In;
    using Out = typename Arguments::Out;
    using Gathered = typename shape::Gathered;
    static constexpr int items = shape::items;
    using Beside = typename Arguments::Beside;
    using held = held_element<In>[shape::holds_elements ? items : 1];
    using held_values = held_element<Beside>[shape::holds_values ? items : 1];
    static constexpr bool numbers = Arguments::numbers;
    using held_numbers = std::uint32_t[numbers && shape::holds_values ? items : 1];

  public:
    __device__ __forceinline__ splitter(const Arguments& given, char* shared)
        : given_(given),
          bins_(given.classes.bins()),
          lane_(threadIdx.x % 32),
          warp_(threadIdx.x / 32),
          counters_(reinterpret_cast<std::uint32_t*>(shared)),
          starts_(reinterpret_cast<std::uint64_t*>(shared + shape::counters_bytes)),
          begins_(reinterpret_cast<std::uint32_t*>(shared + shape::counters_bytes + shape::starts_bytes)),
          ordinals_(begins_ + shape::begins_bytes / 4),
          sums_(ordinals_ + shape::ordinals_bytes / 4),
          gathered_(reinterpret_cast<Gathered*>(shared + shape::gathered_at)),
          rows_(reinterpret_cast<uint2*>(shared + shape::rows_at)),
          own_counters_(
              static_cast<std::uint32_t>(__cvta_generic_to_shared(counters_ + warp_ * shape::line))) {}

    __device__ __forceinline__ void run() {
        const std::uint64_t all = given_.extent.size();
        if (all <= given_.first) return;
        n_ = min(all - given_.first, digit_portion);
        tiles_ = static_cast<unsigned>((n_ - 1) / shape::tile + 1);
        in_ = given_.in + given_.first;
        if (threadIdx.x < bins_)
            origin(threadIdx.x) = given_.portion == 0
                                      ? given_.starts[std::uint64_t(threadIdx.x) << given_.starts_shift]
                                      : portion_starts(given_.portion)[threadIdx.x];
        if (threadIdx.x == 0) first_word() = take_ticket();
        __syncthreads();
        unsigned tile = first_word();
        held x;
        if (tile < tiles_) load(tile, x);
        while (tile < tiles_) {
            if (elements(tile) == shape::tile)
                tile = move<true>(tile, x);
            else
                tile = move<false>(tile, x);
        }
    }

  private:
    // Moves tile `tile`, whose elements are in registers, to where they belong; returns the next one, whose
    // elements are loaded while the block looks back.
    template <bool Whole>
    __device__ __forceinline__ unsigned move(unsigned tile, held& x) const {
        unsigned next = 0;
        if (threadIdx.x == 0) next = take_ticket();
        clear();
        unsigned found[items];
        held_numbers number;
        find_bins<Whole>(tile, x, found, number);
        held_values values;
        load_values<Whole>(tile, values);
        rank(found);
        if (threadIdx.x == 0) shared_word() = next;
        __syncthreads();
        next = shared_word();

        std::uint32_t count = 0;
        if (threadIdx.x < bins_) {
#pragma unroll
            for (int w = 0; w < shape::warps; ++w) count += counters_[w * shape::line + threadIdx.x];
            look(tile, threadIdx.x).publish(count, tile + 1 != tiles_);
        }
        locate(count);
        __syncthreads();
        gather(x, values, number, found);
        if constexpr (shape::holds_values) forget(x);
        if (next < tiles_) load(next, x);
        const bool lacks_room = __syncthreads_or(look_back(tile)) != 0;
        const unsigned chosen = begins_[bins_];
        if (chosen == shape::tile && !lacks_room) {
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                put<false>(tile, threadIdx.x + k * shape::threads, warp_ + k * shape::warps);
        } else {
            for (unsigned at = threadIdx.x; at < chosen; at += shape::threads) put<true>(tile, at, at / 32);
        }
        __syncthreads();
        return next;
    }

    __device__ __forceinline__ unsigned take_ticket() const { return atomicAdd(given_.ticket, 1u); }
    // Of one word that the block shares, between its barriers.
    __device__ __forceinline__ std::uint32_t& shared_word() const { return sums_[15]; }
    // Another, written once: what is read of it need not be read before the next barrier.
    __device__ __forceinline__ std::uint32_t& first_word() const { return sums_[14]; }

    // Where this thread's element k lies in the tile.
    __device__ __forceinline__ unsigned place(int k) const {
        return warp_ * (32 * items) + unsigned(k) * 32 + lane_;
    }
    __device__ __forceinline__ unsigned elements(unsigned tile) const {
        return static_cast<unsigned>(min(n_ - std::uint64_t(tile) * shape::tile, std::uint64_t(shape::tile)));
    }
    __device__ __forceinline__ const In* tile_in(unsigned tile) const {
        return in_ + std::uint64_t(tile) * shape::tile;
    }
    __device__ __forceinline__ digit_look_back look(unsigned tile, unsigned bin) const {
        return {given_.counts, given_.launch, tile, bin};
    }
    __device__ __forceinline__ std::uint64_t* portion_starts(unsigned portion) const {
        return given_.portion_starts + portion % 2 * split_most_bins;
    }
    // Where in the result a bin begins, before this portion.
    __device__ __forceinline__ std::uint64_t& origin(unsigned bin) const {
        return starts_[split_most_bins + bin];
    }

    __device__ __forceinline__ void load(unsigned tile, held& x) const {
        if constexpr (shape::holds_elements) {
            const In* const from = tile_in(tile);
            const unsigned valid = elements(tile);
            if (valid == shape::tile) {
#pragma unroll
                for (int k = 0; k < items; ++k) load_moved(from + place(k), x[k]);
            } else {
#pragma unroll
                for (int k = 0; k < items; ++k)
                    if (place(k) < valid) load_moved(from + place(k), x[k]);
            }
        }
    }
    template <bool Whole>
    __device__ __forceinline__ void load_values(unsigned tile, held_values& values) const {
        if constexpr (shape::holds_values) {
            const Beside* const from = given_.beside_tile(tile);
            const unsigned valid = Whole ? unsigned(shape::tile) : elements(tile);
#pragma unroll
            for (int k = 0; k < items; ++k)
                if (Whole || place(k) < valid) values[k].value = from[place(k)];
        }
    }
    // The warp's counters, and the block's rows.
    __device__ __forceinline__ void clear() const {
        auto* const counters = reinterpret_cast<uint4*>(counters_ + warp_ * shape::line);
        for (unsigned k = lane_; k <= bins_ / 4; k += 32) counters[k] = {};
        for (unsigned k = threadIdx.x; k < shape::rows; k += shape::threads) rows_[k].x = 0;
        __syncwarp();
    }
    template <bool Whole>
    __device__ __forceinline__ void find_bins(unsigned tile, const held& x, unsigned (&found)[items],
                                              held_numbers& number) const {
        const unsigned valid = Whole ? unsigned(shape::tile) : elements(tile);
        in_one_way(given_.numbering(), [&](const auto& bin_of) {
#pragma unroll
            for (int k = 0; k < items; ++k) {
                found[k] = bins_;
                if (Whole || place(k) < valid) {
                    std::uint32_t bin;
                    if constexpr (shape::holds_elements)
                        bin = bin_of(x[k].value);
                    else
                        bin = bin_of(tile_in(tile)[place(k)]);
                    if constexpr (numbers) {
                        if constexpr (shape::holds_values) number[k] = bin;
                        bin = given_.classes.digit(bin);
                    }
                    found[k] = min(bin, bins_);
                }
            }
        });
    }
    // Bins become bins and ranks: how many of the warp's elements before an element are of its bin. Counters
    // receive how many there are in all.
    __device__ __forceinline__ void rank(unsigned (&found)[items]) const {
        unsigned own = 0;
#pragma unroll
        for (int k = 0; k < items; ++k) own |= found[k];
        const unsigned present = __reduce_or_sync(0xffffffffu, own);
        if (present < 1u << 2)
            rank_few<2>(found);
        else if (present < 1u << 5)
            rank_few<5>(found);
        else if (present < 1u << 6)
            rank_many<6>(found);
        else if (present < 1u << 8)
            rank_many<8>(found);
        else
            rank_many<9>(found);
    }
    // Numbers of so many bits, a lane for each that there may be: it finds which lanes have that number, and
    // keeps count of them.
    template <unsigned Bits>
    __device__ __forceinline__ void rank_few(unsigned (&found)[items]) const {
        const unsigned below = lane_masks(lane_).below;
        unsigned count = 0;
#pragma unroll
        for (int k = 0; k < items; ++k) {
            const unsigned bin = found[k];
            const unsigned lanes = lanes_with_number<Bits>(bin, lane_, 0xffffffffu);
            const unsigned equal = __shfl_sync(0xffffffffu, lanes, int(bin));
            const unsigned before = __shfl_sync(0xffffffffu, count, int(bin));
            found[k] = bin * 4 | (before + __popc(equal & below)) << 16;
            count += __popc(lanes);
        }
        if (lane_ < 1u << Bits && lane_ <= bins_) counters_[warp_ * shape::line + lane_] = count;
        __syncwarp();
    }
    template <unsigned Bits>
    __device__ __forceinline__ void rank_many(unsigned (&found)[items]) const {
        const lane_masks lane(lane_);
#pragma unroll
        for (int k = 0; k < items; ++k) {
            const unsigned bin = found[k];
            found[k] = bin * 4 | rank_digit<Bits>(bin, own_counters_ + bin * 4, lane) << 16;
        }
    }

    // Counters become where in the tile the elements of a warp and bin begin, bins in order, within a bin
    // warps in order, behind all of them what has no bin. Rows receive where bins begin that are not empty.
    // Called by all threads, those of the bins with how many elements the tile has of theirs; followed by a
    // barrier.
    __device__ __forceinline__ void locate(std::uint32_t count) const {
        // In the lower half elements, in the upper one bins that are not empty.
        const std::uint32_t own = count | (count != 0 ? 1u << 16 : 0);
        std::uint32_t upto = own;
        if (threadIdx.x < split_most_bins) {
#pragma unroll
            for (unsigned distance = 1; distance < 32; distance *= 2) {
                const std::uint32_t left = __shfl_up_sync(0xffffffffu, upto, distance);
                if (lane_ >= distance) upto += left;
            }
            if (lane_ == 31) sums_[warp_] = upto;
        }
#if defined(UPSWEEP_CUDA_RACECHECK)
        __syncthreads();  // racecheck loses count of the block's barriers behind one of some threads
#endif
        if (threadIdx.x >= split_most_bins) return;
#if !defined(UPSWEEP_CUDA_RACECHECK)
        asm volatile("bar.sync 1, %0;" ::"n"(split_most_bins) : "memory");
#endif
        if (threadIdx.x >= bins_) return;
        std::uint32_t before = upto - own;
#pragma unroll
        for (unsigned w = 0; w < split_most_bins / 32; ++w) before += w < warp_ ? sums_[w] : 0;
        const std::uint32_t at = before & 0xffff;
        locate_warps(threadIdx.x, at);
        ordinals_[threadIdx.x] = before >> 16;
        if (count != 0) atomicOr(&rows_[at / 32].x, 1u << at % 32);
        if (threadIdx.x + 1 == bins_) locate_warps(bins_, at + count);
    }
    __device__ __forceinline__ void locate_warps(unsigned bin, std::uint32_t at) const {
        begins_[bin] = at;
#pragma unroll
        for (int w = 0; w < shape::warps; ++w) {
            std::uint32_t& counter = counters_[w * shape::line + bin];
            const std::uint32_t own = counter;
            counter = at;
            at += own;
        }
    }

    __device__ __forceinline__ void gather(const held& x, const held_values& values,
                                           const held_numbers& number, const unsigned (&found)[items]) const {
#pragma unroll
        for (int k = 0; k < items; ++k) {
            const unsigned at = load_shared(own_counters_ + (found[k] & 0xffff)) + (found[k] >> 16);
            if constexpr (shape::holds_values && numbers)
                gathered_[at] = {number[k], convert<decltype(Out::value)>(values[k].value)};
            else if constexpr (shape::holds_values)
                gathered_[at] = convert<Gathered>(values[k].value);
            else if constexpr (shape::gathers_elements)
                gathered_[at] = convert_moved<Gathered>(x[k].value);
            else
                gathered_[at] = static_cast<Gathered>(place(k));
        }
    }

    // Finds where the tile's elements of each bin go, one of the last threads for each bin, while the first
    // warp counts rows. Tells whether they lack room.
    __device__ __forceinline__ bool look_back(unsigned tile) const {
        if (warp_ == 0) count_rows();
        if (threadIdx.x < shape::threads - split_most_bins) return false;
        const unsigned bin = threadIdx.x - (shape::threads - split_most_bins);
        if (bin >= bins_) return false;
        const std::uint32_t begin = begins_[bin], count = begins_[bin + 1] - begin;
        const digit_look_back own = look(tile, bin);
        const std::uint32_t before = own.records_before();
        const std::uint64_t start = origin(bin) + before;
        if (tile + 1 == tiles_)
            portion_starts(given_.portion + 1)[bin] = start + count;
        else
            own.publish_group(before + count);
        // The address of the tile's first element, were it of this bin.
        if (count != 0)
            starts_[ordinals_[bin]] =
                reinterpret_cast<std::uintptr_t>(given_.out) + (start - begin) * sizeof(Out);
        return start + count > given_.room;
    }
    // How many bins begin before each row, less one: the ordinal of the bin of its first element, if none
    // begins there.
    __device__ __forceinline__ void count_rows() const {
        constexpr unsigned each = (shape::rows + 31) / 32;
        const unsigned first = lane_ * each;
        unsigned sum = 0;
#pragma unroll
        for (unsigned k = 0; k < each; ++k)
            if (first + k < shape::rows) sum += __popc(rows_[first + k].x);
        unsigned upto = sum;
#pragma unroll
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const unsigned left = __shfl_up_sync(0xffffffffu, upto, distance);
            if (lane_ >= distance) upto += left;
        }
        unsigned before = upto - sum;
#pragma unroll
        for (unsigned k = 0; k < each; ++k) {
            if (first + k >= shape::rows) break;
            rows_[first + k].y = before - 1;
            before += __popc(rows_[first + k].x);
        }
    }

    // What is at place `at`, of row `row`, of the tile's elements by bins, to where it belongs.
    template <bool Checks>
    __device__ __forceinline__ void put(unsigned tile, unsigned at, unsigned row) const {
        const uint2 begun = rows_[row];
        const unsigned ordinal = begun.y + __popc(begun.x & (~0u >> (31 - lane_)));
        const std::uint64_t to = starts_[ordinal] + at * std::uint64_t(sizeof(Out));
        if constexpr (Checks) {
            const auto end = reinterpret_cast<std::uintptr_t>(given_.out) + given_.room * sizeof(Out);
            if (to >= end) return;
        }
        // A generic address: stores to what the compiler knows as global memory it puts behind all reads of
        // shared memory, and that burst takes longer.
        Out& out = *reinterpret_cast<Out*>(to);
        if constexpr (shape::gathers_elements)
            copy_moved(gathered_[at], out);
        else if constexpr (Arguments::moved == moving::elements)
            out = convert_moved<Out>(tile_in(tile)[gathered_[at]]);
        else if constexpr (numbers)
            out = {given_.numbering()(tile_in(tile)[gathered_[at]]),
                   convert<decltype(Out::value)>(given_.beside_tile(tile)[gathered_[at]])};
        else if constexpr (Arguments::moved == moving::values)
            out = convert<Out>(given_.beside_tile(tile)[gathered_[at]]);
        else
            out = static_cast<Out>(given_.first + std::uint64_t(tile) * shape::tile + gathered_[at]);
    }

    const Arguments& given_;
    unsigned bins_, lane_, warp_;
    std::uint32_t* counters_;
    std::uint64_t* starts_;
    std::uint32_t* begins_;
    std::uint32_t* ordinals_;
    std::uint32_t* sums_;
    Gathered* gathered_;
    uint2* rows_;
    std::uint32_t own_counters_;  // address in shared memory
    std::uint64_t n_ = 0;
    unsigned tiles_ = 0;
    const In* in_ = nullptr;
};

}  // namespace detail

template <class Arguments>
__global__ void __launch_bounds__(Arguments::shape::threads, split_blocks_per_multiprocessor)
    split_bins_kernel(Arguments arguments) {
    extern __shared__ __align__(128) char shared[];  // shape::alignment
    detail::splitter<Arguments>(arguments, shared).run();
}

}  // namespace upsweep::cuda
