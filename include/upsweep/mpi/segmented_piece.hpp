// A rank's elements in segments, as a piece of the whole (cpu/piece.hpp): the scan of the pairs (head, value)
// that docs/numerics.md says a segmented scan is.
//
// Summaries and what is before the first tile boundary go pair by pair. Behind it values are scanned by the
// CPU's engines for segments, in which what a head hides is absent.
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

// What a call says of every segment.
template <class Acc>
struct segment_starts {
    std::optional<Acc> initial;  // combined with the first element
    std::optional<Acc> before;   // what an exclusive scan stores there
};

// Op takes operands in scan order; kernels are asked for under Named, the caller's operator.
template <class Acc, class In, class Out, class Op, class Named>
class segmented_piece {
  public:
    using accumulator = segment_pair<Acc>;
    static constexpr std::size_t cost = cpu::tuning::generic_cost;

    // in and out are the first element of the scan and its result; the marks are in scan order.
    segmented_piece(const Op& op, const cpu::executor& ex, const In* in, Out* out, std::ptrdiff_t stride,
                    const cpu::scan_shape& shape, const cpu::head_marks& marks,
                    const segment_starts<Acc>& starts)
        : op_{op},
          memory_(cpu::memory_kernels_for(ex.simd())),
          in_(in),
          out_(out),
          stride_(stride),
          shape_(shape),
          marks_(marks),
          starts_(starts) {}

    [[nodiscard]] std::size_t size() const { return shape_.size; }
    [[nodiscard]] std::size_t read_bytes() const { return sizeof(accumulator); }
    [[nodiscard]] const combine_segments<Acc, Op>& combine() const { return op_; }

    [[nodiscard]] accumulator total_of(std::size_t level, std::size_t i) const {
        reader read(*this, i);
        return core::fold_block_of<accumulator>(level, read, op_);
    }
    [[nodiscard]] accumulator fold(std::size_t i, std::size_t count) const {
        reader read(*this, i);
        accumulator total = read();
        for (std::size_t k = 1; k < count; ++k) total = op_(total, read());
        return total;
    }

    // As of other pieces.
    std::size_t scan_head(core::tree_place<accumulator>& place, std::optional<accumulator>& last) const {
        const std::size_t count = cpu::up_to_boundary(place.element_count, core::tile_size, shape_.size);
        if (count == 0) return 0;
        reader read(*this, 0);
        last = place.value(op_);
        for (std::size_t i = 0; i < count; ++i) {
            const accumulator pair = read();  // before the store: the output may be the input
            place.push(0, pair, op_);
            if (shape_.exclusive) store(i, pair.head ? *starts_.before : last->value);
            last = place.value(op_);
            if (!shape_.exclusive) store(i, last->value);
        }
        return count;
    }
    [[nodiscard]] std::optional<accumulator> scan_tiles(cpu::executor& ex, std::size_t i,
                                                        const core::tree_carry<accumulator>& carry) const {
        cpu::scan_shape rest = shape_;
        rest.size -= i;
        const moved_marks moved{marks_, i};
        const cpu::head_marks marks{&moved, rest.size, false, &moved_marks::mark};
        core::tree_carry<Acc> values{value_of(carry.supers), value_of(carry.tiles), carry.tile_count};
        if (carry.tiles && carry.tiles->head) values.supers.reset();
        const In* const in = in_ + static_cast<std::ptrdiff_t>(i) * stride_;
        Out* const out = out_ + static_cast<std::ptrdiff_t>(i) * stride_;
        if constexpr (cpu::has_segmented_kernels<Acc, Named>) {
            return accumulator{cpu::run_segmented_scan<Acc, Named>(
                                   ex, cpu::make_source<Acc>(upsweep::detail::as_storage(in), stride_),
                                   cpu::make_sink<Acc>(upsweep::detail::as_storage(out), stride_), rest,
                                   marks, {starts_.initial, starts_.before}, values),
                               false};
        } else {
            const std::identity itself;
            const cpu::element_source<Acc, In, std::identity> from{in, stride_, itself};
            const cpu::element_sink<Acc, Out> to{out, stride_, starts_.before};
            const cpu::marked_heads<Acc> heads{marks, memory_, starts_.initial};
            const std::optional<Acc> value =
                cpu::run_generic_scan<Acc>(ex, from, to, op_.op, rest, values, heads);
            return value ? std::optional(accumulator{*value, false}) : std::nullopt;
        }
    }

  private:
    // Pairs in scan order, whose heads are asked for a row at a time.
    class reader {
      public:
        reader(const segmented_piece& piece, std::size_t first) : piece_(&piece), at_(first) {}

        accumulator operator()() {
            if (bit_ == core::row_size) {
                const std::size_t count = std::min(core::row_size, piece_->size() - at_);
                piece_->marks_.mark(piece_->marks_, piece_->memory_, at_, count, bits_.data(), hint_);
                bit_ = 0;
            }
            const bool head = (bits_[bit_ / 64] >> (bit_ % 64) & 1) != 0;
            const In& element = piece_->in_[static_cast<std::ptrdiff_t>(at_) * piece_->stride_];
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
    struct moved_marks {
        const cpu::head_marks& of;
        std::size_t offset;
        static void mark(const cpu::head_marks& moved, const cpu::memory_kernels& memory, std::size_t first,
                         std::size_t count, std::uint64_t* bits, std::size_t& hint) {
            const auto& own = *static_cast<const moved_marks*>(moved.segments);
            own.of.mark(own.of, memory, own.offset + first, count, bits, hint);
        }
    };

    void store(std::size_t i, const Acc& value) const {
        out_[static_cast<std::ptrdiff_t>(i) * stride_] = cpu::convert<Out>(value);
    }
    static std::optional<Acc> value_of(const std::optional<accumulator>& pair) {
        return pair ? std::optional<Acc>(pair->value) : std::nullopt;
    }

    combine_segments<Acc, Op> op_;
    const cpu::memory_kernels& memory_;
    const In* in_;
    Out* out_;
    std::ptrdiff_t stride_;
    cpu::scan_shape shape_;
    const cpu::head_marks& marks_;
    const segment_starts<Acc>& starts_;
};

}  // namespace upsweep::mpi
