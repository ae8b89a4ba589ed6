// How the first k of an order are found, and what lies where in the workspace.
#pragma once

#include <algorithm>
#include <cstdint>

#include "shader/plan-inl.hpp"
#include "shader/split-inl.hpp"
#include "shader/top_k_plan.hpp"
#include "shader/top_k_rows-inl.hpp"

namespace upsweep::shader {

// One work group selects from so many elements in the time that a sort of them takes, on an NVIDIA H200, and
// from rows if there are enough of them; what it does beside reading takes as long as so many more. Some
// drivers stop an invocation after 65535 iterations: of the longest row they are up to 2200 for each of
// twelve digits.
inline constexpr std::uint64_t most_of_one_group = std::uint64_t{3} << 12;
inline constexpr std::uint64_t elements_of_round = std::uint64_t{1} << 14;
inline constexpr std::uint64_t longest_row = std::uint64_t{1} << 18;
// Up to so many elements everything is sorted, and where more than one in so many is wanted.
inline constexpr std::uint64_t sorted_whole = std::uint64_t{1} << 16;
inline constexpr std::uint64_t selected_share = 6;
// Candidates beyond those that are wanted for which there is room: so many, or one in so many elements. The
// first eight bits of an index leave no more than that share undecided, since less than half of the numbers
// of so many bits are none: 2^bits / 256 < 2 n / 256.
inline constexpr std::uint64_t least_surplus = tile_elements;
inline constexpr std::uint64_t surplus_share = most_bins / 2;

enum class top_k_way : std::uint8_t { by_groups, sorted, selected };

inline bool suits_groups(std::uint64_t rows, std::uint64_t items, std::uint64_t wanted) {
    if (items <= UPSWEEP_SELECTED) return true;
    return items <= longest_row &&
           row_rounds(wanted) * (items + elements_of_round) <= rows * (most_of_one_group + elements_of_round);
}
inline top_k_way way_of(const top_k_request& request) {
    if (suits_groups(request.rows, request.items, request.wanted)) return top_k_way::by_groups;
    const bool most = request.wanted > request.items / selected_share;
    return request.items <= sorted_whole || most ? top_k_way::sorted : top_k_way::selected;
}
inline std::uint64_t candidates_of(const top_k_request& request) {
    return request.wanted + std::max(least_surplus, divide_up(request.items, surplus_share));
}
// Whether one work group puts the candidates in order, in one round.
inline bool has_few_candidates(const top_k_request& request) {
    return row_rounds(request.wanted) == 1 && suits_groups(1, candidates_of(request), request.wanted);
}
// Every digit of a key, and the highest of an index.
inline std::uint32_t passes_of(const sort_shape& shape) { return 4 * shape.key_words + 1; }
inline std::uint64_t passes_words(const sort_shape& shape) {
    return std::uint64_t{UPSWEEP_SELECTION_WORDS} * passes_of(shape);
}

// Bytes within the workspace, by the way.
struct top_k_layout {
    std::uint64_t state;      // by groups: of rows between rounds
    std::uint64_t sorted;     // everything: keys, or indices
    std::uint64_t passes;     // selected: what they count
    std::uint64_t votes;      // and for which
    std::uint64_t arguments;  // of the compaction
    std::uint64_t keys;       // of the candidates
    std::uint64_t indices;    // and where they are; or, by groups, what values are fetched by
    std::uint64_t firsts;     // and of those that one group has put in order
    std::uint64_t sort;       // scratch of a sort
    std::uint64_t bytes;
};
inline top_k_layout top_k_layout_of(const top_k_request& request, const limits& device) {
    top_k_layout layout{};
    const sort_shape& shape = request.shape;
    const auto take = [&](std::uint64_t bytes) {
        const std::uint64_t at = layout.bytes;
        layout.bytes = round_up(at + bytes, alignment_of(device));
        return at;
    };
    const bool has_indices = shape.output != sort_output::keys;
    const top_k_way way = way_of(request);
    if (way == top_k_way::by_groups) {
        if (row_rounds(request.wanted) > 1) layout.state = take(request.rows * row_state_bytes);
        if (shape.output == sort_output::keys_with_values) layout.indices = take(4 * request.wanted);
        return layout;
    }
    if (way == top_k_way::sorted) {
        layout.sorted = take(4 * request.items * (has_indices ? 1 : shape.key_words));
        const sort_output output = has_indices ? sort_output::indices : sort_output::keys;
        layout.sort = take(sort_workspace_bytes({output, shape.key_words}, request.items, device));
        return layout;
    }
    const std::uint64_t candidates = candidates_of(request);
    layout.passes = take(4 * passes_words(shape));
    layout.votes = take(vote_layout_of(request.items, device).bytes);
    layout.arguments = take(std::uint64_t{4} * UPSWEEP_A_WORDS);
    layout.keys = take(4 * candidates * shape.key_words);
    if (has_indices) layout.indices = take(4 * candidates);
    if (has_few_candidates(request)) {
        if (shape.output == sort_output::keys_with_values) layout.firsts = take(4 * request.wanted);
        return layout;
    }
    const sort_output output = has_indices ? sort_output::keys_with_values : sort_output::keys;
    layout.sort = take(
        sort_workspace_bytes({output, shape.key_words, has_indices ? 1u : 0u, true}, candidates, device));
    return layout;
}

}  // namespace upsweep::shader
