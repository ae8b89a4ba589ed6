// The geometry of the look-ahead scan (look_ahead.cuh): units, stages, warps and their shared memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/storing.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

// Sizes chosen from the types: bytes of shared memory and rows of a unit. Measured on an H200
// (docs/performance.md): units of about 32 KiB, five of them in flight, eight warps that scan; four where
// accumulators of more than 8 bytes need twice the registers.
template <class Types>
struct look_ahead_shape {
    using Acc = typename Types::Acc;

    // A little more for compaction: 64 rows of floats with flags of a byte, five stages of which fit.
    static constexpr int stage_budget = Types::chooses ? 45 * 1024 : 44 * 1024;
    static constexpr int shared_budget = 226 * 1024;
    static constexpr int accumulator_size = int(sizeof(Acc));

    static constexpr int align16(int bytes) { return (bytes + 15) / 16 * 16; }

    static constexpr int row_bytes = [] {
        int bytes = 0;
        for (const int size : Types::element_size) bytes += Types::row * size;
        return bytes;
    }();
    static constexpr int rows = [] {
        // About 64 KiB read and written a unit, so that what a unit costs whatever its size is well spread;
        // less where run totals would take much of a stage.
        int rows = row_bytes + Types::row * int(sizeof(typename Types::Out)) <= 768 ? 128 : 64;
        if constexpr (Types::chooses)
            if (!Types::moves_elements) rows = 32;  // which leaves memory for their images
        while (rows > 1 && rows * (row_bytes + Types::tile_runs::line) > stage_budget) rows /= 2;
        return rows;
    }();
    static constexpr int tiles = rows >= 32 ? rows / 32 : 1;  // of a unit; of which it may be a part
    static constexpr int parts = rows >= 32 ? 1 : 32 / rows;  // units of a tile
    static constexpr int unit_items = rows * Types::row;
    static constexpr int fold_rows = rows >= 32 ? 32 : rows;  // folded by one warp at once
    static constexpr int most_warps = accumulator_size > 8 ? 4 : 8;
    static constexpr int warps = rows < most_warps ? rows : most_warps;  // that sum, and as many that scan
    static constexpr int rows_per_warp = rows / warps;
    // Elements that do not fit into registers by runs are scanned one by one.
    static constexpr bool by_element = accumulator_size > 16 || Types::widest > 16;

    // What stands to the left of a unit is folded a super a lane where values have up to four words: all
    // supers between two units of a block on a large device at once. Larger ones are folded in order.
    static constexpr int words = words_for<sizeof(Acc)>;
    static constexpr bool folds_in_order = words > 4;
    static constexpr int supers_at_once = folds_in_order ? 1 : 132 * tiles / (32 * parts) + 4;
    // Small units leave one warp no time for that; two take turns.
    static constexpr int unit_bytes = rows * (row_bytes + Types::row * int(sizeof(typename Types::Out)));
    static constexpr int look_ahead_warps = !Types::chooses && words == 1 && unit_bytes < 56 * 1024 ? 2 : 1;
    // Whether the elements themselves tell which of them are heads, so that the warps that sum find out.
    static constexpr bool finds_heads = [] {
        if constexpr (Types::chooses) return Types::has_own_heads && !by_element;
        return false;
    }();
    // That find out where segments begin, for each run of a unit in so many bits. Fewer where registers for
    // the others would become too few.
    static constexpr int most_head_warps = !Types::has_heads || finds_heads ? 0 : most_warps;
    static constexpr int head_warps = rows < most_head_warps ? rows : most_head_warps;
    static constexpr int rows_per_head_warp = head_warps == 0 ? 1 : rows / head_warps;
    static constexpr int threads = (2 * warps + 1 + look_ahead_warps + (parts > 1) + head_warps) * 32;
    // A bit for each element of a run, in the order of memory, that one warp finds out and another needs:
    // whether the element begins a segment, or else whether it is chosen. The latter where runs have many
    // elements, which would not stay in registers, or neighbours are asked; of four it is found out twice.
    using run_bits = std::conditional_t<(Types::items > 8), std::uint16_t, std::uint8_t>;
    static constexpr bool shares_choices = [] {
        if constexpr (Types::chooses)
            return finds_heads || (Types::moves_elements && Types::items > 4 && !Types::has_heads);
        else
            return false;
    }();
    static constexpr bool has_bits = Types::has_heads || shares_choices;

