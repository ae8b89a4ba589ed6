// Lanes: sequences of which neighbours lie side by side in memory. Scanned a vector of lanes at a time where
// they lie, or from a buffer in the nearest caches into which they are converted; lanes too few for a vector
// are taken apart into lines there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hwy/cache_control.h"
#include "upsweep/cpu/axis.hpp"

namespace upsweep::cpu {

// Elements of a cache line. So many lanes are enough for the vectors of every level.
template <class Acc>
inline constexpr std::size_t cache_line = 64 / sizeof(Acc);

// `total` lanes in parts of `size`, a multiple of a cache line. What is left of a cache line goes to the last
// one.
template <class Acc>
class lane_parts {
  public:
    lane_parts(std::size_t total, std::size_t size)
        : total_(total),
          size_(size),
          count_(std::max<std::size_t>(
              1, total / size + (total % size >= cache_line<Acc> ? std::size_t{1} : std::size_t{0}))) {}
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t first(std::size_t part) const { return part * size_; }
    [[nodiscard]] std::size_t lanes(std::size_t part) const {
        return part + 1 == count_ ? total_ - first(part) : size_;
    }

  private:
    std::size_t total_, size_, count_;
};

// The state of lanes between rows, as kernels have it. For an exact operator `supers` is the running value.
// It has no other.
template <class Acc, bool Exact>
struct lane_arrays {
    Acc* supers;
    Acc* tiles;
    Acc* rows;

    [[nodiscard]] lane_arrays from(std::size_t lane) const {
        if constexpr (Exact)
            return {supers + lane, nullptr, nullptr};
        else
            return {supers + lane, tiles + lane, rows + lane};
    }
};

// The same for at most `capacity` lanes.
template <class Acc, bool Exact, std::size_t capacity>
struct lane_state {
    alignas(64) Acc supers[capacity];
    alignas(64) Acc tiles[Exact ? 1 : capacity];
    alignas(64) Acc rows[Exact ? 1 : capacity];
    std::size_t lanes;
    std::size_t tile_count = 0;

    lane_state(std::size_t count, Acc start, Acc identity) : lanes(count) {
        std::fill_n(supers, lanes, start);
        if constexpr (!Exact) {
            std::fill_n(tiles, lanes, identity);
            std::fill_n(rows, lanes, identity);
        }
    }
    lane_state(const lane_state& other) { *this = other; }
    lane_state& operator=(const lane_state& other) {
        if (this == &other) return *this;
        lanes = other.lanes;
        tile_count = other.tile_count;
        std::copy_n(other.supers, lanes, supers);
        if constexpr (!Exact) {
            std::copy_n(other.tiles, lanes, tiles);
            std::copy_n(other.rows, lanes, rows);
        }
        return *this;
    }

    lane_arrays<Acc, Exact> arrays() { return {supers, tiles, rows}; }
    // After elements up to `position`: appends the tile that is complete there, if one is. Its totals are in
    // `rows`, which starts afresh.
    void pass(const operation<Acc, Exact>& op, std::size_t position) {
        if constexpr (!Exact) {
            if (position % core::tile_size != 0) return;
            op.combine_all(tiles, rows, lanes);
            std::fill_n(rows, lanes, op.identity);
            if (++tile_count % core::tiles_per_super != 0) return;
            op.combine_all(supers, tiles, lanes);
            std::fill_n(tiles, lanes, op.identity);
        }
    }
};

// Neighbouring sequences; `at` is where the first begins.
struct lane_range {
    axis_geometry::offsets at;
    std::size_t lanes;

    // Lanes from `lane` on.
    [[nodiscard]] lane_range part(std::size_t lane, std::size_t count) const {
        const auto by = static_cast<std::ptrdiff_t>(lane);
        return {{at.in + by, at.out + by}, count};
    }
};

// How elements of lanes get from their array into buffers, and back.
template <class Acc>
class lane_staging {
  public:
    // A buffer of converted rows: few of them, of so many lanes and what is left of a cache line, because
    // memory likes to be read in long stretches; or more of fewer lanes.
    static constexpr std::size_t rows_lanes = 4096 / sizeof(Acc);
    static constexpr std::size_t rows_size = 2 * core::run_size * (rows_lanes + cache_line<Acc>);
    // Elements of a buffer of lines, for less than a cache line of lanes.
    static constexpr std::size_t lines_size = 16384 / sizeof(Acc);

