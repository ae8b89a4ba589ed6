// Plans: sizes, windows and parameters of every dispatch.
//
// A dispatch covers as much of the sequence as the device can bind and count at once, a window; longer
// sequences take several for the same stage.
#include "shader/plan.hpp"

#include <algorithm>
#include <utility>

#include "shader/plan-inl.hpp"

namespace upsweep::shader {
namespace {

constexpr std::uint32_t tiles_of_batch = UPSWEEP_ROW_RUNS * UPSWEEP_TILE_ROWS;  // of a group of super_totals

// ---- the tree ----

struct tree_layout {
    std::uint64_t tiles;
    std::uint64_t supers;
    std::uint64_t carry;  // element of the workspace
    std::uint64_t elements;
};
tree_layout tree_layout_of(std::uint64_t length) {
    const std::uint64_t tiles = std::max<std::uint64_t>(1, divide_up(length, tile_elements));
    const std::uint64_t supers = divide_up(tiles, UPSWEEP_SUPER_TILES);
    return {tiles, supers, tiles + supers, tiles + supers + 1};
}

class scan_planner {
  public:
    scan_planner(const scan_request& request, const limits& device)
        : request_(request),
          device_(device),
          size_(std::uint64_t{4} * request.op.element_words),
          kept_size_(kept_bytes(request.op, request.segmented)),
          builder_(device, made_) {}

    std::vector<dispatch> make() && {
        if (request_.length == 0 && !request_.has_total) return {};
        builder_.set_form(request_.segmented ? form::segments : form::sequence);
        if (request_.how == algorithm::tree)
            make_tree();
        else
            make_blelloch();
        return std::move(made_);
    }

  private:
    [[nodiscard]] std::uint32_t sequence_flags() const {
        return (request_.exclusive ? UPSWEEP_F_EXCLUSIVE : 0u) |
               (request_.reverse ? UPSWEEP_F_REVERSE | UPSWEEP_F_SWAP : 0u) |
               (request_.has_initial ? (request_.segmented ? UPSWEEP_F_SEGMENT_INITIAL : UPSWEEP_F_INITIAL)
                                     : 0u) |
               (request_.length_in_buffer ? UPSWEEP_F_LENGTH : 0u);
    }

    // Elements of a window: whole units (tiles, blocks) that fit a binding, wherever it must begin.
    [[nodiscard]] std::uint64_t window_elements(std::uint64_t unit) const {
        const std::uint64_t room =
            largest_binding(device_) - std::min(largest_binding(device_), alignment_of(device_));
        const std::uint64_t units = std::min(room / (unit * size_), most_groups(device_));
        if (units == 0)
            throw_bytes("limits: a tile of elements", unit * size_ + alignment_of(device_), device_);
        return units * unit;
    }

