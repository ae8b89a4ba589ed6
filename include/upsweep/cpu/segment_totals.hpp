// Totals of segments, as results of them (segment_results.hpp): what a segmented scan gives for the last
// elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/chain.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/segment_results.hpp"
#include "upsweep/cpu/segmented.hpp"
#include "upsweep/cpu/staging.hpp"

namespace upsweep::cpu {

// Totals, by vector kernels.
template <class Acc, class Op, class Results>
class kernel_totals {
  public:
    // Whose results stay in the first-level cache: as many rows as the widest vectors fold side by side.
    static constexpr std::size_t piece_elements = sizeof(Acc) > 4 ? 1024 : 2048;
    struct state {
        core::tree_carry<Acc> tree{};  // before the tile
        std::optional<Acc> rows{};     // of the tile so far, behind its last head
        bool has_head = false;         // whether it has one
    };
    struct summary {
        std::array<segment_fold<Acc>, core::tiles_per_super> tiles;
    };

    kernel_totals(const executor& ex, const source<Acc>& in, const Op& op, const Results& results,
                  const std::optional<Acc>& initial)
        : ex_(ex),
          compress_(compress_kernels_for(ex.simd())),
          in_(in),
          op_(op),
          results_(results),
          options_{initial, {}} {}

    [[nodiscard]] std::size_t read_bytes() const { return in_.element_size; }
    void summarise(const marked_piece& tile, std::size_t at, summary& made) const {
        const sink<Acc> nowhere;
        with_part(tile, nowhere,
                  [&](const segment_part<Acc>& part) { made.tiles[at] = fold_segments<Acc, Op>(ex_, part); });
    }
    void advance(state& carried, std::size_t tiles, const summary& made) const {
        for (std::size_t tile = 0; tile < tiles; ++tile) push(carried.tree, made.tiles[tile]);
    }
    void scan(const marked_piece& piece, state& carried) const {
        alignas(64) Acc totals[piece_elements];
        if constexpr (is_exact<Op, Acc> && is_commutative<Op>) {
            if (in_.direct != nullptr && piece.head_count <= piece.count / sparse) {
                fold_each(piece, carried, totals);
                finish(piece, carried, totals);
                return;
            }
        }
        segment_left<Acc> left{std::nullopt, std::nullopt, carried.rows};
        if (!carried.has_head) {
            left.supers = carried.tree.supers;
            left.tiles = carried.tree.tiles;
        }
        with_part(piece, make_sink<Acc>(totals), [&](const segment_part<Acc>& part) {
            const segment_fold<Acc> made = scan_segments<Acc, Op>(ex_, part, left);
            carried.rows = made.value;
            carried.has_head = carried.has_head || made.has_head;
        });
        finish(piece, carried, totals);
    }

  private:
    static constexpr std::size_t sparse = 16;  // elements a segment from which folding each takes less time

    // Where grouping is free: totals[i] of every element that ends a segment.
    void fold_each(const marked_piece& piece, state& carried, Acc* totals) const {
        const Acc* const x = in_.direct + piece.first;
        std::size_t begin = 0;
        bool begins = (piece.heads[0] & 1) != 0;
        Acc own{};  // the elements of the latest segment, in this piece
        const auto fold_up_to = [&](std::size_t end) {
            own = fold(x + begin, end - begin);
            if (begins && options_.initial) own = op_(*options_.initial, own);
        };
        for_each_bit(piece.ends, piece.count, [&](std::size_t i) {
            fold_up_to(i + 1);
            totals[i] = begins ? own : before(carried, own);
            if (!begins) carried.rows = core::join(carried.rows, own, op_);
            begin = i + 1;
            if (begin == piece.count) {
                if (begins) carried.rows = own;
            } else {
                begins = true;
            }
        });
        if (begin != piece.count) {
            fold_up_to(piece.count);
            carried.rows = begins ? own : core::join(carried.rows, own, op_);
        }
        carried.has_head = carried.has_head || piece.head_count != 0;
    }
    // What stands to the left of a piece (+) x, which continues a segment.
    Acc before(const state& carried, Acc x) const {
        if (carried.rows) x = op_(*carried.rows, x);
        if (carried.has_head) return x;
        if (carried.tree.tiles) x = op_(*carried.tree.tiles, x);
        return carried.tree.supers ? op_(*carried.tree.supers, x) : x;
    }
    // Side by side, in what a compiler makes a vector of.
    Acc fold(const Acc* x, std::size_t count) const {
        static_assert(is_commutative<Op> && is_exact<Op, Acc>);
        constexpr std::size_t width = std::max<std::size_t>(4, 32 / sizeof(Acc));
        Acc all = x[0];
        std::size_t i = 1;
        if (count >= 2 * width) {
            Acc parts[width];
            std::copy_n(x, width, parts);
            for (i = width; i + width <= count; i += width) {
                for (std::size_t j = 0; j < width; ++j) parts[j] = op_(parts[j], x[i + j]);
            }
            all = parts[0];
            for (std::size_t j = 1; j < width; ++j) all = op_(all, parts[j]);
        }
        for (; i < count; ++i) all = op_(all, x[i]);
        return all;
    }
    void finish(const marked_piece& piece, state& carried, const Acc* totals) const {
        results_.put(compress_, piece, totals);
        if ((piece.first + piece.count) % core::tile_size != 0) return;
        push(carried.tree, {*carried.rows, carried.has_head});
        carried.rows.reset();
        carried.has_head = false;
    }
    void push(core::tree_carry<Acc>& tree, const segment_fold<Acc>& tile) const {
        if (tile.has_head) {
            tree.supers.reset();
            tree.tiles.reset();
        }
        tree.push_tile(tile.value, op_);
    }
    template <class Body>
    void with_part(const marked_piece& piece, const sink<Acc>& out, const Body& body) const {
        const source<Acc> in = moved(in_, static_cast<std::ptrdiff_t>(piece.first));
        const scan_shape shape{piece.count, false, false, 0};
        const head_marks marks = piece.marks();
        body(segment_part<Acc>{in, out, shape, marks, options_, 0, piece.count, piece.ends});
    }

