// Bodies of the axis engine; included by the file that instantiates them.
#pragma once

#include <utility>

#include "upsweep/cpu/axis.hpp"

namespace upsweep::cpu {

template <class Acc, class Op>
class axis_engine {
  public:
    static constexpr bool exact = is_exact<Op, Acc>;
    static constexpr std::size_t line = 64 / sizeof(Acc);  // elements of a cache line
    static constexpr std::size_t narrowest_share =
        256 / sizeof(Acc);  // lanes of a row that a thread takes at least
    static constexpr std::size_t group_size = 4 * piece_size<Acc>;  // elements in a group's buffer
    static constexpr std::size_t shortest_line = 256;  // elements from which a sequence is scanned as a line

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
        const bool side_by_side = in_.plain && out_.plain && fastest.in_stride == 1 &&
                                  fastest.out_stride == 1 && fastest.extent >= 32 / sizeof(Acc) &&
                                  geometry_.length > 1;
        const bool one_after_another =
            std::abs(geometry_.in_stride) == 1 && std::abs(geometry_.out_stride) == 1;
        if (side_by_side)
            run_lanes();
        else if (geometry_.length >= shortest_line && (one_after_another || geometry_.sequence_count < line))
            run_lines();
        else
            run_groups();
    }

  private:
    // The state of neighbouring lanes between rows. For an exact operator `supers` is the running value.
    struct lane_state {
        std::vector<Acc> supers, tiles, rows;
        std::size_t tile_count = 0;

        lane_state(std::size_t lanes, Acc start)
            : supers(lanes, start), tiles(exact ? 0 : lanes, Op::template identity<Acc>()), rows(tiles) {}

        // Appends `rows`, the totals of a complete tile.
        void push_tile() {
            for (std::size_t lane = 0; lane < rows.size(); ++lane)
                tiles[lane] = Op()(tiles[lane], rows[lane]);
            if (++tile_count % core::tiles_per_super == 0) {
                for (std::size_t lane = 0; lane < tiles.size(); ++lane)
                    supers[lane] = Op()(supers[lane], tiles[lane]);
                std::ranges::fill(tiles, Op::template identity<Acc>());
            }
            std::ranges::fill(rows, Op::template identity<Acc>());
        }
    };

