// Bodies of the axis engine; included by the file that instantiates them. Nothing is allocated: a task's
// accumulators and buffers are on its thread's stack, less than 100 KiB.
#pragma once

#include <algorithm>
#include <utility>

#include "hwy/cache_control.h"
#include "upsweep/cpu/axis.hpp"

namespace upsweep::cpu {

template <class Acc, class Op>
class axis_engine {
  public:
    static constexpr bool exact = is_exact<Op, Acc>;
    static constexpr std::size_t line = 64 / sizeof(Acc);  // elements of a cache line
    static constexpr std::size_t narrowest_share =
        256 / sizeof(Acc);  // lanes of a row that a thread takes at least
    static constexpr std::size_t wide_share = 2048 / sizeof(Acc);   // that it takes if it can
    static constexpr std::size_t chain_lanes = 4096 / sizeof(Acc);  // lanes that are chained together
    static constexpr std::size_t largest_chunk_bytes = 512 * 1024;  // of tiles; otherwise rows are chained
    static constexpr std::size_t group_lanes = 256;
    static constexpr std::size_t group_bytes = 16384;  // of a group's buffer
    static constexpr std::size_t shortest_line = 256;  // elements from which a sequence is scanned as a line
    static constexpr std::size_t strips_task_bytes = 65536;  // of input

    axis_engine(executor& ex, const source<Acc>& in, const sink<Acc>& out, const axis_geometry& geometry,
                bool exclusive, bool in_place, const std::optional<Acc>& initial)
        : ex_(ex),
          kernels_(kernels_for<Acc, Op>(ex.simd())),
          memory_(memory_kernels_for(ex.simd())),
          in_(in),
          out_(out),
          geometry_(geometry),
          exclusive_(exclusive),
          in_place_(in_place),
          start_(initial.value_or(Op::template identity<Acc>())),
          footprint_(geometry.length * geometry.sequence_count * (in.element_size + out.element_size)) {}

    void run() {
        const auto fastest = geometry_.fastest();
        const bool plain = in_.plain && out_.plain;
        const bool side_by_side = plain && fastest.in_stride == 1 && fastest.out_stride == 1 &&
                                  fastest.extent >= 32 / sizeof(Acc) && geometry_.length > 1;
        const bool one_after_another =
            std::abs(geometry_.in_stride) == 1 && std::abs(geometry_.out_stride) == 1;
        if (side_by_side)
            run_lanes();
        else if (geometry_.length >= shortest_line && (one_after_another || geometry_.sequence_count < line))
            run_lines();
        else if (plain && geometry_.in_stride == 1 && geometry_.out_stride == 1)
            run_strips();
        else
            run_groups();
    }

  private:
    // The state of at most `capacity` neighbouring lanes between rows. For an exact operator `supers` is the
    // running value.
    template <std::size_t capacity>
    struct lane_state {
        alignas(64) Acc supers[capacity];
        alignas(64) Acc tiles[exact ? 1 : capacity];
        alignas(64) Acc rows[exact ? 1 : capacity];
        std::size_t lanes;
        std::size_t tile_count = 0;

        lane_state(std::size_t count, Acc start) : lanes(count) {
            std::fill_n(supers, lanes, start);
            if constexpr (!exact) {
                std::fill_n(tiles, lanes, Op::template identity<Acc>());
                std::fill_n(rows, lanes, Op::template identity<Acc>());
            }
        }
        lane_state(const lane_state& other) { *this = other; }
        lane_state& operator=(const lane_state& other) {
            if (this == &other) return *this;
            lanes = other.lanes;
            tile_count = other.tile_count;
            std::copy_n(other.supers, lanes, supers);
            if constexpr (!exact) {
                std::copy_n(other.tiles, lanes, tiles);
                std::copy_n(other.rows, lanes, rows);
            }
            return *this;
        }

        // Appends a complete tile with these totals. `rows` starts afresh.
        void push_tile(const Acc* totals) {
            for (std::size_t lane = 0; lane < lanes; ++lane) tiles[lane] = Op()(tiles[lane], totals[lane]);
            if (++tile_count % core::tiles_per_super == 0) {
                for (std::size_t lane = 0; lane < lanes; ++lane)
                    supers[lane] = Op()(supers[lane], tiles[lane]);
                std::fill_n(tiles, lanes, Op::template identity<Acc>());
            }
            std::fill_n(rows, lanes, Op::template identity<Acc>());
        }
    };

