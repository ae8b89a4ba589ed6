// Compaction and partition of one tile a block: by look-back, and by reduce-then-scan.
#pragma once

#include <cstdint>
#include <utility>

#include "upsweep/cuda/choosing.cuh"
#include "upsweep/cuda/chosen_counts.cuh"
#include "upsweep/cuda/tile_block.cuh"
#include "upsweep/cuda/tile_scan.cuh"

namespace upsweep::cuda {

namespace detail {

template <class Types>
struct tile_moves : tile_block<Types> {
    using base = tile_block<Types>;
    using base::n, base::tile, base::warp, base::lane;
    using typename base::shape, typename base::Acc, typename base::Op;
    using Out = typename Types::Out;

    const choose_arguments<Types>& choosing;

    // Whether a warp's rows stay in registers between being counted and being moved, so that an element may
    // be overwritten in the meantime.
    static constexpr bool keeps = Types::widest <= 16;
    typename Types::Raw rows[keeps ? shape::rows_per_warp : 1]{};
    unsigned bits[shape::rows_per_warp]{};

    // Whether whole runs of every input lie at multiples of their natural access, and are short enough to be
    // read straight from memory.
    template <int k = 0>
    __device__ __forceinline__ bool reads_directly() const {
        constexpr int run_bytes = Types::items * Types::element_size[k];
        if constexpr (run_bytes > 32) {
            return false;
        } else {
            const bool own = reinterpret_cast<std::uintptr_t>(choosing.in[k]) % access_size<run_bytes> == 0;
            if constexpr (k + 1 < Types::inputs)
                return own && reads_directly<k + 1>();
            else if constexpr (base::loads_heads)
                return own && choosing.heads.template has_whole_runs<Types::items>(n, false);
            else
                return own;
        }
    }
    // body(k, this lane's run) of this warp's rows, all loads under way before the first is needed where that
    // is possible.
    template <class Body>
    __device__ __forceinline__ void for_each_row(const Body& body) {
        if constexpr (!keeps) {
#pragma unroll 1
            for (int k = 0; k < shape::rows_per_warp; ++k) {
                const int valid = this->valid_items(this->row_of(k));
                if (valid == 0) break;
                this->template read_staged<0>(rows[0].arrays(), this->row_of(k), valid);
                this->template read_heads<false>(rows[0], this->row_of(k), false);
                body(k, rows[0]);
            }
        } else {
            if (reads_directly() && this->is_full()) {
#pragma unroll
                for (int k = 0; k < shape::rows_per_warp; ++k) {
                    this->template read_directly<0>(rows[k].arrays(), this->row_of(k), false);
                    this->template read_heads<true>(rows[k], this->row_of(k), false);
                }
            } else {
#pragma unroll
                for (int k = 0; k < shape::rows_per_warp; ++k) {
                    const int valid = this->valid_items(this->row_of(k));
                    if (valid == 0) continue;
                    this->template read_staged<0>(rows[k].arrays(), this->row_of(k), valid);
                    this->template read_heads<false>(rows[k], this->row_of(k), false);
                }
            }
#pragma unroll
            for (int k = 0; k < shape::rows_per_warp; ++k)
                if (this->valid_items(this->row_of(k)) != 0) body(k, rows[k]);
        }
    }

    __device__ __forceinline__ unsigned bits_of(int k, const typename Types::Raw& raw) const {
        return chosen_bits<Types>(raw, choosing.load,
                                  valid_of_run<Types>(this->valid_items(this->row_of(k)), lane));
    }
    // Counts what is chosen of each of this warp's runs into `totals`.
    __device__ __forceinline__ void count_runs() {
        for_each_row([&](int k, const auto& raw) {
            const unsigned own = bits_of(k, raw);
            if constexpr (keeps) bits[k] = own;
            this->totals().store(this->row_of(k), lane, Acc(__popc(own)));
        });
    }
    // So many elements are chosen of those that this lane looks at, in the tile's rows of its warp.
    __device__ __forceinline__ unsigned count() {
        unsigned count = 0;
        if (keeps && reads_directly() && this->is_full()) {
            for_each_row([&](int k, const auto& raw) { count += unsigned(__popc(bits_of(k, raw))); });
        } else {  // in any order: one element a lane
#pragma unroll 4
            for (int k = 0; k < Types::items * shape::rows_per_warp; ++k) {
                const std::uint64_t i = this->first_item(0) + unsigned((k * shape::warps + warp) * 32 + lane);
                if (i < n) count += is_chosen(choosing, i);
            }
        }
        return count;
    }

