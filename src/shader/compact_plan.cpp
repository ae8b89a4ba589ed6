// The plan of a compaction: vote, the scan of the counts, compact.
#include <algorithm>

#include "shader/plan-inl.hpp"

namespace upsweep::shader {
namespace {

// What its dispatches share.
class compact_planner {
  public:
    compact_planner(const compact_request& request, const limits& device, std::vector<dispatch>& made)
        : request_(request),
          device_(device),
          layout_(vote_layout_of(request.items, device)),
          workspace_{resource::workspace, request.workspace_offset, layout_.bytes},
          window_(most_groups(device)),
          builder_(device, made) {
        if (layout_.bytes > largest_binding(device)) throw_bytes("workspace", layout_.bytes, device);
    }

    void vote();
    void move(const moved_between& where);

  private:
    [[nodiscard]] std::uint32_t flags() const { return request_.length_in_buffer ? UPSWEEP_F_LENGTH : 0u; }
    [[nodiscard]] bound_range bind_words(resource from, const char* what, std::uint64_t offset,
                                         std::uint64_t words) const {
        const bound_range bound = bind(from, offset, words, 4, device_);
        if (bound.range.bytes > largest_binding(device_)) throw_bytes(what, bound.range.bytes, device_);
        return bound;
    }
    void set_common(dispatch& next, std::uint64_t first_tile) const;
    void set_records(dispatch& next, const moved_between& where, const bound_range& arguments) const;

    const compact_request& request_;
    const limits& device_;
    vote_layout layout_;
    binding workspace_;
    std::uint64_t window_;  // tiles of a dispatch
    builder builder_;
};

void compact_planner::set_common(dispatch& next, std::uint64_t first_tile) const {
    next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(request_.items);
    next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first_tile);
    next.parameters[UPSWEEP_P_SUPERS] = static_cast<std::uint32_t>(layout_.votes / 4);
    next.parameters[UPSWEEP_P_CARRY] = static_cast<std::uint32_t>(layout_.found / 4);
    std::copy(request_.user.begin(), request_.user.end(), next.parameters.begin() + UPSWEEP_P_USER);
    next.bindings[UPSWEEP_WORKSPACE] = workspace_;
    next.bindings[UPSWEEP_LENGTH] = workspace_;
    if (!request_.length_in_buffer) return;
    const bound_range length = bind(resource::length, request_.length_offset, 1, 4, device_);
    next.bindings[UPSWEEP_LENGTH] = length.range;
    next.parameters[UPSWEEP_P_LENGTH_INDEX] = length.first;
}

void compact_planner::vote() {
    for (std::uint64_t first = 0; first < layout_.tiles; first += window_) {
        dispatch& next = builder_.add(stage::vote, std::min(window_, layout_.tiles - first), flags());
        set_common(next, first);
        if (request_.user_items) continue;
        const bound_range chosen =
            bind_words(resource::flags, "flags", request_.flags_offset, request_.items);
        next.bindings[UPSWEEP_INPUT] = chosen.range;
        next.parameters[UPSWEEP_P_INPUT_FIRST] = chosen.first;
    }
}

void compact_planner::set_records(dispatch& next, const moved_between& where,
                                  const bound_range& arguments) const {
    const std::uint64_t words = std::max<std::uint64_t>(1, request_.record_words);
    const std::uint64_t kept =
        request_.partition ? request_.items : std::min<std::uint64_t>(request_.items, request_.capacity);
    bound_range out = arguments;
    if (kept != 0) out = bind_words(where.output, where.output_name, request_.output_offset, kept * words);
    bound_range in = out;
    if (request_.record_words != 0)
        in = bind_words(where.input, where.input_name, request_.input_offset, request_.items * words);
    next.bindings[UPSWEEP_INPUT] = in.range;
    next.bindings[UPSWEEP_OUTPUT] = out.range;
    next.parameters[UPSWEEP_P_INPUT_FIRST] = in.first;
    next.parameters[UPSWEEP_P_OUTPUT_FIRST] = out.first;
    if (words % 4 == 0 && in.first % 4 == 0 && out.first % 4 == 0)
        next.parameters[UPSWEEP_P_FLAGS] |= UPSWEEP_F_VECTORS;
}

void compact_planner::move(const moved_between& where) {
    const bool moves = !where.only_arguments && request_.items != 0;
    const std::uint64_t tiles = moves ? layout_.tiles : 1;
    const std::uint32_t all = flags() | (request_.partition ? UPSWEEP_F_PARTITION : 0u) |
                              (where.only_arguments ? UPSWEEP_F_ARGUMENTS : 0u);
    for (std::uint64_t first = 0; first < tiles; first += window_) {
        dispatch& next = builder_.add(stage::compact, std::min(window_, tiles - first), all);
        set_common(next, first);
        next.parameters[UPSWEEP_P_RECORD_WORDS] = request_.record_words;
        next.parameters[UPSWEEP_P_CAPACITY] = request_.capacity;
        next.parameters[UPSWEEP_P_VERTICES] = request_.vertices;
        next.parameters[UPSWEEP_P_GROUP_ITEMS] = request_.group_items;
        next.parameters[UPSWEEP_P_GROUPS_X] = device_.groups_x;
        const bound_range arguments =
            bind(where.arguments, request_.arguments_offset, UPSWEEP_A_WORDS, 4, device_);
        next.bindings[UPSWEEP_TOTAL] = arguments.range;
        next.parameters[UPSWEEP_P_TOTAL_INDEX] = arguments.first;
        if (request_.user_items) continue;
        if (moves)
            set_records(next, where, arguments);
        else
            next.bindings[UPSWEEP_INPUT] = next.bindings[UPSWEEP_OUTPUT] = arguments.range;
    }
}

}  // namespace

