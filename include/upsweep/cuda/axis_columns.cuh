// Few sequences side by side, read once: a warp takes units of rows of the tree by ticket, publishes their
// totals as soon as they have landed in shared memory, finds what stands to their left from the totals of
// others, and scans them from shared memory. A row of 128 elements of one sequence a lane.
//
// A unit is too small to be a tile. Whoever has the last rows of a tile finds those before anyway, and
// publishes the tile's total; likewise the last tile of a super and the super's. To the left of a unit stand
// at most 31 rows, 31 tiles and the supers: a lane carries the fold of these from its warp's unit before,
// where that had the same columns; where columns take several units, the fold of all supers up to each is
// published instead, each made of that before.
//
// The warps of a block each have a unit of their own: while some load, others sum, wait and store. Few load
// at once, since loads that queue for memory delay whoever waits for totals.
//
// Progress: tickets are taken in order by running warps, and loads wait for nothing. A total of rows waits
// for nothing but its elements; what else a warp publishes or waits for is made of what units with smaller
// tickets, or itself, publish.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_column_copies.cuh"
#include "upsweep/cuda/axis_column_shape.cuh"
#include "upsweep/cuda/element_copy.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

namespace detail {

// Appends `count` values to a fold as they are published: value k of this lane's column, of which a warp has
// `width`, is at + k * apart. Lanes read for each other: those of the first columns the first value of each,
// the next the second, and so on. By all lanes, with the same count.
template <class Acc, class Op>
__device__ __forceinline__ void append_published(const combiner<Acc, Op>& combine,
                                                 const published<Acc>& values, std::uint64_t at,
                                                 std::uint64_t apart, int count, int width, int lane,
                                                 std::uint32_t tag, Acc& fold, bool& has) {
    int done = 0;
    constexpr int batch = 8 / words_for<sizeof(Acc)>;  // loads of a lane at once
    const int across = 32 / width, reader = lane / width, column = lane - reader * width;
    const unsigned columns = 0xffffffffu >> (32 - width);
#pragma unroll 1
    while (done < count) {
        const int left = reader < across ? count - done - reader : 0;  // of this lane's and behind
        std::uint64_t next = at + std::uint64_t(done + reader) * apart;
        typename published<Acc>::template pending<1> got[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k, next += std::uint64_t(across) * apart)
            values.start_reading_if(k * across < left, next, got[k]);
        bool stopped = false;
#pragma unroll
        for (int k = 0; k < batch; ++k) {
            const unsigned there = __ballot_sync(0xffffffffu, got[k].complete(tag));
            const Acc own = got[k].value();
#pragma unroll 1
            for (int i = 0; i < across && !stopped; ++i) {
                if ((~there & columns << (i * width)) != 0) {
                    stopped = true;
                    break;
                }
                fold = combine.join(has, fold, shuffle(own, i * width + column));
                has = true;
                ++done;
            }
            if (stopped) break;
        }
        if (done < count && stopped) pause_polling();
    }
}

// So many warps of a block load at once, in the order in which they asked. More would fill the queues of the
// memory, in which whoever asks for totals stands too.
struct column_permits {
    unsigned asked, ended;

    // Those that asked later may have ended by the time that this one looks.
    __device__ __forceinline__ void acquire(unsigned most, int lane) {
        if (lane == 0) {
            const unsigned own = atomicAdd(&asked, 1u);
            while (static_cast<int>(own - *const_cast<volatile unsigned*>(&ended)) >= static_cast<int>(most))
                __nanosleep(20);
        }
        __syncwarp();
    }
    __device__ __forceinline__ void release(int lane) {
        if (lane == 0) atomicAdd(&ended, 1u);
    }
};

template <class Types, bool Exclusive>
struct column_scanner : column_mover<Types> {
    using mover = column_mover<Types>;
    using mover::plan, mover::lane, mover::unit_at, mover::load, mover::staged, mover::store;
    using typename mover::In, typename mover::Out, typename mover::unit_view;
    template <class T>
    using input_view = typename mover::template input_view<T>;
    using shape = column_shape<Types>;
    using Acc = typename Types::Acc;
    // Whether results can take the places of elements.
    static constexpr bool fits_in_place = sizeof(Out) == sizeof(In) && alignof(Out) <= alignof(In);

