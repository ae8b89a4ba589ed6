// What the plans share: rounding, bindings, dispatches, the scan of counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "shader/plan.hpp"
#include "upsweep/error.hpp"

namespace upsweep::shader {

inline constexpr std::uint64_t words_limit = std::uint64_t{1} << 32;  // indices in the stages are 32-bit

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }
constexpr std::uint64_t round_up(std::uint64_t a, std::uint64_t b) { return divide_up(a, b) * b; }

// Vector loads want 16 bytes whatever the device asks for.
inline std::uint64_t alignment_of(const limits& device) {
    return std::max<std::uint64_t>(device.binding_alignment, 16);
}
// Of a binding: words are counted in 32 bits, with room for a tile past the end.
inline std::uint64_t largest_binding(const limits& device) {
    return std::min(device.binding_bytes, 2 * words_limit - alignment_of(device)) / 16 * 16;
}
inline std::uint64_t most_groups(const limits& device) {
    return std::min<std::uint64_t>(std::uint64_t{device.groups_x} * device.groups_y, 0x7fffffffu);
}

[[noreturn]] inline void throw_bytes(const char* what, std::uint64_t bytes, const limits& device) {
    throw_error(errc::unsupported,
                std::string(what) + ": expected at most " + std::to_string(largest_binding(device)) +
                    " bytes, what this device can bind at once, but it takes " + std::to_string(bytes));
}
inline void check_offset(const char* what, std::uint64_t offset, std::uint64_t unit) {
    if (offset % unit != 0) {
        throw_error(errc::invalid_argument,
                    std::string(what) + ": expected an offset that is a multiple of " + std::to_string(unit) +
                        " bytes, but it is " + std::to_string(offset));
    }
}

// Throws unless an exclusive scan has something to store first.
inline void check_start(const operation& op, bool exclusive, bool has_initial, bool has_elements) {
    if (op.has_identity || has_initial || !exclusive || !has_elements) return;
    throw_error(errc::invalid_argument,
                "options.initial: an exclusive scan needs an initial value, because the operator has no "
                "identity");
}
// Throws unless there is a total of no elements.
inline void check_total_of_none(const operation& op, bool has_initial, const char* what) {
    if (op.has_identity || has_initial) return;
    throw_error(errc::invalid_argument, std::string(what) +
                                            ": the total of no elements needs an initial value, because the "
                                            "operator has no identity");
}
inline bool is_empty(const core::axis_geometry& geometry) {
    return geometry.length == 0 || geometry.sequence_count == 0;
}

// Makes dispatches one after the other.
class builder {
  public:
    builder(const limits& device, std::vector<dispatch>& made) : device_(device), made_(made) {}

    dispatch& add(stage which, std::uint64_t groups, std::uint32_t flags) {
        dispatch next;
        next.which = which;
        next.shape = form_;
        next.waits = !made_.empty();
        const std::uint64_t rows = divide_up(groups, device_.groups_x);
        next.groups_y = static_cast<std::uint32_t>(rows);
        next.groups_x = static_cast<std::uint32_t>(divide_up(groups, rows));
        next.parameters[UPSWEEP_P_GROUPS] = static_cast<std::uint32_t>(groups);
        next.parameters[UPSWEEP_P_FLAGS] = flags;
        return made_.emplace_back(next);
    }

    // Of the dispatches to come.
    void set_form(form next) { form_ = next; }

  private:
    const limits& device_;
    std::vector<dispatch>& made_;
    form form_ = form::sequence;
};

// A range of a buffer with elements of `size` bytes, bound from an aligned offset on, in whole words.
struct bound_range {
    binding range;
    std::uint32_t first;  // the first element, counted from the binding's start
};
inline bound_range bind(resource from, std::uint64_t offset, std::uint64_t elements, std::uint64_t size,
                        const limits& device) {
    const std::uint64_t start = offset / alignment_of(device) * alignment_of(device);
    const std::uint64_t first = (offset - start) / size;
    return {{from, start, round_up((first + elements) * size, 4)}, static_cast<std::uint32_t>(first)};
}