    // Lanes are an element apart in both arrays. `streaming`: results, which are not converted, are stored
    // past the caches where they lie well.
    lane_staging(simd_level level, const source<Acc>& in, const sink<Acc>& out, const axis_geometry& geometry,
                 bool exclusive, bool streaming)
        : memory_(memory_kernels_for(level)),
          in_(in),
          out_(out),
          in_stride_(geometry.in_stride),
          out_stride_(geometry.out_stride),
          length_(geometry.length),
          exclusive_(exclusive),
          streaming_(streaming) {
        in_.stride = 1;
        out_.stride = 1;
    }

    [[nodiscard]] std::size_t length() const { return length_; }
    [[nodiscard]] bool plain_input() const { return in_.plain; }
    [[nodiscard]] bool plain() const { return in_.plain && out_.plain; }

    // Elements [first, first + count) where they lie.
    [[nodiscard]] lane_block<Acc> block_of(const lane_range& range, std::size_t first,
                                           std::size_t count) const {
        auto* y = static_cast<Acc*>(out_row(range, first).data);
        const bool aligned = reinterpret_cast<std::uintptr_t>(y) % 64 == 0 &&
                             out_stride_ % static_cast<std::ptrdiff_t>(cache_line<Acc>) == 0 &&
                             range.lanes % cache_line<Acc> == 0;
        const auto* x = static_cast<const Acc*>(in_row(range, first).data);
        return {
            x,     in_stride_,  y,          out_stride_,
            count, range.lanes, exclusive_, streaming_ && aligned ? placement::streamed : placement::cached};
    }

    // The same, converted in a buffer.
    lane_block<Acc> load_rows(const lane_range& range, std::size_t first, std::size_t count,
                              Acc* rows) const {
        const auto pitch = static_cast<std::ptrdiff_t>(range.lanes);
        if (in_stride_ == pitch) {
            in_.load(in_row(range, first), memory_, 0, count * range.lanes, rows);
        } else {
            for (std::size_t i = 0; i < count; ++i)
                in_.load(in_row(range, first + i), memory_, 0, range.lanes, rows + i * range.lanes);
        }
        return {rows, pitch, rows, pitch, count, range.lanes, exclusive_, placement::cached};
    }
    void store_rows(const lane_range& range, std::size_t first, std::size_t count, const Acc* rows) const {
        const std::size_t lanes = range.lanes;
        const bool packed = out_stride_ == static_cast<std::ptrdiff_t>(lanes);
        const std::size_t together = packed ? count : 1;
        for (std::size_t i = 0; i < count; i += together) {
            const sink<Acc> row = out_row(range, first + i);
            if (streaming_)
                memory_.stream(row.data, rows + i * lanes, together * lanes * sizeof(Acc), nullptr);
            else
                out_.store(row, memory_, 0, together * lanes, rows + i * lanes);
        }
    }

    // Lanes as lines of `count` elements, one after the other; each back to front where both arrays run
    // backwards.
    [[nodiscard]] bool backwards() const { return in_stride_ < 0 && out_stride_ < 0; }
    // The first element of a line.
    [[nodiscard]] Acc* line_of(Acc* lines, std::size_t lane, std::size_t count) const {
        return lines + lane * count + (backwards() ? count - 1 : 0);
    }
    // Elements of a line that fit into a buffer.
    static std::size_t line_length(std::size_t lanes) {
        return std::min(core::tile_size, lines_size / lanes / core::row_size * core::row_size);
    }
    void load_lines(const lane_range& range, std::size_t first, std::size_t count, Acc* lines) const {
        const std::size_t lanes = range.lanes;
        const source<Acc> lowest = in_row(range, element_at(0, first, count));
        const bool packed = is_packed(range, in_stride_);
        alignas(64) Acc buffer[lines_size];
        const Acc* rows = buffer;
        if (packed && in_.plain) {
            rows = static_cast<const Acc*>(lowest.data);
        } else if (packed) {
            in_.load(lowest, memory_, 0, count * lanes, buffer);
        } else {
            for (std::size_t i = 0; i < count; ++i)
                in_.load(in_row(range, element_at(i, first, count)), memory_, 0, lanes, buffer + i * lanes);
        }
        memory_.deinterleave[log2_size<Acc>](lines, count, rows, count, lanes);
    }
    void store_lines(const lane_range& range, std::size_t first, std::size_t count, const Acc* lines) const {
        const std::size_t lanes = range.lanes;
        const sink<Acc> lowest = out_row(range, element_at(0, first, count));
        const bool packed = is_packed(range, out_stride_);
        const auto& interleave = memory_.interleave[log2_size<Acc>];
        if (packed && out_.plain && !streaming_) return interleave(lowest.data, lines, count, count, lanes);
        alignas(64) Acc rows[lines_size];
        interleave(rows, lines, count, count, lanes);
        if (packed && out_.plain) {
            // What the next piece will read comes meanwhile.
            const std::size_t next = first + count;
            const bool more = in_.plain && is_packed(range, in_stride_) && next + count <= length_;
            memory_.stream(lowest.data, rows, count * lanes * sizeof(Acc),
                           more ? in_row(range, element_at(0, next, count)).data : nullptr);
        } else if (packed) {
            out_.store(lowest, memory_, 0, count * lanes, rows);
        } else {
            for (std::size_t i = 0; i < count; ++i)
                out_.store(out_row(range, element_at(i, first, count)), memory_, 0, lanes, rows + i * lanes);
        }
    }

