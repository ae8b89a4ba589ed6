// A piece of a longer sequence, on the CPU: what it adds to whatever stands to its left, and its scan once
// that is known. The two readings are for whoever passes the state from piece to piece, such as ranks of a
// cluster.
//
// A piece may begin anywhere. Tiles that it holds as a whole are folded by all threads, and scanned by the
// engines for whole sequences, which start at a tile boundary. The rest are up to 4095 elements at either
// end. Complexity: n operations for the first reading, 5 n for the second (n each if the operator is exact).
// Memory: one accumulator for each tile or, if the operator is exact, for every eight of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "upsweep/concepts.hpp"
#include "upsweep/core/piece.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/folded_input.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/operation.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {

// How far it is from `element` to the next multiple of `size`, but not past `count` elements.
constexpr std::size_t up_to_boundary(std::uint64_t element, std::size_t size, std::size_t count) {
    return std::min<std::size_t>(count, (size - element % size) % size);
}

// One for which there are kernels.
template <class Acc, bool Exact>
class kernel_piece {
  public:
    using accumulator = Acc;
    static constexpr bool exact = Exact;
    static constexpr std::size_t cost = 1;  // of a byte, in times of what it costs a plain scan

    // `in` and `out` are as for run_scan; their strides are 1, or -1 for both.
    kernel_piece(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, const sink<Acc>& out,
                 const scan_shape& shape)
        : op_(op),
          kernels_(op.kernels(ex.simd())),
          memory_(memory_kernels_for(ex.simd())),
          in_(in),
          out_(out),
          shape_(shape),
          folded_(op, ex, in, Exact ? 0 : lead_of(ex, shape.footprint)) {}

    [[nodiscard]] std::size_t size() const { return shape_.size; }
    [[nodiscard]] std::size_t read_bytes() const { return std::max(in_.element_size, sizeof(Acc)); }
    [[nodiscard]] auto combine() const { return op_.combine; }

    // The total of a block of up to a tile that begins at the piece's i-th element.
    [[nodiscard]] Acc total_of(std::size_t level, std::size_t i) const {
        const std::size_t count = core::level_sizes[level];
        if (count < core::row_size) {
            Acc few[core::run_size];
            in_.load(in_, memory_, i, count, few);
            return core::fold_left(few, count, op_.combine);
        }
        return folded_.fold(i, count);
    }
    // The fold of `count` elements from the i-th on, under an exact operator.
    [[nodiscard]] Acc fold(std::size_t i, std::size_t count) const { return folded_.fold(i, count); }

    // Scans what is before the first row boundary element by element and then, by rows, what is before the
    // first tile boundary; advances `place` over it. Returns how many elements those were, and in `last`, if
    // there is nothing behind them, the value there.
    std::size_t scan_head(core::tree_place<Acc>& place, std::optional<Acc>& last) const {
        const std::size_t n = shape_.size;
        alignas(64) Acc buffer[piece_size<Acc>];
        const std::size_t loose = up_to_boundary(place.element_count, core::row_size, n);
        if (loose != 0) {
            in_.load(in_, memory_, 0, loose, buffer);
            Acc value = place.value(op_.combine).value_or(op_.identity);
            for (std::size_t i = 0; i < loose; ++i) {
                place.push(0, buffer[i], op_.combine);
                buffer[i] = std::exchange(value, *place.value(op_.combine));
                if (!shape_.exclusive) buffer[i] = value;
            }
            out_.store(out_, memory_, 0, loose, buffer);
            last = value;
        }
        const std::size_t rest = up_to_boundary(place.element_count, core::tile_size, n - loose);
        if (rest != 0) last = scan_within_tile(place, loose, rest, buffer);
        return loose + rest;
    }
    // Scans from the i-th element on, which is at a tile boundary, or anywhere under an exact operator.
    // `carry` ends as the state after the last complete tile.
    [[nodiscard]] std::optional<Acc> scan_tiles(executor& ex, std::size_t i,
                                                core::tree_carry<Acc>& carry) const {
        scan_shape rest = shape_;
        rest.size -= i;
        const auto offset = static_cast<std::ptrdiff_t>(i);
        return run_scan(op_, ex, moved(in_, offset * in_.stride), moved(out_, offset * out_.stride), rest,
                        carry);
    }

