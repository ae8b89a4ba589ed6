// How elements of lanes, sequences of which neighbours lie side by side in memory, get from their arrays into
// buffers in the nearest caches, and back: as rows, if they have to be converted or do not fill cache lines,
// or as lines, if they are too few for a vector.
#pragma once

#include <algorithm>
#include <cstdint>

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

// How a scan of lanes goes about memory.
struct lane_traffic {
    bool streaming;    // results, which are not converted, are stored past the caches
    std::size_t lead;  // how many bytes ahead of what is scanned input is asked for
};

template <class Acc>
class lane_staging {
  public:
    // A buffer of rows: a run of them, of so many lanes and what is left of a cache line, because memory
    // likes to be read in long stretches; or more of fewer lanes.
    static constexpr std::size_t rows_lanes = 4096 / sizeof(Acc);
    static constexpr std::size_t rows_size = core::run_size * (rows_lanes + cache_line<Acc>);
    // Elements of a buffer of lines, for less than a cache line of lanes.
    static constexpr std::size_t lines_size = 16384 / sizeof(Acc);

    // Lanes are an element apart in both arrays.
    lane_staging(simd_level level, const source<Acc>& in, const sink<Acc>& out, const axis_geometry& geometry,
                 bool exclusive, const lane_traffic& traffic)
        : memory_(memory_kernels_for(level)),
          in_(in),
          out_(out),
          in_stride_(geometry.in_stride),
          out_stride_(geometry.out_stride),
          length_(geometry.length),
          exclusive_(exclusive),
          streaming_(traffic.streaming),
          lead_(traffic.lead) {
        in_.stride = 1;
        out_.stride = 1;
    }

    [[nodiscard]] std::size_t length() const { return length_; }
    [[nodiscard]] bool exclusive() const { return exclusive_; }
    [[nodiscard]] bool plain_input() const { return in_.plain; }

    // Whether lanes are to be scanned where they lie: not if they have to be converted, nor if their results
    // lie badly for being streamed.
    [[nodiscard]] bool direct(const lane_range& range) const {
        if (!in_.plain || !out_.plain) return false;
        constexpr auto line = static_cast<std::ptrdiff_t>(cache_line<Acc>);
        return !streaming_ || (reinterpret_cast<std::uintptr_t>(out_row(range, 0).data) % 64 == 0 &&
                               out_stride_ % line == 0 && range.lanes % cache_line<Acc> == 0);
    }
    // Elements [first, first + count) where they lie, to be read only.
    [[nodiscard]] lane_block<Acc> input_of(const lane_range& range, std::size_t first,
                                           std::size_t count) const {
        const auto* x = static_cast<const Acc*>(in_row(range, first).data);
        return {x, in_stride_, nullptr, 0, count, range.lanes, exclusive_, placement::cached, lead_};
    }
    // The same of direct lanes, to be scanned.
    [[nodiscard]] lane_block<Acc> block_of(const lane_range& range, std::size_t first,
                                           std::size_t count) const {
        lane_block<Acc> block = input_of(range, first, count);
        block.y = static_cast<Acc*>(out_row(range, first).data);
        block.y_stride = out_stride_;
        block.where = streaming_ ? placement::streamed : placement::cached;
        return block;
    }
    // The same of others, with results in a buffer of rows. Those that have to be converted are read from
    // there as well.
    lane_block<Acc> load_rows(const lane_range& range, std::size_t first, std::size_t count,
                              Acc* rows) const {
        lane_block<Acc> block = input_of(range, first, count);
        block.y = rows;
        block.y_stride = static_cast<std::ptrdiff_t>(range.lanes);
        if (in_.plain) return block;
        gather(range, first, count, false, rows);
        block.x = rows;
        block.x_stride = block.y_stride;
        block.lead = 0;
        return block;
    }
    void store_rows(const lane_range& range, std::size_t first, std::size_t count, const Acc* rows) const {
        scatter(range, first, count, false, rows);
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
        alignas(64) Acc buffer[lines_size];
        const void* rows = buffer;
        if (in_.plain && is_packed(range, in_stride_, backwards()))
            rows = in_row(range, element_at(0, first, count, backwards())).data;
        else
            gather(range, first, count, backwards(), buffer);
        memory_.deinterleave[log2_size<Acc>](lines, count, rows, count, range.lanes);
    }
    void store_lines(const lane_range& range, std::size_t first, std::size_t count, const Acc* lines) const {
        const auto& interleave = memory_.interleave[log2_size<Acc>];
        if (out_.plain && !streaming_ && is_packed(range, out_stride_, backwards())) {
            const std::size_t lowest = element_at(0, first, count, backwards());
            return interleave(out_row(range, lowest).data, lines, count, count, range.lanes);
        }
        alignas(64) Acc rows[lines_size];
        interleave(rows, lines, count, count, range.lanes);
        scatter(range, first, count, backwards(), rows);
    }

