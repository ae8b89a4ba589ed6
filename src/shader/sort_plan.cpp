// The plan of a sort of many keys: from the lowest digit of eight bits to the highest, a stable split by each
// (shaders/split.glsl). Keys go back and forth between the output and the workspace, and end in the output
// because a key has an even number of digits. Values of one word go along; wider ones are fetched by their
// index at the end.
#include <algorithm>
#include <array>
#include <string>

#include "shader/sort-inl.hpp"
#include "shader/split-inl.hpp"

namespace upsweep::shader {
namespace {

constexpr std::uint64_t digits = 256;
static_assert(digits <= most_bins);

// What goes along with a key.
enum class companion : std::uint8_t { none, value, index };

companion companion_of(const sort_shape& shape) {
    if (shape.output == sort_output::keys) return companion::none;
    return shape.output == sort_output::keys_with_values && shape.value_words == 1 ? companion::value
                                                                                   : companion::index;
}
bool is_gathered(const sort_shape& shape) {
    return shape.output == sort_output::keys_with_values && companion_of(shape) == companion::index;
}

// Bytes within the workspace: what a split needs, keys, words that go along, values.
struct sort_layout {
    split_layout split;
    std::array<std::uint64_t, 2> keys;   // the second only if no keys are asked for
    std::array<std::uint64_t, 2> words;  // the second only if values are gathered
    std::uint64_t values;                // a copy, if they are gathered in place
    std::uint64_t bytes;
};
sort_layout sort_layout_of(const sort_shape& shape, std::uint64_t items, const limits& device) {
    sort_layout layout{};
    layout.split = split_layout_of(items, digits, device);
    layout.bytes = layout.split.bytes;
    const auto take = [&](std::uint64_t words) {
        const std::uint64_t at = layout.bytes;
        layout.bytes = round_up(at + items * words * 4, alignment_of(device));
        return at;
    };
    layout.keys[0] = take(shape.key_words);
    if (shape.output == sort_output::indices) layout.keys[1] = take(shape.key_words);
    if (companion_of(shape) != companion::none) layout.words[0] = take(1);
    if (is_gathered(shape)) layout.words[1] = take(1);
    if (is_gathered(shape) && shape.values_in_place) layout.values = take(shape.value_words);
    return layout;
}

class sort_planner {
  public:
    sort_planner(const sort_request& request, const limits& device)
        : request_(request), device_(device), layout_(sort_layout_of(request.shape, request.items, device)) {}

    std::vector<dispatch> make() && {
        const std::uint32_t passes = 4 * request_.shape.key_words;
        for (std::uint32_t pass = 0; pass < passes; ++pass) append_pass(pass, pass + 1 == passes);
        if (is_gathered(request_.shape)) append_values();
        return std::move(made_);
    }

  private:
    [[nodiscard]] place scratch(std::uint64_t offset) const {
        return {resource::workspace, request_.workspace_offset + offset, "workspace"};
    }
    // Of a pass, from 0 on.
    [[nodiscard]] place keys_after(std::uint32_t pass) const {
        if (pass % 2 == 0) return scratch(layout_.keys[0]);
        if (request_.shape.output == sort_output::indices) return scratch(layout_.keys[1]);
        return sorted_out(request_);
    }
    [[nodiscard]] place words_after(std::uint32_t pass) const {
        if (pass % 2 == 0) return scratch(layout_.words[0]);
        if (is_gathered(request_.shape)) return scratch(layout_.words[1]);
        if (request_.shape.output == sort_output::indices) return sorted_out(request_);
        return {resource::moved_values, request_.moved_values_offset, "values_out"};
    }

    void bind_words(dispatch& to, int at, int parameter, const place& from, std::uint32_t words) const {
        bind_elements(to, at, parameter, from, request_.items, words, device_);
    }

    void append_pass(std::uint32_t pass, bool is_last);
    void append_values();

