// The plan of the first k of an order. A radix selection (shaders/select_bound.glsl) narrows down the k-th
// element and stops where those up to it, and some more that it cannot tell apart yet, are few. Of few
// elements, and of rows, a work group does that by itself. Of many all do: the candidates are moved out by a
// compaction, and put in order. Where these would be most of the elements, everything is sorted.
#include "shader/top_k_plan.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "shader/sort-inl.hpp"
#include "shader/top_k_layout-inl.hpp"
#include "shader/top_k_rows-inl.hpp"

namespace upsweep::shader {
namespace {

// Work groups that keep the largest devices busy, and tiles of one. Some drivers stop an invocation after
// 65535 iterations, of which a tile is 32.
constexpr std::uint64_t selecting_groups = 2048;
constexpr std::uint64_t most_selected_tiles = 1024;
constexpr std::uint32_t index_bits = 32;
constexpr std::uint32_t bits_of_digit = 8;

// What a sort of everything would be told.
sort_request sort_of(const top_k_request& request) {
    sort_request sort = request;
    sort.items *= request.rows;
    return sort;
}

class top_k_planner {
  public:
    // Adds to `made`. Of rows the one that begins at the request's offsets, unless it is by groups.
    top_k_planner(const top_k_request& request, const limits& device, std::vector<dispatch>& made)
        : request_(request),
          device_(device),
          made_(made),
          layout_(top_k_layout_of(request, device)),
          pairs_(request.shape.output == sort_output::keys_with_values),
          has_indices_(request.shape.output != sort_output::keys) {}

    void by_groups();
    void sort_all();
    void select();

  private:
    [[nodiscard]] place scratch(std::uint64_t offset) const {
        return {resource::workspace, request_.workspace_offset + offset, "workspace"};
    }
    [[nodiscard]] place keys() const {
        return {resource::input, request_.input_offset, pairs_ ? "keys" : "in"};
    }
    [[nodiscard]] place out() const {
        return {resource::output, request_.output_offset, pairs_ ? "keys_out" : "out"};
    }
    [[nodiscard]] place length() const {
        if (!request_.length_in_buffer) return {};
        return {resource::length, request_.length_offset, "options.length"};
    }
    [[nodiscard]] std::uint64_t candidates() const { return candidates_of(request_); }
    // How many of them there are.
    [[nodiscard]] place found() const { return scratch(layout_.arguments + 4 * UPSWEEP_A_COUNT); }
    [[nodiscard]] std::uint32_t flags(bool has_length) const {
        return order_flags(request_.order) | (has_length ? UPSWEEP_F_LENGTH : 0u);
    }

    void append_sort(const sort_request& sort, bool within_workspace);
    template <class Set>
    void append_tiles(stage which, const Set& set);
    void append_passes();
    void append_candidates();
    void order_candidates();
    void append_result(const place& from, std::uint64_t count, std::uint32_t words, const place& indices,
                       const place& to, const place& so_many);
    void append_values(const place& indices, const place& so_many);

