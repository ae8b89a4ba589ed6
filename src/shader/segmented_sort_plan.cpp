// The plan of a sort of segments: heads from what describes the segments, each tile sorted, then stretches of
// 1, 2, 4, ... tiles merged with their neighbours (shaders/segment_merge.comp). What may still move goes back
// and forth between two arrays of the workspace; what may not is in the result. Values, and the keys they go
// with, are fetched by their indices at the end.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "shader/sort-inl.hpp"

namespace upsweep::shader {
namespace {

// More work groups than the largest devices run at once; each of segment_merge has so many tiles. Where there
// is nothing to merge, work groups are what takes time.
constexpr std::uint64_t busy_groups = 4096;

bool has_values(const sort_shape& shape) { return shape.output == sort_output::keys_with_values; }
bool has_indices(const sort_shape& shape) { return shape.output != sort_output::keys; }
std::uint32_t record_words(const sort_shape& shape) { return shape.key_words + (has_indices(shape) ? 1 : 0); }
std::uint64_t tiles_of(const sort_shape& shape, std::uint64_t items) {
    return divide_up(items, sorted_words / shape.key_words);
}
// So many times stretches are merged.
std::uint32_t levels_of(std::uint64_t tiles) {
    return tiles == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(tiles - 1));
}

// Bytes within the workspace. Heads and ends are bound together.
struct segmented_sort_layout {
    std::array<std::uint64_t, 2> ends;  // of stretches, before and after every other merge
    std::uint64_t marks_bytes;          // heads and ends
    std::array<std::uint64_t, 2> records;
    std::uint64_t indices;  // with values
    std::uint64_t bytes;
};
segmented_sort_layout segmented_sort_layout_of(const sort_shape& shape, std::uint64_t items,
                                               const limits& device) {
    const std::uint64_t tiles = tiles_of(shape, items), alignment = alignment_of(device);
    segmented_sort_layout layout{};
    layout.ends[0] = divide_up(items, 32) * 4;
    layout.ends[1] = layout.ends[0] + tiles * 8;
    layout.marks_bytes = layout.ends[1] + divide_up(tiles, 2) * 8;
    const std::uint64_t begin = round_up(layout.marks_bytes, alignment);
    const std::uint64_t array = round_up(items * record_words(shape) * 4, alignment);
    layout.records = {begin, begin + array};
    std::uint64_t room = array * std::min(levels_of(tiles), 2u);
    // At the end there is a copy there of what is fetched in place, keys or values.
    if (has_values(shape)) {
        const std::uint64_t width = std::max(shape.key_words, shape.values_in_place ? shape.value_words : 0u);
        room = std::max(room, items * width * 4);
    }
    layout.indices = round_up(begin + room, alignment);
    layout.bytes = has_values(shape) ? layout.indices + items * 4 : begin + room;
    return layout;
}

class segmented_sort_planner {
  public:
    // Behind what marks the heads; without that, all is one segment.
    segmented_sort_planner(const sort_request& sort, const limits& device, std::vector<dispatch> heads)
        : sort_(sort),
          device_(device),
          tiles_(tiles_of(sort_.shape, sort_.items)),
          layout_(segmented_sort_layout_of(sort_.shape, sort_.items, device)),
          is_whole_(heads.empty()),
          made_(std::move(heads)) {}

    std::vector<dispatch> make() && {
        const std::uint32_t levels = levels_of(tiles_);
        append_tiles(stage::segment_sort, levels != 0, [&](dispatch& next) {
            bind_elements(next, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, keys_in(sort_), sort_.items,
                          sort_.shape.key_words, device_);
        });
        for (std::uint32_t level = 0; level < levels; ++level) {
            level_ = level;
            append_tiles(stage::segment_merge, level + 1 != levels, [&](dispatch& next) {
                bind_records(next, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, level % 2);
            });
        }
        if (has_values(sort_.shape)) append_values();
        return std::move(made_);
    }

  private:
    [[nodiscard]] place scratch(std::uint64_t offset) const {
        return {resource::workspace, sort_.workspace_offset + offset, "workspace"};
    }
    void bind_records(dispatch& to, int at, int parameter, std::size_t which) const {
        bind_elements(to, at, parameter, scratch(layout_.records.at(which)),
                      sort_.items * record_words(sort_.shape), 1, device_);
    }

    template <class SetInput>
    void append_tiles(stage which, bool has_open, const SetInput& set_input);
    void append_values();
    void fetch(const place& from, const place& out, std::uint32_t width, bool in_place);

