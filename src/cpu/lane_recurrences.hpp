// Linear recurrences of which neighbours lie side by side in memory, a lane each: scanned where they lie, a
// vector of lanes at a time, or by way of a buffer of rows, where they have to be converted or gathered, or
// do not fill cache lines that are to be stored past the caches. So may be short ones that lie one behind the
// other, each then gathered to a column.
//
// Threads take lanes of wide rows, or else stretches of all lanes in turn, because memory is slow where each
// thread reads a short part of every row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "src/cpu/recurrence_staging.hpp"
#include "src/cpu/recurrence_starts.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/chain.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::cpu {

// What stands to the left of a row of the tree, for each of at most `capacity` lanes.
template <class T, std::size_t capacity>
struct recurrence_lanes {
    alignas(64) T supers[capacity];
    alignas(64) T tiles_a[capacity];
    alignas(64) T tiles_b[capacity];
    alignas(64) T rows_a[capacity];
    alignas(64) T rows_b[capacity];
    std::size_t lanes;
    bool has_tiles = false;
    bool has_rows = false;

    // Lanes of `count` neighbours, the first of which begins at `at` in b.
    recurrence_lanes(const recurrence_starts<T>& starts, std::ptrdiff_t at, std::ptrdiff_t lane_stride,
                     std::size_t count)
        : lanes(count) {
        starts.of_lanes(at, lane_stride, count, supers);
    }
    recurrence_lanes(const recurrence_lanes& other) { *this = other; }
    recurrence_lanes& operator=(const recurrence_lanes& other) {
        if (this == &other) return *this;
        lanes = other.lanes;
        has_tiles = other.has_tiles;
        has_rows = other.has_rows;
        std::copy_n(other.supers, lanes, supers);
        if (has_tiles) {
            std::copy_n(other.tiles_a, lanes, tiles_a);
            std::copy_n(other.tiles_b, lanes, tiles_b);
        }
        if (has_rows) {
            std::copy_n(other.rows_a, lanes, rows_a);
            std::copy_n(other.rows_b, lanes, rows_b);
        }
        return *this;
    }

    // The totals of a complete row, after which `done` elements are done: full tiles and supers go up.
    void push_row(const T* a, const T* b, std::size_t done) {
        append(rows_a, rows_b, has_rows, a, b);
        if (done % core::tile_size != 0) return;
        append(tiles_a, tiles_b, has_tiles, rows_a, rows_b);
        has_rows = false;
        if (done % (core::tile_size * core::tiles_per_super) != 0) return;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const affine_map<T> before{T(0), supers[lane]};
            supers[lane] = affine()(before, affine_map<T>{tiles_a[lane], tiles_b[lane]}).b;
        }
        has_tiles = false;
    }

  private:
    void append(T* to_a, T* to_b, bool& present, const T* a, const T* b) {
        if (present) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const affine_map<T> before{to_a[lane], to_b[lane]};
                const affine_map<T> made = affine()(before, affine_map<T>{a[lane], b[lane]});
                to_a[lane] = made.a;
                to_b[lane] = made.b;
            }
        } else {
            std::copy_n(a, lanes, to_a);
            std::copy_n(b, lanes, to_b);
        }
        present = true;
    }
};

template <class T>
class lane_recurrences {
  public:
    using staging = recurrence_staging<T>;
    static constexpr std::size_t line = cache_line<T>;
    static constexpr std::size_t widest_share = staging::direct_lanes;  // of a row that a thread takes
    // If there are not so many for every thread, they are chained: the first, if the chain is short and input
    // comes from memory, or the second.
    static constexpr std::size_t wide_share = 2048 / sizeof(T);
    static constexpr std::size_t narrow_share = 512 / sizeof(T);
    static constexpr std::size_t short_chain = 4;                   // threads
    static constexpr std::size_t chain_lanes = 4096 / sizeof(T);    // lanes that are chained together
    static constexpr std::size_t largest_chunk_bytes = 256 * 1024;  // of a chain, if it is of more than a row
    static constexpr std::size_t gathered_bytes = 32768;            // of an array's columns at once

    // Whether neighbours in memory belong to different sequences.
    static bool are_side_by_side(const axis_geometry& geometry) {
        const auto next = geometry.fastest();
        return next.extent > 1 && std::abs(next.out_stride) < std::abs(geometry.out_stride);
    }

