// The plan of an extraction of bins. Up to 256 bins are one stable split. More are sorted by the number of
// their bin, from its lowest digit of eight bits to its highest, each a stable split of numbers and indices;
// what has no bin has a number with every bit set, and so comes last or is left out. The first so many of the
// indices then say which items are fetched.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "shader/bins-inl.hpp"
#include "shader/split-inl.hpp"

namespace upsweep::shader {
namespace {

constexpr std::uint32_t digit_bits = 8;

bool is_one_split(std::uint64_t bins) { return bins <= most_bins; }
// Of the numbers 0, ..., bins - 1, so many that a number of set bits alone is none of them.
std::uint32_t digits_of(std::uint64_t bins) {
    return (static_cast<std::uint32_t>(std::bit_width(bins)) + digit_bits - 1) / digit_bits;
}

// Bytes within the workspace: the table, what a split needs, and for many bins numbers and indices, each
// twice, and the scratch of the scan of their counts.
struct bins_layout {
    std::uint64_t split;
    std::uint64_t scan;
    std::array<std::uint64_t, 2> numbers;
    std::array<std::uint64_t, 2> indices;
    std::uint64_t bytes;
};
bins_layout bins_layout_of(std::uint64_t table_bytes, std::uint64_t bins, std::uint64_t items,
                           const limits& device) {
    bins_layout layout{};
    layout.bytes = 0;
    const auto take = [&](std::uint64_t bytes) {
        const std::uint64_t at = layout.bytes;
        layout.bytes = round_up(at + bytes, alignment_of(device));
        return at;
    };
    take(table_bytes);
    layout.split = take(split_layout_of(items, std::min(bins, most_bins), device).bytes);
    if (is_one_split(bins)) return layout;
    layout.scan = take(counts_scan_bytes(bins, device));
    for (std::uint64_t& at : layout.numbers) at = take(4 * items);
    for (std::uint64_t& at : layout.indices) at = take(4 * items);
    return layout;
}

class bins_planner {
  public:
    bins_planner(const bins_request& request, const bin_table& table, const limits& device)
        : request_(request),
          table_(table),
          device_(device),
          layout_(bins_layout_of(4 * table.words.size(), request.bins, request.items, device)) {}

    std::vector<dispatch> make() && {
        if (request_.items == 0)
            append_counts(request_.bins + 1);  // offsets at 0
        else if (is_one_split(request_.bins))
            append_one_split();
        else
            append_sort();
        return std::move(made_);
    }

  private:
    // Words of one of the buffers.
    struct place {
        resource from = resource::none;
        std::uint64_t offset = 0;
        const char* name = "";
    };
    [[nodiscard]] place scratch(std::uint64_t offset) const {
        return {resource::workspace, request_.workspace_offset + offset, "workspace"};
    }
    void bind_elements(dispatch& to, int at, int parameter, const place& from, std::uint64_t elements,
                       std::uint32_t words) const {
        const bound_range bound = bind(from.from, from.offset, elements, std::uint64_t{4} * words, device_);
        if (bound.range.bytes > largest_binding(device_)) throw_bytes(from.name, bound.range.bytes, device_);
        to.bindings[static_cast<std::size_t>(at)] = bound.range;
        to.parameters[static_cast<std::size_t>(parameter)] = bound.first;
    }
    [[nodiscard]] std::uint64_t kept() const { return std::min(request_.items, request_.room); }
    [[nodiscard]] std::uint32_t length_flag() const {
        return request_.length_in_buffer ? UPSWEEP_F_LENGTH : 0u;
    }
    void set_length(dispatch& to) const {
        const bound_range length = bind(resource::length, request_.length_offset, 1, 4, device_);
        to.bindings[UPSWEEP_LENGTH] = length.range;
        to.parameters[UPSWEEP_P_LENGTH_INDEX] = length.first;
    }
    // What finds the bins of the items.
    void set_items(dispatch& to) const {
        to.parameters[UPSWEEP_P_FLAGS] |= table_flags(table_);
        to.parameters[UPSWEEP_P_BINS] = static_cast<std::uint32_t>(request_.bins);
        std::copy(request_.user.begin(), request_.user.end(), to.parameters.begin() + UPSWEEP_P_USER);
        if (request_.user_bins) return;
        set_table(to, table_, request_.workspace_offset);
        bind_elements(to, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST,
                      {resource::input, request_.input_offset, "in"}, request_.items, table_.element_words);
    }

    void append_counts(std::uint64_t counts);
    void append_one_split();
    void append_offsets(const split_layout& split);
    void append_sort();
    void append_scan_of_counts();
    void append_numbers();
    void append_pass(std::uint32_t pass);
    void append_gather(const place& indices);

