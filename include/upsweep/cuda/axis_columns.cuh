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
// at once, since loads that queue for memory delay whoever waits for totals. Memory serves wide strips faster
// than narrow ones, so that where columns take several units two or four warps, a team, take neighbouring
// ones by one ticket and copy their rows together; each sums, waits and stores for itself.
//
// Progress: tickets are taken in order by running warps, and loads wait for nothing. A total of rows waits
// for nothing but its elements; what else a warp publishes or waits for is made of what units with smaller
// tickets, or itself, publish.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/axis_column_copies.cuh"
#include "upsweep/cuda/axis_column_left.cuh"
#include "upsweep/cuda/axis_column_shape.cuh"
#include "upsweep/cuda/element_copy.cuh"
#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

namespace detail {

// So many teams of a block load at once, in the order in which they asked. More would fill the queues of the
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

// What the warps of a block share.
struct column_control {
    static constexpr int most_warps = 16;
    column_permits permits;
    ticket next[most_warps];  // of each team
    column_landing landing[most_warps];
};

template <class Types, bool Exclusive>
struct column_scanner : column_mover<Types> {
    using mover = column_mover<Types>;
    using mover::plan, mover::lane, mover::member, mover::unit_at, mover::load, mover::staged, mover::store;
    using typename mover::In, typename mover::Out, typename mover::unit_view;
    template <class T>
    using input_view = typename mover::template input_view<T>;
    using shape = column_shape<Types>;
    using Acc = typename Types::Acc;
    using reading = column_reader<Acc, typename Types::Op>;
    // Whether results can take the places of elements.
    static constexpr bool fits_in_place = sizeof(Out) == sizeof(In) && alignof(Out) <= alignof(In);
    static constexpr int last_input = Types::inputs - 1;

    const axis_arguments<Types>& arguments;
    char* shared;  // the team's
    column_permits& permits;
    ticket& next;  // the team's
    column_landing& landing;
    int team;  // which of the block's