vote_layout vote_layout_of(std::uint64_t items, const limits& device) {
    vote_layout layout{};
    layout.tiles = divide_up(items, tile_elements);
    layout.scan = round_up(layout.tiles * 4, alignment_of(device));
    layout.found = layout.scan + counts_scan_bytes(layout.tiles, device);
    layout.votes = layout.found + 4;
    layout.bytes = layout.votes + layout.tiles * vote_words * 4;
    return layout;
}

void append_votes_scan(std::vector<dispatch>& made, std::uint64_t workspace_offset, std::uint64_t items,
                       const limits& device) {
    const vote_layout layout = vote_layout_of(items, device);
    append_counts_scan(made,
                       {.counts = workspace_offset,
                        .count = layout.tiles,
                        .scratch = workspace_offset + layout.scan,
                        .has_total = true,
                        .total = workspace_offset + layout.found},
                       device);
}

void append_moves(std::vector<dispatch>& made, const compact_request& request, const moved_between& where,
                  const limits& device) {
    compact_planner(request, device, made).move(where);
}

std::uint64_t compact_workspace_bytes(std::uint64_t items, const limits& device) {
    return vote_layout_of(items, device).bytes;
}

std::vector<dispatch> plan_compact(const compact_request& request, const limits& device) {
    if (request.items >= words_limit) {
        throw_error(errc::unsupported,
                    "items: expected fewer than 4294967296, because counts for indirect draws are 32-bit, "
                    "but there are " +
                        std::to_string(request.items));
    }
    check_offset("flags", request.flags_offset, 4);
    check_offset("in", request.input_offset, 4);
    check_offset("out", request.output_offset, 4);
    check_offset("arguments", request.arguments_offset, 4);
    check_offset("workspace", request.workspace_offset, alignment_of(device));
    if (request.length_in_buffer) check_offset("options.length", request.length_offset, 4);
    if (request.group_items == 0)
        throw_error(errc::invalid_argument, "options.group_items: expected at least 1, but it is 0");

    std::vector<dispatch> made;
    compact_planner planner(request, device, made);
    planner.vote();
    append_votes_scan(made, request.workspace_offset, request.items, device);
    planner.move({});
    return made;
}

}  // namespace upsweep::shader