    const bins_request& request_;
    const bin_table& table_;
    const limits& device_;
    bins_layout layout_;
    std::vector<dispatch> made_;
};

// Where the offsets will be.
void bins_planner::append_counts(std::uint64_t counts) {
    histogram_request request;
    request.bounds = request_.bounds;
    request.user_bins = request_.user_bins;
    request.bins = counts;
    request.length = request_.items;
    request.length_in_buffer = request_.length_in_buffer;
    request.user = request_.user;
    request.input_offset = request_.input_offset;
    request.counts_offset = request_.offsets_offset;
    request.workspace_offset = request_.workspace_offset;
    request.length_offset = request_.length_offset;
    for (dispatch& next : plan_counts(request, table_, device_)) {
        for (binding& range : next.bindings) {
            if (range.from == resource::output) range.from = resource::total;
        }
        made_.push_back(next);
    }
}

// ---- up to 256 bins ----

void bins_planner::append_one_split() {
    const split_layout split = split_layout_of(request_.items, request_.bins, device_);
    const auto set = [&](dispatch& next) {
        set_items(next);
        if (next.which == stage::bins_count) {
            next.bindings[UPSWEEP_LENGTH] = next.bindings[UPSWEEP_WORKSPACE];
            if (request_.length_in_buffer) set_length(next);
            return;
        }
        next.parameters[UPSWEEP_P_ROOM] =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(request_.room, 0xffffffffu));
        next.parameters[UPSWEEP_P_RECORD_WORDS] = request_.record_words;
        const bool indices = request_.record_words == 0;
        if (indices) next.parameters[UPSWEEP_P_FLAGS] |= UPSWEEP_F_INDICES;
        // Of elements the first ones are counted in elements, of the user's records in words.
        const std::uint32_t unit = request_.user_bins || indices ? 1 : request_.record_words;
        const std::uint64_t units = request_.user_bins && !indices ? request_.record_words : 1;
        if (kept() != 0)
            bind_elements(next, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST,
                          {resource::output, request_.output_offset, "out"}, kept() * units, unit);
        if (!request_.user_bins) return;
        next.bindings[UPSWEEP_INPUT] = next.bindings[UPSWEEP_OUTPUT];
        if (!indices)
            bind_elements(next, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST,
                          {resource::input, request_.input_offset, "in"}, request_.items * units, 1);
    };
    append_split(made_, stage::bins_count, stage::bins_move, request_.items, split,
                 request_.workspace_offset + layout_.split, length_flag(), device_, set);
    if (kept() == 0) std::erase_if(made_, [](const dispatch& d) { return d.which == stage::bins_move; });
    append_offsets(split);
}

void bins_planner::append_offsets(const split_layout& split) {
    dispatch& next = builder(device_, made_).add(stage::bins_offsets, 1, 0);
    next.bindings[UPSWEEP_WORKSPACE] = {resource::workspace, request_.workspace_offset + layout_.split,
                                        split.total + 4};
    bind_elements(next, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST,
                  {resource::total, request_.offsets_offset, "offsets"}, request_.bins + 1, 1);
    next.parameters[UPSWEEP_P_BINS] = static_cast<std::uint32_t>(request_.bins);
    next.parameters[UPSWEEP_P_TILES] = static_cast<std::uint32_t>(split.tiles);
    next.parameters[UPSWEEP_P_CARRY] = static_cast<std::uint32_t>(split.length / 4);
}

// ---- more ----

void bins_planner::append_sort() {
    append_counts(request_.bins);
    append_scan_of_counts();
    if (kept() == 0) return;
    append_numbers();
    const std::uint32_t passes = digits_of(request_.bins);
    for (std::uint32_t pass = 0; pass < passes; ++pass) append_pass(pass);
    append_gather(scratch(layout_.indices[(passes - 1) % 2]));
}

// In place, and how many items have a bin behind the others.
void bins_planner::append_scan_of_counts() {
    scan_request request;
    request.op = counts_operation;
    request.length = request_.bins;
    request.exclusive = true;
    request.has_total = true;
    request.input_offset = request.output_offset = request_.offsets_offset;
    request.workspace_offset = request_.workspace_offset + layout_.scan;
    request.total_offset = request_.offsets_offset + 4 * request_.bins;
    for (dispatch& next : plan_scan(request, device_)) {
        for (binding& range : next.bindings) {
            if (range.from == resource::input || range.from == resource::output) range.from = resource::total;
        }
        next.counts = true;
        next.waits = true;
        made_.push_back(next);
    }
}

void bins_planner::append_numbers() {
    const std::uint64_t tiles = divide_up(request_.items, tile_elements), window = most_groups(device_);
    builder builder(device_, made_);
    for (std::uint64_t first = 0; first < tiles; first += window) {
        dispatch& next = builder.add(stage::bins_number, std::min(window, tiles - first), length_flag());
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(request_.items);
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        set_items(next);
        bind_elements(next, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, scratch(layout_.numbers[0]),
                      request_.items, 1);
        next.bindings[UPSWEEP_LENGTH] = next.bindings[UPSWEEP_OUTPUT];
        if (request_.length_in_buffer) set_length(next);
    }
}

void bins_planner::append_pass(std::uint32_t pass) {
    const std::uint32_t shift = digit_bits * pass;
    const bool is_last = pass + 1 == digits_of(request_.bins);
    // The highest digit is small.
    const std::uint64_t digits = std::min(most_bins, (request_.bins >> shift) + 1);
    const std::size_t from = pass % 2, to = 1 - from;
    const auto set = [&](dispatch& next) {
        next.counts = true;  // words
        next.parameters[UPSWEEP_P_SHIFT] = shift;
        bind_elements(next, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, scratch(layout_.numbers[from]),
                      request_.items, 1);
        if (next.which == stage::sort_count) {
            next.bindings[UPSWEEP_LENGTH] = next.bindings[UPSWEEP_WORKSPACE];
            if (request_.length_in_buffer) set_length(next);
            return;
        }
        next.parameters[UPSWEEP_P_FLAGS] |=
            UPSWEEP_F_VALUES | (is_last ? 0u : UPSWEEP_F_KEYS) | (pass == 0 ? UPSWEEP_F_INDICES : 0u);
        // Indices that come from a pass lie where that has put them.
        next.bindings[UPSWEEP_VALUES] = next.bindings[UPSWEEP_INPUT];
        if (pass != 0)
            bind_elements(next, UPSWEEP_VALUES, UPSWEEP_P_VALUES_FIRST, scratch(layout_.indices[to]),
                          request_.items, 1);
        bind_elements(next, UPSWEEP_MOVED_VALUES, UPSWEEP_P_MOVED_FIRST, scratch(layout_.indices[from]),
                      request_.items, 1);
        next.bindings[UPSWEEP_OUTPUT] = next.bindings[UPSWEEP_MOVED_VALUES];
        if (!is_last)
            bind_elements(next, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, scratch(layout_.numbers[to]),
                          request_.items, 1);
    };
    append_split(made_, stage::sort_count, stage::sort_move, request_.items,
                 split_layout_of(request_.items, digits, device_), request_.workspace_offset + layout_.split,
                 length_flag(), device_, set);
}

// As many as have a bin, the last of the offsets, and as there is room for.
void bins_planner::append_gather(const place& indices) {
    const bool records = request_.record_words != 0;
    const std::uint32_t width = std::max(1u, request_.record_words);
    const std::uint64_t groups = divide_up(kept() * width, tile_elements), window = most_groups(device_);
    builder builder(device_, made_);
    for (std::uint64_t first = 0; first < groups; first += window) {
        dispatch& next = builder.add(stage::sort_gather, std::min(window, groups - first),
                                     UPSWEEP_F_LENGTH | (records ? UPSWEEP_F_INDICES : 0u));
        next.counts = true;
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(kept());
        next.parameters[UPSWEEP_P_RECORD_WORDS] = width;
        bind_elements(next, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST,
                      {resource::output, request_.output_offset, "out"}, kept() * width, 1);
        bind_elements(next, UPSWEEP_WORKSPACE, UPSWEEP_P_VALUES_FIRST, indices, request_.items, 1);
        if (records)
            bind_elements(next, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST,
                          {resource::input, request_.input_offset, "in"}, request_.items * width, 1);
        else
            bind_elements(next, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, indices, request_.items, 1);
        const bound_range found =
            bind(resource::total, request_.offsets_offset + 4 * request_.bins, 1, 4, device_);
        next.bindings[UPSWEEP_LENGTH] = found.range;
        next.parameters[UPSWEEP_P_LENGTH_INDEX] = found.first;
    }
}

}  // namespace

