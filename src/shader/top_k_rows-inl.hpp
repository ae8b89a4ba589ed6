// The plan of the first k elements of rows, each by one work group or by a part of one
// (shaders/select_rows.comp). It is how few elements of one sequence are selected from, too.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "shader/sort-inl.hpp"

namespace upsweep::shader {

inline constexpr std::uint64_t row_state_bytes = 4 * UPSWEEP_ROW_STATE_WORDS;

// Dispatches: while more are wanted than a work group has room for, each stores half as many at least.
constexpr std::uint64_t row_rounds(std::uint64_t wanted) {
    constexpr std::uint64_t room = UPSWEEP_SELECTED;
    return wanted <= room ? 1 : 1 + divide_up(wanted - room, room / 2);
}

// Elements whose indices have a digit at that shift and none above it, a multiple of eight.
constexpr std::uint32_t highest_index_shift(std::uint64_t length) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(std::max<std::uint64_t>(length, 2) - 1));
    return (bits - 1) / 8 * 8;
}

struct rows_selection {
    std::uint64_t rows = 1;
    std::uint64_t length = 0;  // of each
    std::uint64_t wanted = 0;  // of each; not 0
    std::uint32_t key_words = 1;
    std::uint32_t flags = 0;  // the order, and whether there is a length
    place in;
    place keys_out{};   // the keys, unless there is none
    place words_out{};  // likewise their indices in the row
    place words{};      // what is written in place of an index, if there is something
    place state;        // row_state_bytes a row, if there are several rounds
    place length_word{};
};
inline void append_select_rows(std::vector<dispatch>& made, const rows_selection& of, const limits& device) {
    const std::uint64_t key_bytes = std::uint64_t{4} * of.key_words;
    const std::uint64_t together =
        of.length <= UPSWEEP_SELECTED ? UPSWEEP_SELECTED / std::bit_ceil(of.length) : 1;
    const std::uint64_t bound_at_once =
        (largest_binding(device) - std::min(largest_binding(device), alignment_of(device))) /
        (of.length * key_bytes);
    const std::uint64_t at_once =
        std::min(std::max<std::uint64_t>(bound_at_once, 1), most_groups(device) * together);
    const bool has_state = row_rounds(of.wanted) > 1;
    const std::uint32_t flags = of.flags | (of.keys_out.from != resource::none ? UPSWEEP_F_KEYS : 0u) |
                                (of.words_out.from != resource::none ? UPSWEEP_F_VALUES : 0u) |
                                (of.words.from == resource::none ? UPSWEEP_F_INDICES : 0u);
    builder builder(device, made);
    for (std::uint64_t first = 0; first < of.rows; first += at_once) {
        const std::uint64_t some = std::min(at_once, of.rows - first);
        for (std::uint64_t round = 0; round < row_rounds(of.wanted); ++round) {
            dispatch& next = builder.add(stage::select_rows, divide_up(some, together),
                                         flags | (round != 0 ? UPSWEEP_F_CONTINUED : 0u));
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(of.length);
            next.parameters[UPSWEEP_P_WANTED] = static_cast<std::uint32_t>(of.wanted);
            next.parameters[UPSWEEP_P_INDEX_SHIFT] = highest_index_shift(of.length);
            next.parameters[UPSWEEP_P_ROWS] = static_cast<std::uint32_t>(some);
            next.parameters[UPSWEEP_P_GROUP_ROWS] = static_cast<std::uint32_t>(together);
            const auto set = [&](int at, int parameter, place where, std::uint64_t row_elements,
                                 std::uint32_t words, std::uint64_t rows) {
                where.offset += first * row_elements * words * 4;
                bind_elements(next, at, parameter, where, rows * row_elements, words, device);
            };
            const bool has_keys = of.keys_out.from != resource::none;
            const bool has_words = of.words_out.from != resource::none;
            set(UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, of.in, of.length, of.key_words, some);
            if (has_keys)
                set(UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, of.keys_out, of.wanted, of.key_words, some);
            if (has_words) set(UPSWEEP_MOVED_VALUES, UPSWEEP_P_MOVED_FIRST, of.words_out, of.wanted, 1, some);
            // What is declared but not touched is another name of something that is.
            if (!has_keys) next.bindings[UPSWEEP_OUTPUT] = next.bindings[UPSWEEP_MOVED_VALUES];
            if (!has_words) next.bindings[UPSWEEP_MOVED_VALUES] = next.bindings[UPSWEEP_OUTPUT];
            next.bindings[UPSWEEP_WORKSPACE] = next.bindings[UPSWEEP_OUTPUT];
            next.bindings[UPSWEEP_LENGTH] = next.bindings[UPSWEEP_INPUT];
            if (has_state)
                set(UPSWEEP_WORKSPACE, UPSWEEP_P_VALUES_FIRST, of.state, UPSWEEP_ROW_STATE_WORDS, 1, some);
            else if (of.words.from != resource::none)
                set(UPSWEEP_WORKSPACE, UPSWEEP_P_VALUES_FIRST, of.words, of.length, 1, 1);
            if (of.length_word.from != resource::none)
                bind_elements(next, UPSWEEP_LENGTH, UPSWEEP_P_LENGTH_INDEX, of.length_word, 1, 1, device);
        }
    }
}

}  // namespace upsweep::shader
