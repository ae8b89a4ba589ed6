// The table of SPIR-V modules, which the build makes from shaders/ (cmake/Shaders.cmake).
#include "vulkan/modules.hpp"

#include <array>

#include "generated/spirv.hpp"

namespace upsweep::vulkan {
namespace {

using words = std::span<const std::uint32_t>;

// In the order of shader::stage.
using table = std::array<words, shader::stage_count>;
constexpr table one_word = {generated::tile_totals_one_word,
                            generated::super_totals_one_word,
                            generated::super_prefixes_one_word,
                            generated::tile_scan_one_word,
                            generated::blelloch_scan_one_word,
                            generated::blelloch_add_one_word,
                            generated::vote_one_word,
                            generated::compact_one_word,
                            generated::sort_count_one_word,
                            generated::sort_move_one_word,
                            generated::sort_gather_one_word,
                            generated::probe_one_word,
                            words{},
                            generated::axis_shape_one_word,
                            generated::mark_heads_one_word,
                            generated::mark_offsets_one_word,
                            generated::clear_counts_one_word,
                            generated::count_bins_one_word,
                            generated::bins_count_one_word,
                            generated::bins_move_one_word,
                            generated::bins_number_one_word,
                            generated::bins_offsets_one_word};
constexpr table two_words = {generated::tile_totals_two_words,
                             generated::super_totals_two_words,
                             generated::super_prefixes_two_words,
                             generated::tile_scan_two_words,
                             generated::blelloch_scan_two_words,
                             generated::blelloch_add_two_words,
                             words{},
                             words{},
                             generated::sort_count_two_words,
                             generated::sort_move_two_words,
                             words{},
                             generated::probe_two_words,
                             words{},
                             words{},
                             words{},
                             words{},
                             words{},
                             generated::count_bins_two_words,
                             generated::bins_count_two_words,
                             generated::bins_move_two_words,
                             generated::bins_number_two_words};
constexpr table doubles = {generated::tile_totals_doubles,
                           generated::super_totals_doubles,
                           generated::super_prefixes_doubles,
                           generated::tile_scan_doubles,
                           generated::blelloch_scan_doubles,
                           generated::blelloch_add_doubles,
                           words{},
                           words{},
                           words{},
                           words{},
                           words{},
                           generated::probe_doubles,
                           words{},
                           words{},
                           words{},
                           words{}};
constexpr table one_word_axis = {generated::tile_totals_one_word_axis,
                                 generated::super_totals_one_word_axis,
                                 generated::super_prefixes_one_word_axis,
                                 generated::tile_scan_one_word_axis,
                                 words{},
                                 words{},
                                 words{},
                                 words{},
                                 words{},
                                 words{},
                                 words{},
                                 words{},
                                 generated::lane_scan_one_word_axis,
                                 words{},
                                 words{},
                                 words{}};
constexpr table two_words_axis = {generated::tile_totals_two_words_axis,
                                  generated::super_totals_two_words_axis,
                                  generated::super_prefixes_two_words_axis,
                                  generated::tile_scan_two_words_axis,
                                  words{},
                                  words{},
                                  words{},
                                  words{},
                                  words{},
                                  words{},
                                  words{},
                                  words{},
                                  generated::lane_scan_two_words_axis,
                                  words{},
                                  words{},
                                  words{}};
constexpr table doubles_axis = {generated::tile_totals_doubles_axis,
                                generated::super_totals_doubles_axis,
                                generated::super_prefixes_doubles_axis,
                                generated::tile_scan_doubles_axis,
                                words{},
                                words{},
                                words{},
                                words{},
                                words{},
                                words{},
                                words{},
                                words{},
                                generated::lane_scan_doubles_axis,
                                words{},
                                words{},
                                words{}};
constexpr table one_word_segments = {generated::tile_totals_one_word_segments,
                                     generated::super_totals_one_word_segments,
                                     generated::super_prefixes_one_word_segments,
                                     generated::tile_scan_one_word_segments,
                                     words{},
                                     words{},
                                     words{},
                                     words{},
                                     words{},
                                     words{},
                                     words{},
                                     words{},
                                     words{},
                                     words{},
                                     words{},
                                     words{}};
constexpr table two_words_segments = {generated::tile_totals_two_words_segments,
                                      generated::super_totals_two_words_segments,
                                      generated::super_prefixes_two_words_segments,
                                      generated::tile_scan_two_words_segments,
                                      words{},
                                      words{},
                                      words{},
                                      words{},
                                      words{},
                                      words{},
                                      words{},
                                      words{},
                                      words{},
                                      words{},
                                      words{},
                                      words{}};
constexpr table doubles_segments = {generated::tile_totals_doubles_segments,
                                    generated::super_totals_doubles_segments,
                                    generated::super_prefixes_doubles_segments,
                                    generated::tile_scan_doubles_segments,
                                    words{},
                                    words{},
                                    words{},
                                    words{},
                                    words{},
                                    words{},
                                    words{},
                                    words{},
                                    words{},
                                    words{},
                                    words{},
                                    words{}};

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
