// Where segments begin: dispatches that make bits of what describes them.
#include <algorithm>
#include <utility>

#include "shader/plan-inl.hpp"
#include "upsweep/core/arguments.hpp"

namespace upsweep::shader {
namespace {

class head_planner {
  public:
    head_planner(const heads_request& request, const limits& device)
        : request_(request), segments_(request.segments), device_(device), builder_(device, made_) {}

    std::vector<dispatch> make() && {
        const bool by_offsets = marks_offsets();
        // What a position needs of a binding, in bytes; heads are a bit, and never need more than the words
        // do.
        const std::uint64_t size = by_offsets ? 1 : item_bytes();
        const std::uint64_t room = largest_binding(device_) - alignment_of(device_) - item_bytes();
        const std::uint64_t tiles = std::min(room / (size * tile_elements), most_groups(device_));
        if (largest_binding(device_) < alignment_of(device_) + item_bytes() || tiles == 0)
            throw_bytes("limits: a tile of segments", tile_elements * size + alignment_of(device_), device_);
        const std::uint64_t window = tiles * tile_elements;
        for (std::uint64_t before = 0; before < request_.length; before += window)
            mark(before, std::min(window, request_.length - before));
        for (std::uint64_t before = 0; by_offsets && before < request_.length; before += window)
            mark_offsets(before, std::min(window, request_.length - before));
        return std::move(made_);
    }

  private:
    // Heads are those of elements that offsets name, not those between them.
    [[nodiscard]] bool marks_offsets() const {
        return segments_.kind == segments_by::offsets && !request_.between;
    }
    [[nodiscard]] std::uint64_t item_bytes() const { return std::uint64_t{4} * segments_.key_words; }
    [[nodiscard]] std::uint32_t flags() const {
        std::uint32_t all = request_.reverse ? UPSWEEP_F_REVERSE : 0u;
        if (segments_.kind == segments_by::head_flags) all |= UPSWEEP_F_HEAD_FLAGS;
        if (segments_.kind == segments_by::keys || request_.between) all |= UPSWEEP_F_SEGMENT_KEYS;
        if (request_.between) all |= UPSWEEP_F_FIRST_TOO;
        if (request_.counted) all |= UPSWEEP_F_COUNTED;
        if (request_.length_in_buffer) all |= UPSWEEP_F_LENGTH;
        if (segments_.floating_keys) all |= UPSWEEP_F_FLOATING_KEYS;
        return all;
    }
    void set_heads(dispatch& to, std::uint64_t before, std::uint64_t count) const {
        const bound_range heads = bind_heads(request_.heads_offset, before, count, device_);
        to.bindings[UPSWEEP_OUTPUT] = heads.range;
        to.parameters[UPSWEEP_P_HEADS_FIRST] = heads.first;
    }
    static void fill(dispatch& to) {
        for (binding& each : to.bindings) {
            if (each.from == resource::none) each = to.bindings[UPSWEEP_OUTPUT];
        }
    }

    // The heads of `count` positions from `before` on.
    void mark(std::uint64_t before, std::uint64_t count) {
        dispatch& next = builder_.add(stage::mark_heads, divide_up(count, tile_elements), flags());
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(count);
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(before / tile_elements);
        next.parameters[UPSWEEP_P_RECORD_WORDS] = segments_.key_words;
        set_heads(next, before, count);
        if (!marks_offsets()) {
            // Position p is in front of element `at`; a key is compared with that of the element before.
            const std::uint64_t at =
                request_.reverse ? request_.length - before : before + (request_.between ? 1 : 0);
            const std::uint64_t lowest = request_.reverse ? at - count : at - (at != 0 ? 1 : 0);
            const std::uint64_t highest =
                request_.reverse ? std::min(at, request_.length - 1) : at + count - 1;
            const bound_range described = bind(resource::flags, segments_.offset + lowest * item_bytes(),
                                               highest - lowest + 1, item_bytes(), device_);
            next.bindings[UPSWEEP_INPUT] = described.range;
            next.parameters[UPSWEEP_P_INPUT_FIRST] =
                described.first + static_cast<std::uint32_t>(at - lowest);
        }
        if (request_.counted) {
            next.bindings[UPSWEEP_WORKSPACE] = {resource::workspace, request_.counts_offset,
                                                4 * divide_up(request_.length, tile_elements)};
        }
        if (request_.length_in_buffer) {
            const bound_range length = bind(resource::length, request_.length_offset, 1, 4, device_);
            next.bindings[UPSWEEP_LENGTH] = length.range;
            next.parameters[UPSWEEP_P_HEADS_LENGTH] = length.first;
        }
        fill(next);
    }

    void mark_offsets(std::uint64_t before, std::uint64_t count) {
        const std::uint64_t most = std::min((largest_binding(device_) - alignment_of(device_)) / 4,
                                            most_groups(device_) * offsets_of_group);
        for (std::uint64_t first = 0; first < segments_.count; first += most) {
            const std::uint64_t part = std::min(most, segments_.count - first);
            dispatch& next = builder_.add(stage::mark_offsets, divide_up(part, offsets_of_group), flags());
            const bound_range offsets = bind(resource::flags, segments_.offset + 4 * first, part, 4, device_);
            next.bindings[UPSWEEP_INPUT] = offsets.range;
            next.parameters[UPSWEEP_P_INPUT_FIRST] = offsets.first;
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(part);
            next.parameters[UPSWEEP_P_MAXIMUM] = static_cast<std::uint32_t>(request_.length);
            next.parameters[UPSWEEP_P_BEFORE] = static_cast<std::uint32_t>(before);
            next.parameters[UPSWEEP_P_WINDOW] = static_cast<std::uint32_t>(count);
            set_heads(next, before, count);
            fill(next);
        }
    }

    const heads_request& request_;
    const segment_description& segments_;
    const limits& device_;
    std::vector<dispatch> made_;
    builder builder_;
};

}  // namespace

void check_segments(const segment_description& given, std::uint64_t length) {
    check_offset(given.name, given.offset, std::uint64_t{4} * given.key_words);
    if (given.kind != segments_by::offsets) {
        upsweep::detail::check_described(given.count, length,
                                         given.kind == segments_by::keys ? "keys" : "head flags");
        return;
    }
    upsweep::detail::check_offset_count(given.count);
    const auto refuse = [](const char* things, std::uint64_t found) {
        throw_error(errc::unsupported, "segments: expected fewer than 4294967296 " + std::string(things) +
                                           ", which are 32-bit words, but there are " +
                                           std::to_string(found));
    };
    if (length >= words_limit) refuse("elements with offsets", length);
    if (given.count >= words_limit) refuse("offsets", given.count);
}

std::vector<dispatch> plan_heads(const heads_request& request, const limits& device) {
    return head_planner(request, device).make();
}

}  // namespace upsweep::shader
