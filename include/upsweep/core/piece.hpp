// The tree of docs/numerics.md over a sequence that is cut anywhere, where each piece is read by somebody
// else.
//
// What stands to the left of a piece is not known when it is read, and what follows from its elements depends
// on that, because partial sums round. So a piece is summarised as the totals of blocks of the tree, each the
// largest that begins where the last one ended and does not pass the piece's end. [126, 4360) is
//
//     elements 126 127 | rows 1 to 31 | rows 32 33 | runs 1088 1089
//
// Blocks grow up to a level, here rows, and shrink from there. Those up to the last of the largest are kept
// one by one: they are folded into what comes from the left. What follows them has nothing of its own level
// to its left, so it is folded here. Given the place before the piece, the place behind it costs an operation
// or two for each block kept: about 200 at most and one for each super, however many elements there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "upsweep/core/tree.hpp"

namespace upsweep::core {

// Level k has blocks of level_sizes[k] elements: single elements, runs, rows, tiles, supers.
inline constexpr std::size_t level_count = 5;
inline constexpr std::array<std::size_t, level_count> level_sizes{1, run_size, row_size, tile_size,
                                                                  super_size};
inline constexpr std::size_t tile_level = 3;
inline constexpr std::size_t super_level = 4;

// The state of a scan anywhere: the odometer of core/reference.hpp, but a full accumulator carries at once.
// That changes no bit of value(), and what is absent then follows from the place alone.
template <class Acc>
struct tree_place {
    std::array<std::optional<Acc>, level_count> parts{};  // L, V, R, T, S: folds of blocks of each level
    std::uint64_t element_count = 0;                      // to the left

    // Appends the total of one block; element_count must be a multiple of its size.
    template <class Op>
    constexpr void push(std::size_t level, const Acc& total, const Op& op) {
        fold_into(parts[level], total, op);
        element_count += level_sizes[level];
        for (; level < super_level && element_count % level_sizes[level + 1] == 0; ++level) {
            fold_into(parts[level + 1], *parts[level], op);
            parts[level].reset();
        }
    }
    // prefix(element_count), or absent where nothing stands to the left.
    template <class Op>
    constexpr std::optional<Acc> value(const Op& op) const {
        std::optional<Acc> nested;
        for (const std::optional<Acc>& part : parts) {
            if (part) nested = nested ? Acc(op(*part, *nested)) : *part;
        }
        return nested;
    }
    // At a tile boundary, which is where engines start.
    [[nodiscard]] constexpr tree_carry<Acc> carry() const {
        return {parts[super_level], parts[tile_level], element_count / tile_size};
    }
    static constexpr tree_place at(const tree_carry<Acc>& carry) {
        tree_place made;
        made.parts[super_level] = carry.supers;
        made.parts[tile_level] = carry.tiles;
        made.element_count = carry.tile_count * tile_size;
        return made;
    }
};

// visit(level, first) for every block of [first, end), in order.
template <class Visit>
constexpr void for_each_block(std::uint64_t first, std::uint64_t end, const Visit& visit) {
    while (first < end) {
        std::size_t level = 0;
        while (level < super_level && first % level_sizes[level + 1] == 0 &&
               end - first >= level_sizes[level + 1])
            ++level;
        visit(level, first);
        first += level_sizes[level];
    }
}

template <class Acc>
class piece_summary {
  public:
    // Appends the total of the piece's next block in the order of for_each_block.
    template <class Op>
    void add(std::size_t level, const Acc& total, const Op& op) {
        if (level >= peak_) {
            kept_.push_back({level, total});
            peak_ = level;
        } else {
            fold_into(settled_[level], total, op);
            settled_count_ += level_sizes[level];
        }
    }
    // Moves `place` from the piece's first element to behind its last one.
    template <class Op>
    void advance(tree_place<Acc>& place, const Op& op) const {
        for (const block& next : kept_) place.push(next.level, next.total, op);
        for (std::size_t level = 0; level < peak_; ++level) place.parts[level] = settled_[level];
        place.element_count += settled_count_;
    }

  private:
    struct block {
        std::size_t level;
        Acc total;
    };

    std::vector<block> kept_;
    std::size_t peak_ = 0;
    std::array<std::optional<Acc>, super_level> settled_{};  // folds of the blocks behind those kept
    std::uint64_t settled_count_ = 0;                        // elements in them
};

// ((x[0] (+) x[1]) (+) ...) (+) x[count - 1], of at least one element.
template <class Acc, class Op>
constexpr Acc fold_left(const Acc* x, std::size_t count, const Op& op) {
    Acc total = x[0];
    for (std::size_t i = 1; i < count; ++i) total = Acc(op(total, x[i]));
    return total;
}
// The total of the next block of a level, read element by element.
template <std::size_t level, class Acc, class Read, class Op>
constexpr Acc fold_block(Read& read, const Op& op) {
    if constexpr (level == 0) {
        return read();
    } else {
        Acc total = fold_block<level - 1, Acc>(read, op);
        for (std::size_t i = 1; i < level_sizes[level] / level_sizes[level - 1]; ++i)
            total = Acc(op(total, fold_block<level - 1, Acc>(read, op)));
        return total;
    }
}
// Of a level up to tiles that is known when it runs.
template <class Acc, class Read, class Op>
constexpr Acc fold_block_of(std::size_t level, Read& read, const Op& op) {
    switch (level) {
        case 0:
            return fold_block<0, Acc>(read, op);
        case 1:
            return fold_block<1, Acc>(read, op);
        case 2:
            return fold_block<2, Acc>(read, op);
        default:
            return fold_block<tile_level, Acc>(read, op);
    }
}

}  // namespace upsweep::core