// ---- counts, of which compactions and splits make places ----

inline std::uint64_t counts_scan_bytes(std::uint64_t counts, const limits& device) {
    return scan_workspace_bytes(counts_operation, counts, algorithm::tree, group_size, device);
}

// Where things are in the workspace's buffer, in bytes.
struct counts_scan {
    std::uint64_t counts = 0;   // offset; each is replaced by the sum of those before it
    std::uint64_t count = 0;    // how many they are
    std::uint64_t scratch = 0;  // offset of counts_scan_bytes
    bool has_total = false;
    std::uint64_t total = 0;  // offset of the sum of all
};
inline void append_counts_scan(std::vector<dispatch>& made, const counts_scan& wanted, const limits& device) {
    scan_request request;
    request.op = counts_operation;
    request.length = wanted.count;
    request.exclusive = true;
    request.has_total = wanted.has_total;
    request.input_offset = request.output_offset = wanted.counts;
    request.workspace_offset = wanted.scratch;
    request.total_offset = wanted.total;
    for (dispatch& next : plan_scan(request, device)) {
        for (binding& range : next.bindings) {
            if (range.from != resource::none) range.from = resource::workspace;
        }
        next.counts = true;
        next.waits = !made.empty();
        made.push_back(next);
    }
}

// ---- votes, by which items move ----

// Bytes within a workspace: a count for each tile of items, the scan of the counts, how many were found, the
// votes.
struct vote_layout {
    std::uint64_t tiles;
    std::uint64_t scan;
    std::uint64_t found;
    std::uint64_t votes;
    std::uint64_t bytes;
};
[[nodiscard]] vote_layout vote_layout_of(std::uint64_t items, const limits& device);

// The counts of the tiles become how many were voted for before each.
void append_votes_scan(std::vector<dispatch>& made, std::uint64_t workspace_offset, std::uint64_t items,
                       const limits& device);

// Which buffers take the places of a compaction's own.
struct moved_between {
    resource input = resource::input;
    resource output = resource::output;
    resource arguments = resource::total;
    bool only_arguments = false;  // nothing is moved
    const char* input_name = "in";
    const char* output_name = "out";
};
void append_moves(std::vector<dispatch>& made, const compact_request& request, const moved_between& where,
                  const limits& device);

// ---- segments ----

// The bits where segments begin.
struct heads_request {
    const segment_description& segments;
    std::uint64_t length = 0;  // positions
    bool reverse = false;
    std::uint64_t heads_offset = 0;  // bytes in the workspace's buffer
    // Heads are votes too: there is a count for each tile from this byte on, a multiple of alignment_of().
    bool counted = false;
    std::uint64_t counts_offset = 0;
    // Position p is between the keys p and p + 1, and is a head only if they differ.
    bool between = false;
    // Not backwards: there are min(length, the uint in resource::length) elements.
    bool length_in_buffer = false;
    std::uint64_t length_offset = 0;
};
[[nodiscard]] std::vector<dispatch> plan_heads(const heads_request& request, const limits& device);
// Throws as plan_segmented_scan does.
void check_segments(const segment_description& given, std::uint64_t length);

// A total as it lies in the workspace: an element, or a pair in a structure that is as large as two.
constexpr std::uint64_t kept_bytes(const operation& op, bool segmented) {
    return std::uint64_t{4} * op.element_words * (segmented ? 2 : 1);
}
[[nodiscard]] std::uint64_t tree_workspace_bytes(const operation& op, std::uint64_t length, bool segmented);

// The words with the heads of `elements` positions from `before` on, a multiple of 32.
inline bound_range bind_heads(std::uint64_t heads_offset, std::uint64_t before, std::uint64_t elements,
                              const limits& device) {
    return bind(resource::workspace, heads_offset + before / 8, divide_up(elements, 32), 4, device);
}

}  // namespace upsweep::shader
