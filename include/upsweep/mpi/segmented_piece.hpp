// A rank's elements in segments, as a piece of the whole (cpu/piece.hpp): the scan of the pairs (head, value)
// that docs/numerics.md says a segmented scan is.
//
// Where the CPU has kernels for segments, rows and tiles are folded by them, and what is before the first
// tile boundary is scanned by them from its first row on; the few elements that are left, and everything
// else, go pair by pair. Behind the first tile boundary values are scanned by the CPU's engines, in which
// what a head hides is absent.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "upsweep/concepts.hpp"
#include "upsweep/core/piece.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/piece.hpp"
#include "upsweep/cpu/segmented.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::mpi {

template <class Acc>
struct segment_pair {
    Acc value;
    bool head;
};

// (h1, v1) (+) (h2, v2) = (h1 or h2, h2 ? v2 : v1 (+) v2)
template <class Acc, class Op>
struct combine_segments {
    static constexpr bool exact = is_exact<Op, Acc>;
    Op op;

    segment_pair<Acc> operator()(const segment_pair<Acc>& a, const segment_pair<Acc>& b) const {
        if (b.head) return b;
        return {op(a.value, b.value), a.head};
    }
};

// Marks without those of the first `offset` elements.
struct moved_marks {
    const cpu::head_marks& of;
    std::size_t offset;
    static void mark(const cpu::head_marks& moved, const cpu::memory_kernels& memory, std::size_t first,
                     std::size_t count, std::uint64_t* bits, std::size_t& hint) {
        const auto& own = *static_cast<const moved_marks*>(moved.segments);
        own.of.mark(own.of, memory, own.offset + first, count, bits, hint);
    }
};

// Op takes operands in scan order; kernels are asked for under Named, the caller's operator.
template <class Acc, class In, class Out, class Op, class Named>
class segmented_piece {
  public:
    using accumulator = segment_pair<Acc>;
    static constexpr bool has_kernels = cpu::has_segmented_kernels<Acc, Named>;
    static constexpr std::size_t cost = has_kernels ? cpu::tuning::segmented_cost : cpu::tuning::generic_cost;

    // in and out are the first element of the scan and its result; the marks are in scan order.
    segmented_piece(const Op& op, const cpu::executor& ex, const In* in, Out* out, std::ptrdiff_t stride,
                    const cpu::scan_shape& shape, const cpu::head_marks& marks,
                    const cpu::segment_options<Acc>& starts)
        : op_{op},
          ex_(ex),
          in_(in),
          out_(out),
          stride_(stride),
          shape_(shape),
          marks_(marks),
          starts_(starts) {}

    [[nodiscard]] std::size_t size() const { return shape_.size; }
    [[nodiscard]] std::size_t read_bytes() const { return sizeof(accumulator); }
    [[nodiscard]] const combine_segments<Acc, Op>& combine() const { return op_; }

    // The total of a block, as of other pieces.
    [[nodiscard]] accumulator total_of(std::size_t level, std::size_t i) const {
        if constexpr (has_kernels) {
            if (core::level_sizes[level] >= core::row_size) return fold_rows(i, core::level_sizes[level]);
        }
        reader read(*this, i);
        return core::fold_block_of<accumulator>(level, read, op_);
    }
    // Of elements that may be grouped freely.
    [[nodiscard]] accumulator fold(std::size_t i, std::size_t count) const {
        const std::size_t rows = has_kernels ? count / core::row_size * core::row_size : 0;
        std::optional<accumulator> total;
        if constexpr (has_kernels) {
            if (rows != 0) total = fold_rows(i, rows);
        }
        reader read(*this, i + rows);
        for (std::size_t k = rows; k < count; ++k) core::fold_into(total, read(), op_);
        return *total;
    }

    // Advances `place` over what is before the first tile boundary, and returns how many elements that is.
    // `last` tells only whether there are any: no call asks for the value behind them.
    std::size_t scan_head(core::tree_place<accumulator>& place, std::optional<accumulator>& last) const {
        const std::size_t count = cpu::up_to_boundary(place.element_count, core::tile_size, shape_.size);
        const std::size_t loose =
            has_kernels ? cpu::up_to_boundary(place.element_count, core::row_size, count) : count;
        if (loose != 0) scan_pairs(place, loose, last);
        if constexpr (has_kernels) {
            if (loose != count) last = scan_rows(place, loose, count - loose);
        }
        return count;
    }
    [[nodiscard]] std::optional<accumulator> scan_tiles(cpu::executor& ex, std::size_t i,
                                                        const core::tree_carry<accumulator>& carry) const {
        cpu::scan_shape rest = shape_;
        rest.size -= i;
        const moved_marks moved{marks_, i};
        const cpu::head_marks marks{&moved, rest.size, false, &moved_marks::mark};
        core::tree_carry<Acc> values = values_of(carry);
        std::optional<Acc> last;
        if constexpr (has_kernels) {
            last = cpu::run_segmented_scan<Acc, Named>(ex, cpu::moved(source(), distance(i)),
                                                       cpu::moved(sink(), distance(i)), rest, marks, starts_,
                                                       values);
        } else {
            const std::identity itself;
            const cpu::element_source<Acc, In, std::identity> from{in_ + distance(i), stride_, itself};
            const cpu::element_sink<Acc, Out> to{out_ + distance(i), stride_, starts_.before};
            const cpu::marked_heads<Acc> heads{marks, cpu::memory_kernels_for(ex.simd()), starts_.initial};
            last = cpu::run_generic_scan<Acc>(ex, from, to, op_.op, rest, values, heads);
        }
        return accumulator{*last, false};
    }