    lane_recurrences(executor& ex, const source<T>& a, const source<T>& b, const recurrence_starts<T>& starts,
                     const sink<T>& out, const axis_geometry& geometry, bool in_place)
        : ex_(ex),
          kernels_(affine_kernels_for<T>(level_for(ex.simd(), geometry.fastest().extent))),
          geometry_(geometry),
          starts_(starts),
          footprint_(geometry.length * geometry.sequence_count *
                     ((a.stride == 0 ? 0 : a.element_size) + b.element_size + out.element_size)),
          staging_(
              ex.simd(), a, b, out, geometry,
              {!in_place && (ex.streams(footprint_) || (ex.threads() > 1 && !ex.fits_caches(footprint_))),
               lead_of(ex, footprint_)}) {}

    void run() const {
        if (staging_.direct())
            run_as<true, widest_share>();
        else
            run_as<false, staging::rows_lanes>();
    }

  private:
    // The level, or one of narrower vectors if there are not enough lanes for its own.
    static simd_level level_for(simd_level level, std::size_t lanes) {
        for (const simd_level one : {level, simd_level::avx2, simd_level::sse4}) {
            if (one <= level && affine_kernels_for<T>(one).least_lanes <= lanes) return one;
        }
        return simd_level::portable;
    }

    // Lanes of a share at most. Columns are gathered a few elements at a time, and what else lies in the
    // cache lines that these come from is still near when its turn comes.
    [[nodiscard]] std::size_t most_together(std::size_t widest) const {
        if (are_side_by_side(geometry_)) return widest;
        return std::clamp(gathered_bytes / sizeof(T) / geometry_.length / line * line, line, widest);
    }

    // Direct: lanes are scanned where they lie.
    template <bool Direct, std::size_t widest>
    void run_as() const {
        const std::size_t row_lanes = geometry_.fastest().extent;
        const std::size_t rows = geometry_.sequence_count / row_lanes;
        const std::size_t threads = ex_.helpers_for(footprint_) + 1;
        const bool chains_well = threads <= short_chain && !ex_.fits_caches(footprint_);
        const std::size_t least = chains_well ? wide_share : narrow_share;
        const std::size_t shares = rows * ((row_lanes + least - 1) / least);
        const bool chained = shares < threads && geometry_.length >= 2 * core::row_size;
        const std::size_t fair = row_lanes * rows / threads / line * line;
        const lane_parts<T> parts(row_lanes,
                                  chained ? chain_lanes : std::clamp(fair, line, most_together(widest)));
        const auto range_of = [&](std::size_t task) {
            const std::size_t part = task % parts.count();
            return lane_range{geometry_.begin(task / parts.count() * row_lanes + parts.first(part)),
                              parts.lanes(part)};
        };
        const std::size_t tasks = rows * parts.count();
        if (chained) {
            for (std::size_t task = 0; task < tasks; ++task)
                run_lane_chain<Direct>(range_of(task), threads - 1);
            return;
        }
        for_each_task(ex_, std::min(threads, tasks) - 1, tasks, [&](std::size_t task) {
            const lane_range range = range_of(task);
            auto state = started<widest + line>(range);
            scan<Direct>(range, 0, staging_.length(), state, staging_.lead());
            staging_.fence();
        });
    }

    // Lanes before their first elements.
    template <std::size_t capacity>
    [[nodiscard]] recurrence_lanes<T, capacity> started(const lane_range& range) const {
        return {starts_, range.at.second, geometry_.fastest().second_stride, range.lanes};
    }

    // Lanes in chunks of rows of the tree along the axis.
    template <bool Direct>
    struct lane_chunks {
        static constexpr std::size_t capacity = chain_lanes + line;
        using state = recurrence_lanes<T, capacity>;
        struct summary {
            alignas(64) T a[capacity];  // of every row's lanes
            alignas(64) T b[capacity];
        };

        const lane_recurrences& all;
        lane_range range;
        std::size_t chunk_size;  // elements of a sequence

