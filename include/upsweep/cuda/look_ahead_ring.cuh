// What all warps of the look-ahead scan share: the ring of stages, and the units of rows in it.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/look_ahead_shape.cuh"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/tile_state.cuh"

#if __CUDA_ARCH__ >= 900

namespace upsweep::cuda::detail {

// What the warps know of a stage.
struct stage_state {
    phase_barrier taken;        // the unit is known: for those that find its heads
    phase_barrier full;         // the rows have landed, and heads are found
    phase_barrier summed;       // runs are folded
    phase_barrier summed_rows;  // where units are parts of tiles: rows are totalled
    phase_barrier folded;       // rows are folded
    phase_barrier read;         // where narrow elements are packed in their place: all are in registers
    phase_barrier located;      // what stands to the left is known
    phase_barrier free;         // everything has been stored
    std::int64_t unit;          // -1: there are no more
    std::int64_t previous;      // the block's unit before it; -1: none
    std::uint64_t chosen;       // of a partition, once it is located: in all
    std::int32_t shift[2];      // where the first row starts, for each input
    std::uint32_t tag;
};

// The same where there are many lines: units are numbered from the beginning of their line, and there is no
// previous one if the block's was of another line.
struct line_stage_state : stage_state {
    unsigned long long* totals;  // what is published of the line
    std::int64_t out;            // where its results begin, in elements from where the first line's do
    bool in_stage;               // whether they lie in memory as the first input does, as 16 bytes go
};

// By one warp: waits for `count` published values from `first` on, 1 to 32 of them, and puts them into a line
// of shared memory.
template <class Acc>
__device__ __forceinline__ void read_line(const published<Acc>& totals, std::uint64_t first, int count,
                                          std::uint32_t tag, run_totals<Acc> line, int lane) {
    typename published<Acc>::template pending<1> got;
    for (;;) {
        totals.start_reading(first + (lane < count ? lane : 0), got);
        if (__all_sync(0xffffffffu, got.complete(tag))) break;
        pause_polling();
    }
    __syncwarp();
    if (lane < count) line.store(0, lane, got.value());
    __syncwarp();
}

template <class Types>
struct look_ahead_ring {
    using shape = look_ahead_shape<Types>;
    using Acc = typename Types::Acc;
    using Op = typename Types::Op;
    using state_of_stage = std::conditional_t<Types::has_lines, line_stage_state, stage_state>;
    static_assert(sizeof(state_of_stage) <= shape::stage_state_bytes && Types::inputs <= 2);

    const scan_arguments<Types>& arguments;
    char* shared;
    std::uint64_t n;
    int lane;

    // A position in the ring.
    struct cursor {
        int stage = 0;
        unsigned phase = 0;
        __device__ __forceinline__ void advance() {
            if (++stage == shape::stages) {
                stage = 0;
                phase ^= 1;
            }
        }
    };

    __device__ __forceinline__ char* stage(int s) const { return shared + s * shape::stage_bytes; }
    __device__ __forceinline__ state_of_stage& control(int s) const {
        return reinterpret_cast<state_of_stage*>(shared + shape::states_at)[s];
    }
    // Where the results of the line that has a unit begin, in elements from arguments.out.
    __device__ __forceinline__ std::int64_t line_begin(int s) const {
        if constexpr (Types::has_lines)
            return control(s).out;
        else
            return 0;
    }
    // Of the first line's published totals of tiles or rows, those of the line that has a unit. Measured:
    // where totals are found from a number instead of the address, summing takes a third longer, as nvcc
    // keeps less in registers.
    __device__ __forceinline__ published<Acc> tiles_of_line(const published<Acc>& totals, int s) const {
        if constexpr (Types::has_lines)
            return {control(s).totals, totals.count};
        else
            return totals;
    }
    __device__ __forceinline__ published<Acc> rows_of_line(const published<Acc>& totals, int s) const {
        if constexpr (Types::has_lines)
            return {control(s).totals + shape::tile_count(n) * shape::words, totals.count};
        else
            return totals;
    }
    template <class T>
    __device__ __forceinline__ T* at(int s, int offset) const {
        return reinterpret_cast<T*>(stage(s) + offset);
    }
    // A bit for each element, in the order of memory, of each run in the order of the scan.
    __device__ __forceinline__ typename shape::run_bits* run_bits(int s) const {
        return at<typename shape::run_bits>(s, shape::bits_at);
    }
    __device__ __forceinline__ static std::uint64_t first_item(std::int64_t unit) {
        return std::uint64_t(unit) * shape::unit_items;
    }
    __device__ __forceinline__ int valid_items(std::int64_t unit) const {
        const std::uint64_t left = n - first_item(unit);
        return left < shape::unit_items ? int(left) : shape::unit_items;
    }
    __device__ __forceinline__ int valid_rows(std::int64_t unit) const {
        return (valid_items(unit) + Types::row - 1) / Types::row;
    }