  private:
    // Elements [i, i + count) begin at a row boundary and do not pass the end of their tile.
    Acc scan_within_tile(core::tree_place<Acc>& place, std::size_t i, std::size_t count, Acc* buffer) const {
        const Acc supers = place.parts[core::super_level].value_or(op_.identity);
        const Acc tiles = place.parts[core::tile_level].value_or(op_.identity);
        Acc rows = place.parts[core::tile_level - 1].value_or(op_.identity);
        Acc last = op_.identity;
        scan_pass pass;
        pass.exclusive = shape_.exclusive;
        for (std::size_t done = 0, part; done < count; done += part) {
            part = std::min(count - done, piece_size<Acc>);
            in_.load(in_, memory_, i + done, part, buffer);
            kernels_.scan_rows(buffer, buffer, part, supers, tiles, &rows, pass, &last);
            out_.store(out_, memory_, i + done, part, buffer);
        }
        if ((place.element_count + count) % core::tile_size == 0) {
            place.parts[core::tile_level - 1].reset();
            place.element_count += count - core::tile_size;  // the beginning of the tile
            place.push(core::tile_level, rows, op_.combine);
        }
        return last;
    }

    const operation<Acc, Exact>& op_;
    const typename operation<Acc, Exact>::kernel_table& kernels_;
    const memory_kernels& memory_;
    source<Acc> in_;
    sink<Acc> out_;
    scan_shape shape_;
    folded_input<Acc, Exact> folded_;
};

// One of any type under any operator; source and sink as for run_generic_scan, with from(i), the same without
// its first i elements. All that is called may throw.
template <class Acc, class Op, class Source, class Sink>
class generic_piece {
  public:
    using accumulator = Acc;
    static constexpr bool exact = is_exact<Op, Acc>;
    static constexpr std::size_t cost = tuning::generic_cost;

    generic_piece(const Op& op, const Source& in, const Sink& out, const scan_shape& shape)
        : op_(op), in_(in), out_(out), shape_(shape) {}

    [[nodiscard]] std::size_t size() const { return shape_.size; }
    [[nodiscard]] std::size_t read_bytes() const { return sizeof(Acc); }
    [[nodiscard]] const Op& combine() const { return op_; }

    [[nodiscard]] Acc total_of(std::size_t level, std::size_t i) const {
        auto read = in_.reader(i);
        return core::fold_block_of<Acc>(level, read, op_);
    }
    [[nodiscard]] Acc fold(std::size_t i, std::size_t count) const {
        auto read = in_.reader(i);
        Acc total = read();
        for (std::size_t k = 1; k < count; ++k) total = Acc(op_(total, Acc(read())));
        return total;
    }

    std::size_t scan_head(core::tree_place<Acc>& place, std::optional<Acc>& last) const {
        const std::size_t count = up_to_boundary(place.element_count, core::tile_size, shape_.size);
        if (count == 0) return 0;
        auto read = in_.reader(0);
        auto write = out_.writer(0);
        last = place.value(op_);
        if (shape_.exclusive && !last) last = out_.before;
        for (std::size_t i = 0; i < count; ++i) {
            place.push(0, Acc(read()), op_);  // before the store: the output may be the input
            if (shape_.exclusive) write(*last);
            last = place.value(op_);
            if (!shape_.exclusive) write(*last);
        }
        return count;
    }
    [[nodiscard]] std::optional<Acc> scan_tiles(executor& ex, std::size_t i,
                                                core::tree_carry<Acc>& carry) const {
        scan_shape rest = shape_;
        rest.size -= i;
        return run_generic_scan<Acc>(ex, in_.from(i), out_.from(i), op_, rest, carry);
    }

  private:
    const Op& op_;
    const Source& in_;
    const Sink& out_;
    scan_shape shape_;
};

// folds[k] = fold(k) for k < count, on the threads that `bytes` of input are worth.
template <class Acc, class Fold>
std::vector<std::optional<Acc>> fold_all(executor& ex, std::size_t count, std::size_t bytes,
                                         const Fold& fold) {
    std::vector<std::optional<Acc>> folds(count);
    const std::size_t helpers = std::min(ex.helpers_for(bytes), count == 0 ? 0 : count - 1);
    for_each_task(ex, helpers, count, [&](std::size_t k) { folds[k].emplace(fold(k)); });
    return folds;
}

