// Totals of segments, as results of them (segment_results.hpp): what a segmented scan gives for the last
// elements.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
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
    static constexpr bool takes_places = true;
    static constexpr bool takes_numbers = Results::takes_numbers;

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
    const Acc* elements(std::size_t first, std::size_t count, Acc* buffer) const {
        if (in_.direct != nullptr) return in_.direct + first;
        in_.load(in_, memory_kernels_for(ex_.simd()), first, count, buffer);
        return buffer;
    }
    // body(part) with the piece as a part of its own, whose results are those of elements that end a segment.
    template <class Body>
    void with_part(const marked_piece& piece, const sink<Acc>& out, const Body& body) const {
        const source<Acc> from = moved(in_, static_cast<std::ptrdiff_t>(piece.first));
        const scan_shape shape{piece.count, false, false, 0};
        const head_marks marks = piece.marks();
        body(segment_part<Acc>{from, out, shape, marks, options_, 0, piece.count, piece.ends, piece.far});
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
    using base::ex_, base::compress_, base::op_, base::options_, base::results_;

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
        // What is in front of the last head does not count, from its row on.
        const std::optional<std::size_t> head = tile.last_head();
        const std::size_t begin = head.value_or(0) / core::row_size * core::row_size;
        if (tile.places == nullptr) {
            const sink<Acc> nowhere;
            this->with_part(tile, nowhere, [&](const segment_part<Acc>& whole) {
                segment_part<Acc> part = whole;
                part.first = begin;
                part.count = tile.count - begin;
                made.tiles[at] = fold_segments<Acc, Op>(ex_, part);
            });
            return;
        }
        segment_state<Acc> within = fresh();
        for (std::size_t i = begin; i < tile.count; i += piece_elements) {
            // The head alone, in the first part, unless that begins with it.
            const bool begins = head == i;
            const auto place = static_cast<std::uint32_t>(head.value_or(0) - begin);
            const std::size_t count = i == begin && head && !begins ? 1 : 0;
            Acc total;
            fold(tile.first + i, std::min(piece_elements, tile.count - i), &place, count, begins, false,
                 &total, within);
        }
        made.tiles[at] = {within.rows, head.has_value()};
    }
    void advance(state& carried, std::size_t tiles, const summary& made) const {
        for (std::size_t tile = 0; tile < tiles; ++tile) push(carried.tree, made.tiles[tile]);
    }
    void scan(const marked_piece& piece, state& carried) const {
        alignas(64) Acc totals[piece_elements];
        if (piece.places != nullptr) {
            fold_long(piece, totals, carried);
            results_.put(piece, totals);
        } else {
            scan_short(piece, totals, carried);
            Acc* to = place(piece);
            if (to == nullptr) to = totals;
            compress_.compress[std::countr_zero(sizeof(Acc))](to, piece.end_count, totals, piece.ends,
                                                              piece.count);
            if (to == totals) results_.put(piece, totals);
        }
        if ((piece.first + piece.count) % core::tile_size != 0) return;
        push(carried.tree, {*carried.rows, carried.has_head});
        carried.rows.reset();
        carried.has_head = false;
    }

  private:
    static segment_state<Acc> fresh() {
        constexpr Acc identity = Op::template identity<Acc>();
        return {identity, identity, identity, false, identity};
    }
    // totals[i] of every element that ends a segment, at least.
    void scan_short(const marked_piece& piece, Acc* totals, state& carried) const {
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
    }
    // Where the piece's totals may be stored at once, or null.
    Acc* place(const marked_piece& piece) const {
        if constexpr (requires {
                          { results_.place(piece) } -> std::same_as<Acc*>;
                      })
            return results_.place(piece);
        else
            return nullptr;
    }
    void fold_long(const marked_piece& piece, Acc* totals, state& carried) const {
        segment_state<Acc> within = fresh();
        if (piece.begins) {
            carried.has_head = true;
        } else {
            if (carried.rows) within.rows = *carried.rows;
            if (!carried.has_head) {
                within.supers = carried.tree.supers.value_or(within.supers);
                within.tiles = carried.tree.tiles.value_or(within.tiles);
            }
        }
        fold(piece.first, piece.count, piece.places, piece.end_count, piece.begins, piece.far, totals,
             within);
        carried.rows = within.rows;
        carried.has_head = carried.has_head || within.has_head;
    }
    void fold(std::size_t first, std::size_t n, const std::uint32_t* ends, std::size_t count, bool begins,
              bool asks, Acc* totals, segment_state<Acc>& within) const {
        alignas(64) Acc buffer[piece_elements];
        const Acc* x = this->elements(first, n, buffer);
        if (const auto& initial = options_.initial) {
            if (x != buffer) x = std::copy_n(x, n, buffer) - n;
            if (begins) buffer[0] = op_(*initial, buffer[0]);
            for (std::size_t k = 0; k < count; ++k)
                if (ends[k] != n) buffer[ends[k]] = op_(*initial, buffer[ends[k]]);
        }
        const input_ahead ahead{asks && x != buffer ? x + n : nullptr, true};
        segmented_kernels_for<Acc, Op>(ex_.simd()).fold_long(x, n, ends, count, totals, within, ahead);
    }
    void push(core::tree_carry<Acc>& tree, const segment_fold<Acc>& tile) const {
        if (tile.has_head) {
            tree.supers.reset();
            tree.tiles.reset();
        }
        tree.push_tile(tile.value, op_);
    }
};