    // Asks for what elements [first, first + count) are read from.
    void ask_for(const lane_range& range, std::size_t first, std::size_t count) const {
        for (std::size_t i = first; i < first + count; ++i) {
            const char* x = static_cast<const char*>(in_row(range, i).data);
            for (std::size_t byte = 0; byte < range.lanes * in_.element_size; byte += 64)
                hwy::Prefetch(x + byte);
        }
        asm volatile("");  // keeps GCC from taking this for a function without effect
    }
    // The same for what comes next, if it comes from memory.
    void ask_for_next(const lane_range& range, std::size_t first, std::size_t count) const {
        if (streaming_ && first < length_) ask_for(range, first, std::min(count, length_ - first));
    }
    // To be called by a thread that scanned, before others read the results.
    void fence() const {
        if (streaming_) memory_.fence();
    }

  private:
    // The lanes of a range at element i.
    [[nodiscard]] source<Acc> in_row(const lane_range& range, std::size_t i) const {
        return moved(in_, range.at.in + static_cast<std::ptrdiff_t>(i) * in_stride_);
    }
    [[nodiscard]] sink<Acc> out_row(const lane_range& range, std::size_t i) const {
        return moved(out_, range.at.out + static_cast<std::ptrdiff_t>(i) * out_stride_);
    }
    // Which element stands at a place of a line.
    [[nodiscard]] std::size_t element_at(std::size_t place, std::size_t first, std::size_t count) const {
        return first + (backwards() ? count - 1 - place : place);
    }
    // Whether places follow each other in an array without a gap.
    [[nodiscard]] bool is_packed(const lane_range& range, std::ptrdiff_t stride) const {
        return (backwards() ? -stride : stride) == static_cast<std::ptrdiff_t>(range.lanes);
    }

    const memory_kernels& memory_;
    source<Acc> in_;
    sink<Acc> out_;
    std::ptrdiff_t in_stride_, out_stride_;  // of the axis
    std::size_t length_;
    bool exclusive_, streaming_;
};

template <class Acc, bool Exact>
class lane_scanner {
  public:
    using kernel_table = typename operation<Acc, Exact>::kernel_table;

    // As lane_staging.
    lane_scanner(const operation<Acc, Exact>& op, simd_level level, const source<Acc>& in,
                 const sink<Acc>& out, const axis_geometry& geometry, bool exclusive, bool streaming)
        : staging(level, in, out, geometry, exclusive, streaming),
          op_(op),
          kernels_(op.kernels(level)),
          exclusive_(exclusive) {}

    const lane_staging<Acc> staging;

    // Scans elements [first, first + count), which begin at a row and do not pass the end of its tile.
    void scan(const lane_range& range, std::size_t first, std::size_t count,
              const lane_arrays<Acc, Exact>& state) const {
        if (range.lanes < kernels_.least_lanes) return scan_few(range, first, count, state);
        run_array runs(range.lanes, op_.identity);
        if (staging.plain())
            scan_block(kernels_, staging.block_of(range, first, count), 0, state, runs.values);
        else
            scan_converted(range, first, count, state, runs.values);
    }
    // Advances totals[lane] over whole rows within a tile.
    void fold(const lane_range& range, std::size_t first, std::size_t count, Acc* totals) const {
        if (range.lanes < kernels_.least_lanes) return fold_few(range, first, count, totals);
        run_array runs(range.lanes, op_.identity);
        if (staging.plain_input())
            fold_block(staging.block_of(range, first, count), 0, totals, runs.values);
        else
            fold_converted(range, first, count, totals, runs.values);
    }

    // `done`: how many elements of their row come before the block's, whose runs fold to `runs`.
    static void scan_block(const kernel_table& kernels, const lane_block<Acc>& block, std::size_t done,
                           const lane_arrays<Acc, Exact>& state, Acc* runs) {
        if constexpr (Exact)
            kernels.scan_lanes(block, state.supers);
        else
            kernels.scan_lanes(block, done, state.supers, state.tiles, state.rows, runs);
    }