    const top_k_request& request_;
    const limits& device_;
    std::vector<dispatch>& made_;
    top_k_layout layout_;
    bool pairs_, has_indices_;
};

// The first `wanted` of them, or as many as there are.
void top_k_planner::append_result(const place& from, std::uint64_t count, std::uint32_t words,
                                  const place& indices, const place& to, const place& so_many) {
    append_gather(made_, {from, count, indices, to, request_.wanted, words, so_many}, device_);
}
void top_k_planner::append_values(const place& indices, const place& so_many) {
    append_result({resource::values, request_.values_offset, "values"}, request_.items,
                  request_.shape.value_words, indices,
                  {resource::moved_values, request_.moved_values_offset, "values_out"}, so_many);
}

void top_k_planner::append_sort(const sort_request& sort, bool within_workspace) {
    for (dispatch& next : plan_sort(sort, device_)) {
        for (binding& range : next.bindings) {
            const bool is_given = range.from == resource::input || range.from == resource::length;
            if (range.from != resource::none && (within_workspace || !is_given))
                range.from = resource::workspace;
        }
        next.waits = !made_.empty();
        made_.push_back(next);
    }
}

// ---- a work group a row, or for some of them ----

void top_k_planner::by_groups() {
    rows_selection rows;
    rows.rows = request_.rows;
    rows.length = request_.items;
    rows.wanted = request_.wanted;
    rows.key_words = request_.shape.key_words;
    rows.flags = flags(request_.length_in_buffer);
    rows.in = keys();
    if (request_.shape.output != sort_output::indices) rows.keys_out = out();
    if (has_indices_) rows.words_out = pairs_ ? scratch(layout_.indices) : out();
    rows.state = scratch(layout_.state);
    rows.length_word = length();
    append_select_rows(made_, rows, device_);
    if (pairs_) append_values(scratch(layout_.indices), length());
}

// ---- everything ----

void top_k_planner::sort_all() {
    (void)bind_place(keys(), request_.items, request_.shape.key_words, device_);  // by its name
    sort_request sort = sort_of(request_);
    sort.shape = {has_indices_ ? sort_output::indices : sort_output::keys, request_.shape.key_words};
    sort.items = request_.items;  // of this row
    sort.output_offset = scratch(layout_.sorted).offset;
    sort.workspace_offset = scratch(layout_.sort).offset;
    append_sort(sort, false);
    const place sorted = scratch(layout_.sorted);
    const std::uint32_t key_words = request_.shape.key_words;
    if (!pairs_) {
        append_result(sorted, request_.items, has_indices_ ? 1 : key_words, {}, out(), length());
        return;
    }
    append_result(keys(), request_.items, key_words, sorted, out(), length());
    append_values(sorted, length());
}

// ---- a selection ----

void top_k_planner::select() {
    append_passes();
    append_candidates();
    order_candidates();
}

// Dispatches of a stage that takes every tile, some a work group.
template <class Set>
void top_k_planner::append_tiles(stage which, const Set& set) {
    const std::uint64_t tiles = divide_up(request_.items, tile_elements);
    const std::uint64_t at_once = std::min(selecting_groups, most_groups(device_));
    const std::uint64_t stretch = std::min(divide_up(tiles, at_once), most_selected_tiles);
    builder builder(device_, made_);
    for (std::uint64_t first = 0; first < tiles; first += at_once * stretch) {
        const std::uint64_t some = std::min(at_once * stretch, tiles - first);
        dispatch& next = builder.add(which, divide_up(some, stretch), flags(request_.length_in_buffer));
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(request_.items);
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        next.parameters[UPSWEEP_P_GROUP_TILES] = static_cast<std::uint32_t>(stretch);
        next.parameters[UPSWEEP_P_CAPACITY] = static_cast<std::uint32_t>(candidates());
        next.parameters[UPSWEEP_P_WANTED] = static_cast<std::uint32_t>(request_.wanted);
        bind_elements(next, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, keys(), request_.items,
                      request_.shape.key_words, device_);
        next.bindings[UPSWEEP_OUTPUT] = {resource::workspace, scratch(layout_.passes).offset,
                                         4 * passes_words(request_.shape)};
        next.bindings[UPSWEEP_LENGTH] = next.bindings[UPSWEEP_OUTPUT];  // unless there is one
        if (request_.length_in_buffer)
            bind_elements(next, UPSWEEP_LENGTH, UPSWEEP_P_LENGTH_INDEX, length(), 1, 1, device_);
        set(next);
    }
}

void top_k_planner::append_passes() {
    const std::uint32_t passes = passes_of(request_.shape);
    const std::uint32_t key_digits = passes - 1;
    const std::uint32_t index_shift =
        static_cast<std::uint32_t>(std::bit_width(request_.items - 1)) - bits_of_digit;
    const auto shift_of = [&](std::uint32_t pass) {
        return pass < key_digits ? index_bits + bits_of_digit * (key_digits - 1 - pass) : index_shift;
    };
    dispatch& cleared = builder(device_, made_).add(stage::clear_counts, 1, 0);
    cleared.counts = true;
    static_assert(UPSWEEP_SELECTION_WORDS * (4 * 2 + 1) <= tile_elements);
    const std::uint64_t words = passes_words(request_.shape);
    bind_elements(cleared, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, scratch(layout_.passes), words, 1,
                  device_);
    cleared.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(words);
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
        append_tiles(stage::select_count, [&](dispatch& next) {
            next.parameters[UPSWEEP_P_PASS] = pass;
            next.parameters[UPSWEEP_P_INDEX_SHIFT] = index_shift;
            next.parameters[UPSWEEP_P_SHIFT] = shift_of(pass);
            if (pass != 0) next.parameters[UPSWEEP_P_COUNTED_SHIFT] = shift_of(pass - 1);
        });
    }
    const vote_layout votes = vote_layout_of(request_.items, device_);
    if (votes.bytes > largest_binding(device_)) throw_bytes("workspace", votes.bytes, device_);
    append_tiles(stage::select_vote, [&](dispatch& next) {
        next.parameters[UPSWEEP_P_PASS] = passes;
        next.parameters[UPSWEEP_P_COUNTED_SHIFT] = shift_of(passes - 1);
        next.parameters[UPSWEEP_P_SUPERS] = static_cast<std::uint32_t>(votes.votes / 4);
        next.bindings[UPSWEEP_WORKSPACE] = {resource::workspace, scratch(layout_.votes).offset, votes.bytes};
    });
}

// Their keys, or where they are and then their keys, in order of the elements.
void top_k_planner::append_candidates() {
    append_votes_scan(made_, scratch(layout_.votes).offset, request_.items, device_);
    compact_request moves;
    moves.items = request_.items;
    moves.length_in_buffer = request_.length_in_buffer;
    moves.record_words = has_indices_ ? 0 : request_.shape.key_words;
    moves.capacity = static_cast<std::uint32_t>(candidates());
    moves.input_offset = request_.input_offset;
    moves.output_offset = scratch(has_indices_ ? layout_.indices : layout_.keys).offset;
    moves.workspace_offset = scratch(layout_.votes).offset;
    moves.arguments_offset = scratch(layout_.arguments).offset;
    moves.length_offset = request_.length_offset;
    const std::size_t before = made_.size();
    append_moves(
        made_, moves,
        {.output = resource::workspace, .arguments = resource::workspace, .output_name = "workspace"},
        device_);
    for (std::size_t i = before; i < made_.size(); ++i) made_[i].counts = true;
    if (!has_indices_) return;
    append_gather(made_,
                  {keys(), request_.items, scratch(layout_.indices), scratch(layout_.keys), candidates(),
                   request_.shape.key_words, found()},
                  device_);
}

void top_k_planner::order_candidates() {
    const place candidate_keys = scratch(layout_.keys), candidate_indices = scratch(layout_.indices);
    if (has_few_candidates(request_)) {
        rows_selection all;
        all.length = candidates();
        all.wanted = request_.wanted;
        all.key_words = request_.shape.key_words;
        all.flags = flags(true);
        all.in = candidate_keys;
        if (request_.shape.output != sort_output::indices) all.keys_out = out();
        if (has_indices_) all.words_out = pairs_ ? scratch(layout_.firsts) : out();
        if (has_indices_) all.words = candidate_indices;
        all.length_word = found();
        append_select_rows(made_, all, device_);
        if (pairs_) append_values(scratch(layout_.firsts), found());
        return;
    }
    sort_request sort;
    sort.shape = {has_indices_ ? sort_output::keys_with_values : sort_output::keys, request_.shape.key_words,
                  has_indices_ ? 1u : 0u, true};
    sort.order = request_.order;
    sort.items = candidates();
    sort.length_in_buffer = true;
    sort.keys_in_place = true;
    sort.input_offset = sort.output_offset = candidate_keys.offset;
    sort.values_offset = sort.moved_values_offset = candidate_indices.offset;
    sort.workspace_offset = scratch(layout_.sort).offset;
    sort.length_offset = found().offset;
    append_sort(sort, true);
    if (has_indices_ && !pairs_)
        append_result(candidate_indices, candidates(), 1, {}, out(), found());
    else
        append_result(candidate_keys, candidates(), request_.shape.key_words, {}, out(), found());
    if (pairs_) append_values(candidate_indices, found());
}

}  // namespace

std::uint64_t top_k_workspace_bytes(const top_k_request& request, const limits& device) {
    return std::max<std::uint64_t>(4, top_k_layout_of(request, device).bytes);
}

std::vector<dispatch> plan_top_k(const top_k_request& request, const limits& device) {
    check_sort(sort_of(request), device);
    std::vector<dispatch> made;
    if (request.wanted == 0 || request.rows == 0) return made;
    const top_k_way way = way_of(request);
    if (way == top_k_way::by_groups) {
        top_k_planner(request, device, made).by_groups();
        return made;
    }
    const std::uint64_t key_bytes = std::uint64_t{4} * request.shape.key_words;
    const std::uint64_t result_bytes = request.shape.output == sort_output::indices ? 4 : key_bytes;
    top_k_request row = request;
    for (std::uint64_t i = 0; i < request.rows; ++i) {
        row.input_offset = request.input_offset + i * request.items * key_bytes;
        row.output_offset = request.output_offset + i * request.wanted * result_bytes;
        top_k_planner planner(row, device, made);
        if (way == top_k_way::sorted)
            planner.sort_all();
        else
            planner.select();
    }
    return made;
}

}  // namespace upsweep::shader