    // Scans block.length elements of block.lanes lanes that begin at a tile and may end within one.
    void scan_lanes(lane_block<Acc> block, lane_state& state) const {
        if constexpr (exact) {
            kernels_.scan_lanes(block, state.supers.data());
        } else {
            for (std::size_t left = block.length; left != 0; left -= block.length) {
                block.length = std::min(left, core::tile_size);
                kernels_.scan_lanes(block, state.supers.data(), state.tiles.data(), state.rows.data());
                if (block.length == core::tile_size) state.push_tile();
                block.x += static_cast<std::ptrdiff_t>(block.length) * block.x_stride;
                block.y += static_cast<std::ptrdiff_t>(block.length) * block.y_stride;
            }
        }
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

    void run_lanes() {
        const std::size_t row_lanes = geometry_.fastest().extent;
        const std::size_t rows = geometry_.sequence_count / row_lanes;
        const std::size_t shares = rows * ((row_lanes + narrowest_share - 1) / narrowest_share);
        if (ex_.threads() > 1 && shares < ex_.threads() && geometry_.length >= 2 * core::tile_size &&
            footprint_ >= tuning::parallel_bytes) {
            for (std::size_t row = 0; row < rows; ++row) run_lane_chain(row * row_lanes, row_lanes);
            return;
        }
        const std::size_t fair = row_lanes * rows / ex_.threads();
        const std::size_t block_lanes =
            std::clamp(fair / line * line, std::min(narrowest_share, most_lanes<Acc>), most_lanes<Acc>);
        const std::size_t blocks = (row_lanes + block_lanes - 1) / block_lanes;
        for_each_task(ex_, helpers_for(rows * blocks), rows * blocks, [&](std::size_t task) {
            const std::size_t lane = task % blocks * block_lanes;
            const std::size_t lanes = std::min(block_lanes, row_lanes - lane);
            lane_state state(lanes, start_);
            const lane_block<Acc> block = block_at(geometry_.begin(task / blocks * row_lanes + lane), lanes);
            scan_lanes(block, state);
            if (block.where == placement::streamed) memory_.fence();
        });
    }

    // Chunks along the axis, for rows too narrow to be shared out among the threads.
    struct lane_chain {
        using state = lane_state;
        using summary = std::vector<Acc>;  // the totals of the chunk's tiles, one tile after the other

        const axis_engine& engine;
        lane_block<Acc> whole;
        std::size_t chunk_size;

        [[nodiscard]] lane_block<Acc> block(std::size_t chunk) const {
            lane_block<Acc> part = whole;
            const auto first = static_cast<std::ptrdiff_t>(chunk * chunk_size);
            part.x += first * part.x_stride;
            part.y += first * part.y_stride;
            part.length = std::min(chunk_size, whole.length - chunk * chunk_size);
            return part;
        }
        void summarise(std::size_t chunk, summary& made) const {
            lane_block<Acc> part = block(chunk);
            if constexpr (exact) {
                made.assign(part.lanes, Op::template identity<Acc>());
                engine.kernels_.fold_lanes(part, made.data());
            } else {
                made.resize(part.length / core::tile_size * part.lanes);
                for (std::size_t tile = 0; tile * part.lanes < made.size(); ++tile) {
                    engine.kernels_.lane_totals(part, made.data() + tile * part.lanes);
                    part.x += static_cast<std::ptrdiff_t>(core::tile_size) * part.x_stride;
                }
            }
        }
        void advance(state& carried, std::size_t, const summary& made) const {
            if constexpr (exact) {
                for (std::size_t lane = 0; lane < made.size(); ++lane)
                    carried.supers[lane] = Op()(carried.supers[lane], made[lane]);
            } else {
                for (std::size_t tile = 0; tile * whole.lanes < made.size(); ++tile) {
                    std::copy_n(made.data() + tile * whole.lanes, whole.lanes, carried.rows.data());
                    carried.push_tile();
                }
            }
        }
        void scan(std::size_t chunk, state& carried, const summary*, std::size_t next, summary& ahead) const {
            scan(chunk, carried);
            if (next != no_chunk) summarise(next, ahead);
        }
        void scan(std::size_t chunk, state& carried) const {
            const lane_block<Acc> part = block(chunk);
            engine.scan_lanes(part, carried);
            if (part.where == placement::streamed) engine.memory_.fence();
        }
    };

    void run_lane_chain(std::size_t sequence, std::size_t row_lanes) {
        for (std::size_t lane = 0; lane < row_lanes; lane += most_lanes<Acc>) {
            const std::size_t lanes = std::min(most_lanes<Acc>, row_lanes - lane);
            const chunking plan = chunking::plan(geometry_.length, in_.element_size * lanes,
                                                 out_.element_size * lanes, ex_.threads());
            const lane_chain chain{*this, block_at(geometry_.begin(sequence + lane), lanes), plan.elements};
            lane_state state(lanes, start_);
            if (plan.count == 1)
                chain.scan(0, state);
            else
                run_chain(ex_, plan.helpers, plan.count, chain, std::move(state));
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

    void run_groups() {
        const std::size_t length = geometry_.length;
        const std::size_t count = geometry_.sequence_count;
        // As many sequences as fill the buffer with whole sequences, or else with a row of the tree of each.
        const std::size_t buffered = std::min(length, core::row_size);
        const std::size_t wanted = std::max(line, group_size / buffered / line * line);
        const std::size_t lanes = std::min({wanted, most_lanes<Acc>, (count + line - 1) / line * line});
        const std::size_t groups = (count + lanes - 1) / lanes;
        for_each_task(ex_, helpers_for(groups), groups, [&](std::size_t group) {
            scan_group(group * lanes, std::min(lanes, count - group * lanes), buffered);
        });
    }

    void scan_group(std::size_t first_sequence, std::size_t lanes, std::size_t buffered) const {
        std::vector<Acc> rows_of_lanes(buffered * lanes), lines(buffered * lanes);
        std::vector<axis_geometry::offsets> at(lanes);
        for (std::size_t lane = 0; lane < lanes; ++lane) at[lane] = geometry_.begin(first_sequence + lane);
        lane_state state(lanes, start_);
        const auto pitch = static_cast<std::ptrdiff_t>(lanes);
        const std::ptrdiff_t in_pitch = even_pitch(at, &axis_geometry::offsets::in);
        const std::ptrdiff_t out_pitch = even_pitch(at, &axis_geometry::offsets::out);
        const bool read_in_place = in_.plain && geometry_.in_stride == 1 && in_pitch != 0;
        const bool write_in_place =
            out_.plain && geometry_.out_stride == 1 && out_pitch != 0 && !may_stream();
        // Lines that lie one after the other in the output are streamed as one piece.
        const bool packed = out_.plain && geometry_.out_stride == 1 && buffered == geometry_.length &&
                            out_pitch == static_cast<std::ptrdiff_t>(geometry_.length) && may_stream();

        for (std::size_t first = 0; first < geometry_.length; first += buffered) {
            const std::size_t length = std::min(buffered, geometry_.length - first);
            const auto pass = static_cast<std::ptrdiff_t>(length);
            if (read_in_place) {
                transpose(rows_of_lanes.data(), pitch, static_cast<const Acc*>(in_.data) + at[0].in + first,
                          in_pitch, lanes, length);
            } else {
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    in_.load(moved(in_, at[lane].in), memory_, first, length, lines.data() + lane * length);
                }
                transpose(rows_of_lanes.data(), pitch, lines.data(), pass, lanes, length);
            }
            scan_buffer(rows_of_lanes.data(), length, lanes, first + length, state);
            if (write_in_place) {
                transpose(static_cast<Acc*>(out_.data) + at[0].out + first, out_pitch, rows_of_lanes.data(),
                          pitch, length, lanes);
                continue;
            }
            transpose(lines.data(), pass, rows_of_lanes.data(), pitch, length, lanes);
            if (packed) {
                memory_.stream(static_cast<Acc*>(out_.data) + at[0].out, lines.data(),
                               lanes * length * sizeof(Acc), nullptr);
                continue;
            }
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                out_.store(moved(out_, at[lane].out), memory_, first, length, lines.data() + lane * length);
            }
        }
        if (packed) memory_.fence();
    }

    // One buffer of lanes, at most a row of the tree long; `end` is how far the sequences are then.
    void scan_buffer(Acc* rows_of_lanes, std::size_t length, std::size_t lanes, std::size_t end,
                     lane_state& state) const {
        const auto pitch = static_cast<std::ptrdiff_t>(lanes);
        const lane_block<Acc> block{rows_of_lanes, pitch, rows_of_lanes, pitch,
                                    length,        lanes, exclusive_,    placement::cached};
        if constexpr (exact) {
            kernels_.scan_lanes(block, state.supers.data());
        } else {
            kernels_.scan_lanes(block, state.supers.data(), state.tiles.data(), state.rows.data());
            if (end % core::tile_size == 0) state.push_tile();
        }
    }

    // The distance between neighbouring sequences if it is the same for all, else 0.
    static std::ptrdiff_t even_pitch(const std::vector<axis_geometry::offsets>& at,
                                     std::ptrdiff_t axis_geometry::offsets::*side) {
        if (at.size() == 1) return 1;
        const std::ptrdiff_t pitch = at[1].*side - at[0].*side;
        for (std::size_t lane = 1; lane < at.size(); ++lane) {
            if (at[lane].*side - at[lane - 1].*side != pitch) return 0;
        }
        return pitch;
    }

    void transpose(Acc* to, std::ptrdiff_t to_pitch, const Acc* from, std::ptrdiff_t from_pitch,
                   std::size_t rows, std::size_t columns) const {
        memory_.transpose[log2_size<Acc>](to, to_pitch, from, from_pitch, rows, columns);
    }

    [[nodiscard]] std::size_t helpers_for(std::size_t tasks) const {
        return footprint_ < tuning::parallel_bytes ? 0 : std::min(ex_.threads(), tasks) - 1;
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