    __device__ void initialize_barriers() const {
        if (threadIdx.x == 0) {
            for (int s = 0; s < shape::stages; ++s) {
                stage_state& own = control(s);
                own.taken.initialize_for_warps(1);
                own.full.initialize_for_warps(1 + shape::head_warps);
                own.summed.initialize_for_warps(shape::warps);
                own.summed_rows.initialize_for_warps(1);
                own.folded.initialize_for_warps(shape::tiles);
                own.read.initialize_for_warps(shape::warps);
                own.located.initialize_for_warps(1);
                own.free.initialize_for_warps(shape::warps);
            }
            phase_barrier::publish_initialized();
        }
        __syncthreads();
    }

    // What a warp needs to know of the unit in a stage.
    struct unit_view {
        std::int64_t unit;
        int rows;      // that exist
        bool plain;    // all rows are full, and the scan's total is not among them
        bool aligned;  // runs start at multiples of their natural access
        int shift[2];
    };
    __device__ __forceinline__ unit_view view(int s) const {
        const stage_state& own = control(s);
        unit_view seen{own.unit, 0, false, false, {0, 0}};
        if (seen.unit < 0) return seen;
        seen.rows = valid_rows(seen.unit);
        seen.plain = first_item(seen.unit) + shape::unit_items + (arguments.total != nullptr) <= n;
        seen.shift[0] = own.shift[0];
        seen.aligned = seen.shift[0] % access_size<Types::items * Types::element_size[0]> == 0;
        if constexpr (Types::inputs == 2) {
            seen.shift[1] = own.shift[1];
            seen.aligned =
                seen.aligned &&
                seen.shift[1] % access_size<Types::items * Types::element_size[Types::inputs - 1]> == 0;
        }
        return seen;
    }

    // What is around a run of the first input: where results replace elements, other warps store theirs
    // meanwhile.
    static constexpr surroundings usual = shape::in_place ? surroundings::foreign : surroundings::readable;
    template <bool Aligned, surroundings Around, int k, class Raw>
    __device__ __forceinline__ void read_raw(Raw& raw, int s, const unit_view& seen, int slot) const {
        constexpr int run_bytes = Types::items * Types::element_size[k];
        constexpr surroundings around = k == 0 ? Around : surroundings::readable;
        const char* run = stage(s) + shape::input_at(k) + seen.shift[k] + slot * run_bytes;
        raw.words = read_run<run_bytes, Types::element_alignment[k], around>(run, Aligned, lane);
        if constexpr (k + 1 < Types::inputs) read_raw<Aligned, Around, k + 1>(raw.rest, s, seen, slot);
    }
    // This lane's run of a row.
    template <bool Plain, bool Aligned, surroundings Around = usual>
    __device__ __forceinline__ typename Types::Raw read(int s, const unit_view& seen, int row,
                                                        bool reverse) const {
        const int rows = Plain ? shape::rows : seen.rows;
        typename Types::Raw raw;
        read_raw<Aligned, Around, 0>(raw.arrays(), s, seen,
                                     reverse ? rows * 32 - 1 - (row * 32 + lane) : row * 32 + lane);
        if constexpr (Types::has_heads && !shape::finds_heads) raw.heads = run_bits(s)[row * 32 + lane];
        return raw;
    }

    // Element m of this lane's run of a row.
    __device__ __forceinline__ Acc element(int s, const unit_view& seen, int row, int m, bool reverse) const {
        const int at = (row * 32 + lane) * Types::items + m;
        const int place = reverse ? seen.rows * Types::row - 1 - at : at;
        const auto load = [&](const auto&... x) {
            if constexpr (Types::has_heads)
                return arguments.load(
                    x..., (run_bits(s)[row * 32 + lane] >> (reverse ? Types::items - 1 - m : m) & 1) != 0);
            else
                return arguments.load(x...);
        };
        return element_at(std::make_integer_sequence<int, Types::inputs>{}, s, seen, place, load);
    }
    template <int... k, class Load>
    __device__ __forceinline__ Acc element_at(std::integer_sequence<int, k...>, int s, const unit_view& seen,
                                              int place, const Load& load) const {
        return convert<Acc>(convert<typename Types::Total>(load(load_element<typename Types::template In<k>>(
            stage(s) + shape::input_at(k) + seen.shift[k] +
                place * int(sizeof(typename Types::template In<k>)),
            seen.aligned, lane)...)));
    }

    // f(in0[i], in1[i], ...) of the element at a place of the unit.
    template <class Function>
    __device__ __forceinline__ void visit(int s, const unit_view& seen, int place, const Function& f) const {
        visit(std::make_integer_sequence<int, Types::inputs>{}, s, seen, place, f);
    }
    template <int... k, class Function>
    __device__ __forceinline__ void visit(std::integer_sequence<int, k...>, int s, const unit_view& seen,
                                          int place, const Function& f) const {
        f(load_element<typename Types::template In<k>>(
            stage(s) + shape::input_at(k) + seen.shift[k] +
                place * int(sizeof(typename Types::template In<k>)),
            seen.aligned, lane)...);
    }

    // The direction as a constant where a path is compiled for it.
    enum class direction { forward, backward, either };
    template <direction Way>
    __device__ __forceinline__ bool reversed() const {
        return Way == direction::either ? arguments.reverse : Way == direction::backward;
    }
};

}  // namespace upsweep::cuda::detail

#endif