    // A stage: the input rows of each array with 16 bytes for their alignment, bits, run totals, row folds.
    static constexpr int input_at(int array) {
        int at = 0;
        for (int k = 0; k < array; ++k) at += align16(rows * Types::row * Types::element_size[k] + 32);
        return at;
    }
    static constexpr int bits_at = input_at(Types::inputs);
    static constexpr int totals_at = bits_at + (has_bits ? align16(rows * 32 * int(sizeof(run_bits))) : 0);
    static constexpr int row_folds_at = totals_at + align16(rows * Types::tile_runs::line);
    static constexpr int tile_totals_at = row_folds_at + align16(rows * accumulator_size);
    static constexpr int tile_parts_at = tile_totals_at + align16(tiles * accumulator_size);
    static constexpr int super_part_at = tile_parts_at + align16(tiles * accumulator_size);
    // The copy engine is fastest to whole lines of 128 bytes.
    static constexpr int stage_bytes = (super_part_at + align16(accumulator_size) + 127) / 128 * 128;

    // Rows that reach the output through shared memory: in the stage, where results are as large as the
    // elements they replace; or in an image of a row a warp.
    // Elements that are chosen are packed in the same two places; those scanned one by one stay where they
    // are, and the image has their places. So it has where lengths of runs are told.
    static constexpr bool in_place = [] {
        const bool same_size = Types::element_size[0] == int(sizeof(typename Types::Out));
        if constexpr (Types::chooses)
            return same_size && Types::moves_elements && !by_element;
        else
            return same_size &&
                   (by_element || best_storing<typename Types::Out, Types::items> == storing::staged);
    }();
    // What a warp that moves elements has of a unit.
    static constexpr int piece_items = rows_per_warp * Types::row;
    static constexpr int places_bytes = [] {
        if constexpr (Types::chooses)
            if (Types::tells_lengths) return align16(piece_items * int(sizeof(std::uint16_t)));
        return 0;
    }();
    static constexpr int image_bytes = [] {
        if constexpr (Types::chooses) {
            const int packed = by_element ? 2 : int(sizeof(typename Types::Packed));
            return (in_place ? 0 : align16(piece_items * packed + 16)) + (by_element ? 0 : places_bytes);
        } else {
            return in_place ? 0 : align16(Types::row * int(sizeof(typename Types::Out)) + 16);
        }
    }();
    // Lines of accumulators: the look-ahead warps' and, where tiles are in parts, that of the warp that joins
    // them.
    static constexpr int look_ahead_lines = Types::chooses ? 0 : look_ahead_warps * supers_at_once;
    static constexpr int scratch_lines = look_ahead_lines + (parts > 1);
    static constexpr int scratch_bytes = align16(scratch_lines * run_totals<Acc>::line);
    static constexpr int stage_state_bytes = 128;
    static constexpr int stages = [] {
        const int fit =
            (shared_budget - warps * image_bytes - scratch_bytes) / (stage_bytes + stage_state_bytes);
        return fit > 16 ? 16 : fit;
    }();
    static constexpr int images_at = stages * stage_bytes;
    static constexpr int scratch_at = images_at + warps * image_bytes;
    static constexpr int states_at = scratch_at + scratch_bytes;
    static constexpr int shared_bytes = states_at + stages * stage_state_bytes;
    static constexpr bool fits = stages >= 2;

    static constexpr std::uint64_t units(std::uint64_t n) { return (n + unit_items - 1) / unit_items; }
    // Published values of a scan of n elements: a total a tile, for whole supers, and, where tiles are in
    // parts, a total a row. Of one of many lines only those that there are: lines may be short.
    static constexpr std::uint64_t tile_count(std::uint64_t n) {
        if constexpr (Types::has_lines) return (n + Types::tile - 1) / Types::tile;
        const std::uint64_t count = (units(n) * tiles + parts - 1) / parts;
        return (count + 31) / 32 * 32;
    }
    static constexpr std::uint64_t row_count(std::uint64_t n) {
        if constexpr (Types::has_lines) return parts > 1 ? (n + Types::row - 1) / Types::row : 0;
        return parts > 1 ? units(n) * rows : 0;
    }
    static constexpr std::uint64_t published_words(std::uint64_t n) {
        return (tile_count(n) + row_count(n)) * words_for<sizeof(Acc)>;
    }
};

}  // namespace upsweep::cuda