    // Asks for what elements [first, first + count) are read from.
    void ask_for(const lane_range& range, std::size_t first, std::size_t count) const {
        for (std::size_t i = first; i < first + count; ++i) {
            const char* x = static_cast<const char*>(in_row(range, i).data);
            for (std::size_t byte = 0; byte < range.lanes * in_.element_size; byte += 64)
                __builtin_prefetch(x + byte);
        }
        asm volatile("");  // keeps GCC from taking this for a function without effect
    }
    // The same for what comes next to be converted, if it comes from memory.
    void ask_for_next(const lane_range& range, std::size_t first, std::size_t count) const {
        if (streaming_ && !in_.plain && first < length_)
            ask_for(range, first, std::min(count, length_ - first));
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
    // Which element stands at a place of rows, or of a line.
    static std::size_t element_at(std::size_t place, std::size_t first, std::size_t count, bool backwards) {
        return first + (backwards ? count - 1 - place : place);
    }
    // Whether places follow each other in an array without a gap.
    static bool is_packed(const lane_range& range, std::ptrdiff_t stride, bool backwards) {
        return (backwards ? -stride : stride) == static_cast<std::ptrdiff_t>(range.lanes);
    }
    // `count` rows from place 0 on, one after the other: all at once if they lie so.
    void gather(const lane_range& range, std::size_t first, std::size_t count, bool backwards,
                Acc* rows) const {
        const std::size_t together = is_packed(range, in_stride_, backwards) ? count : 1;
        for (std::size_t i = 0; i < count; i += together) {
            in_.load(in_row(range, element_at(i, first, count, backwards)), memory_, 0,
                     together * range.lanes, rows + i * range.lanes);
        }
    }
    // The way back. What the next so many rows are read from comes meanwhile, if they are plain.
    void scatter(const lane_range& range, std::size_t first, std::size_t count, bool backwards,
                 const Acc* rows) const {
        const std::size_t next = first + count;
        const std::size_t together = is_packed(range, out_stride_, backwards) ? count : 1;
        const std::size_t elements = together * range.lanes;
        const bool more = in_.plain && next + count <= length_ &&
                          (together == 1 || is_packed(range, in_stride_, backwards));
        for (std::size_t i = 0; i < count; i += together) {
            const sink<Acc> to = out_row(range, element_at(i, first, count, backwards));
            if (streaming_) {
                const void* ahead =
                    more ? in_row(range, element_at(i, next, count, backwards)).data : nullptr;
                memory_.stream(to.data, rows + i * range.lanes, elements * sizeof(Acc), ahead);
            } else {
                out_.store(to, memory_, 0, elements, rows + i * range.lanes);
            }
        }
    }

    const memory_kernels& memory_;
    source<Acc> in_;
    sink<Acc> out_;
    std::ptrdiff_t in_stride_, out_stride_;  // of the axis
    std::size_t length_;
    bool exclusive_, streaming_;
    std::size_t lead_;
};

}  // namespace upsweep::cpu