    // Moves this warp's rows; S and T are in parts().
    template <bool Both>
    __device__ __forceinline__ void move_rows() {
        left_parts<Acc> left;
        const auto combine = choosing.combine();
        set_part(
            combine, tile / 32 > 0, [&] { return this->parts()[0]; }, left.supers, left.has_supers);
        set_part(
            combine, tile % 32 > 0, [&] { return this->parts()[1]; }, left.tiles, left.has_tiles);
        move_rows<Both>(choosing.chosen_before() + left.supers + left.tiles, Both ? *choosing.chosen : 0);
    }
    // The same, where `before` elements are chosen before the tile, and `in_all` in all.
    template <bool Both>
    __device__ __forceinline__ void move_rows(std::uint64_t before, std::uint64_t in_all) {
        const auto move = [&](int k, const auto& raw, unsigned own) {
            const int row = this->row_of(k), valid = this->valid_items(row);
            move_row<Both>(raw, own, row, valid, before + (row > 0 ? this->row_folds()[row - 1] : 0), in_all);
        };
        if constexpr (keeps) {
#pragma unroll
            for (int k = 0; k < shape::rows_per_warp; ++k)
                if (this->valid_items(this->row_of(k)) != 0) move(k, rows[k], bits[k]);
        } else {
            for_each_row([&](int k, const auto& raw) { move(k, raw, bits_of(k, raw)); });
        }
    }

