// Bodies of the axis engine; included by the file that instantiates them. Nothing is allocated: a task's
// accumulators and buffers are on its thread's stack, less than 128 KiB.
#pragma once

#include <algorithm>
#include <utility>

#include "src/cpu/lane_scanner-impl.hpp"
#include "upsweep/cpu/axis.hpp"

namespace upsweep::cpu {

template <class Acc, bool Exact>
class axis_engine {
  public:
    using scanner = lane_scanner<Acc, Exact>;
    static constexpr std::size_t line = cache_line<Acc>;
    static constexpr std::size_t widest_share = 16384 / sizeof(Acc);  // lanes of a row that a thread takes
    // If there are not so many for every thread, they are chained: the first, if the chain is short and input
    // comes from memory, or the second.
    static constexpr std::size_t wide_share = 2048 / sizeof(Acc);
    static constexpr std::size_t narrow_share = 512 / sizeof(Acc);
    static constexpr std::size_t short_chain = 4;  // threads
    static constexpr std::size_t narrowest_share = 256 / sizeof(Acc);
    static constexpr std::size_t chain_lanes = 4096 / sizeof(Acc);  // lanes that are chained together
    static constexpr std::size_t largest_chunk_bytes = 256 * 1024;  // of a chain, if it is of more than a row
    static constexpr std::size_t group_lanes = 256;
    static constexpr std::size_t group_bytes = 16384;  // of a group's buffer
    static constexpr std::size_t shortest_line = 256;  // elements from which a sequence is scanned as a line
    static constexpr std::size_t strips_task_bytes = 65536;  // of input

    axis_engine(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, const sink<Acc>& out,
                const axis_geometry& geometry, bool exclusive, bool in_place,
                const std::optional<Acc>& initial)
        : op_(op),
          ex_(ex),
          kernels_(op.kernels(ex.simd())),
          lane_level_(level_for_lanes(op, ex.simd(), geometry.fastest().extent)),
          memory_(memory_kernels_for(ex.simd())),
          in_(in),
          out_(out),
          geometry_(geometry),
          exclusive_(exclusive),
          in_place_(in_place),
          start_(initial.value_or(op.identity)),
          footprint_(geometry.length * geometry.sequence_count * (in.element_size + out.element_size)),
          work_(geometry.length * geometry.sequence_count *
                (std::max(in.element_size, sizeof(Acc)) + std::max(out.element_size, sizeof(Acc)))) {}

    void run() {
        const auto fastest = geometry_.fastest();
        const bool side_by_side = fastest.in_stride == 1 && fastest.out_stride == 1 && fastest.extent > 1;
        const bool one_after_another =
            std::abs(geometry_.in_stride) == 1 && std::abs(geometry_.out_stride) == 1;
        const bool long_lines = geometry_.length >= shortest_line;
        const bool is_single = geometry_.length == 1;  // whose strides along the axis say nothing
        const bool may_be_strips =
            in_.plain && out_.plain && (is_single || (geometry_.in_stride == 1 && geometry_.out_stride == 1));
        if (side_by_side && !(is_single && may_be_strips) &&
            (long_lines || fastest.extent >= op_.kernels(lane_level_).least_lanes))
            run_lanes();
        else if (long_lines && (one_after_another || geometry_.sequence_count < line))
            run_lines();
        else if (may_be_strips)
            run_strips();
        else
            run_groups();
    }

  private:
    [[nodiscard]] bool may_stream() const {
        return !in_place_ && out_.plain &&
               (ex_.streams(footprint_) || (ex_.threads() > 1 && !ex_.fits_caches(footprint_)));
    }

    // As wide blocks of lanes as every thread can have: memory likes to be read in long stretches, and
    // threads do not like to write to the same cache lines.
    void run_lanes() {
        const std::size_t row_lanes = geometry_.fastest().extent;
        const std::size_t rows = geometry_.sequence_count / row_lanes;
        if (row_lanes < line && geometry_.length >= 2 * core::tile_size && rows < enough_sequences(ex_)) {
            for (std::size_t row = 0; row < rows; ++row) run_few_lanes({begin_of(row, 0), row_lanes});
            return;
        }
        const scanner lanes = make_scanner({may_stream(), lead_of(ex_, footprint_)});
        const std::size_t threads = ex_.helpers_for(work_) + 1;
        const bool chains_well = threads <= short_chain && !ex_.fits_caches(footprint_);
        const std::size_t least = chains_well ? wide_share : narrow_share;
        const std::size_t shares = rows * ((row_lanes + least - 1) / least);
        if (shares < threads && geometry_.length >= 2 * core::row_size) {
            const lane_parts<Acc> parts(row_lanes, chain_lanes);
            for (std::size_t task = 0; task < rows * parts.count(); ++task)
                run_lane_chain(lanes, range_of(parts, task), threads - 1);
            return;
        }
        const std::size_t fair = row_lanes * rows / threads;
        const lane_parts<Acc> parts(row_lanes, std::clamp(fair / line * line, narrowest_share, widest_share));
        const std::size_t tasks = rows * parts.count();
        for_each_task(ex_, std::min(threads, tasks) - 1, tasks, [&](std::size_t task) {
            const lane_range range = range_of(parts, task);
            lane_state<Acc, Exact, most_lanes<Acc>> state(range.lanes, start_, op_.identity);
            for (std::size_t i = 0; i < geometry_.length; i += core::tile_size) {
                const std::size_t count = std::min(core::tile_size, geometry_.length - i);
                lanes.scan(range, i, count, state.arrays());
                state.pass(op_, i + count);
            }
            lanes.staging.fence();
        });
    }
    [[nodiscard]] scanner make_scanner(const lane_traffic& traffic) const {
        return {op_, lane_level_, in_, out_, geometry_, exclusive_, traffic};
    }
    [[nodiscard]] axis_geometry::offsets begin_of(std::size_t row, std::size_t lane) const {
        return geometry_.begin(row * geometry_.fastest().extent + lane);
    }
    // Of the parts of all rows of lanes.
    [[nodiscard]] lane_range range_of(const lane_parts<Acc>& parts, std::size_t task) const {
        const std::size_t part = task % parts.count();
        return {begin_of(task / parts.count(), parts.first(part)), parts.lanes(part)};
    }