// Totals under an operator that lets its operands be grouped and ordered at will.
template <class Acc, class Op>
inline constexpr bool has_exact_totals = is_exact<Op, Acc>&& is_commutative<Op>&& std::is_arithmetic_v<Acc>;

template <class Acc, class Op, class Results>
class exact_totals : public number_totals<Acc, Op, Results> {
    using base = number_totals<Acc, Op, Results>;
    using base::elements, base::ex_, base::op_, base::results_, base::options_;

  public:
    using base::base, base::piece_elements;
    static constexpr bool takes_places = has_kernels<Acc, Op>;
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
        alignas(64) Acc buffer[piece_elements];
        alignas(64) Acc totals[piece_elements + 64];
        const Acc* const x = elements(piece.first, piece.count, buffer);
        if constexpr (has_kernels<Acc, Op>)
            fold_each(piece, x, totals, carried);
        else
            fold_one_by_one(piece, x, totals, carried);
        results_.put(piece, totals);
    }

  private:
    void fold_each(const marked_piece& piece, const Acc* x, Acc* totals, state& carried) const {
        const Acc identity = identity_of<Acc>(op_);
        Acc rest = piece.begins ? identity : carried.running.value_or(identity);  // then behind the last end
        const exact_segment_kernels<Acc>& kernels = exact_segment_kernels_for<Acc, Op>(ex_.simd());
        if (piece.end_count == 0)
            rest = kernels_for<Acc, Op>(ex_.simd()).fold(x, piece.count, rest);
        else if (piece.places != nullptr)
            kernels.fold_long(x, piece.count, piece.places, piece.end_count, totals, rest);
        else
            kernels.fold_short(x, piece.count, piece.heads, piece.ends, totals, rest);
        if (options_.initial) {  // which a segment has that began before the piece
            for (std::size_t k = piece.begins ? 0 : 1; k < piece.end_count; ++k)
                totals[k] = op_(*options_.initial, totals[k]);
            if (piece.head_count != 0) rest = op_(*options_.initial, rest);
        }
        carried.running = rest;
    }
    void fold_one_by_one(const marked_piece& piece, const Acc* x, Acc* totals, state& carried) const {
        for (std::size_t i = 0; i < piece.count; ++i) {
            if ((piece.heads[i / 64] >> (i % 64) & 1) != 0) carried.running = options_.initial;
            carried.running = core::join(carried.running, x[i], op_);
            if ((piece.ends[i / 64] >> (i % 64) & 1) != 0) *totals++ = *carried.running;
        }
    }
    Acc fold(const Acc* x, std::size_t count) const {
        if constexpr (has_kernels<Acc, Op>) {
            return kernels_for<Acc, Op>(ex_.simd()).fold(x, count, identity_of<Acc>(op_));
        } else {
            Acc all = x[0];
            for (std::size_t i = 1; i < count; ++i) all = op_(all, x[i]);
            return all;
        }
    }
};

// Totals of anything else, by the generic engine, whose chunks are tiles here.
template <class Acc, class Op, class Source, class Results>
class generic_totals {
  public:
    static constexpr std::size_t piece_elements = core::tile_size;
    static constexpr bool takes_places = false;
    static constexpr bool takes_numbers = true;

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
