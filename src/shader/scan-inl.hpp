// What plans of scans of a sequence share: windows, parameters, and the dispatches that store results. The
// ways in which such a scan is made are files of their own: plan.cpp (reduce, then scan), look_back_plan.cpp,
// blelloch_plan.cpp.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "shader/plan-inl.hpp"

namespace upsweep::shader {

// Bytes of workspace, which lie behind the workspace's offset.
[[nodiscard]] std::uint64_t look_back_bytes(const operation& op, std::uint64_t length, bool segmented);
[[nodiscard]] std::uint64_t blelloch_bytes(const operation& op, std::uint64_t length,
                                           std::uint32_t blelloch_size, const limits& device);

class scan_planner {
  public:
    scan_planner(const scan_request& request, const limits& device)
        : request_(request),
          device_(device),
          size_(std::uint64_t{4} * request.op.element_words),
          input_size_(input_bytes(request.op)),
          kept_size_(kept_bytes(request.op, request.segmented)),
          builder_(device, made_) {}

    std::vector<dispatch> make() && {
        if (request_.length == 0 && !request_.has_total) return {};
        builder_.set_form(shape());
        if (request_.how == algorithm::blelloch)
            make_blelloch();
        else if (looks_back())
            make_look_back();
        else
            make_tree();
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
        const std::uint64_t size = at == UPSWEEP_INPUT ? input_size_ : size_;
        const bound_range window = bind(from, offset + low * size, elements, size, device_);
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

    [[nodiscard]] form shape() const { return request_.segmented ? form::segments : form::sequence; }
    [[nodiscard]] bool looks_back() const {
        return !request_.only_total && prefers_look_back(shape(), request_.op, device_) &&
               request_.length > tile_elements &&
               look_back_bytes(request_.op, request_.length, request_.segmented) <= largest_binding(device_);
    }
    // The stage that stores what is asked for.
    dispatch& add_last_stage(stage scan, stage totals, std::uint64_t before, std::uint64_t elements) {
        const bool has_end = request_.length_in_buffer || before + elements == request_.length;
        const bool ends = has_end && (request_.has_total || request_.totals);
        const std::uint64_t tiles = request_.only_total ? 1 : divide_up(elements, tile_elements);
        dispatch& next = builder_.add(request_.totals ? totals : scan, std::max<std::uint64_t>(1, tiles),
                                      sequence_flags() | (ends ? UPSWEEP_F_TOTAL : 0u) |
                                          (request_.only_total ? UPSWEEP_F_ONLY_TOTAL : 0u));
        set_window(next, UPSWEEP_INPUT, resource::input, request_.input_offset, before, elements);
        if (request_.totals)
            set_results(next);
        else if (!request_.only_total)
            set_window(next, UPSWEEP_OUTPUT, resource::output, request_.output_offset, before, elements);
        set_length(next, before, elements);
        set_total(next);
        set_initial(next);
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(before / tile_elements);
        return next;
    }
    void make_look_back();
    void make_tree();
    void make_blelloch();

    const scan_request& request_;
    const limits& device_;
    std::uint64_t size_;  // of an element; those of the input have no more bytes
    std::uint64_t input_size_;
    std::uint64_t kept_size_;  // of a total in the workspace
    std::vector<dispatch> made_;
    builder builder_;
};

}  // namespace upsweep::shader