std::uint64_t bins_workspace_bytes(std::uint32_t table_words, std::uint64_t bins, std::uint64_t items,
                                   const limits& device) {
    return std::max<std::uint64_t>(4, bins_layout_of(4 * table_words * bins, bins, items, device).bytes);
}

bin_plan plan_bins(const bins_request& request, const limits& device) {
    const std::uint32_t element_words = request.user_bins ? 1 : element_words_of(request.bounds.type);
    check_offset("in", request.input_offset, 4 * element_words);
    check_offset("out", request.output_offset, request.record_words == 0 ? 4 : 4 * element_words);
    check_offset("offsets", request.offsets_offset, 4);
    check_offset("workspace", request.workspace_offset, alignment_of(device));
    if (request.length_in_buffer) check_offset("options.length", request.length_offset, 4);
    if (request.items >= words_limit) {
        throw_error(errc::unsupported,
                    "in: expected fewer than 4294967296 elements, because their places are 32-bit words, but "
                    "there are " +
                        std::to_string(request.items));
    }
    const std::uint64_t offsets = alignment_of(device) + 4 * (request.bins + 1);
    if (offsets > largest_binding(device)) throw_bytes("offsets", offsets, device);

    bin_plan made;
    bin_table table;
    if (!request.user_bins && request.items != 0) {
        const std::uint64_t bytes = 4 * element_words * request.bins;
        if (bytes > largest_binding(device)) throw_bytes("workspace", bytes, device);
        table = make_bin_table(request.bounds);
    }
    made.dispatches = bins_planner(request, table, device).make();
    made.table = std::move(table.words);
    return made;
}

}  // namespace upsweep::shader