    const sort_request& request_;
    const limits& device_;
    sort_layout layout_;
    std::vector<dispatch> made_;
};

void sort_planner::append_pass(std::uint32_t pass, bool is_last) {
    const sort_shape& shape = request_.shape;
    const companion along = companion_of(shape);
    const place keys = pass == 0 ? keys_in(request_) : keys_after(pass - 1);
    const auto set = [&](dispatch& next) {
        next.parameters[UPSWEEP_P_SHIFT] = 8 * pass;
        bind_words(next, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, keys, shape.key_words);
        if (next.which == stage::sort_count) {
            next.bindings[UPSWEEP_LENGTH] = next.bindings[UPSWEEP_WORKSPACE];
            set_length(next, request_, device_);
            return;
        }
        std::uint32_t& wanted = next.parameters[UPSWEEP_P_FLAGS];
        const bool moves_keys = !is_last || shape.output != sort_output::indices;
        if (moves_keys) {
            wanted |= UPSWEEP_F_KEYS;
            bind_words(next, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, keys_after(pass), shape.key_words);
        }
        // What is declared but not touched is another name of something that is.
        next.bindings[UPSWEEP_VALUES] = next.bindings[UPSWEEP_INPUT];
        next.bindings[UPSWEEP_MOVED_VALUES] = next.bindings[UPSWEEP_OUTPUT];
        if (along == companion::none) return;
        wanted |= UPSWEEP_F_VALUES;
        if (pass == 0 && along == companion::index) {
            wanted |= UPSWEEP_F_INDICES;
        } else {
            const place values =
                pass == 0 ? place{resource::values, request_.values_offset, "values"} : words_after(pass - 1);
            bind_words(next, UPSWEEP_VALUES, UPSWEEP_P_VALUES_FIRST, values, 1);
        }
        bind_words(next, UPSWEEP_MOVED_VALUES, UPSWEEP_P_MOVED_FIRST, words_after(pass), 1);
        if (!moves_keys) next.bindings[UPSWEEP_OUTPUT] = next.bindings[UPSWEEP_MOVED_VALUES];
    };
    append_split(made_, stage::sort_count, stage::sort_move, request_.items, layout_.split,
                 request_.workspace_offset, order_flags(request_), device_, set);
}

void sort_planner::append_values() {
    const std::uint32_t width = request_.shape.value_words;
    place values{resource::values, request_.values_offset, "values"};
    const place out{resource::moved_values, request_.moved_values_offset, "values_out"};
    const place indices = scratch(layout_.words[1]);
    if (request_.shape.values_in_place) {
        const place copy = scratch(layout_.values);
        append_gather(made_, request_, width, values, nullptr, copy, device_);
        values = copy;
    }
    append_gather(made_, request_, width, values, &indices, out, device_);
}

}  // namespace

bound_range bind_place(const place& from, std::uint64_t elements, std::uint32_t words, const limits& device) {
    const bound_range bound = bind(from.from, from.offset, elements, std::uint64_t{4} * words, device);
    if (bound.range.bytes > largest_binding(device)) throw_bytes(from.name, bound.range.bytes, device);
    return bound;
}
void bind_elements(dispatch& to, int at, int parameter, const place& from, std::uint64_t elements,
                   std::uint32_t words, const limits& device) {
    const bound_range bound = bind_place(from, elements, words, device);
    to.bindings[static_cast<std::size_t>(at)] = bound.range;
    to.parameters[static_cast<std::size_t>(parameter)] = bound.first;
}

void set_length(dispatch& to, const sort_request& request, const limits& device) {
    if (!request.length_in_buffer) return;
    const bound_range length = bind(resource::length, request.length_offset, 1, 4, device);
    to.bindings[UPSWEEP_LENGTH] = length.range;
    to.parameters[UPSWEEP_P_LENGTH_INDEX] = length.first;
}

std::uint32_t order_flags(const core::key_order& order) {
    return (order.is_signed ? UPSWEEP_F_SIGNED : 0u) | (order.is_floating ? UPSWEEP_F_FLOATING : 0u) |
           (order.descending ? UPSWEEP_F_DESCENDING : 0u);
}
std::uint32_t order_flags(const sort_request& request) {
    return order_flags(request.order) | (request.length_in_buffer ? UPSWEEP_F_LENGTH : 0u);
}

void append_gather(std::vector<dispatch>& made, const gathering& what, const limits& device) {
    const std::uint64_t words = what.count * what.width;
    const std::uint64_t groups = divide_up(words, tile_elements), window = most_groups(device);
    const bool has_indices = what.indices.from != resource::none;
    const bool has_length = what.length.from != resource::none;
    builder builder(device, made);
    for (std::uint64_t first = 0; first < groups; first += window) {
        dispatch& next =
            builder.add(stage::sort_gather, std::min(window, groups - first),
                        (has_indices ? UPSWEEP_F_INDICES : 0u) | (has_length ? UPSWEEP_F_LENGTH : 0u));
        next.counts = true;  // words
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(what.count);
        next.parameters[UPSWEEP_P_RECORD_WORDS] = what.width;
        bind_elements(next, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, what.from, what.from_count * what.width, 1,
                      device);
        bind_elements(next, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, what.to, words, 1, device);
        next.bindings[UPSWEEP_WORKSPACE] = next.bindings[UPSWEEP_LENGTH] = next.bindings[UPSWEEP_INPUT];
        if (has_indices)
            bind_elements(next, UPSWEEP_WORKSPACE, UPSWEEP_P_VALUES_FIRST, what.indices, what.count, 1,
                          device);
        if (has_length)
            bind_elements(next, UPSWEEP_LENGTH, UPSWEEP_P_LENGTH_INDEX, what.length, 1, 1, device);
    }
}
void append_gather(std::vector<dispatch>& made, const sort_request& request, std::uint32_t width,
                   const place& values, const place* indices, const place& out, const limits& device) {
    gathering all{values, request.items, {}, out, request.items, width};
    if (indices != nullptr) all.indices = *indices;
    if (request.length_in_buffer) all.length = {resource::length, request.length_offset, "options.length"};
    append_gather(made, all, device);
}

std::uint64_t sort_workspace_bytes(const sort_shape& shape, std::uint64_t items, const limits& device) {
    const std::uint64_t merged = std::min(items, merged_items(shape, device));
    return std::max(merged != 0 ? segmented_sort_workspace_bytes(shape, merged, device) : 0,
                    merged != items ? sort_layout_of(shape, items, device).bytes : 0);
}

void check_sort(const sort_request& request, const limits& device) {
    const sort_shape& shape = request.shape;
    const bool pairs = shape.output == sort_output::keys_with_values;
    if (request.items >= words_limit) {
        throw_error(errc::unsupported, std::string(pairs ? "keys" : "in") +
                                           ": expected fewer than 4294967296 elements, because their places "
                                           "are 32-bit words, but there are " +
                                           std::to_string(request.items));
    }
    const std::uint64_t key_bytes = std::uint64_t{4} * shape.key_words;
    check_offset(pairs ? "keys" : "in", request.input_offset, key_bytes);
    check_offset(pairs ? "keys_out" : "out", request.output_offset,
                 shape.output == sort_output::indices ? 4 : key_bytes);
    if (pairs) {
        check_offset("values", request.values_offset, 4);
        check_offset("values_out", request.moved_values_offset, 4);
    }
    check_offset("workspace", request.workspace_offset, alignment_of(device));
    if (request.length_in_buffer) check_offset("options.length", request.length_offset, 4);
}

std::vector<dispatch> plan_sort(const sort_request& request, const limits& device) {
    check_sort(request, device);
    if (request.items == 0) return {};
    if (request.items <= merged_items(request.shape, device)) return plan_merge_sort(request, device);
    return sort_planner(request, device).make();
}

}  // namespace upsweep::shader
