// Bodies of the engine for totals along an axis; included by the file that instantiates them. Nothing is
// allocated but the totals of tiles, where threads share the elements of lanes; a task's accumulators and
// buffers are on its thread's stack, less than 128 KiB.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "src/cpu/lane_scanner-impl.hpp"
#include "src/cpu/reduce-impl.hpp"
#include "upsweep/cpu/axis_reduce.hpp"

namespace upsweep::cpu {

template <class Acc, bool Exact>
class axis_totals {
  public:
    using scanner = lane_scanner<Acc, Exact>;
    static constexpr std::size_t line = cache_line<Acc>;
    static constexpr std::size_t widest_share = 16384 / sizeof(Acc);  // lanes of a row that a thread takes
    static constexpr std::size_t narrowest_share = 256 / sizeof(Acc);
    static constexpr std::size_t group_lanes = 64;
    static constexpr std::size_t shortest_line = 256;  // elements from which a sequence is totalled by itself
    static constexpr std::size_t strips_task_bytes = 65536;

    axis_totals(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, const sink<Acc>& out,
                const axis_geometry& geometry, const std::optional<Acc>& initial)
        : op_(op),
          ex_(ex),
          kernels_(op.kernels(ex.simd())),
          memory_(memory_kernels_for(ex.simd())),
          in_(in),
          out_(out),
          geometry_(geometry),
          fastest_(geometry.fastest()),
          initial_(initial),
          start_(initial.value_or(op.identity)),
          work_(geometry.length * geometry.sequence_count * std::max(in.element_size, sizeof(Acc))) {}

    void run() {
        const bool long_lines = geometry_.length >= shortest_line;
        const simd_level level = level_for_lanes(op_, ex_.simd(), fastest_.extent);
        if (fastest_.in_stride == 1 && fastest_.extent > 1 &&
            (long_lines || fastest_.extent >= op_.kernels(level).least_lanes))
            run_lanes(level);
        else if (long_lines && (std::abs(geometry_.in_stride) == 1 || geometry_.sequence_count < line))
            run_lines();
        else if (in_.plain && geometry_.in_stride == 1 && geometry_.length < shortest_line)
            run_strips();
        else
            run_groups();
    }

  private:
    [[nodiscard]] std::size_t helpers_for(std::size_t tasks) const {
        return std::min(ex_.helpers_for(work_) + 1, tasks) - 1;
    }
    // The totals of neighbours, from sequence number `first` on.
    void store(std::size_t first, std::size_t count, const Acc* totals) const {
        sink<Acc> to = moved(out_, geometry_.begin(first).second);
        to.stride = fastest_.second_stride;
        to.store(to, memory_, 0, count, totals);
    }

    // Blocks of lanes as wide as every thread can have. Of fewer than there are threads, tiles are shared
    // out.
    void run_lanes(simd_level level) const {
        const std::size_t row_lanes = fastest_.extent, rows = geometry_.sequence_count / row_lanes;
        const scanner lanes(op_, level, in_, {}, geometry_, false, {false, lead_of(ex_, work_)});
        const std::size_t threads = ex_.helpers_for(work_) + 1, fair = row_lanes * rows / threads;
        const lane_parts<Acc> parts(row_lanes, std::clamp(fair / line * line, narrowest_share, widest_share));
        const std::size_t blocks = rows * parts.count(), tiles = geometry_.length / core::tile_size;
        const auto range_of = [&](std::size_t block) -> lane_range {
            return {geometry_.begin(first_of(parts, block)), parts.lanes(block % parts.count())};
        };
        if (blocks >= threads || tiles < 2) {
            for_each_task(ex_, std::min(threads, blocks) - 1, blocks, [&](std::size_t block) {
                const lane_range range = range_of(block);
                block_state state(range.lanes, start_, op_.identity);
                for (std::size_t tile = 0; tile < tiles; ++tile) {
                    fold_tile(lanes, range, tile, totals_of(state));
                    state.pass(op_, (tile + 1) * core::tile_size);
                }
                finish(lanes, range, first_of(parts, block), state);
            });
            return;
        }
        const std::size_t width = geometry_.sequence_count;
        const std::unique_ptr<Acc[]> totals(new Acc[tiles * width]);
        const auto totals_at = [&](std::size_t tile, std::size_t block) {
            return totals.get() + tile * width + first_of(parts, block);
        };
        for_each_task(ex_, threads - 1, tiles * blocks, [&](std::size_t task) {
            const std::size_t tile = task / blocks, block = task % blocks;
            const lane_range range = range_of(block);
            std::fill_n(totals_at(tile, block), range.lanes, op_.identity);
            fold_tile(lanes, range, tile, totals_at(tile, block));
        });
        for (std::size_t block = 0; block < blocks; ++block) {
            const lane_range range = range_of(block);
            block_state state(range.lanes, start_, op_.identity);
            for (std::size_t tile = 0; tile < tiles; ++tile) {
                op_.combine_all(totals_of(state), totals_at(tile, block), range.lanes);
                state.pass(op_, (tile + 1) * core::tile_size);
            }
            finish(lanes, range, first_of(parts, block), state);
        }
    }
    using block_state = lane_state<Acc, Exact, most_lanes<Acc>>;
    // What rows of a tile are folded into.
    static Acc* totals_of(block_state& state) {
        const auto arrays = state.arrays();
        return Exact ? arrays.supers : arrays.rows;
    }
    // The number of a block's first sequence.
    [[nodiscard]] std::size_t first_of(const lane_parts<Acc>& parts, std::size_t block) const {
        return block / parts.count() * fastest_.extent + parts.first(block % parts.count());
    }
    void fold_tile(const scanner& lanes, const lane_range& range, std::size_t tile, Acc* totals) const {
        lanes.fold(range, tile * core::tile_size, core::tile_size, totals);
    }
    // What is behind the last whole tile, and the results.
    void finish(const scanner& lanes, const lane_range& range, std::size_t sequence,
                block_state& state) const {
        const std::size_t first = geometry_.length / core::tile_size * core::tile_size;
        lanes.fold_last(range, first, geometry_.length - first, state.arrays());
        store(sequence, range.lanes, state.supers);
    }