  private:
    // What stands to the left of an element in its row, for every lane, while rows are scanned; exact
    // operators do without.
    struct run_array {
        alignas(64) Acc values[most_lanes<Acc>];

        run_array(std::size_t lanes, Acc identity) {
            if constexpr (!Exact) std::fill_n(values, lanes, identity);
        }
    };

    void fold_block(const lane_block<Acc>& block, std::size_t done, Acc* totals, Acc* runs) const {
        if constexpr (Exact)
            kernels_.fold_lanes(block, totals);
        else
            kernels_.fold_lanes(block, done, totals, runs);
    }

    // body(lane, count of lanes, first element, count) for a buffer's worth at a time.
    template <class Body>
    static void for_each_piece(const lane_range& range, std::size_t first, std::size_t count,
                               const Body& body) {
        using staging = lane_staging<Acc>;
        const lane_parts<Acc> parts(range.lanes, staging::rows_lanes);
        const std::size_t widest = std::min(range.lanes, staging::rows_lanes + cache_line<Acc>);
        const std::size_t step = staging::rows_size / widest / core::run_size * core::run_size;
        for (std::size_t i = 0; i < count; i += step) {
            for (std::size_t part = 0; part < parts.count(); ++part)
                body(parts.first(part), parts.lanes(part), first + i, std::min(step, count - i));
        }
    }
    void scan_converted(const lane_range& range, std::size_t first, std::size_t count,
                        const lane_arrays<Acc, Exact>& state, Acc* runs) const {
        alignas(64) Acc rows[lane_staging<Acc>::rows_size];
        for_each_piece(range, first, count,
                       [&](std::size_t lane, std::size_t lanes, std::size_t from, std::size_t length) {
                           const lane_range part = range.part(lane, lanes);
                           const lane_block<Acc> block = staging.load_rows(part, from, length, rows);
                           staging.ask_for_next(part, from + length, length);
                           scan_block(kernels_, block, from % core::row_size, state.from(lane), runs + lane);
                           staging.store_rows(part, from, length, rows);
                       });
    }
    void fold_converted(const lane_range& range, std::size_t first, std::size_t count, Acc* totals,
                        Acc* runs) const {
        alignas(64) Acc rows[lane_staging<Acc>::rows_size];
        for_each_piece(range, first, count,
                       [&](std::size_t lane, std::size_t lanes, std::size_t from, std::size_t length) {
                           fold_block(staging.load_rows(range.part(lane, lanes), from, length, rows),
                                      from % core::row_size, totals + lane, runs + lane);
                       });
    }

    void scan_few(const lane_range& range, std::size_t first, std::size_t count,
                  const lane_arrays<Acc, Exact>& state) const {
        alignas(64) Acc lines[lane_staging<Acc>::lines_size];
        const std::size_t step = staging.line_length(range.lanes);
        const scan_pass pass{placement::cached, exclusive_, staging.backwards(), nullptr};
        for (std::size_t i = 0; i < count; i += step) {
            const std::size_t piece = std::min(step, count - i);
            staging.load_lines(range, first + i, piece, lines);
            for (std::size_t lane = 0; lane < range.lanes; ++lane) {
                Acc* line = staging.line_of(lines, lane, piece);
                if constexpr (Exact) {
                    state.supers[lane] = kernels_.scan(line, line, piece, state.supers[lane], pass);
                } else {
                    kernels_.scan_rows(line, line, piece, state.supers[lane], state.tiles[lane],
                                       &state.rows[lane], pass, nullptr);
                }
            }
            staging.store_lines(range, first + i, piece, lines);
        }
    }
    void fold_few(const lane_range& range, std::size_t first, std::size_t count, Acc* totals) const {
        alignas(64) Acc lines[lane_staging<Acc>::lines_size];
        const std::size_t step = staging.line_length(range.lanes);
        for (std::size_t i = 0; i < count; i += step) {
            const std::size_t piece = std::min(step, count - i);
            staging.load_lines(range, first + i, piece, lines);
            for (std::size_t lane = 0; lane < range.lanes; ++lane) {
                if constexpr (Exact) {
                    totals[lane] = kernels_.fold(lines + lane * piece, piece, totals[lane]);
                } else {
                    kernels_.fold_rows(staging.line_of(lines, lane, piece), piece, &totals[lane],
                                       staging.backwards());
                }
            }
        }
    }

    const operation<Acc, Exact>& op_;
    const kernel_table& kernels_;
    bool exclusive_;
};

}  // namespace upsweep::cpu
