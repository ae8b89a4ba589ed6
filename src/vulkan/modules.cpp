// The table of SPIR-V modules, which the build makes from shaders/ (cmake/Shaders.cmake).
#include "vulkan/modules.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>

#include "generated/spirv.hpp"

namespace upsweep::vulkan {
namespace {

using words = std::span<const std::uint32_t>;

// By shader::stage; empty where a build has no such stage.
using table = std::array<words, shader::stage_count>;
struct stage_code {
    shader::stage which;
    words code;
};
constexpr table table_of(std::initializer_list<stage_code> stages) {
    table made{};
    for (const stage_code& one : stages) made[static_cast<std::size_t>(one.which)] = one.code;
    return made;
}

#define UPSWEEP_MODULE(name, build) \
    stage_code { shader::stage::name, generated::name##_##build }
// What every build has.
#define UPSWEEP_SCAN_MODULES(build)                                          \
    UPSWEEP_MODULE(tile_totals, build), UPSWEEP_MODULE(super_totals, build), \
        UPSWEEP_MODULE(super_prefixes, build), UPSWEEP_MODULE(tile_scan, build)
#define UPSWEEP_SEQUENCE_MODULES(build) UPSWEEP_SCAN_MODULES(build), UPSWEEP_MODULE(look_back_scan, build)
#define UPSWEEP_SEGMENT_MODULES(build)                                      \
    UPSWEEP_SEQUENCE_MODULES(build), UPSWEEP_MODULE(segment_totals, build), \
        UPSWEEP_MODULE(look_back_totals, build), UPSWEEP_MODULE(fill_empty, build)

constexpr table one_word =
    table_of({UPSWEEP_SEQUENCE_MODULES(one_word),     UPSWEEP_MODULE(blelloch_scan, one_word),
              UPSWEEP_MODULE(blelloch_add, one_word), UPSWEEP_MODULE(vote, one_word),
              UPSWEEP_MODULE(compact, one_word),      UPSWEEP_MODULE(sort_count, one_word),
              UPSWEEP_MODULE(sort_move, one_word),    UPSWEEP_MODULE(sort_gather, one_word),
              UPSWEEP_MODULE(probe, one_word),        UPSWEEP_MODULE(axis_shape, one_word),
              UPSWEEP_MODULE(mark_heads, one_word),   UPSWEEP_MODULE(mark_offsets, one_word),
              UPSWEEP_MODULE(clear_counts, one_word), UPSWEEP_MODULE(count_bins, one_word),
              UPSWEEP_MODULE(bins_count, one_word),   UPSWEEP_MODULE(bins_move, one_word),
              UPSWEEP_MODULE(bins_number, one_word),  UPSWEEP_MODULE(bins_offsets, one_word),
              UPSWEEP_MODULE(run_lengths, one_word),  UPSWEEP_MODULE(repeat, one_word),
              UPSWEEP_MODULE(segment_sort, one_word), UPSWEEP_MODULE(segment_merge, one_word),
              UPSWEEP_MODULE(select_count, one_word), UPSWEEP_MODULE(select_vote, one_word),
              UPSWEEP_MODULE(select_rows, one_word)});
constexpr table two_words =
    table_of({UPSWEEP_SEQUENCE_MODULES(two_words), UPSWEEP_MODULE(blelloch_scan, two_words),
              UPSWEEP_MODULE(blelloch_add, two_words), UPSWEEP_MODULE(sort_count, two_words),
              UPSWEEP_MODULE(sort_move, two_words), UPSWEEP_MODULE(probe, two_words),
              UPSWEEP_MODULE(count_bins, two_words), UPSWEEP_MODULE(bins_count, two_words),
              UPSWEEP_MODULE(bins_move, two_words), UPSWEEP_MODULE(bins_number, two_words),
              UPSWEEP_MODULE(segment_sort, two_words), UPSWEEP_MODULE(segment_merge, two_words),
              UPSWEEP_MODULE(select_count, two_words), UPSWEEP_MODULE(select_vote, two_words),
              UPSWEEP_MODULE(select_rows, two_words)});
constexpr table doubles = table_of({UPSWEEP_SEQUENCE_MODULES(doubles), UPSWEEP_MODULE(blelloch_scan, doubles),
                                    UPSWEEP_MODULE(blelloch_add, doubles), UPSWEEP_MODULE(probe, doubles)});
constexpr table one_word_axis =
    table_of({UPSWEEP_SCAN_MODULES(one_word_axis), UPSWEEP_MODULE(lane_scan, one_word_axis)});
constexpr table two_words_axis =
    table_of({UPSWEEP_SCAN_MODULES(two_words_axis), UPSWEEP_MODULE(lane_scan, two_words_axis)});
constexpr table doubles_axis =
    table_of({UPSWEEP_SCAN_MODULES(doubles_axis), UPSWEEP_MODULE(lane_scan, doubles_axis)});
constexpr table one_word_segments = table_of({UPSWEEP_SEGMENT_MODULES(one_word_segments)});
constexpr table two_words_segments = table_of({UPSWEEP_SEGMENT_MODULES(two_words_segments)});
constexpr table doubles_segments = table_of({UPSWEEP_SEGMENT_MODULES(doubles_segments)});
#undef UPSWEEP_SEGMENT_MODULES
#undef UPSWEEP_SEQUENCE_MODULES
#undef UPSWEEP_SCAN_MODULES
#undef UPSWEEP_MODULE

struct variants {
    const table& one_word;
    const table& two_words;
    const table& doubles;
};
constexpr variants of_sequences{one_word, two_words, doubles};
constexpr variants of_axes{one_word_axis, two_words_axis, doubles_axis};
constexpr variants of_segments{one_word_segments, two_words_segments, doubles_segments};

// For exact, commutative operators. Minimum and maximum of doubles are integer operations and need no
// doubles.
words with_subgroups(shader::stage which, std::uint32_t element_words) {
    switch (which) {
        case shader::stage::tile_totals:
            return element_words == 1 ? words(generated::tile_totals_one_word_subgroups)
                                      : words(generated::tile_totals_two_words_subgroups);
        case shader::stage::tile_scan:
            return element_words == 1 ? words(generated::tile_scan_one_word_subgroups)
                                      : words(generated::tile_scan_two_words_subgroups);
        case shader::stage::vote:
            return words(generated::vote_one_word_subgroups);
        default:
            return {};
    }
}

}  // namespace

words module_of(shader::stage which, const shader::operation& op, shader::form shape, bool subgroups) {
    const auto index = static_cast<std::size_t>(which);
    if (shader::knows_no_elements(which)) return one_word[index];
    if (subgroups && shape == shader::form::sequence &&
        (which == shader::stage::vote || (op.exact && op.commutative))) {
        const words found = with_subgroups(which, op.element_words);
        if (!found.empty()) return found;
    }
    const variants& built = shape == shader::form::sequence ? of_sequences
                            : shape == shader::form::axis   ? of_axes
                                                            : of_segments;
    if (op.element_words == 1) return built.one_word[index];
    // Only sums and products of doubles compute with them.
    return op.type == shader::element_type::float64 && !op.exact ? built.doubles[index]
                                                                 : built.two_words[index];
}

}  // namespace upsweep::vulkan