    // One after the other, of which memory may have the next where caches have one.
    void run_lines() const {
        const folded_input<Acc, Exact> input(op_, ex_, in_, lead_of_totals<Exact>(ex_, work_));
        for_each_sequence(ex_, geometry_, std::max(in_.element_size, sizeof(Acc)),
                          [&](executor& with, std::size_t sequence) {
                              const std::ptrdiff_t at = geometry_.begin(sequence).in;
                              const Acc total =
                                  with.threads() == 1
                                      ? reduce_alone(op_, input.moved(at), geometry_.length, start_)
                                      : run_reduce(op_, with, moved(in_, at), geometry_.length, initial_);
                              store(sequence, 1, &total);
                          });
    }

    // Short sequences that lie in one piece: as many as a vector has lanes at a time.
    void run_strips() const {
        constexpr std::size_t buffered = 8192 / sizeof(Acc);
        const std::size_t length = geometry_.length, rows = geometry_.sequence_count / fastest_.extent;
        const std::size_t together =
            std::clamp(strips_task_bytes / (length * sizeof(Acc)), std::size_t{1}, fastest_.extent);
        const std::size_t blocks = (fastest_.extent + together - 1) / together;
        for_each_task(ex_, helpers_for(rows * blocks), rows * blocks, [&](std::size_t task) {
            alignas(64) Acc results[buffered];
            const std::size_t row = task / blocks * fastest_.extent;
            const std::size_t end = std::min(fastest_.extent, (task % blocks + 1) * together);
            strip_block<Acc> block{};
            block.x_pitch = fastest_.in_stride;
            block.y = results;
            block.length = length;
            block.last_alone = true;
            for (std::size_t k = task % blocks * together; k < end; k += block.count) {
                block.x = static_cast<const Acc*>(in_.data) + geometry_.begin(row + k).in;
                block.count = std::min(buffered, end - k);
                kernels_.scan_strips(block, start_);
                store(row + k, block.count, results);
            }
        });
    }

    void run_groups() const {
        const std::size_t of_row = (fastest_.extent + group_lanes - 1) / group_lanes;
        const std::size_t groups = geometry_.sequence_count / fastest_.extent * of_row;
        for_each_task(ex_, helpers_for(groups), groups, [&](std::size_t group) {
            const std::size_t lane = group % of_row * group_lanes;
            total_group(group / of_row * fastest_.extent + lane,
                        std::min(group_lanes, fastest_.extent - lane));
        });
    }
    void total_group(std::size_t first_sequence, std::size_t count) const {
        alignas(64) Acc row[core::row_size];
        lane_state<Acc, Exact, group_lanes> state(count, start_, op_.identity);
        const std::ptrdiff_t begin = geometry_.begin(first_sequence).in;
        for (std::size_t first = 0; first < geometry_.length; first += core::row_size) {
            const std::size_t items = std::min(core::row_size, geometry_.length - first);
            for (std::size_t lane = 0; lane < count; ++lane) {
                const auto at = begin + static_cast<std::ptrdiff_t>(lane) * fastest_.in_stride;
                in_.load(moved(in_, at), memory_, first, items, row);
                if constexpr (Exact)
                    state.supers[lane] = kernels_.fold(row, items, state.supers[lane]);
                else
                    kernels_.fold_rows(row, items, &state.rows[lane], {});
            }
            state.pass(op_, first + items);
        }
        if constexpr (!Exact) {
            op_.combine_all(state.tiles, state.rows, count);
            op_.combine_all(state.supers, state.tiles, count);
        }
        store(first_sequence, count, state.supers);
    }

    const operation<Acc, Exact>& op_;
    executor& ex_;
    const typename operation<Acc, Exact>::kernel_table& kernels_;
    const memory_kernels& memory_;
    source<Acc> in_;
    sink<Acc> out_;
    const axis_geometry& geometry_;
    axis_geometry::dimension fastest_;
    std::optional<Acc> initial_;
    Acc start_;
    std::size_t work_;  // bytes of elements or of accumulators, whichever are larger
};

template <class Acc, bool Exact>
void run_axis_reduce(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in,
                     const sink<Acc>& out, const axis_geometry& geometry, const std::optional<Acc>& initial) {
    axis_totals<Acc, Exact>(op, ex, in, out, geometry, initial).run();
}

}  // namespace upsweep::cpu