    // Between what is done by warps that copy for each other.
    __device__ __forceinline__ void sync() const {
        if (plan.team == 1)
            __syncwarp();
        else
            asm volatile("barrier.sync %0, %1;" ::"r"(team + 1), "r"(32 * plan.team) : "memory");
    }
    // Input k of a unit, the first of whose team's columns is `team_column`; `slots` is the team's.
    template <int k>
    __device__ __forceinline__ input_view<axis_input<Types, k>> view(
        const core::axis_geometry::offsets& begin, std::uint64_t team_column, char* slots) const {
        const auto& geometry = arguments.geometry;
        const core::axis_geometry::dimension next_column = geometry.fastest();
        const std::int64_t next_stride = k == 0 ? next_column.in_stride : next_column.second_stride;
        const int pitch = shape::row_pitch(plan.width, Types::element_size[k]);
        const bool together = plan.in[k] == column_copies::pieces;
        if (!together) {
            team_column += unsigned(member * plan.width);
            slots += member * plan.rows * pitch;
        }
        return {arguments.template input<k>(begin) + std::int64_t(team_column) * next_stride,
                k == 0 ? geometry.in_stride : geometry.second_stride,
                next_stride,
                plan.in[k],
                slots,
                pitch};
    }

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
        unsigned parity = 0;
        for (;;) {
            sync();
            if (member == 0) {
                permits.acquire(unsigned(plan.permits), lane);
                if (lane == 0) next = take_ticket(state);
            }
            sync();
            const std::uint32_t index = next.index, tag = next.tag;
            if (index >= plan.units) {
                // Every team takes one ticket too many; whoever takes the last of all leaves the counter
                // ready.
                if (member == 0) {
                    permits.release(lane);
                    const unsigned teams = blockDim.x / unsigned(32 * plan.team);
                    if (lane == 0 && index == plan.units + gridDim.x * teams - 1)
                        prepare_next_launch(state, tag);
                }
                return tag;
            }
            const std::uint32_t along = index / plan.groups, group = index - along * plan.groups;
            const std::uint32_t outer = along / plan.row_units;
            const unsigned together = unsigned(plan.team * plan.width);
            const std::uint64_t team_column = std::uint64_t(group) * together;
            const std::uint64_t first_column = team_column + unsigned(member * plan.width);
            const unit_view own = unit_at(
                std::uint64_t(along - outer * plan.row_units) * unsigned(plan.rows),
                plan.columns - team_column < together ? int(plan.columns - team_column) : int(together));
            const std::uint64_t row = own.first_row + own.own_row;

            const auto begin = geometry.begin(outer * plan.columns);
            const input_view<In> input = view<0>(begin, team_column, shared);
            const auto second = view<last_input>(
                begin, team_column, shared + (last_input > 0 ? plan.team * plan.rows * input.pitch : 0));
            const bool by_engine = column_landing::exists && plan.by_engine && own.whole &&
                                   this->is_aligned(own, input) &&
                                   (last_input == 0 || this->is_aligned(own, second));
            if (by_engine) {
                if (lane == 0) landing.expect(unsigned(plan.rows) * this->row_bytes());
                __syncwarp();
                this->start_rows(own, input, landing);
                if constexpr (last_input > 0) this->start_rows(own, second, landing);
            } else {
                load(own, input);
                if constexpr (last_input > 0) load(own, second);
                close_copies();
            }
            axis_source<Types> x;
            x.x = staged(own, input, x.stride);
            if constexpr (last_input > 0) x.second = staged(own, second, x.second_stride);

            lane_state<Types> left(arguments.scan);
            const auto& combine = left.combine;
            const reading reader(combine, plan.columns, tag, plan.width, lane);
            const std::uint64_t place = first_column + unsigned(own.own_column);
            if (carries && carried_outer != outer) {
                carried_outer = outer;
                supers_done = 0;
                carried = left.left.supers;
                has_carried = left.left.has_supers;
            }
            const std::uint64_t tile = own.first_row / 32, super = tile / 32;
            published<Acc> values{tagged, plan.full_rows * sequences};
            std::uint64_t in_sequence = plan.full_rows;
            const auto to_next_level = [&](std::uint64_t next_in_sequence) {
                values.tagged += values.count * shape::words;
                in_sequence = next_in_sequence;
                values.count = in_sequence * sequences;
            };
            const auto place_of = [&](std::uint64_t k) {
                return (outer * in_sequence + k) * plan.columns + place;
            };
            // Where columns take several units, most tiles to the left have been folded before a unit has
            // landed.
            const bool early = !carries && own.width > 0;
            column_level<Acc> tiles{values, int(tile % 32), 0, left.left.tiles, left.left.has_tiles};
            typename reading::pending early_tiles[reading::loads];
            if (early) {
                published<Acc> of_tiles{tagged + values.count * shape::words, plan.full_tiles() * sequences};
                tiles.values = of_tiles.from((outer * plan.full_tiles() + super * 32) * plan.columns + place);
                reader.start(tiles, early_tiles);
            }
            if (by_engine) {
                landing.wait(parity);
                parity ^= 1;
            } else {
                wait_for_copies<0>();
                if (plan.by_engine) column_landing::fence();
                sync();
            }
            if (member == 0) permits.release(lane);
            if (own.width <= 0) continue;
            if (early) reader.take(tiles, early_tiles);

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
                column_level<Acc> now;
                std::uint64_t first;
                now.done = 0;
                if (level == 0) {
                    now.fold = left.left.rows;
                    now.has = left.left.has_rows;
                    first = tile * 32;
                    now.count = int(own.first_row % 32);
                } else if (level == 1) {
                    now.fold = tiles.fold;
                    now.has = tiles.has;
                    now.done = tiles.done;
                    first = super * 32;
                    now.count = tiles.count;
                } else if (carries) {
                    now.fold = carried;
                    now.has = has_carried;
                    first = supers_done;
                    now.count = int(super - supers_done);
                } else {
                    // The fold up to the super before, initial value and all.
                    now.fold = left.left.supers;
                    now.has = left.left.has_supers;
                    first = super - 1;
                    now.count = super > 0 ? 1 : 0;
                    if (super > 0)
                        set_part(
                            combine, false, [&] { return now.fold; }, now.fold, now.has);
                }
                now.values = values.from(place_of(first));
                reader.finish(now);
                if (level == 0) {
                    for (int i = 0; i + 1 < plan.rows; ++i) {
                        const Acc other = shuffle(total, i * plan.width + own.own_column);
                        if (i < own.own_row) {
                            now.fold = combine.join(now.has, now.fold, other);
                            now.has = true;
                        }
                    }
                    left.left.rows = now.fold;
                    left.left.has_rows = now.has;
                    to_next_level(plan.full_tiles());
                } else if (level == 1) {
                    left.left.tiles = now.fold;
                    left.left.has_tiles = now.has;
                    to_next_level(plan.full_supers());
                } else {
                    left.left.supers = carried = now.fold;
                    left.left.has_supers = has_carried = now.has;
                    supers_done = super;
                }
                if (ends) {
                    total = combine.join(now.has, now.fold, total);
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
    using shape = column_shape<Types>;
    static_assert(sizeof(detail::column_control) <= shape::control_bytes &&
                  shape::most_warps <= detail::column_control::most_warps);
    auto& control = *reinterpret_cast<detail::column_control*>(shared);
    if (threadIdx.x == 0) {
        control.permits = {0, 0};
        for (auto& each : control.landing) each.initialize();
        detail::column_landing::publish_initialized();
    }
    __syncthreads();
    const int warp = int(threadIdx.x / 32), team = warp / plan.team;
    const detail::column_scanner<Types, Exclusive> scanner{
        {arguments.scan.n, plan, int(threadIdx.x % 32), warp - team * plan.team},
        arguments,
        shared + shape::control_bytes + team * plan.team * plan.unit_bytes,
        control.permits,
        control.next[team],
        control.landing[warp],
        team};
    const std::uint32_t tag = scanner.run(*state, tagged);
    if (tag == last_tag) {
        __syncthreads();
        if (warp == 0) clear_tags(*state, tagged, words);
    }
}

}  // namespace upsweep::cuda