    // Scans block.length elements of block.lanes lanes, of which `done` came before in their tile, and which
    // do not pass its end.
    template <std::size_t capacity>
    void scan_lanes(const lane_block<Acc>& block, std::size_t done, lane_state<capacity>& state) const {
        if constexpr (exact) {
            kernels_.scan_lanes(block, state.supers);
        } else {
            kernels_.scan_lanes(block, state.supers, state.tiles, state.rows);
            if (done + block.length == core::tile_size) state.push_tile(state.rows);
        }
    }
    // The same for any number of elements from a tile on.
    template <std::size_t capacity>
    void scan_long_lanes(const lane_block<Acc>& block, lane_state<capacity>& state) const {
        for (std::size_t first = 0; first < block.length; first += core::tile_size)
            scan_lanes(part_of(block, first, std::min(core::tile_size, block.length - first)), 0, state);
    }
    static lane_block<Acc> part_of(lane_block<Acc> block, std::size_t first, std::size_t length) {
        block.x += static_cast<std::ptrdiff_t>(first) * block.x_stride;
        block.y += static_cast<std::ptrdiff_t>(first) * block.y_stride;
        block.length = length;
        return block;
    }

    static void ask_for(const lane_block<Acc>& block) {
        for (std::size_t i = 0; i < block.length; ++i) {
            const Acc* x = block.x + static_cast<std::ptrdiff_t>(i) * block.x_stride;
            for (std::size_t lane = 0; lane < block.lanes; lane += line) hwy::Prefetch(x + lane);
        }
        asm volatile("");  // keeps GCC from taking this for a function without effect
    }

    [[nodiscard]] bool may_stream() const { return !in_place_ && footprint_ >= streaming_bytes(); }

    [[nodiscard]] lane_block<Acc> block_at(axis_geometry::offsets at, std::size_t lanes) const {
        lane_block<Acc> block{};
        block.x = static_cast<const Acc*>(in_.data) + at.in;
        block.x_stride = geometry_.in_stride;
        block.y = static_cast<Acc*>(out_.data) + at.out;
        block.y_stride = geometry_.out_stride;
        block.length = geometry_.length;
        block.lanes = lanes;
        block.exclusive = exclusive_;
        const bool streaming = may_stream() && reinterpret_cast<std::uintptr_t>(block.y) % 64 == 0 &&
                               block.y_stride * static_cast<std::ptrdiff_t>(sizeof(Acc)) % 64 == 0;
        block.where = streaming ? placement::streamed : placement::cached;
        return block;
    }

    // As wide blocks of lanes as every thread can have: memory likes to be read in long stretches, and
    // threads do not like to write to the same cache lines.
    void run_lanes() {
        const std::size_t row_lanes = geometry_.fastest().extent;
        const std::size_t rows = geometry_.sequence_count / row_lanes;
        const std::size_t shares = rows * ((row_lanes + wide_share - 1) / wide_share);
        const std::size_t threads = ex_.helpers_for(footprint_) + 1;
        if (shares < threads && geometry_.length >= 2 * core::row_size) {
            for (std::size_t row = 0; row < rows; ++row) run_lane_chain(row * row_lanes, row_lanes);
            return;
        }
        const std::size_t fair = row_lanes * rows / threads;
        const std::size_t block_lanes =
            std::clamp(fair / line * line, std::min(narrowest_share, most_lanes<Acc>), most_lanes<Acc>);
        const std::size_t blocks = (row_lanes + block_lanes - 1) / block_lanes;
        for_each_task(ex_, std::min(threads, rows * blocks) - 1, rows * blocks, [&](std::size_t task) {
            const std::size_t lane = task % blocks * block_lanes;
            const std::size_t lanes = std::min(block_lanes, row_lanes - lane);
            lane_state<most_lanes<Acc>> state(lanes, start_);
            const lane_block<Acc> block = block_at(geometry_.begin(task / blocks * row_lanes + lane), lanes);
            scan_long_lanes(block, state);
            if (block.where == placement::streamed) memory_.fence();
        });
    }

    // Tiles of the tree along the axis, or rows if those are large enough, for lanes too few to be shared out
    // among the threads.
    struct lane_chain {
        using state = lane_state<chain_lanes>;
        struct summary {
            alignas(64) Acc totals[chain_lanes];  // of the chunk's lanes
        };