// The first reading of a piece whose first element is the first-th of the sequence.
template <class Piece>
auto summarise(executor& ex, const Piece& piece, std::uint64_t first) {
    using accumulator = typename Piece::accumulator;
    const std::size_t n = piece.size();
    const auto& op = piece.combine();
    const std::size_t head = up_to_boundary(first, core::tile_size, n);
    const auto tiles = fold_all<accumulator>(
        ex, (n - head) / core::tile_size, Piece::cost * n * piece.read_bytes(),
        [&](std::size_t tile) { return piece.total_of(core::tile_level, head + tile * core::tile_size); });

    core::piece_summary<accumulator> made;
    core::for_each_block(first, first + n, [&](std::size_t level, std::uint64_t at) {
        const auto i = static_cast<std::size_t>(at - first);
        if (level < core::tile_level) {
            made.add(level, piece.total_of(level, i), op);
            return;
        }
        // A tile, or a super of several, whose total is the left fold of theirs.
        const std::size_t tile = (i - head) / core::tile_size;
        std::optional<accumulator> total;
        for (std::size_t k = 0; k < core::level_sizes[level] / core::tile_size; ++k)
            core::fold_into(total, *tiles[tile + k], op);
        made.add(level, *total, op);
    });
    return made;
}

// The same under an exact operator: its fold, which is absent if the piece is empty.
template <class Piece>
std::optional<typename Piece::accumulator> fold_exact(executor& ex, const Piece& piece) {
    using accumulator = typename Piece::accumulator;
    constexpr std::size_t part_size = 8 * core::tile_size;
    const std::size_t n = piece.size();
    const auto parts = fold_all<accumulator>(
        ex, (n + part_size - 1) / part_size, Piece::cost * n * piece.read_bytes(), [&](std::size_t part) {
            return piece.fold(part * part_size, std::min(part_size, n - part * part_size));
        });
    std::optional<accumulator> total;
    for (const std::optional<accumulator>& part : parts) core::fold_into(total, *part, piece.combine());
    return total;
}

// The second reading, of at least one element. Returns the value after the last.
template <class Piece>
typename Piece::accumulator scan_piece(executor& ex, const Piece& piece,
                                       core::tree_place<typename Piece::accumulator> place) {
    std::optional<typename Piece::accumulator> last;
    const std::size_t head = piece.scan_head(place, last);
    if (head < piece.size()) {
        core::tree_carry<typename Piece::accumulator> carry = place.carry();
        last = piece.scan_tiles(ex, head, carry);
    }
    return *last;
}
// The same under an exact operator, from the value before the piece.
template <class Piece>
typename Piece::accumulator scan_piece(executor& ex, const Piece& piece,
                                       const std::optional<typename Piece::accumulator>& before) {
    core::tree_carry<typename Piece::accumulator> carry{before, std::nullopt, 0};
    return *piece.scan_tiles(ex, 0, carry);
}

// Both at once, of at least one element, for pieces that one caller has one after the other: `place` moves to
// behind the piece. Only what is before its first tile boundary and behind its last one is read twice. If
// anything throws, place is as it was. Under an exact operator S alone counts, the value before the piece.
template <class Piece>
typename Piece::accumulator scan_block(executor& ex, const Piece& piece,
                                       core::tree_place<typename Piece::accumulator>& place) {
    using accumulator = typename Piece::accumulator;
    const std::size_t n = piece.size();
    if constexpr (Piece::exact) {
        std::optional<accumulator>& before = place.parts[core::super_level];
        const accumulator last = scan_piece(ex, piece, before);
        before.emplace(last);
        place.element_count += n;
        return last;
    } else {
        const std::uint64_t first = place.element_count;
        const std::size_t head = up_to_boundary(first, core::tile_size, n);
        const std::size_t tail = (n - head) % core::tile_size;
        const auto& op = piece.combine();
        // Read before results may take the elements' place.
        const auto summary_of = [&](std::size_t begin, std::size_t end) {
            core::piece_summary<accumulator> made;
            core::for_each_block(first + begin, first + end, [&](std::size_t level, std::uint64_t at) {
                made.add(level, piece.total_of(level, static_cast<std::size_t>(at - first)), op);
            });
            return made;
        };
        const auto of_head = summary_of(0, head), of_tail = summary_of(n - tail, n);
        core::tree_place<accumulator> behind = place, now = place;
        of_head.advance(behind, op);
        std::optional<accumulator> last;
        piece.scan_head(now, last);
        if (head < n) {
            core::tree_carry<accumulator> carry = behind.carry();
            last = piece.scan_tiles(ex, head, carry);
            behind = core::tree_place<accumulator>::at(carry);
            of_tail.advance(behind, op);
        }
        place = std::move(behind);
        return *last;
    }
}

}  // namespace upsweep::cpu
