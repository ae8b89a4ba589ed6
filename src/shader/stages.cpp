// Names and texts of the stages; the texts themselves are generated from shaders/ (cmake/Shaders.cmake).
#include "shader/stages.hpp"

#include <array>
#include <bit>

namespace upsweep::shader {

namespace generated {
extern const std::array<std::string_view, stage_count> texts;
}

namespace {

constexpr std::array<std::string_view, stage_count> names = {
    "tile_totals",  "super_totals",   "super_prefixes",   "tile_scan",    "blelloch_scan",  "blelloch_add",
    "vote",         "compact",        "sort_count",       "sort_move",    "sort_gather",    "probe",
    "lane_scan",    "axis_shape",     "mark_heads",       "mark_offsets", "clear_counts",   "count_bins",
    "bins_count",   "bins_move",      "bins_number",      "bins_offsets", "segment_totals", "fill_empty",
    "run_lengths",  "look_back_scan", "look_back_totals", "repeat",       "segment_sort",   "segment_merge",
    "select_count", "select_vote",    "select_rows"};

// The line of a stage that the user's text replaces.
constexpr std::string_view user_marker = "//! user text\n";

// The enumerations are those numbers.
static_assert(static_cast<int>(element_type::uint32) == UPSWEEP_T_UINT);
static_assert(static_cast<int>(element_type::int32) == UPSWEEP_T_INT);
static_assert(static_cast<int>(element_type::float32) == UPSWEEP_T_FLOAT);
static_assert(static_cast<int>(element_type::uint64) == UPSWEEP_T_UINT64);
static_assert(static_cast<int>(element_type::int64) == UPSWEEP_T_INT64);
static_assert(static_cast<int>(element_type::affine32) == UPSWEEP_T_AFFINE);
static_assert(static_cast<int>(element_type::float64) == UPSWEEP_T_DOUBLE);
static_assert(static_cast<int>(input_type::same) == UPSWEEP_I_SAME);
static_assert(static_cast<int>(input_type::uint8) == UPSWEEP_I_UINT8);
static_assert(static_cast<int>(input_type::int8) == UPSWEEP_I_INT8);
static_assert(static_cast<int>(input_type::uint16) == UPSWEEP_I_UINT16);
static_assert(static_cast<int>(input_type::int16) == UPSWEEP_I_INT16);
static_assert(static_cast<int>(input_type::float16) == UPSWEEP_I_FLOAT16);
static_assert(static_cast<int>(input_type::bfloat16) == UPSWEEP_I_BFLOAT16);
static_assert(static_cast<int>(input_type::uint32) == UPSWEEP_I_UINT);
static_assert(static_cast<int>(input_type::int32) == UPSWEEP_I_INT);
static_assert(static_cast<int>(input_type::float32) == UPSWEEP_I_FLOAT);

void define(std::string& source, std::string_view macro, std::uint32_t value, std::string_view suffix = "") {
    source += "#define ";
    source += macro;
    source += ' ';
    source += std::to_string(value);
    source += suffix;
    source += '\n';
}

}  // namespace

std::string_view name(stage which) { return names[static_cast<std::size_t>(which)]; }

std::string_view text(stage which) { return generated::texts[static_cast<std::size_t>(which)]; }

std::uint32_t traits_of(const operation& op) {
    return (op.exact ? UPSWEEP_EXACT : 0u) | (op.neutral ? UPSWEEP_NEUTRAL : 0u) |
           (op.commutative ? UPSWEEP_COMMUTATIVE : 0u);
}

std::uint32_t blelloch_padded(std::uint32_t work_group_size) { return std::bit_ceil(2 * work_group_size); }

std::string program_source(const program_key& key, bool es, std::string_view user_text) {
    std::string source = es ? "#version 310 es\n"
                              "#extension GL_EXT_gpu_shader5 : enable\n"
                              "precision highp float;\n"
                              "precision highp int;\n"
                            : "#version 430 core\n";
    if (knows_no_elements(key.which)) {
        // Nothing to define.
    } else if (takes_items(key.which)) {
        if (!user_text.empty()) source += "#define UPSWEEP_USER_ITEMS\n";
    } else if (takes_keys(key.which)) {
        define(source, "UPSWEEP_ELEMENT_WORDS", key.op.element_words);
    } else if (takes_bins(key.which)) {
        define(source, "UPSWEEP_ELEMENT_WORDS", key.op.element_words);
        if (user_text.empty())
            define(source, "UPSWEEP_TYPE", static_cast<std::uint32_t>(key.op.type));
        else
            source += "#define UPSWEEP_USER_BINS\n";
    } else {
        define(source, "UPSWEEP_ELEMENT_WORDS", key.op.element_words);
        define(source, "UPSWEEP_TRAITS", traits_of(key.op), "u");
        if (!user_text.empty()) {
            source += "#define UPSWEEP_USER_OPERATOR\n";
            if (key.op.has_identity) source += "#define UPSWEEP_IDENTITY\n";
        } else {
            define(source, "UPSWEEP_TYPE", static_cast<std::uint32_t>(key.op.type));
            define(source, "UPSWEEP_LINE", static_cast<std::uint32_t>(key.op.line));
            if (key.op.type == element_type::float64 && !key.op.exact) source += "#define UPSWEEP_DOUBLE\n";
            if (key.op.input != input_type::same)
                define(source, "UPSWEEP_INPUT_TYPE", static_cast<std::uint32_t>(key.op.input));
        }
    }
    if (key.shape == form::axis) source += "#define UPSWEEP_AXIS\n";
    if (key.shape == form::segments) source += "#define UPSWEEP_SEGMENTS\n";
    if (key.which == stage::blelloch_scan || key.which == stage::blelloch_add) {
        define(source, "UPSWEEP_BLELLOCH_SIZE", key.blelloch_size);
        define(source, "UPSWEEP_BLELLOCH_PADDED", blelloch_padded(key.blelloch_size));
    }
    const std::string_view whole = text(key.which);
    const std::size_t marker = user_text.empty() ? std::string_view::npos : whole.find(user_marker);
    source += whole.substr(0, marker);
    if (marker != std::string_view::npos) {
        source += user_text;
        source += '\n';
        source += whole.substr(marker + user_marker.size());
    }
    return source;
}

}  // namespace upsweep::shader