  private:
    template <bool Both>
    __device__ __forceinline__ void move_row(const typename Types::Raw& raw, unsigned own, int row, int valid,
                                             std::uint64_t begin, std::uint64_t in_all) {
        const int place = lane > 0 ? int(this->totals().load(row, lane - 1)) : 0;
        const std::uint64_t first = this->first_item(row), index = choosing.first + first;
        const int count = __shfl_sync(0xffffffffu, place + __popc(own), 31);
        constexpr int elements_bytes =
            Types::tells_lengths ? Types::row * int(sizeof(typename Types::Packed)) + 16 : shape::image_bytes;
        const packing<Types> area{{this->image(), elements_bytes},
                                  {this->image() + elements_bytes, shape::image_bytes - elements_bytes}};
        pack_run<Types, Both>(area, raw, own, valid_of_run<Types>(valid, lane), place,
                              count + lane * Types::items - place, valid - 1, lane * Types::items);
        __syncwarp();
        deliver(choosing, area.elements, 0, count, begin, index, lane);
        if constexpr (Both)
            deliver(choosing, area.elements, count, valid - count, in_all + (index - begin), index, lane);
        deliver_lengths<Types, Types::row>(choosing, area.places, first, count, begin, lane);
        __syncwarp();
        if (lane == 0 && first + unsigned(valid) == n) choosing.store_upto(begin + unsigned(count));
    }
};

template <class Types>
__device__ __forceinline__ tile_moves<Types> moves_of(const choose_arguments<Types>& arguments, char* shared,
                                                      std::uint64_t n, std::uint64_t tile) {
    return {{arguments, shared, n, tile, int(threadIdx.x / 32), int(threadIdx.x % 32)}, arguments};
}

// A partition of so few tiles that blocks for all of them run at the same time: each keeps its tile until all
// have told how many elements are chosen of theirs.
template <class Types>
__device__ __forceinline__ void partition_at_once(const choose_arguments<Types>& arguments, char* shared,
                                                  launch_state* state, unsigned long long* tagged,
                                                  std::uint64_t words) {
    using shape = tile_shape<Types>;
    using Acc = typename Types::Acc;
    const bool alone = gridDim.x == 1;
    const ticket own = take_block_ticket(*state, *reinterpret_cast<ticket*>(shared + shape::ticket_at));
    const std::uint64_t n = arguments.size(), tiles = shape::tile_count(n);
    if (own.index < tiles) {
        auto block = moves_of(arguments, shared, n, own.index);
        const published<Acc> told{tagged, shape::tile_count(arguments.n)};
        Acc* const counts = block.parts();  // before the tile, and from it on
        block.count_runs();
        __syncthreads();
        if (block.warp == 0) {
            block.fold_rows();
            __syncwarp();
            const Acc count = block.row_folds()[block.valid_rows() - 1];
            if (block.lane == 0 && alone) {
                counts[0] = 0;
                counts[1] = count;
            } else if (block.lane == 0) {
                told.publish(own.index, count, own.tag);
            }
        } else if (block.warp < 3 && !alone) {
            const chosen_counts<Types, 1, 8> all{arguments, n, told, own.tag, block.lane};
            const bool before = block.warp == 1;
            const Acc count = all.template sum<true>(std::int64_t(before ? 0 : own.index),
                                                     std::int64_t(before ? own.index : tiles));
            if (block.lane == 0) counts[before ? 0 : 1] = count;
        }
        __syncthreads();
        block.template move_rows<true>(counts[0], std::uint64_t(counts[0]) + counts[1]);
    } else if (n == 0 && own.index == 0 && threadIdx.x == 0) {
        arguments.store_upto(0);
    }
    if (own.tag == last_tag && threadIdx.x < 32) clear_tags(*state, tagged, words);
}

}  // namespace detail

// As look_back_kernel.
template <class Types, bool Both>
__global__ void __launch_bounds__(tile_shape<Types>::threads)
    look_back_moves_kernel(const __grid_constant__ choose_arguments<Types> arguments, launch_state* state,
                           unsigned long long* tagged, std::uint64_t words) {
    extern __shared__ __align__(128) char shared[];
    if constexpr (Both) {
        if (arguments.at_once) {
            detail::partition_at_once(arguments, shared, state, tagged, words);
            return;
        }
    }
    detail::run_look_back<Types>(
        arguments, shared, state, tagged, words,
        [&](std::uint64_t n, std::uint64_t tile) { return detail::moves_of(arguments, shared, n, tile); },
        [](auto& block) { block.count_runs(); }, [](auto& block) { block.template move_rows<Both>(); });
    if (arguments.size() == 0 && blockIdx.x == 0 && threadIdx.x == 0)
        arguments.store_upto(arguments.chosen_before());
}

// As sum_tiles_kernel: how many elements of every full tile are chosen.
template <class Types>
__global__ void __launch_bounds__(tile_shape<Types>::threads)
    count_tiles_kernel(const __grid_constant__ choose_arguments<Types> arguments,
                       tile_folds<typename Types::Acc> folds) {
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t n = arguments.size();
    if ((blockIdx.x + 1ull) * Types::tile > n) return;
    auto block = detail::moves_of(arguments, shared, n, blockIdx.x);
    block.count_runs();
    __syncthreads();
    if (block.warp != 0) return;
    const auto total = block.fold_rows();
    if (block.lane == 0) folds.tiles[blockIdx.x] = total;
}

// As scan_tiles_kernel.
template <class Types, bool Both>
__global__ void __launch_bounds__(tile_shape<Types>::threads)
    move_tiles_kernel(const __grid_constant__ choose_arguments<Types> arguments,
                      tile_folds<typename Types::Acc> folds) {
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t n = arguments.size();
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0) arguments.store_upto(arguments.chosen_before());
    if (blockIdx.x * std::uint64_t(Types::tile) >= n) return;
    auto block = detail::moves_of(arguments, shared, n, blockIdx.x);
    block.count_runs();
    detail::locate_tile(block, arguments, folds);
    block.template move_rows<Both>();
}

// *count = how many elements are chosen. Any number of blocks. `sum` and `finished` are 0 before and after.
template <class Types>
__global__ void __launch_bounds__(tile_shape<Types>::threads)
    count_chosen_kernel(const __grid_constant__ choose_arguments<Types> arguments, unsigned long long* sum,
                        unsigned* finished, std::uint64_t* count) {
    extern __shared__ __align__(128) char shared[];
    const std::uint64_t n = arguments.size();
    unsigned long long own = 0;
    // From the end: what the move begins with is the latest in the cache then.
    const std::uint64_t tiles = tile_shape<Types>::tile_count(n);
    for (std::uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        own += detail::moves_of(arguments, shared, n, tiles - 1 - tile).count();
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) own += __shfl_down_sync(0xffffffffu, own, distance);
    if (threadIdx.x % 32 == 0) {
        if (own != 0) atomicAdd(sum, own);
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(finished, 1u) + 1 == gridDim.x) {
        __threadfence();
        *count = atomicExch(sum, 0ull);
        *finished = 0;
    }
}

}  // namespace upsweep::cuda
