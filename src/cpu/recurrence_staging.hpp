// How the coefficients of recurrences that lie side by side get from their arrays into buffers of rows in the
// nearest caches, and results back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/cpu/careful_product.hpp"
#include "src/cpu/lane_staging-impl.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/staging.hpp"

namespace upsweep::cpu {

template <class T>
class recurrence_staging {
  public:
    static constexpr std::size_t line = cache_line<T>;
    // Lanes of a range: as many as a thread takes where they lie, and what is left of a cache line.
    static constexpr std::size_t direct_lanes = 16384 / sizeof(T);
    static constexpr std::size_t most_lanes = direct_lanes + line;
    // Lanes of buffered rows, what is left of a cache line not counted; a buffer holds a run of them.
    static constexpr std::size_t rows_lanes = 4096 / sizeof(T);
    struct buffers {
        static constexpr std::size_t size = core::run_size * (rows_lanes + line);
        alignas(64) T a[size];
        alignas(64) T b[size];
        alignas(64) T y[size];
    };

    // `streaming`: results are stored past the caches if they are not converted; `lead` as in lane_traffic.
    recurrence_staging(simd_level level, const source<T>& a, const source<T>& b, const sink<T>& out,
                       const axis_geometry& geometry, const lane_traffic& traffic)
        : memory_(memory_kernels_for(level)),
          geometry_(geometry),
          a_{a, a.stride, geometry.fastest().in_stride},
          b_{b, b.stride, geometry.fastest().second_stride},
          y_{out, out.stride, geometry.fastest().out_stride},
          streaming_(traffic.streaming && y_.lies()),
          y_in_place_(y_.lies() && (!streaming_ || fills_lines())),
          lead_(geometry.fastest().extent < line ? 0 : traffic.lead / 2) {
        if (!is_one_number(a, geometry)) return;
        const std::size_t lanes = std::min(geometry.fastest().extent, most_lanes);
        a.load(a, memory_, 0, lanes, coefficients_);
        a_ = {make_source<T>(static_cast<const T*>(coefficients_), 0), 0, 1};
    }
    recurrence_staging(const recurrence_staging&) = delete;
    recurrence_staging& operator=(const recurrence_staging&) = delete;

    // Whether lanes are to be scanned where they lie.
    [[nodiscard]] bool direct() const { return a_.lies() && b_.lies() && y_in_place_; }
    [[nodiscard]] std::size_t length() const { return geometry_.length; }

    // How many bytes ahead input is asked for where it is read for the first time.
    [[nodiscard]] std::size_t lead() const { return lead_; }

    // Elements [first, first + count) of direct lanes.
    [[nodiscard]] affine_block<T> block_of(const lane_range& range, std::size_t first, std::size_t count,
                                           std::size_t lead) const {
        affine_block<T> block{};
        block.a = a_.row(range.at.in, first);
        block.a_stride = a_.stride;
        block.b = b_.row(range.at.second, first);
        block.b_stride = b_.stride;
        block.lead = lead;
        place_results(range, first, block);
        block.length = count;
        block.lanes = range.lanes;
        block.slow_subnormals = slow_subnormals_;
        return block;
    }

    // How many elements pass the buffers at once: a run of the widest rows, or more of others.
    static std::size_t rows_count(std::size_t lanes) {
        std::size_t count = core::row_size;
        while (count > core::run_size && count * lanes > buffers::size / 4) count /= 2;
        return count;
    }
    // The same of others, whose coefficients are read from buffers, and results written to one, unless they
    // lie well.
    affine_block<T> load_rows(const lane_range& range, std::size_t first, std::size_t count, std::size_t lead,
                              buffers& space) const {
        const auto pitch = static_cast<std::ptrdiff_t>(range.lanes);
        affine_block<T> block{space.a, pitch,       space.b,          pitch, space.y, pitch,
                              count,   range.lanes, placement::cached};
        block.slow_subnormals = slow_subnormals_;
        if (a_.lies()) {
            block.a = a_.row(range.at.in, first);
            block.a_stride = a_.stride;
        } else if (a_.stride == 0) {  // the same row again and again
            gather(a_, range.at.in, range.lanes, first, 1, space.a);
            block.a_stride = 0;
        } else {
            gather(a_, range.at.in, range.lanes, first, count, space.a);
        }
        if (b_.lies()) {
            block.b = b_.row(range.at.second, first);
            block.b_stride = b_.stride;
        } else {
            gather(b_, range.at.second, range.lanes, first, count, space.b);
        }
        if (a_.lies() && b_.lies()) block.lead = lead;
        if (y_in_place_) place_results(range, first, block);
        return block;
    }
    // Results of load_rows.
    void store_rows(const lane_range& range, std::size_t first, std::size_t count, const T* rows) const {
        if (y_in_place_) return;
        for_each_stretch(y_, range.at.out, range.lanes, first, count,
                         [&](const sink<T>& to, std::size_t done, std::size_t elements) {
                             if (streaming_)
                                 memory_.stream(to.data, rows + done, elements * sizeof(T), nullptr);
                             else
                                 to.store(to, memory_, 0, elements, rows + done);
                         });
    }