        void summarise(std::size_t chunk, summary& made) const {
            all.fold<Direct>(range, chunk * chunk_size, chunk_size, made.a, made.b);
        }
        void advance(state& carried, std::size_t chunk, const summary& made) const {
            std::size_t lane = 0;
            for (std::size_t i = core::row_size; i <= chunk_size; i += core::row_size, lane += range.lanes)
                carried.push_row(made.a + lane, made.b + lane, chunk * chunk_size + i);
        }
        void scan(std::size_t chunk, state& carried, std::size_t next) const {
            const std::size_t first = chunk * chunk_size;
            // What this thread summarises next comes from memory meanwhile.
            const std::size_t lead = next == no_chunk ? all.staging_.lead()
                                                      : (next - chunk) * chunk_size * range.lanes * sizeof(T);
            all.scan<Direct>(range, first, std::min(chunk_size, all.staging_.length() - first), carried,
                             lead);
            all.staging_.fence();
        }
    };
    template <bool Direct>
    void run_lane_chain(const lane_range& range, std::size_t helpers) const {
        using kernel = lane_chunks<Direct>;
        const std::size_t element_bytes = 2 * range.lanes * sizeof(T);
        const std::size_t wanted = (helpers + 1) * tuning::chunks_per_thread;
        std::size_t chunk_size = core::tile_size;
        while (chunk_size > core::row_size &&
               (chunk_size * element_bytes > largest_chunk_bytes ||
                chunk_size / core::row_size * range.lanes > kernel::capacity ||
                (geometry_.length / chunk_size < wanted &&
                 chunk_size * element_bytes >= 2 * tuning::smallest_chunk_bytes)))
            chunk_size /= 2;
        const std::size_t chunks = (geometry_.length + chunk_size - 1) / chunk_size;
        run_chain(ex_, std::min(helpers, chunks - 1), chunks, kernel{*this, range, chunk_size},
                  started<kernel::capacity>(range));
    }

    // Scans elements [first, first + count), which begin at a row, and asks for input `lead` bytes ahead.
    template <bool Direct, std::size_t capacity>
    void scan(const lane_range& range, std::size_t first, std::size_t count,
              recurrence_lanes<T, capacity>& state, std::size_t lead) const {
        alignas(64) T runs_a[capacity];
        alignas(64) T runs_b[capacity];
        for (std::size_t i = first; i < first + count; i += core::row_size) {
            const std::size_t length = std::min(core::row_size, first + count - i);
            affine_lanes<T> before{runs_a,         runs_b,         state.rows_a, state.rows_b,
                                   state.tiles_a,  state.tiles_b,  state.supers, false,
                                   state.has_rows, state.has_tiles};
            if constexpr (Direct)
                kernels_.scan_lanes(staging_.block_of(range, i, length, lead), before);
            else
                scan_buffered(range, i, length, before, lead);
            if (length == core::row_size) state.push_row(runs_a, runs_b, i + length);
        }
    }
    // The totals of the rows of elements [first, first + count), row after row of lanes.
    template <bool Direct>
    void fold(const lane_range& range, std::size_t first, std::size_t count, T* a, T* b) const {
        const std::size_t end = first + count;
        for (std::size_t i = first; i < end; i += core::row_size, a += range.lanes, b += range.lanes) {
            affine_lanes<T> before{a, b, nullptr, nullptr, nullptr, nullptr, nullptr, false, false, false};
            if constexpr (Direct)
                kernels_.fold_lanes(staging_.block_of(range, i, core::row_size, staging_.lead()), before);
            else
                fold_buffered(range, i, before);
        }
    }

    // The same by way of buffers, of a row at most.
    void scan_buffered(const lane_range& range, std::size_t first, std::size_t count, affine_lanes<T>& before,
                       std::size_t lead) const {
        typename staging::buffers space;
        const std::size_t step = staging::rows_count(range.lanes);
        for (std::size_t i = 0; i < count; i += step) {
            const std::size_t length = std::min(step, count - i);
            kernels_.scan_lanes(staging_.load_rows(range, first + i, length, lead, space), before);
            staging_.store_rows(range, first + i, length, space.y);
        }
    }
    void fold_buffered(const lane_range& range, std::size_t first, affine_lanes<T>& before) const {
        typename staging::buffers space;
        const std::size_t step = staging::rows_count(range.lanes);
        for (std::size_t i = first; i < first + core::row_size; i += step)
            kernels_.fold_lanes(staging_.load_rows(range, i, step, staging_.lead(), space), before);
    }

    executor& ex_;
    const affine_kernels<T>& kernels_;
    const axis_geometry& geometry_;
    recurrence_starts<T> starts_;
    std::size_t footprint_;  // bytes read and written
    const staging staging_;
};

}  // namespace upsweep::cpu
