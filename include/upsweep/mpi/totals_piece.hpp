// A rank's elements in segments, of which the totals alone are wanted: summarised as segmented_piece does it,
// scanned by the CPU's totals of segments (cpu/segment_totals.hpp) from the first tile boundary on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "upsweep/core/piece.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/piece.hpp"
#include "upsweep/cpu/segment_results.hpp"
#include "upsweep/cpu/segment_totals.hpp"
#include "upsweep/cpu/segmented.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/mpi/rank_results.hpp"
#include "upsweep/mpi/scratch.hpp"
#include "upsweep/mpi/segmented_piece.hpp"

namespace upsweep::mpi {

template <class Acc, class In, class Out, class Op>
class totals_piece {
    using folds = segmented_piece<Acc, In, Acc, Op, Op>;

  public:
    using accumulator = typename folds::accumulator;
    using results = results_on_rank<Acc, Out>;
    static constexpr std::size_t cost = folds::cost;

    // The number of heads goes to `count` once the piece is scanned.
    totals_piece(const Op& op, const cpu::executor& ex, const In* in, std::size_t n,
                 const cpu::head_marks& marks, const std::optional<Acc>& initial, const results& to,
                 std::size_t& count)
        : op_(op),
          ex_(ex),
          in_(in),
          marks_(marks),
          starts_{initial, initial},
          shape_{n, false, false, 0},
          results_(to),
          count_(count),
          folds_(scanning_to(nullptr)) {}

    [[nodiscard]] std::size_t size() const { return shape_.size; }
    [[nodiscard]] std::size_t read_bytes() const { return folds_.read_bytes(); }
    [[nodiscard]] const auto& combine() const { return folds_.combine(); }
    [[nodiscard]] accumulator total_of(std::size_t level, std::size_t i) const {
        return folds_.total_of(level, i);
    }
    [[nodiscard]] accumulator fold(std::size_t i, std::size_t count) const { return folds_.fold(i, count); }

    // Advances `place` over what is before the first tile boundary, and returns how many elements that is.
    std::size_t scan_head(core::tree_place<accumulator>& place, std::optional<accumulator>& last) const {
        const std::size_t count = cpu::up_to_boundary(place.element_count, core::tile_size, shape_.size);
        if (count == 0) return 0;
        const scratch<Acc> scanned(count);
        scanning_to(scanned.data()).scan_head(place, last);
        std::array<std::uint64_t, cpu::words_of(core::tile_size + 1)> heads;
        std::size_t hint = 0;
        marks_.mark(marks_, cpu::memory_kernels_for(ex_.simd()), 0, count + 1, heads.data(), hint);
        const auto is_head = [&](std::size_t i) { return (heads[i / 64] >> (i % 64) & 1) != 0; };
        for (std::size_t i = 0; i < count; ++i) {
            if (is_head(i)) ++count_;
            if (is_head(i + 1)) results_.store(count_ - 1, scanned.data()[i]);
        }
        return count;
    }
    [[nodiscard]] std::optional<accumulator> scan_tiles(cpu::executor& ex, std::size_t i,
                                                        const core::tree_carry<accumulator>& carry) const {
        const std::size_t n = shape_.size - i;
        const moved_marks moved{marks_, i};
        const cpu::head_marks marks{&moved, n, false, &moved_marks::mark, marks_.bytes};
        const core::tree_carry<Acc> tree = folds::values_of(carry);
        if constexpr (cpu::has_exact_totals<Acc, Op>) {
            const cpu::exact_totals<Acc, Op, results> totals(ex, source(i), op_, results_, starts_.initial);
            run(ex, totals, marks, {tree.supers}, cpu::tuning::segmented_cost);
        } else if constexpr (folds::has_kernels) {
            const cpu::kernel_totals<Acc, Op, results> totals(ex, source(i), op_, results_, starts_.initial);
            run(ex, totals, marks, {tree}, cpu::tuning::segmented_cost);
        } else {
            const std::identity itself;
            using elements = cpu::element_source<Acc, In, std::identity>;
            const cpu::generic_totals<Acc, Op, elements, results> totals(ex, elements{in_ + i, 1, itself},
                                                                         op_, results_, starts_.initial);
            run(ex, totals, marks, {tree}, cpu::tuning::generic_cost);
        }
        // Of which a caller asks only whether there is one.
        return accumulator{cpu::convert<Acc>(in_[i]), false};
    }

  private:
    [[nodiscard]] folds scanning_to(Acc* out) const {
        return folds(op_, ex_, in_, out, 1, shape_, marks_, starts_);
    }
    [[nodiscard]] cpu::source<Acc> source(std::size_t i) const {
        return cpu::make_source<Acc>(upsweep::detail::as_storage(in_ + i));
    }
    template <class Totals>
    void run(cpu::executor& ex, const Totals& totals, const cpu::head_marks& marks,
             const typename Totals::state& before, std::size_t weight) const {
        count_ = cpu::run_segments(ex, totals, marks, sizeof(Out), weight, nullptr, 0, {count_, before});
    }

    const Op& op_;
    const cpu::executor& ex_;
    const In* in_;
    const cpu::head_marks& marks_;
    cpu::segment_options<Acc> starts_;
    cpu::scan_shape shape_;
    results results_;
    std::size_t& count_;
    folds folds_;
};

}  // namespace upsweep::mpi
