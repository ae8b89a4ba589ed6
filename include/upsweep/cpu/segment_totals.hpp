// Totals of segments, as results of them (segment_results.hpp): what a segmented scan gives for the last
// elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
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

// What the totals of numbers have in common.
template <class Acc, class Op, class Results>
class number_totals {
  public:
    // Whose results stay in the first-level cache: as many rows as the widest vectors fold side by side.
    static constexpr std::size_t piece_elements = sizeof(Acc) > 4 ? 1024 : 2048;

    number_totals(const executor& ex, const source<Acc>& in, const Op& op, const Results& results,
                  const std::optional<Acc>& initial)
        : ex_(ex),
          compress_(compress_kernels_for(ex.simd())),
          in_(in),
          op_(op),
          results_(results),
          options_{initial, {}} {}

    [[nodiscard]] std::size_t read_bytes() const { return in_.element_size; }

  protected:
    // body(part) with the piece as a part of its own, whose results are those of elements that end a segment.
    template <class Body>
    void with_part(const marked_piece& piece, const sink<Acc>& out, const Body& body) const {
        const source<Acc> from = moved(in_, static_cast<std::ptrdiff_t>(piece.first));
        const scan_shape shape{piece.count, false, false, 0};
        const head_marks marks = piece.marks();
        body(segment_part<Acc>{from, out, shape, marks, options_, 0, piece.count, piece.ends});
    }

    const executor& ex_;
    const compress_kernels& compress_;
    source<Acc> in_;
    Op op_;
    Results results_;
    segment_options<Acc> options_;
};

// Totals by vector kernels, of numbers whose sums and products depend on the grouping.
template <class Acc, class Op, class Results>
class kernel_totals : public number_totals<Acc, Op, Results> {
    using base = number_totals<Acc, Op, Results>;
    using base::ex_, base::compress_, base::op_, base::results_;

  public:
    using base::base, base::piece_elements;
    struct state {
        core::tree_carry<Acc> tree{};  // before the tile
        std::optional<Acc> rows{};     // of the tile so far, behind its last head
        bool has_head = false;         // whether it has one
    };
    struct summary {
        std::array<segment_fold<Acc>, core::tiles_per_super> tiles;
    };

    void summarise(const marked_piece& tile, std::size_t at, summary& made) const {
        const sink<Acc> nowhere;
        this->with_part(tile, nowhere, [&](const segment_part<Acc>& part) {
            made.tiles[at] = fold_segments<Acc, Op>(ex_, part);
        });
    }
    void advance(state& carried, std::size_t tiles, const summary& made) const {
        for (std::size_t tile = 0; tile < tiles; ++tile) push(carried.tree, made.tiles[tile]);
    }
    void scan(const marked_piece& piece, state& carried) const {
        alignas(64) Acc totals[piece_elements];
        segment_left<Acc> left{std::nullopt, std::nullopt, carried.rows};
        if (!carried.has_head) {
            left.supers = carried.tree.supers;
            left.tiles = carried.tree.tiles;
        }
        this->with_part(piece, make_sink<Acc>(totals), [&](const segment_part<Acc>& part) {
            const segment_fold<Acc> made = scan_segments<Acc, Op>(ex_, part, left);
            carried.rows = made.value;
            carried.has_head = carried.has_head || made.has_head;
        });
        results_.put(compress_, piece, totals);
        if ((piece.first + piece.count) % core::tile_size != 0) return;
        push(carried.tree, {*carried.rows, carried.has_head});
        carried.rows.reset();
        carried.has_head = false;
    }

  private:
    void push(core::tree_carry<Acc>& tree, const segment_fold<Acc>& tile) const {
        if (tile.has_head) {
            tree.supers.reset();
            tree.tiles.reset();
        }
        tree.push_tile(tile.value, op_);
    }
};

// Totals under an operator that lets its operands be grouped and ordered at will: where segments are long,
// their elements are folded side by side.
template <class Acc, class Op>
inline constexpr bool has_exact_totals = is_exact<Op, Acc>&& is_commutative<Op>&& std::is_arithmetic_v<Acc>;

template <class Acc, class Op, class Results>
class exact_totals : public number_totals<Acc, Op, Results> {
    using base = number_totals<Acc, Op, Results>;
    using base::ex_, base::compress_, base::in_, base::op_, base::results_, base::options_;

  public:
    using base::base, base::piece_elements;
    struct state {
        std::optional<Acc> running{};  // the fold of the segment that goes on
    };
    struct summary {
        std::optional<Acc> running{};  // of what follows the last head, or of all
        bool has_head = false;
    };