    // Up to `capacity` lanes in chunks along the axis: of whole tiles, or of rows of a tile.
    template <std::size_t capacity, std::size_t totals_size>
    struct lane_chunks {
        using state = lane_state<Acc, Exact, capacity>;
        struct summary {
            alignas(64) Acc totals[totals_size];  // of every step's lanes
        };

        const scanner& lanes;
        lane_range range;
        std::size_t chunk_size;  // elements of a sequence
        std::size_t step;        // a tile, or a row: what the scanner takes at once

        [[nodiscard]] std::size_t length_of(std::size_t chunk) const {
            return std::min(chunk_size, lanes.staging.length() - chunk * chunk_size);
        }
        void summarise(std::size_t chunk, summary& made) const {
            Acc* totals = made.totals;
            for (std::size_t i = 0; i < chunk_size; i += step, totals += range.lanes) {
                std::fill_n(totals, range.lanes, lanes.op.identity);
                lanes.fold(range, chunk * chunk_size + i, step, totals);
            }
        }
        void advance(state& carried, std::size_t chunk, const summary& made) const {
            Acc* into = Exact ? carried.supers : carried.rows;
            const Acc* totals = made.totals;
            for (std::size_t i = step; i <= chunk_size; i += step, totals += range.lanes) {
                lanes.op.combine_all(into, totals, range.lanes);
                carried.pass(lanes.op, chunk * chunk_size + i);
            }
        }
        void scan(std::size_t chunk, state& carried, std::size_t next) const {
            // A row of wide lanes at a time, so that the next chunk comes from memory while this one is
            // written.
            const bool wide = capacity > line && chunk_size > core::row_size;
            const std::size_t at_once = wide ? core::row_size : step;
            for (std::size_t i = 0; i < length_of(chunk); i += at_once) {
                if (wide && next != no_chunk && i < length_of(next)) {
                    const std::size_t count = std::min(at_once, length_of(next) - i);
                    lanes.staging.ask_for(range, next * chunk_size + i, count);
                }
                const std::size_t count = std::min(at_once, length_of(chunk) - i);
                lanes.scan(range, chunk * chunk_size + i, count, carried.arrays());
                carried.pass(lanes.op, chunk * chunk_size + i + count);
            }
            lanes.staging.fence();
        }
    };

    // Lanes too few to be shared out among the threads: in tiles, or in parts of a tile that are large
    // enough.
    void run_lane_chain(const scanner& lanes, const lane_range& range, std::size_t helpers) {
        constexpr std::size_t totals_size = chain_lanes + line;
        using kernel = lane_chunks<totals_size, totals_size>;
        const std::size_t element_bytes = range.lanes * sizeof(Acc);
        const std::size_t wanted = (helpers + 1) * tuning::chunks_per_thread;
        std::size_t chunk_size = core::tile_size;
        while (chunk_size > core::row_size &&
               (chunk_size * element_bytes > largest_chunk_bytes ||
                (geometry_.length / chunk_size < wanted &&
                 chunk_size * element_bytes >= 2 * tuning::smallest_chunk_bytes)))
            chunk_size /= 2;
        const std::size_t step = chunk_size == core::tile_size ? core::tile_size : core::row_size;
        const std::size_t chunks = (geometry_.length + chunk_size - 1) / chunk_size;
        run_chain(ex_, std::min(helpers, chunks - 1), chunks, kernel{lanes, range, chunk_size, step},
                  typename kernel::state(range.lanes, start_, op_.identity));
    }