    const sort_request& sort_;
    const limits& device_;
    std::uint64_t tiles_;
    segmented_sort_layout layout_;
    bool is_whole_;
    std::vector<dispatch> made_;
    std::uint32_t level_ = 0;
};

// Records stay open, unless this is the last stage.
template <class SetInput>
void segmented_sort_planner::append_tiles(stage which, bool has_open, const SetInput& set_input) {
    const bool merges = which == stage::segment_merge;
    const std::size_t from = merges ? level_ % 2 : 1, to = 1 - from;
    const auto ends = [&](std::size_t at) { return static_cast<std::uint32_t>(layout_.ends.at(at) / 4); };
    const std::uint32_t flags = order_flags(sort_) | (has_indices(sort_.shape) ? UPSWEEP_F_INDICES : 0u) |
                                (is_whole_ ? UPSWEEP_F_WHOLE : 0u);
    const binding marks{resource::workspace, sort_.workspace_offset, layout_.marks_bytes};
    if (marks.bytes > largest_binding(device_)) throw_bytes("workspace", marks.bytes, device_);
    builder builder(device_, made_);
    const std::uint64_t window = most_groups(device_);
    const std::uint64_t tiles =
        merges ? std::clamp<std::uint64_t>(divide_up(tiles_, std::min(busy_groups, window)), 1, 32) : 1;
    const std::uint64_t groups = divide_up(tiles_, tiles);
    for (std::uint64_t first = 0; first < groups; first += window) {
        dispatch& next = builder.add(which, std::min(window, groups - first), flags);
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        if (merges) next.parameters[UPSWEEP_P_GROUP_TILES] = static_cast<std::uint32_t>(tiles);
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(sort_.items);
        next.parameters[UPSWEEP_P_LEVEL] = level_;
        next.parameters[UPSWEEP_P_ENDS] = ends(merges ? from : to);
        next.parameters[UPSWEEP_P_NEXT_ENDS] = ends(to);
        next.bindings[UPSWEEP_WORKSPACE] = marks;
        set_input(next);
        const place done = has_values(sort_.shape) ? scratch(layout_.indices) : sorted_out(sort_);
        const std::uint32_t words = has_indices(sort_.shape) ? 1 : sort_.shape.key_words;
        bind_elements(next, UPSWEEP_MOVED_VALUES, UPSWEEP_P_MOVED_FIRST, done, sort_.items * words, 1,
                      device_);
        next.bindings[UPSWEEP_OUTPUT] = next.bindings[UPSWEEP_MOVED_VALUES];
        if (has_open) bind_records(next, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, to);
        next.bindings[UPSWEEP_LENGTH] = next.bindings[UPSWEEP_INPUT];
        set_length(next, sort_, device_);
    }
}

void segmented_sort_planner::append_values() {
    fetch(keys_in(sort_), sorted_out(sort_), sort_.shape.key_words, sort_.keys_in_place);
    fetch({resource::values, sort_.values_offset, "values"},
          {resource::moved_values, sort_.moved_values_offset, "values_out"}, sort_.shape.value_words,
          sort_.shape.values_in_place);
}
void segmented_sort_planner::fetch(const place& from, const place& out, std::uint32_t width, bool in_place) {
    const place copy = scratch(layout_.records[0]), indices = scratch(layout_.indices);
    if (in_place) append_gather(made_, sort_, width, from, nullptr, copy, device_);
    append_gather(made_, sort_, width, in_place ? copy : from, &indices, out, device_);
}

}  // namespace

std::uint64_t segmented_sort_workspace_bytes(const sort_shape& shape, std::uint64_t items,
                                             const limits& device) {
    return std::max<std::uint64_t>(4, segmented_sort_layout_of(shape, items, device).bytes);
}

std::vector<dispatch> plan_segmented_sort(const segmented_sort_request& request, const limits& device) {
    const sort_request& sort = request.sort;
    check_sort(sort, device);
    check_segments(request.segments, sort.items);
    if (sort.length_in_buffer && request.segments.kind == segments_by::offsets) {
        throw_error(errc::invalid_argument,
                    "options.length: expected none with offsets, which say how many elements there are");
    }
    if (sort.items == 0) return {};
    return segmented_sort_planner(sort, device,
                                  plan_heads({.segments = request.segments,
                                              .length = sort.items,
                                              .heads_offset = sort.workspace_offset,
                                              .length_in_buffer = sort.length_in_buffer,
                                              .length_offset = sort.length_offset},
                                             device))
        .make();
}

std::vector<dispatch> plan_merge_sort(const sort_request& request, const limits& device) {
    return segmented_sort_planner(request, device, {}).make();
}

std::uint64_t merged_items(const sort_shape& shape, const limits& device) {
    // A key of two words has twice as many digits to split by. An array of the workspace begins where a
    // binding may.
    return std::min(device.merged_keys * (shape.key_words == 1 ? 1 : 4),
                    largest_binding(device) / (std::uint64_t{4} * record_words(shape)));
}

}  // namespace upsweep::shader