    void summarise(const marked_piece& tile, std::size_t at, summary& made) const {
        if (at == 0) made = {};
        const std::optional<std::size_t> head = tile.last_head();
        const std::size_t begin = head.value_or(0);
        if (head) made = {options_.initial, true};
        alignas(64) Acc buffer[piece_elements];
        for (std::size_t i = begin; i < tile.count; i += piece_elements) {
            const std::size_t count = std::min(piece_elements, tile.count - i);
            made.running =
                core::join(made.running, fold(elements(tile.first + i, count, buffer), count), op_);
        }
    }
    void advance(state& carried, std::size_t, const summary& made) const {
        if (!made.running) return;
        carried.running = made.has_head ? *made.running : core::join(carried.running, *made.running, op_);
    }
    void scan(const marked_piece& piece, state& carried) const {
        alignas(64) Acc totals[piece_elements];
        if (piece.head_count > piece.count / sparse)
            scan_dense(piece, carried, totals);
        else
            fold_each(piece, carried, totals);
        results_.put(compress_, piece, totals);
    }

  private:
    static constexpr std::size_t sparse = 16;  // elements a segment from which folding each takes less time

    const Acc* elements(std::size_t first, std::size_t count, Acc* buffer) const {
        if (in_.direct != nullptr) return in_.direct + first;
        in_.load(in_, memory_kernels_for(ex_.simd()), first, count, buffer);
        return buffer;
    }
    // totals[i] of every element that ends a segment, at least.
    void scan_dense(const marked_piece& piece, state& carried, Acc* totals) const {
        if constexpr (has_segmented_kernels<Acc, Op>) {
            const segment_left<Acc> left{std::nullopt, std::nullopt, carried.running};
            this->with_part(piece, make_sink<Acc>(totals), [&](const segment_part<Acc>& part) {
                carried.running = scan_segments<Acc, Op>(ex_, part, left).value;
            });
        } else {
            alignas(64) Acc buffer[piece_elements];
            const Acc* const x = elements(piece.first, piece.count, buffer);
            Acc start = options_.initial.value_or(Acc());
            // Where integers start afresh nobody can foretell; operators on floating point have branches of
            // their own.
            constexpr bool selects =
                has_identity<Op, Acc> && std::is_integral_v<Acc> && !std::is_same_v<Acc, bool>;
            if constexpr (selects) {
                if (!options_.initial) start = identity_of<Acc>(op_);
            }
            Acc running = carried.running.value_or(Acc());
            for (std::size_t i = 0; i < piece.count; ++i) {
                const bool begins = (piece.heads[i / 64] >> (i % 64) & 1) != 0;
                if constexpr (selects)
                    running = op_(either(begins, start, running), x[i]);
                else if (!begins)
                    running = op_(running, x[i]);
                else
                    running = options_.initial ? op_(start, x[i]) : x[i];
                totals[i] = running;
            }
            carried.running = running;
        }
    }
    // `first` ? a : b, of which compilers may make a branch.
    static Acc either(bool first, Acc a, Acc b) {
        const auto mask = static_cast<Acc>(-static_cast<int>(first));
        return static_cast<Acc>((a & mask) | (b & static_cast<Acc>(~mask)));
    }
    void fold_each(const marked_piece& piece, state& carried, Acc* totals) const {
        alignas(64) Acc buffer[piece_elements];
        const Acc* const x = elements(piece.first, piece.count, buffer);
        std::size_t begin = 0;
        if ((piece.heads[0] & 1) != 0) carried.running = options_.initial;
        for_each_bit(piece.ends, piece.count, [&](std::size_t i) {
            totals[i] = core::join(carried.running, fold(x + begin, i + 1 - begin), op_);
            carried.running = options_.initial;
            begin = i + 1;
        });
        if (begin != piece.count)
            carried.running = core::join(carried.running, fold(x + begin, piece.count - begin), op_);
    }
    Acc fold(const Acc* x, std::size_t count) const {
        if constexpr (has_kernels<Acc, Op>) {
            constexpr std::size_t least = 16;  // that are worth the call
            if (count >= least) return kernels_for<Acc, Op>(ex_.simd()).fold(x + 1, count - 1, x[0]);
        }
        Acc all = x[0];
        for (std::size_t i = 1; i < count; ++i) all = op_(all, x[i]);
        return all;
    }
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