        const axis_engine& engine;
        lane_block<Acc> whole;
        std::size_t chunk_size;  // elements of a sequence

        [[nodiscard]] std::size_t length_of(std::size_t chunk) const {
            return std::min(chunk_size, whole.length - chunk * chunk_size);
        }
        // A row of the tree, or what there is of it.
        [[nodiscard]] lane_block<Acc> row_of(std::size_t chunk, std::size_t row) const {
            return part_of(whole, chunk * chunk_size + row, std::min(core::row_size, length_of(chunk) - row));
        }
        void summarise(std::size_t chunk, summary& made) const {
            std::fill_n(made.totals, whole.lanes, Op::template identity<Acc>());
            engine.kernels_.fold_lanes(part_of(whole, chunk * chunk_size, chunk_size), made.totals);
        }
        void advance(state& carried, std::size_t chunk, const summary& made) const {
            Acc* into = exact ? carried.supers : carried.rows;
            for (std::size_t lane = 0; lane < whole.lanes; ++lane)
                into[lane] = Op()(into[lane], made.totals[lane]);
            if constexpr (!exact) {
                if ((chunk + 1) * chunk_size % core::tile_size == 0) carried.push_tile(carried.rows);
            }
        }
        // A row at a time, so that the next tile comes from memory while this one is written.
        void scan(std::size_t chunk, state& carried, std::size_t next) const {
            for (std::size_t row = 0; row < length_of(chunk); row += core::row_size) {
                if (next != no_chunk && chunk_size != core::row_size && row < length_of(next))
                    ask_for(row_of(next, row));
                engine.scan_lanes(row_of(chunk, row), (chunk * chunk_size + row) % core::tile_size, carried);
            }
            if (whole.where == placement::streamed) engine.memory_.fence();
        }
    };

    void run_lane_chain(std::size_t sequence, std::size_t row_lanes) {
        for (std::size_t lane = 0; lane < row_lanes; lane += chain_lanes) {
            const std::size_t lanes = std::min(chain_lanes, row_lanes - lane);
            const bool narrow = core::tile_size * lanes * sizeof(Acc) <= largest_chunk_bytes &&
                                geometry_.length >= 2 * core::tile_size;
            const std::size_t chunk_size = narrow ? core::tile_size : core::row_size;
            const std::size_t chunks = (geometry_.length + chunk_size - 1) / chunk_size;
            const lane_chain chain{*this, block_at(geometry_.begin(sequence + lane), lanes), chunk_size};
            run_chain(ex_, std::min(ex_.helpers_for(footprint_), chunks - 1), chunks, chain,
                      lane_state<chain_lanes>(lanes, start_));
        }
    }

    void run_lines() {
        for_each_sequence(ex_, geometry_, in_.element_size + out_.element_size,
                          [&](executor& with, std::size_t sequence) {
                              const auto at = geometry_.begin(sequence);
                              core::tree_carry<Acc> carry{start_, {}, 0};
                              run_scan<Acc, Op>(with, moved(in_, at.in), moved(out_, at.out),
                                                {geometry_.length, exclusive_, in_place_, footprint_}, carry);
                          });
    }

    // Short sequences that lie one after the other: strips of as many as there are lanes.
    void run_strips() {
        const auto fastest = geometry_.fastest();
        const std::size_t rows = geometry_.sequence_count / fastest.extent;
        const std::size_t together =
            std::clamp(strips_task_bytes / (geometry_.length * sizeof(Acc)), std::size_t{1}, fastest.extent);
        const std::size_t blocks = (fastest.extent + together - 1) / together;
        for_each_task(ex_, helpers_for(rows * blocks), rows * blocks, [&](std::size_t task) {
            const std::size_t first = task % blocks * together;
            const auto at = geometry_.begin(task / blocks * fastest.extent + first);
            strip_block<Acc> block{};
            block.x = static_cast<const Acc*>(in_.data) + at.in;
            block.x_pitch = fastest.in_stride;
            block.y = static_cast<Acc*>(out_.data) + at.out;
            block.y_pitch = fastest.out_stride;
            block.length = geometry_.length;
            block.count = std::min(together, fastest.extent - first);
            block.exclusive = exclusive_;
            if (may_stream() && block.y_pitch == static_cast<std::ptrdiff_t>(geometry_.length))
                stream_strips(block);
            else
                kernels_.scan_strips(block, start_);
        });
    }
    // Results that follow each other without a gap, through a buffer in the first-level cache.
    void stream_strips(strip_block<Acc> block) const {
        constexpr std::size_t buffered = 8192 / sizeof(Acc);
        alignas(64) Acc results[buffered];
        const std::size_t together = buffered / block.length;
        const bool packed = block.x_pitch == block.y_pitch;
        Acc* to = block.y;
        const std::size_t count = block.count;
        for (std::size_t first = 0; first < count; first += together) {
            block.count = std::min(together, count - first);
            block.y = results;
            kernels_.scan_strips(block, start_);
            const auto moved_by = static_cast<std::ptrdiff_t>(block.count);
            block.x += moved_by * block.x_pitch;
            const std::size_t elements = block.count * block.length;
            const bool more = packed && first + 2 * block.count <= count;
            memory_.stream(to, results, elements * sizeof(Acc), more ? block.x : nullptr);
            to += elements;
        }
        memory_.fence();
    }