    void set_initial(dispatch& to) const {
        std::copy(request_.initial.begin(), request_.initial.end(),
                  to.parameters.begin() + UPSWEEP_P_INITIAL);
    }
    void set_total(dispatch& to) const {
        if (!request_.has_total) return;
        const bound_range total = bind(resource::total, request_.total_offset, 1, size_, device_);
        to.bindings[UPSWEEP_TOTAL] = total.range;
        to.parameters[UPSWEEP_P_TOTAL_INDEX] = total.first;
    }
    // The window of `elements` positions after `before` of one of the caller's buffers.
    void set_window(dispatch& to, int at, resource from, std::uint64_t offset, std::uint64_t before,
                    std::uint64_t elements) const {
        // A reversed sequence of unknown length begins somewhere in the whole buffer.
        const bool whole = request_.reverse && request_.length_in_buffer;
        if (request_.length == 0) return;
        std::uint64_t low = request_.reverse ? request_.length - before - elements : before;
        if (whole) {
            low = 0;
            elements = request_.length;
        }
        const bound_range window = bind(from, offset + low * size_, elements, size_, device_);
        if (window.range.bytes > largest_binding(device_))
            throw_bytes("length: a reversed sequence whose length is in a buffer", window.range.bytes,
                        device_);
        to.bindings[static_cast<std::size_t>(at)] = window.range;
        const bool from_end = request_.reverse && !whole;
        to.parameters[at == UPSWEEP_INPUT ? UPSWEEP_P_INPUT_FIRST : UPSWEEP_P_OUTPUT_FIRST] =
            window.first + (from_end ? static_cast<std::uint32_t>(elements) - 1 : 0);
    }
    void set_length(dispatch& to, std::uint64_t before, std::uint64_t elements) const {
        to.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(elements);
        if (request_.segmented) {
            // Where a segment ends is known from the next element's head.
            const bool ends = request_.totals && before + elements != request_.length;
            const bound_range heads =
                bind_heads(request_.heads_offset, before, elements + (ends ? 1 : 0), device_);
            to.bindings[UPSWEEP_LENGTH] = heads.range;
            to.parameters[UPSWEEP_P_HEADS_FIRST] = heads.first;
        }
        if (!request_.length_in_buffer) return;
        const bound_range length = bind(resource::length, request_.length_offset, 1, 4, device_);
        to.bindings[UPSWEEP_LENGTH] = length.range;
        to.parameters[UPSWEEP_P_LENGTH_INDEX] = length.first;
        to.parameters[UPSWEEP_P_BEFORE] = static_cast<std::uint32_t>(before);
        to.parameters[UPSWEEP_P_MAXIMUM] = static_cast<std::uint32_t>(request_.length);
    }
    // Results of segments, wherever their elements are.
    void set_results(dispatch& to) const {
        const bound_range out = bind(resource::output, request_.output_offset, request_.room, size_, device_);
        if (out.range.bytes > largest_binding(device_)) throw_bytes("out", out.range.bytes, device_);
        to.bindings[UPSWEEP_OUTPUT] = out.range;
        to.parameters[UPSWEEP_P_OUTPUT_FIRST] = out.first;
        to.parameters[UPSWEEP_P_CAPACITY] = static_cast<std::uint32_t>(request_.room);
        if (!request_.numbered && !request_.counted) return;
        const bound_range numbers = bind(resource::workspace, request_.numbers_offset,
                                         request_.numbered ? request_.room : 1, 4, device_);
        to.bindings[UPSWEEP_TOTAL] = numbers.range;
        to.parameters[UPSWEEP_P_TOTAL_INDEX] = numbers.first;
        to.parameters[UPSWEEP_P_FLAGS] |= request_.numbered ? UPSWEEP_F_NUMBERED : UPSWEEP_F_LENGTH;
    }
    // What a stage declares but does not touch must still be bound where the host's interface wants it.
    static void fill(dispatch& to) {
        const auto stand_in = [&](int at, int other) {
            binding& empty = to.bindings[static_cast<std::size_t>(at)];
            if (empty.from == resource::none) empty = to.bindings[static_cast<std::size_t>(other)];
        };
        stand_in(UPSWEEP_OUTPUT, UPSWEEP_TOTAL);
        stand_in(UPSWEEP_INPUT, UPSWEEP_OUTPUT);
        stand_in(UPSWEEP_OUTPUT, UPSWEEP_INPUT);
        stand_in(UPSWEEP_WORKSPACE, UPSWEEP_INPUT);
        stand_in(UPSWEEP_TOTAL, UPSWEEP_OUTPUT);
        stand_in(UPSWEEP_LENGTH, UPSWEEP_INPUT);
    }
    [[nodiscard]] binding workspace(std::uint64_t offset, std::uint64_t elements) const {
        const std::uint64_t bytes = elements * kept_size_;
        if (bytes > largest_binding(device_)) throw_bytes("workspace", bytes, device_);
        return {resource::workspace, request_.workspace_offset + offset, bytes};
    }

    void make_tree();
    void make_blelloch();