    // Less than a cache line of them, cut as a sequence is whose elements are as large as they together.
    void run_few_lanes(const lane_range& range) {
        constexpr std::size_t totals_size = 2 * line;
        using kernel = lane_chunks<line, totals_size>;
        const auto bytes_of = [&](std::size_t size) { return range.lanes * std::max(size, sizeof(Acc)); };
        chunking plan = chunking::plan(ex_, geometry_.length, bytes_of(in_.element_size),
                                       bytes_of(out_.element_size), work_, tuning::few_lanes_cost);
        if (plan.count > 1) {
            plan.elements = std::min(plan.elements, totals_size / range.lanes * core::tile_size);
            plan.count = (geometry_.length + plan.elements - 1) / plan.elements;
            plan.chained = plan.chained || plan.count > most_regions;
        }
        const bool streaming = !in_place_ && out_.plain && plan.chained;
        const scanner lanes = make_scanner({streaming || may_stream(), lead_of(ex_, footprint_)});
        run_chunks(ex_, plan, kernel{lanes, range, plan.elements, core::tile_size},
                   typename kernel::state(range.lanes, start_, op_.identity));
    }

    void run_lines() {
        const std::size_t length = geometry_.length;
        const auto scan = [&](executor& with, std::size_t sequence) {
            const auto at = geometry_.begin(sequence);
            core::tree_carry<Acc> carry{start_, {}, 0};
            run_scan(op_, with, moved(in_, at.in), moved(out_, at.out),
                     {length, exclusive_, in_place_, footprint_, with.threads() > 1}, carry);
        };
        const bool alone_streams =
            worth_streaming(ex_, {length, 1, 0, false}, {length, exclusive_, in_place_, footprint_});
        for_each_sequence(ex_, geometry_, in_.element_size + out_.element_size, scan, [&] {
            if (alone_streams) memory_.fence();
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

    void scan_group(std::size_t first_sequence, std::size_t count, std::size_t buffered) const {
        // At least a cache line of lanes, each with a row of the tree.
        constexpr std::size_t capacity = std::max(group_bytes / sizeof(Acc), line * core::row_size);
        alignas(64) Acc rows_of_lanes[capacity];
        alignas(64) Acc lines[capacity];
        axis_geometry::offsets at[group_lanes];
        for (std::size_t lane = 0; lane < count; ++lane) at[lane] = geometry_.begin(first_sequence + lane);
        const std::size_t lanes = (count + line - 1) / line * line;
        if (lanes != count) std::fill_n(rows_of_lanes, lanes * buffered, Acc());  // those without a sequence
        lane_state<Acc, Exact, group_lanes> state(lanes, start_, op_.identity);
        alignas(64) Acc runs[group_lanes];
        const auto pitch = static_cast<std::ptrdiff_t>(lanes);
        const lane_block<Acc> whole{rows_of_lanes, pitch, rows_of_lanes, pitch,
                                    buffered,      lanes, exclusive_,    placement::cached};
        for (std::size_t first = 0; first < geometry_.length; first += buffered) {
            lane_block<Acc> block = whole;
            block.length = std::min(buffered, geometry_.length - first);
            const auto pass = static_cast<std::ptrdiff_t>(block.length);
            for (std::size_t lane = 0; lane < count; ++lane)
                in_.load(moved(in_, at[lane].in), memory_, first, block.length, lines + lane * block.length);
            transpose(rows_of_lanes, pitch, lines, pass, count, block.length);
            std::fill_n(runs, lanes, op_.identity);
            scanner::scan_block(kernels_, block, 0, state.arrays(), runs);
            state.pass(op_, first + block.length);
            transpose(lines, pass, rows_of_lanes, pitch, block.length, count);
            for (std::size_t lane = 0; lane < count; ++lane)
                out_.store(moved(out_, at[lane].out), memory_, first, block.length,
                           lines + lane * block.length);
        }
    }

    void transpose(Acc* to, std::ptrdiff_t to_pitch, const Acc* from, std::ptrdiff_t from_pitch,
                   std::size_t rows, std::size_t columns) const {
        memory_.transpose[log2_size<Acc>](to, to_pitch, from, from_pitch, rows, columns);
    }

    [[nodiscard]] std::size_t helpers_for(std::size_t tasks) const {
        return std::min(ex_.helpers_for(work_) + 1, tasks) - 1;
    }

    const operation<Acc, Exact>& op_;
    executor& ex_;
    const typename operation<Acc, Exact>::kernel_table& kernels_;
    simd_level lane_level_;
    const memory_kernels& memory_;
    source<Acc> in_;
    sink<Acc> out_;
    const axis_geometry& geometry_;
    bool exclusive_;
    bool in_place_;
    Acc start_;
    std::size_t footprint_;  // bytes read and written
    std::size_t work_;       // the same, or of accumulators where those are larger
};

template <class Acc, bool Exact>
void run_axis_scan(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, const sink<Acc>& out,
                   const axis_geometry& geometry, bool exclusive, bool in_place,
                   const std::optional<Acc>& initial) {
    axis_engine<Acc, Exact>(op, ex, in, out, geometry, exclusive, in_place, initial).run();
}

}  // namespace upsweep::cpu