    const executor& ex_;
    const compress_kernels& compress_;
    source<Acc> in_;
    Op op_;
    Results results_;
    segment_options<Acc> options_;
};

// Totals of anything else, by the generic engine, whose chunks are tiles here.
template <class Acc, class Op, class Source, class Results>
class generic_totals {
  public:
    static constexpr std::size_t piece_elements = core::tile_size;

  private:
    // Stores what is written for an element that ends a segment.
    struct ends_sink {
        const marked_piece& piece;
        typename Results::cursor& store;
        std::optional<Acc> before{};

        auto writer(std::size_t) const {
            return [this, i = std::size_t{0}](const Acc& value) mutable {
                if ((piece.ends[i / 64] >> (i % 64) & 1) != 0) store(value);
                ++i;
            };
        }
    };
    using engine = generic_engine<Acc, Op, Source, ends_sink, marked_heads<Acc>>;

  public:
    struct state {
        core::tree_carry<Acc> tree{};
    };
    struct summary {
        std::array<typename engine::part, core::tiles_per_super> tiles;
    };

    generic_totals(const executor& ex, const Source& in, const Op& op, const Results& results,
                   const std::optional<Acc>& initial)
        : memory_(memory_kernels_for(ex.simd())), in_(in), op_(op), results_(results), initial_(initial) {}

    [[nodiscard]] std::size_t read_bytes() const { return in_.element_bytes(); }
    void summarise(const marked_piece& tile, std::size_t at, summary& made) const {
        typename engine::summary own;
        with_engine(tile, [&](const engine& of_tile) { of_tile.summarise(0, own); });
        made.tiles[at] = std::move(own.parts[0]);
    }
    void advance(state& carried, std::size_t tiles, const summary& made) const {
        for (std::size_t tile = 0; tile < tiles; ++tile) {
            const typename engine::part& part = made.tiles[tile];
            if (part.has_head) {
                carried.tree.supers.reset();
                carried.tree.tiles.reset();
            }
            if constexpr (engine::exact)
                core::fold_into(carried.tree.supers, *part.total, op_);
            else
                carried.tree.push_tile(*part.total, op_);
        }
    }
    void scan(const marked_piece& piece, state& carried) const {
        with_engine(piece, [&](const engine& of_tile) {
            typename engine::state running{std::move(carried.tree)};
            of_tile.scan(0, running, no_chunk);
            carried.tree = std::move(running.tree);
        });
    }

  private:
    template <class Body>
    void with_engine(const marked_piece& tile, const Body& body) const {
        const Source in = in_.from(tile.first);
        typename Results::cursor store(results_, tile);
        const ends_sink out{tile, store};
        const head_marks marks = tile.marks();
        body(engine(in, out, op_, tile.count, false, core::tile_size,
                    marked_heads<Acc>{marks, memory_, initial_}));
    }

    const memory_kernels& memory_;
    Source in_;
    Op op_;
    Results results_;
    std::optional<Acc> initial_;
};

}  // namespace upsweep::cpu
