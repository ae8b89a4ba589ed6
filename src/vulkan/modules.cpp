// The table of SPIR-V modules, which the build makes from shaders/ (cmake/Shaders.cmake).
#include "vulkan/modules.hpp"

#include <array>

#include "generated/spirv.hpp"

namespace upsweep::vulkan {
namespace {

using words = std::span<const std::uint32_t>;

// In the order of shader::stage.
constexpr std::array<words, shader::stage_count> one_word = {generated::tile_totals_one_word,
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
                                                             words{}};
constexpr std::array<words, shader::stage_count> two_words = {generated::tile_totals_two_words,
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
                                                              words{}};
constexpr std::array<words, shader::stage_count> doubles = {generated::tile_totals_doubles,
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
                                                            words{}};
constexpr std::array<words, shader::stage_count> one_word_axis = {generated::tile_totals_one_word_axis,
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
                                                                  generated::axis_shape_one_word_axis};
constexpr std::array<words, shader::stage_count> two_words_axis = {generated::tile_totals_two_words_axis,
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
                                                                   words{}};
constexpr std::array<words, shader::stage_count> doubles_axis = {generated::tile_totals_doubles_axis,
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
                                                                 words{}};

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
    // Only sums and products of doubles compute with them.
    const bool computes_doubles = op.type == shader::element_type::float64 && !op.exact;
    if (shape == shader::form::axis) {
        if (op.element_words == 1 || which == shader::stage::axis_shape) return one_word_axis[index];
        return computes_doubles ? doubles_axis[index] : two_words_axis[index];
    }
    if (subgroups && (which == shader::stage::vote || (op.exact && op.commutative))) {
        const words found = with_subgroups(which, op.element_words);
        if (!found.empty()) return found;
    }
    if (op.element_words == 1) return one_word[index];
    return computes_doubles ? doubles[index] : two_words[index];
}

}  // namespace upsweep::vulkan
