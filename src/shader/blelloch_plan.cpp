// The plan of Blelloch's scan: sums of blocks are scanned in the same way, to any depth, and added back.
#include "shader/scan-inl.hpp"

namespace upsweep::shader {
namespace {

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

}  // namespace

void scan_planner::make_blelloch() {
    const std::uint64_t block = std::uint64_t{2} * request_.blelloch_size;
    const std::vector<sums_level> levels = sums_levels(request_.length, block, size_, device_);
    const std::uint64_t window = window_elements(block);
    const std::uint32_t order = sequence_flags() & UPSWEEP_F_SWAP;
    const auto depth = levels.size();

    // Level 0 is the sequence, level k the sums of level k - 1, which are scanned where they are.
    const auto set_results_of = [&](dispatch& to, std::size_t level, std::uint64_t before,
                                    std::uint64_t elements) {
        if (level == 0) {
            set_window(to, UPSWEEP_OUTPUT, resource::output, request_.output_offset, before, elements);
            set_length(to, before, elements);
            return;
        }
        const std::uint64_t offset = request_.workspace_offset + levels[level - 1].offset + before * size_;
        const bound_range sums = bind(resource::workspace, offset, elements, size_, device_);
        to.bindings[UPSWEEP_OUTPUT] = sums.range;
        to.parameters[UPSWEEP_P_OUTPUT_FIRST] = sums.first;
        to.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(elements);
    };

    // Up.
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
            set_results_of(next, level, before, elements);
            if (level == 0) {
                set_window(next, UPSWEEP_INPUT, resource::input, request_.input_offset, before, elements);
            } else {
                next.bindings[UPSWEEP_INPUT] = next.bindings[UPSWEEP_OUTPUT];
                next.parameters[UPSWEEP_P_INPUT_FIRST] = next.parameters[UPSWEEP_P_OUTPUT_FIRST];
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
            set_results_of(next, level, before, elements);
            next.bindings[UPSWEEP_WORKSPACE] = workspace(levels[level].offset, levels[level].count);
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(before / block);
            fill(next);
        }
    }
}

std::uint64_t blelloch_bytes(const operation& op, std::uint64_t length, std::uint32_t blelloch_size,
                             const limits& device) {
    const std::uint64_t size = std::uint64_t{4} * op.element_words;
    const auto levels = sums_levels(length, std::uint64_t{2} * blelloch_size, size, device);
    return levels.empty() ? size : levels.back().offset + levels.back().count * size;
}

}  // namespace upsweep::shader