    // What a head to the right hides is absent.
    static core::tree_carry<Acc> values_of(const core::tree_carry<accumulator>& carry) {
        core::tree_carry<Acc> values{value_of(carry.supers), value_of(carry.tiles), carry.tile_count};
        if (carry.tiles && carry.tiles->head) values.supers.reset();
        return values;
    }

  private:
    // Pairs in scan order, whose heads are asked for a row at a time.
    class reader {
      public:
        reader(const segmented_piece& piece, std::size_t first) : piece_(&piece), at_(first) {}

        accumulator operator()() {
            if (bit_ == core::row_size) {
                const std::size_t count = std::min(core::row_size, piece_->size() - at_);
                piece_->marks_.mark(piece_->marks_, cpu::memory_kernels_for(piece_->ex_.simd()), at_, count,
                                    bits_.data(), hint_);
                bit_ = 0;
            }
            const bool head = (bits_[bit_ / 64] >> (bit_ % 64) & 1) != 0;
            const In& element = piece_->in_[piece_->distance(at_)];
            ++bit_;
            ++at_;
            const auto& initial = piece_->starts_.initial;
            if (head && initial) return {piece_->op_.op(*initial, cpu::convert<Acc>(element)), true};
            return {cpu::convert<Acc>(element), head};
        }

      private:
        const segmented_piece* piece_;
        std::size_t at_;
        std::size_t bit_ = core::row_size;
        std::size_t hint_ = 0;
        std::array<std::uint64_t, core::row_size / 64> bits_{};
    };
    void scan_pairs(core::tree_place<accumulator>& place, std::size_t count,
                    std::optional<accumulator>& last) const {
        reader read(*this, 0);
        last = place.value(op_);
        for (std::size_t i = 0; i < count; ++i) {
            const accumulator pair = read();  // before the store: the output may be the input
            place.push(0, pair, op_);
            const Acc* before = nullptr;
            if (shape_.exclusive) before = pair.head ? &*starts_.before : &last->value;
            if (before != nullptr) out_[distance(i)] = cpu::convert<Out>(*before);
            last = place.value(op_);
            if (before == nullptr) out_[distance(i)] = cpu::convert<Out>(last->value);
        }
    }

    // By kernels: what makes them ask for elements [i, i + count).
    [[nodiscard]] cpu::source<Acc> source() const {
        return cpu::make_source<Acc>(upsweep::detail::as_storage(in_), stride_);
    }
    [[nodiscard]] cpu::sink<Acc> sink() const {
        return cpu::make_sink<Acc>(upsweep::detail::as_storage(out_), stride_);
    }
    [[nodiscard]] accumulator fold_rows(std::size_t i, std::size_t count) const {
        const auto from = source();
        const auto to = sink();
        const auto made = cpu::fold_segments<Acc, Named>(ex_, {from, to, shape_, marks_, starts_, i, count});
        return {made.value, made.has_head};
    }
    // From a row boundary on, up to the end of the tile or of the piece.
    [[nodiscard]] accumulator scan_rows(core::tree_place<accumulator>& place, std::size_t i,
                                        std::size_t count) const {
        constexpr std::size_t row_level = core::tile_level - 1;
        const auto& supers = place.parts[core::super_level];
        const auto& tiles = place.parts[core::tile_level];
        const auto& rows = place.parts[row_level];
        // What a head to the right hides is absent.
        cpu::segment_left<Acc> left{value_of(supers), value_of(tiles), value_of(rows)};
        const bool head_in_rows = rows && rows->head;
        if (head_in_rows) left.tiles.reset();
        if (head_in_rows || (tiles && tiles->head)) left.supers.reset();
        const auto from = source();
        const auto to = sink();
        const cpu::segment_fold<Acc> made =
            cpu::scan_segments<Acc, Named>(ex_, {from, to, shape_, marks_, starts_, i, count}, left);
        const accumulator own{made.value, head_in_rows || made.has_head};
        if ((place.element_count + count) % core::tile_size == 0) {
            place.parts[row_level].reset();
            place.element_count += count - core::tile_size;  // the beginning of the tile
            place.push(core::tile_level, own, op_);
        }
        return own;
    }

    [[nodiscard]] std::ptrdiff_t distance(std::size_t i) const {
        return static_cast<std::ptrdiff_t>(i) * stride_;
    }
    static std::optional<Acc> value_of(const std::optional<accumulator>& pair) {
        return pair ? std::optional<Acc>(pair->value) : std::nullopt;
    }

    combine_segments<Acc, Op> op_;
    const cpu::executor& ex_;
    const In* in_;
    Out* out_;
    std::ptrdiff_t stride_;
    cpu::scan_shape shape_;
    const cpu::head_marks& marks_;
    const cpu::segment_options<Acc>& starts_;
};

}  // namespace upsweep::mpi