    const scan_request& request_;
    const limits& device_;
    std::uint64_t size_;
    std::uint64_t kept_size_;  // of a total in the workspace
    std::vector<dispatch> made_;
    builder builder_;
};

void scan_planner::make_tree() {
    const tree_layout layout = tree_layout_of(request_.length);
    const std::uint64_t window = window_elements(tile_elements);
    const binding all_totals = layout.tiles > 1 ? workspace(0, layout.elements) : binding{};
    const auto supers_at = static_cast<std::uint32_t>(layout.tiles);
    const std::uint32_t flags = sequence_flags();
    const std::uint32_t order = flags & (UPSWEEP_F_SWAP | UPSWEEP_F_INITIAL);

    // Nobody asks for the last tile's total.
    const std::uint64_t summed = (layout.tiles - 1) * tile_elements;
    for (std::uint64_t before = 0; before < summed; before += window) {
        const std::uint64_t elements = std::min(window, request_.length - before);
        dispatch& next =
            builder_.add(stage::tile_totals, std::min(window, summed - before) / tile_elements, flags);
        set_window(next, UPSWEEP_INPUT, resource::input, request_.input_offset, before, elements);
        set_length(next, before, elements);
        set_initial(next);  // of segments, which their first elements have
        next.bindings[UPSWEEP_WORKSPACE] = all_totals;
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(before / tile_elements);
        fill(next);
    }

    if (layout.supers > 1) {
        const std::uint64_t batches = divide_up(layout.tiles, tiles_of_batch);
        for (std::uint64_t first = 0; first < batches; first += most_groups(device_)) {
            dispatch& next =
                builder_.add(stage::super_totals, std::min(batches - first, most_groups(device_)),
                             order | (batches == 1 ? UPSWEEP_F_LAST : 0u));
            next.bindings[UPSWEEP_WORKSPACE] = all_totals;
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(layout.tiles);
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
            next.parameters[UPSWEEP_P_SUPERS] = supers_at;
            set_initial(next);
        }
        for (std::uint64_t first = 0; batches > 1 && first < layout.supers;
             first += device_.supers_per_dispatch) {
            dispatch& next =
                builder_.add(stage::super_prefixes, 1, order | (first != 0 ? UPSWEEP_F_CONTINUED : 0u));
            next.bindings[UPSWEEP_WORKSPACE] = all_totals;
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(layout.supers - first, device_.supers_per_dispatch));
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
            next.parameters[UPSWEEP_P_SUPERS] = supers_at;
            next.parameters[UPSWEEP_P_CARRY] = static_cast<std::uint32_t>(layout.carry);
            set_initial(next);
        }
    }

