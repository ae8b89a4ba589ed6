// The combination tree of docs/numerics.md: its level sizes, and the part of a scan's state that crosses a
// tile.
//
// prefix(p) = S (+) (T (+) (R (+) (V (+) L))): S folds complete supers, T the complete tiles after them, R
// rows, V runs, L single elements. Between tiles only S, T and the number of tiles are left of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "upsweep/core/levels.def"

namespace upsweep::core {

inline constexpr std::size_t run_size = UPSWEEP_RUN_ELEMENTS;               // elements: 4
inline constexpr std::size_t row_size = UPSWEEP_ROW_RUNS * run_size;        // 128
inline constexpr std::size_t tile_size = UPSWEEP_TILE_ROWS * row_size;      // 4096
inline constexpr std::size_t super_size = UPSWEEP_SUPER_TILES * tile_size;  // 131072
inline constexpr std::size_t tiles_per_super = UPSWEEP_SUPER_TILES;

// left (+) right, where an absent left is skipped.
template <class Acc, class Op>
constexpr Acc join(const std::optional<Acc>& left, const Acc& right, const Op& op) {
    return left ? Acc(op(*left, right)) : right;
}
template <class Acc, class Op>
constexpr void fold_into(std::optional<Acc>& left, const Acc& right, const Op& op) {
    left = join(left, right, op);
}

// The state of a scan at a tile boundary.
template <class Acc>
struct tree_carry {
    std::optional<Acc> supers{};  // S, with the initial value in front
    std::optional<Acc> tiles{};   // T, at most 31 tiles
    std::uint64_t tile_count = 0;

    // Appends the total of one complete tile. The 32nd tile of a super moves T into S.
    template <class Op>
    constexpr void push_tile(const Acc& total, const Op& op) {
        fold_into(tiles, total, op);
        if (++tile_count % tiles_per_super == 0) {
            fold_into(supers, *tiles, op);
            tiles.reset();
        }
    }

    // prefix(p) at the tile boundary p.
    template <class Op>
    constexpr std::optional<Acc> value(const Op& op) const {
        return tiles ? std::optional<Acc>(join(supers, *tiles, op)) : supers;
    }
};

}  // namespace upsweep::core