    // Everything else through buffers of a tree's row at most, transposed so that a sequence is a lane.
    void run_groups() {
        const std::size_t count = geometry_.sequence_count;
        const std::size_t buffered = std::min(geometry_.length, core::row_size);
        const std::size_t wanted = std::max(line, group_bytes / sizeof(Acc) / buffered / line * line);
        const std::size_t lanes = std::min({wanted, group_lanes, (count + line - 1) / line * line});
        const std::size_t groups = (count + lanes - 1) / lanes;
        for_each_task(ex_, helpers_for(groups), groups, [&](std::size_t group) {
            scan_group(group * lanes, std::min(lanes, count - group * lanes), buffered);
        });
    }

    void scan_group(std::size_t first_sequence, std::size_t lanes, std::size_t buffered) const {
        // At least a cache line of lanes, each with a row of the tree.
        constexpr std::size_t capacity = std::max(group_bytes / sizeof(Acc), line * core::row_size);
        alignas(64) Acc rows_of_lanes[capacity];
        alignas(64) Acc lines[capacity];
        axis_geometry::offsets at[group_lanes];
        for (std::size_t lane = 0; lane < lanes; ++lane) at[lane] = geometry_.begin(first_sequence + lane);
        lane_state<group_lanes> state(lanes, start_);
        const auto pitch = static_cast<std::ptrdiff_t>(lanes);
        for (std::size_t first = 0; first < geometry_.length; first += buffered) {
            const std::size_t length = std::min(buffered, geometry_.length - first);
            const auto pass = static_cast<std::ptrdiff_t>(length);
            for (std::size_t lane = 0; lane < lanes; ++lane)
                in_.load(moved(in_, at[lane].in), memory_, first, length, lines + lane * length);
            transpose(rows_of_lanes, pitch, lines, pass, lanes, length);
            scan_lanes(
                {rows_of_lanes, pitch, rows_of_lanes, pitch, length, lanes, exclusive_, placement::cached},
                first % core::tile_size, state);
            transpose(lines, pass, rows_of_lanes, pitch, length, lanes);
            for (std::size_t lane = 0; lane < lanes; ++lane)
                out_.store(moved(out_, at[lane].out), memory_, first, length, lines + lane * length);
        }
    }

    void transpose(Acc* to, std::ptrdiff_t to_pitch, const Acc* from, std::ptrdiff_t from_pitch,
                   std::size_t rows, std::size_t columns) const {
        memory_.transpose[log2_size<Acc>](to, to_pitch, from, from_pitch, rows, columns);
    }

    [[nodiscard]] std::size_t helpers_for(std::size_t tasks) const {
        return std::min(ex_.helpers_for(footprint_) + 1, tasks) - 1;
    }

    executor& ex_;
    const scan_kernels<Acc, Op>& kernels_;
    const memory_kernels& memory_;
    source<Acc> in_;
    sink<Acc> out_;
    const axis_geometry& geometry_;
    bool exclusive_;
    bool in_place_;
    Acc start_;
    std::size_t footprint_;
};

template <class Acc, class Op>
void run_axis_scan(executor& ex, const source<Acc>& in, const sink<Acc>& out, const axis_geometry& geometry,
                   bool exclusive, bool in_place, const std::optional<Acc>& initial) {
    axis_engine<Acc, Op>(ex, in, out, geometry, exclusive, in_place, initial).run();
}

}  // namespace upsweep::cpu