    const axis_arguments<Types>& arguments;
    char* shared;  // the warp's
    column_permits& permits;

    // Returns the launch's tag.
    __device__ __forceinline__ std::uint32_t run(launch_state& state, unsigned long long* tagged) const {
        const auto& geometry = arguments.geometry;
        const core::axis_geometry::dimension next_column = geometry.fastest();
        const std::uint64_t sequences = geometry.sequence_count;
        const bool carries = plan.groups == 1;
        // The fold of so many supers of this lane's sequence, and the initial value.
        std::uint64_t supers_done = 0;
        std::uint32_t carried_outer = ~0u;
        Acc carried{};
        bool has_carried = false;
        for (;;) {
            permits.acquire(unsigned(plan.permits), lane);
            ticket next{};
            if (lane == 0) next = take_ticket(state);
            const std::uint32_t index = __shfl_sync(0xffffffffu, next.index, 0);
            const std::uint32_t tag = __shfl_sync(0xffffffffu, next.tag, 0);
            if (index >= plan.units) {
                permits.release(lane);
                // Every warp takes one ticket too many; whoever takes the last of all leaves the counter
                // ready.
                if (lane == 0 && index == plan.units + gridDim.x * (blockDim.x / 32) - 1)
                    prepare_next_launch(state, tag);
                return tag;
            }
            const std::uint32_t along = index / plan.groups, group = index - along * plan.groups;
            const std::uint32_t outer = along / plan.row_units;
            const std::uint64_t first_column = std::uint64_t(group) * unsigned(plan.width);
            const int width = plan.columns - first_column < std::uint64_t(plan.width)
                                  ? int(plan.columns - first_column)
                                  : plan.width;
            const unit_view own =
                unit_at(std::uint64_t(along - outer * plan.row_units) * unsigned(plan.rows), width);
            const std::uint64_t row = own.first_row + own.own_row;

            const auto begin = geometry.begin(outer * plan.columns);
            const input_view<In> input{
                arguments.template input<0>(begin) + std::int64_t(first_column) * next_column.in_stride,
                geometry.in_stride,
                next_column.in_stride,
                plan.in[0],
                shared,
                shape::row_pitch(plan.width, int(sizeof(In)))};
            axis_source<Types> x;
            load(own, input);
            x.x = staged(own, input, x.stride);
            if constexpr (Types::inputs == 2) {
                using Second = axis_input<Types, Types::inputs - 1>;
                const input_view<Second> second{arguments.template input<Types::inputs - 1>(begin) +
                                                    std::int64_t(first_column) * next_column.second_stride,
                                                geometry.second_stride,
                                                next_column.second_stride,
                                                plan.in[1],
                                                shared + plan.rows * input.pitch,
                                                shape::row_pitch(plan.width, int(sizeof(Second)))};
                load(own, second);
                x.second = staged(own, second, x.second_stride);
            }
            close_copies();

            lane_state<Types> left(arguments.scan);
            const auto& combine = left.combine;
            const std::uint64_t place = first_column + unsigned(own.own_column);
            if (carries && carried_outer != outer) {
                carried_outer = outer;
                supers_done = 0;
                carried = left.left.supers;
                has_carried = left.left.has_supers;
            }
            wait_for_copies<0>();
            __syncwarp();
            permits.release(lane);

            const std::uint64_t tile = own.first_row / 32, super = tile / 32;
            published<Acc> values{tagged, plan.full_rows * sequences};
            std::uint64_t in_sequence = plan.full_rows;
            const auto place_of = [&](std::uint64_t k) {
                return (outer * in_sequence + k) * plan.columns + place;
            };
            Acc total{};
            bool ends = false;  // this lane's row is the last of a tile, or of a super
            if (own.own_count == lane_row) {
                total = sum_row_of_lane(arguments.scan, x);
                values.publish(place_of(row), total, tag);
                ends = row % 32 == 31;
            }
            // What stands to the left: rows first, as others wait for whoever has the last of a tile, then
            // tiles, then supers.
#pragma unroll 1
            for (int level = 0; level < 3; ++level) {
                Acc fold;
                bool has;
                std::uint64_t first;
                int count;
                if (level == 0) {
                    fold = left.left.rows;
                    has = left.left.has_rows;
                    first = tile * 32;
                    count = int(own.first_row % 32);
                } else if (level == 1) {
                    fold = left.left.tiles;
                    has = left.left.has_tiles;
                    first = super * 32;
                    count = int(tile % 32);
                } else if (carries) {
                    fold = carried;
                    has = has_carried;
                    first = supers_done;
                    count = int(super - supers_done);
                } else {
                    // The fold up to the super before, initial value and all.
                    fold = left.left.supers;
                    has = left.left.has_supers;
                    first = super - 1;
                    count = super > 0 ? 1 : 0;
                    if (super > 0)
                        set_part(
                            combine, false, [&] { return fold; }, fold, has);
                }
                append_published(combine, values, place_of(first), plan.columns, count, plan.width, lane, tag,
                                 fold, has);
                if (level == 0) {
                    for (int i = 0; i + 1 < plan.rows; ++i) {
                        const Acc other = shuffle(total, i * plan.width + own.own_column);
                        if (i < own.own_row) {
                            fold = combine.join(has, fold, other);
                            has = true;
                        }
                    }
                    left.left.rows = fold;
                    left.left.has_rows = has;
                } else if (level == 1) {
                    left.left.tiles = fold;
                    left.left.has_tiles = has;
                } else {
                    left.left.supers = carried = fold;
                    left.left.has_supers = has_carried = has;
                    supers_done = super;
                }
                if (level < 2) {
                    values.tagged += values.count * shape::words;
                    in_sequence = level == 0 ? plan.full_tiles() : plan.full_supers();
                    values.count = in_sequence * sequences;
                }
                if (ends) {
                    total = combine.join(has, fold, total);
                    if (level == 0 || (level == 1) == carries)
                        values.publish(place_of(level == 0 ? tile : super), total, tag);
                    if (level == 0) ends = tile % 32 == 31;
                }
            }
            const std::int64_t out_stride = geometry.out_stride;
            Out* const out =
                arguments.scan.out + begin.out + std::int64_t(first_column) * next_column.out_stride;
            Out* own_out =
                out + own.own_column * next_column.out_stride + std::int64_t(row) * lane_row * out_stride;
            const bool in_place =
                fits_in_place && plan.in[0] == column_copies::blocks && plan.out == column_copies::blocks;
            if (in_place) {
                if constexpr (fits_in_place) {
                    scan_row_of_lane<Exclusive>(arguments.scan, left, x,
                                                reinterpret_cast<Out*>(const_cast<In*>(x.x)), x.stride,
                                                own.own_count, true);
                    __syncwarp();
                    store(own, input, out, out_stride);
                }
            } else {
                scan_row_of_lane<Exclusive>(arguments.scan, left, x, own_out, out_stride, own.own_count,
                                            true);
            }
            __syncwarp();
        }
    }
};

}  // namespace detail

// One block a multiprocessor, of as many warps as have room for a unit each. The workspace is a launch_state
// and `words` tagged words.
template <class Types, bool Exclusive>
__global__ void __launch_bounds__(32 * column_shape<Types>::most_warps, 1)
    scan_columns_kernel(const __grid_constant__ axis_arguments<Types> arguments,
                        const __grid_constant__ column_plan plan, launch_state* state,
                        unsigned long long* tagged, std::uint64_t words) {
    extern __shared__ __align__(128) char shared[];
    auto& permits = *reinterpret_cast<detail::column_permits*>(shared);
    if (threadIdx.x == 0) permits = {0, 0};
    __syncthreads();
    const int warp = int(threadIdx.x / 32);
    const detail::column_scanner<Types, Exclusive> scanner{
        {arguments.scan.n, plan, int(threadIdx.x % 32)},
        arguments,
        shared + column_shape<Types>::permits_bytes + warp * plan.unit_bytes,
        permits};
    const std::uint32_t tag = scanner.run(*state, tagged);
    if (tag == last_tag) {
        __syncthreads();
        if (warp == 0) clear_tags(*state, tagged, words);
    }
}

}  // namespace upsweep::cuda