    // To be called by a thread that scanned, before others read the results.
    void fence() const {
        if (streaming_) memory_.fence();
    }

  private:
    template <class End>
    struct array {
        End end;
        std::ptrdiff_t stride;  // of the axis
        std::ptrdiff_t lane_stride;

        // Whether lanes are accumulators side by side.
        [[nodiscard]] bool lies() const { return end.plain && lane_stride == 1; }
        [[nodiscard]] auto row(std::ptrdiff_t at, std::size_t i) const {
            return static_cast<decltype(end.direct)>(end.data) + at + static_cast<std::ptrdiff_t>(i) * stride;
        }
    };

    void place_results(const lane_range& range, std::size_t first, affine_block<T>& block) const {
        block.y = y_.row(range.at.out, first);
        block.y_stride = y_.stride;
        block.where = streaming_ ? placement::streamed : placement::cached;
    }

    // Whether all coefficients are the same element.
    static bool is_one_number(const source<T>& a, const axis_geometry& geometry) {
        bool is_one = a.stride == 0;
        for (std::size_t k = 0; k < geometry.other_count; ++k)
            is_one = is_one && geometry.others[k].in_stride == 0;
        return is_one;
    }
    // Whether every row of results begins and ends with a cache line.
    [[nodiscard]] bool fills_lines() const {
        const auto whole = [](std::ptrdiff_t stride) {
            return stride % static_cast<std::ptrdiff_t>(line) == 0;
        };
        bool fills = reinterpret_cast<std::uintptr_t>(y_.row(geometry_.origin.out, 0)) % 64 == 0 &&
                     whole(y_.stride) && geometry_.fastest().extent % line == 0;
        for (std::size_t k = 0; k + 1 < geometry_.other_count; ++k)
            fills = fills && whole(geometry_.others[k].out_stride);
        return fills;
    }

    // body(end, elements done, elements) for `count` rows from the first-th on: all at once if they follow
    // each other without a gap.
    template <class End, class Body>
    static void for_each_stretch(const array<End>& of, std::ptrdiff_t at, std::size_t lanes,
                                 std::size_t first, std::size_t count, const Body& body) {
        const bool packed = of.lane_stride == 1 && of.stride == static_cast<std::ptrdiff_t>(lanes);
        const std::size_t together = packed ? count : 1;
        End row = moved(of.end, at + static_cast<std::ptrdiff_t>(first) * of.stride);
        row.stride = of.lane_stride;
        for (std::size_t i = 0; i < count; i += together) {
            body(row, i * lanes, together * lanes);
            row = moved(row, of.stride);
        }
    }
    void gather(const array<source<T>>& from, std::ptrdiff_t at, std::size_t lanes, std::size_t first,
                std::size_t count, T* rows) const {
        for_each_stretch(from, at, lanes, first, count,
                         [&](const source<T>& row, std::size_t done, std::size_t elements) {
                             row.load(row, memory_, 0, elements, rows + done);
                         });
    }

    const memory_kernels& memory_;
    const axis_geometry& geometry_;
    array<source<T>> a_, b_;
    array<sink<T>> y_;
    bool streaming_, y_in_place_;
    const bool slow_subnormals_ = has_slow_subnormals();
    std::size_t lead_;  // of either input; asking for rows shorter than a cache line costs more than it gains
    alignas(64) T coefficients_[most_lanes];  // a row of them, if they are one number
};

}  // namespace upsweep::cpu
