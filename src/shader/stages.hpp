// The GLSL stages as the library carries them: names, texts without includes. docs/shaders.md describes what
// each reads and writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "upsweep/shader/operation.hpp"
// clang-format off
#include "upsweep/core/levels.def"
#include "shaders/constants.glsl"
// clang-format on

namespace upsweep::shader {

enum class stage : std::uint8_t {
    tile_totals,
    super_totals,
    super_prefixes,
    tile_scan,
    blelloch_scan,
    blelloch_add,
    vote,
    compact,
    sort_count,
    sort_move,
    sort_gather,
    probe,
    lane_scan,
    axis_shape,
    mark_heads,
    mark_offsets,
    clear_counts,
    count_bins,
    bins_count,
    bins_move,
    bins_number,
    bins_offsets,
    segment_totals,
    fill_empty,
    run_lengths,
    look_back_scan,
    look_back_totals,
    repeat,
    segment_sort,
    segment_merge,
    select_count,
    select_vote,
    select_rows,
};
inline constexpr int stage_count = 33;

// What the stages of a scan find their elements in: each is built for all of these.
enum class form : std::uint8_t {
    sequence,  // one, whose elements are neighbours
    axis,      // those along an axis of an array
    segments,  // one, in segments: what is folded are pairs
};
// Those that take a user's keep and move, those whose text depends on the key's width alone, and those that
// find the bins of elements or take a user's bin.
[[nodiscard]] constexpr bool takes_items(stage which) {
    return which == stage::vote || which == stage::compact;
}
[[nodiscard]] constexpr bool takes_keys(stage which) {
    return which == stage::sort_count || which == stage::sort_move || which == stage::sort_gather ||
           which == stage::segment_sort || which == stage::segment_merge || which == stage::select_count ||
           which == stage::select_vote || which == stage::select_rows;
}
[[nodiscard]] constexpr bool takes_bins(stage which) {
    return which == stage::count_bins || which == stage::bins_count || which == stage::bins_move ||
           which == stage::bins_number;
}
// Of stages that are the same for every element and operator.
[[nodiscard]] constexpr bool knows_no_elements(stage which) {
    return which == stage::axis_shape || which == stage::mark_heads || which == stage::mark_offsets ||
           which == stage::clear_counts || which == stage::bins_offsets || which == stage::run_lengths ||
           which == stage::repeat;
}

// That load elements, and convert them.
[[nodiscard]] constexpr bool loads_elements(stage which) {
    return which == stage::tile_totals || which == stage::tile_scan || which == stage::lane_scan ||
           which == stage::look_back_scan || which == stage::segment_totals ||
           which == stage::look_back_totals;
}

// "tile_totals"
[[nodiscard]] std::string_view name(stage which);

// The number of invocations of a work group: of every stage but Blelloch's, which choose theirs, and of
// probe and lane_scan.
inline constexpr std::uint32_t group_size = 256;
inline constexpr std::uint32_t probe_group_size = 64;
inline constexpr std::uint32_t lane_group_size = 64;
// Elements of a tile, and items that votes, compactions and splits take a work group.
inline constexpr std::uint32_t tile_elements = UPSWEEP_RUN_ELEMENTS * UPSWEEP_ROW_RUNS * UPSWEEP_TILE_ROWS;
inline constexpr std::uint32_t vote_words = tile_elements / 32;
// Offsets of segments that stages which read nothing else take a work group.
inline constexpr std::uint32_t offsets_of_group = UPSWEEP_OFFSETS_AHEAD * group_size;
// Words of keys that a work group of a sort of segments has.
inline constexpr std::uint32_t sorted_words = UPSWEEP_STRIP_WORDS * group_size;
// Results that repeat stores a work group.
inline constexpr std::uint32_t repeat_places = UPSWEEP_REPEAT_PLACES;

// The traits of an operation as the stages take them: UPSWEEP_EXACT and so on.
[[nodiscard]] std::uint32_t traits_of(const operation& op);
// 2 * work group size, rounded up to a power of two.
[[nodiscard]] std::uint32_t blelloch_padded(std::uint32_t work_group_size);

// The stage's text, without #version and without includes.
[[nodiscard]] std::string_view text(stage which);

// What a compiled OpenGL program depends on.
struct program_key {
    stage which = stage::tile_scan;
    // Of the stages that scan; of those that sort its width, of those that find bins its type and width.
    operation op{};
    std::uint32_t blelloch_size = group_size;  // of Blelloch's stages
    form shape = form::sequence;               // of the tree's stages
    friend constexpr bool operator==(const program_key&, const program_key&) = default;
};
// The whole source for glShaderSource: #version (430 core, or 310 es for OpenGL ES), definitions, the user's
// text if there is one (docs/shaders.md; it defines its own macros), the stage.
[[nodiscard]] std::string program_source(const program_key& key, bool es, std::string_view user_text = {});

}  // namespace upsweep::shader