    std::uint64_t before = 0;
    do {
        const std::uint64_t elements = std::min(window, request_.length - before);
        const bool has_end = request_.length_in_buffer || before + elements == request_.length;
        const bool ends = has_end && (request_.has_total || request_.totals);
        dispatch& next = builder_.add(request_.totals ? stage::segment_totals : stage::tile_scan,
                                      std::max<std::uint64_t>(1, divide_up(elements, tile_elements)),
                                      flags | (ends ? UPSWEEP_F_TOTAL : 0u));
        set_window(next, UPSWEEP_INPUT, resource::input, request_.input_offset, before, elements);
        if (request_.totals)
            set_results(next);
        else
            set_window(next, UPSWEEP_OUTPUT, resource::output, request_.output_offset, before, elements);
        set_length(next, before, elements);
        set_total(next);
        set_initial(next);
        next.bindings[UPSWEEP_WORKSPACE] = all_totals;
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(before / tile_elements);
        next.parameters[UPSWEEP_P_SUPERS] = supers_at;
        fill(next);
        before += elements;
    } while (before < request_.length);
}

// ---- Blelloch ----

// Where the sums of each level lie in the workspace, in bytes, and how many they are; the last level is one
// block.
struct sums_level {
    std::uint64_t offset;
    std::uint64_t count;
};
std::vector<sums_level> sums_levels(std::uint64_t length, std::uint64_t block, std::uint64_t size,
                                    const limits& device) {
    std::vector<sums_level> levels;
    std::uint64_t offset = 0;
    for (std::uint64_t count = divide_up(length, block); count > 1; count = divide_up(count, block)) {
        levels.push_back({offset, count});
        offset += round_up(count * size, alignment_of(device));
    }
    return levels;
}

void scan_planner::make_blelloch() {
    const std::uint64_t block = std::uint64_t{2} * request_.blelloch_size;
    const std::vector<sums_level> levels = sums_levels(request_.length, block, size_, device_);
    const std::uint64_t window = window_elements(block);
    const std::uint32_t order = sequence_flags() & UPSWEEP_F_SWAP;
    const auto depth = levels.size();

    // Up: level 0 is the sequence, level k the sums of level k - 1.
    for (std::size_t level = 0; level <= depth; ++level) {
        const std::uint64_t length = level == 0 ? request_.length : levels[level - 1].count;
        const bool top = level == depth;
        std::uint64_t before = 0;
        do {
            const std::uint64_t elements = std::min(window, length - before);
            std::uint32_t flags = level == 0 ? sequence_flags() & ~UPSWEEP_F_INITIAL : order;
            if (top) flags |= UPSWEEP_F_LAST | (request_.has_total ? UPSWEEP_F_TOTAL : 0u);
            if (top && request_.has_initial) flags |= UPSWEEP_F_INITIAL;
            dispatch& next = builder_.add(stage::blelloch_scan,
                                          std::max<std::uint64_t>(1, divide_up(elements, block)), flags);
            if (level == 0) {
                set_window(next, UPSWEEP_INPUT, resource::input, request_.input_offset, before, elements);
                set_window(next, UPSWEEP_OUTPUT, resource::output, request_.output_offset, before, elements);
                set_length(next, before, elements);
            } else {
                const bound_range sums =
                    bind(resource::workspace,
                         request_.workspace_offset + levels[level - 1].offset + before * size_, elements,
                         size_, device_);
                next.bindings[UPSWEEP_INPUT] = next.bindings[UPSWEEP_OUTPUT] = sums.range;
                next.parameters[UPSWEEP_P_INPUT_FIRST] = next.parameters[UPSWEEP_P_OUTPUT_FIRST] = sums.first;
                next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(elements);
            }
            if (!top) next.bindings[UPSWEEP_WORKSPACE] = workspace(levels[level].offset, levels[level].count);
            if (top) set_total(next);
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(before / block);
            set_initial(next);
            fill(next);
            before += elements;
        } while (before < length);
    }

    // Down.
    for (std::size_t level = depth; level-- > 0;) {
        const std::uint64_t length = level == 0 ? request_.length : levels[level - 1].count;
        for (std::uint64_t before = 0; before < length; before += window) {
            const std::uint64_t elements = std::min(window, length - before);
            dispatch& next = builder_.add(stage::blelloch_add, divide_up(elements, block),
                                          level == 0 ? sequence_flags() & ~UPSWEEP_F_INITIAL : order);
            if (level == 0) {
                set_window(next, UPSWEEP_OUTPUT, resource::output, request_.output_offset, before, elements);
                set_length(next, before, elements);
            } else {
                const bound_range sums =
                    bind(resource::workspace,
                         request_.workspace_offset + levels[level - 1].offset + before * size_, elements,
                         size_, device_);
                next.bindings[UPSWEEP_OUTPUT] = sums.range;
                next.parameters[UPSWEEP_P_OUTPUT_FIRST] = sums.first;
                next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(elements);
            }
            next.bindings[UPSWEEP_WORKSPACE] = workspace(levels[level].offset, levels[level].count);
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(before / block);
            fill(next);
        }
    }
}

void check_request(const scan_request& request, const limits& device) {
    const std::uint64_t size = std::uint64_t{4} * request.op.element_words;
    check_offset("in", request.input_offset, size);
    check_offset("out", request.output_offset, size);
    check_offset("workspace", request.workspace_offset, alignment_of(device));
    if (request.has_total) check_offset("options.total", request.total_offset, size);
    if (request.length_in_buffer) {
        check_offset("options.length", request.length_offset, 4);
        if (request.length >= words_limit) {
            throw_error(errc::unsupported,
                        "options.length: expected at most 4294967295 elements with a length from a buffer, "
                        "whose length is a 32-bit word, but in has " +
                            std::to_string(request.length));
        }
    }
    if (request.how == algorithm::blelloch) {
        if (!request.exclusive)
            throw_error(errc::invalid_argument, "options.algorithm: Blelloch's scan is exclusive");
        if (!request.op.has_identity)
            throw_error(errc::invalid_argument,
                        "options.algorithm: Blelloch's scan needs an operator with an identity");
        if (request.blelloch_size == 0 || request.blelloch_size > 1024) {
            throw_error(errc::invalid_argument, "options.work_group_size: expected 1 to 1024, but it is " +
                                                    std::to_string(request.blelloch_size));
        }
    }
    check_start(request.op, request.exclusive, request.has_initial, request.length != 0);
    if (request.op.has_identity || request.has_initial) return;
    if (request.has_total && (request.length == 0 || request.length_in_buffer)) {
        throw_error(errc::invalid_argument,
                    "options.total: the total of no elements needs an initial value, because the operator "
                    "has no identity");
    }
}

}  // namespace

std::uint64_t workspace_alignment(const limits& device) { return alignment_of(device); }

std::uint64_t tree_workspace_bytes(const operation& op, std::uint64_t length, bool segmented) {
    return tree_layout_of(length).elements * kept_bytes(op, segmented);
}

std::uint64_t scan_workspace_bytes(const operation& op, std::uint64_t length, algorithm how,
                                   std::uint32_t blelloch_size, const limits& device) {
    const std::uint64_t size = std::uint64_t{4} * op.element_words;
    if (how == algorithm::tree) return tree_workspace_bytes(op, length, false);
    const auto levels = sums_levels(length, std::uint64_t{2} * blelloch_size, size, device);
    return levels.empty() ? size : levels.back().offset + levels.back().count * size;
}

std::vector<dispatch> plan_scan(const scan_request& request, const limits& device) {
    check_request(request, device);
    return scan_planner(request, device).make();
}

}  // namespace upsweep::shader
