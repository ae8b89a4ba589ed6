// The plan of one result for each segment or run: heads, which are votes as well, what is folded up to them,
// and what moves by them.
#include <algorithm>
#include <utility>

#include "shader/plan-inl.hpp"

namespace upsweep::shader {
namespace {

// Invocations of run_lengths have as many runs as this leaves for them.
constexpr std::uint64_t lengths_groups = 4096;

bool is_by_offsets(const runs_request& request) { return request.segments.kind == segments_by::offsets; }

// Bytes within the workspace.
struct runs_layout {
    std::uint64_t votes;    // by heads; by offsets for segments with elements
    std::uint64_t heads;    // those of the votes, but by offsets
    std::uint64_t totals;   // of the tree
    std::uint64_t numbers;  // a word for each result; run_length_encode: and one more, where runs begin
    std::uint64_t spare;    // arguments that nobody asked for
    std::uint64_t bytes;
};
runs_layout runs_layout_of(const runs_request& request, const limits& device) {
    const bool by_offsets = is_by_offsets(request);
    const bool lengths = request.values == run_values::lengths;
    const vote_layout votes = vote_layout_of(by_offsets ? request.room : request.length, device);
    runs_layout layout{};
    std::uint64_t end = 0;
    const auto take = [&](std::uint64_t bytes) {
        const std::uint64_t at = round_up(end, alignment_of(device));
        end = at + bytes;
        return at;
    };
    layout.votes = take(votes.bytes);
    layout.heads = by_offsets ? take(divide_up(request.length, 32) * 4) : layout.votes + votes.votes;
    if (request.values == run_values::totals)
        layout.totals = take(tree_workspace_bytes(request.op, request.length, true));
    if (by_offsets || lengths) layout.numbers = take(4 * (request.room + (lengths ? 1 : 0)));
    if (by_offsets) layout.spare = take(4 * UPSWEEP_A_WORDS);
    layout.bytes = end;
    return layout;
}

class runs_planner {
  public:
    runs_planner(const runs_request& request, const limits& device)
        : request_(request),
          device_(device),
          layout_(runs_layout_of(request, device)),
          found_(layout_.votes + vote_layout_of(request.length, device).found),
          length_(request.length),
          builder_(device, made_) {}

    std::vector<dispatch> make() && {
        if (is_by_offsets(request_))
            make_by_offsets();
        else
            make_packed();
        return std::move(made_);
    }

  private:
    [[nodiscard]] std::uint64_t at(std::uint64_t offset) const { return request_.workspace_offset + offset; }
    void append(const std::vector<dispatch>& more) {
        for (dispatch next : more) {
            next.waits = !made_.empty();
            made_.push_back(next);
        }
    }
    // What scans and moves words beside the request's own operation.
    template <class Append>
    void append_counts(const Append& append_to) {
        const std::size_t before = made_.size();
        append_to();
        for (std::size_t i = before; i < made_.size(); ++i) made_[i].counts = true;
    }
    void move(std::uint64_t items, std::uint64_t record_words, std::uint64_t room, std::uint64_t input_offset,
              std::uint64_t output_offset, const moved_between& where) {
        compact_request moved;
        moved.items = items;
        moved.record_words = static_cast<std::uint32_t>(record_words);
        moved.capacity = static_cast<std::uint32_t>(std::min(room, items));
        moved.vertices = request_.vertices;
        moved.group_items = request_.group_items;
        moved.input_offset = input_offset;
        moved.output_offset = output_offset;
        moved.workspace_offset = at(layout_.votes);
        moved.length_in_buffer = request_.length_in_buffer;
        moved.length_offset = request_.length_offset;
        moved.arguments_offset =
            where.arguments == resource::total ? request_.arguments_offset : at(layout_.spare);
        append_counts([&] { append_moves(made_, moved, where, device_); });
    }
    void fold(std::uint64_t room) {
        scan_request scan;
        scan.op = request_.op;
        scan.length = length_;
        scan.has_initial = request_.has_initial;
        scan.initial = request_.initial;
        scan.input_offset = request_.input_offset;
        scan.output_offset = request_.output_offset;
        scan.workspace_offset = at(layout_.totals);
        scan.segmented = scan.totals = true;
        scan.heads_offset = at(layout_.heads);
        scan.room = room;
        scan.numbered = is_by_offsets(request_);
        scan.counted = request_.length_in_buffer;
        scan.numbers_offset = scan.counted ? at(found_) : at(layout_.numbers);
        append(plan_scan(scan, device_));
    }
    void make_packed();
    void measure();
    void make_by_offsets();
    void fill_empty();

    const runs_request& request_;
    const limits& device_;
    runs_layout layout_;
    std::uint64_t found_;  // how many segments there are, within the workspace; not by offsets
    std::uint64_t length_;
    std::vector<dispatch> made_;
    builder builder_;
};

// By flags or keys, whose segments are never empty.
void runs_planner::make_packed() {
    const std::uint64_t room = std::min(request_.room, length_);
    append(plan_heads({.segments = request_.segments,
                       .length = length_,
                       .heads_offset = at(layout_.heads),
                       .counted = true,
                       .counts_offset = at(layout_.votes),
                       .length_in_buffer = request_.length_in_buffer,
                       .length_offset = request_.length_offset},
                      device_));
    append_counts([&] { append_votes_scan(made_, at(layout_.votes), length_, device_); });
    if (request_.values == run_values::totals && room != 0) fold(room);
    if (request_.values == run_values::first && room != 0)
        move(length_, request_.record_words, room, request_.input_offset, request_.output_offset, {});
    if (request_.values == run_values::lengths && room != 0) measure();
    std::uint64_t counted = request_.values == run_values::none ? length_ : room;
    if (request_.has_keys) {
        if (request_.keys_room != 0 && length_ != 0) {
            move(length_, request_.segments.key_words, request_.keys_room, request_.segments.offset,
                 request_.keys_offset,
                 {.input = resource::flags,
                  .output = resource::moved_values,
                  .input_name = request_.segments.name,
                  .output_name = keys_out_name(request_.values)});
        }
        counted = std::min(counted, request_.keys_room);
    }
    // Of what all outputs have.
    move(length_, 1, counted, 0, 0, {.only_arguments = true});
}

// Where runs begin, and from that how long they are.
void runs_planner::measure() {
    const std::uint64_t room = std::min(request_.room, length_);
    move(length_, 0, room + 1, 0, at(layout_.numbers), {.output = resource::workspace});
    const std::uint64_t known = std::min(room + 1, length_);
    const bound_range begins = bind(resource::workspace, at(layout_.numbers), known, 4, device_);
    const bound_range lengths = bind(resource::output, request_.output_offset, room, 4, device_);
    if (lengths.range.bytes > largest_binding(device_))
        throw_bytes(results_name(request_.values), lengths.range.bytes, device_);
    const std::uint64_t groups =
        std::min({divide_up(room, group_size), lengths_groups, most_groups(device_)});
    dispatch& next =
        builder_.add(stage::run_lengths, groups, request_.length_in_buffer ? UPSWEEP_F_LENGTH : 0u);
    next.counts = true;
    next.bindings[UPSWEEP_INPUT] = begins.range;
    next.bindings[UPSWEEP_OUTPUT] = lengths.range;
    next.bindings[UPSWEEP_WORKSPACE] = {resource::workspace, at(layout_.votes),
                                        vote_layout_of(length_, device_).bytes};
    next.bindings[UPSWEEP_TOTAL] = next.bindings[UPSWEEP_LENGTH] = begins.range;
    next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(length_);
    next.parameters[UPSWEEP_P_CAPACITY] = static_cast<std::uint32_t>(room);
    next.parameters[UPSWEEP_P_CARRY] = static_cast<std::uint32_t>((found_ - layout_.votes) / 4);
    next.parameters[UPSWEEP_P_INPUT_FIRST] = begins.first;
    next.parameters[UPSWEEP_P_OUTPUT_FIRST] = lengths.first;
    if (!request_.length_in_buffer) return;
    const bound_range length = bind(resource::length, request_.length_offset, 1, 4, device_);
    next.bindings[UPSWEEP_LENGTH] = length.range;
    next.parameters[UPSWEEP_P_LENGTH_INDEX] = length.first;
}

// The k-th result is that of the k-th segment with elements, which has a number among all.
void runs_planner::make_by_offsets() {
    if (request_.room == 0) return;
    fill_empty();
    if (length_ == 0) return;
    append(plan_heads({.segments = request_.segments,
                       .length = request_.room,
                       .heads_offset = at(layout_.votes) + vote_layout_of(request_.room, device_).votes,
                       .counted = true,
                       .counts_offset = at(layout_.votes),
                       .between = true},
                      device_));
    append_counts([&] { append_votes_scan(made_, at(layout_.votes), request_.room, device_); });
    move(request_.room, 0, request_.room, 0, at(layout_.numbers),
         {.output = resource::workspace, .arguments = resource::workspace});
    append(plan_heads({.segments = request_.segments, .length = length_, .heads_offset = at(layout_.heads)},
                      device_));
    fold(request_.room);
}

void runs_planner::fill_empty() {
    const std::uint64_t size = std::uint64_t{4} * request_.op.element_words;
    const bound_range offsets =
        bind(resource::flags, request_.segments.offset, request_.segments.count, 4, device_);
    if (offsets.range.bytes > largest_binding(device_)) throw_bytes("segments", offsets.range.bytes, device_);
    const bound_range out = bind(resource::output, request_.output_offset, request_.room, size, device_);
    if (out.range.bytes > largest_binding(device_)) throw_bytes("out", out.range.bytes, device_);
    builder_.set_form(form::segments);
    const std::uint64_t groups = divide_up(request_.room, offsets_of_group);
    for (std::uint64_t first = 0; first < groups; first += most_groups(device_)) {
        dispatch& next = builder_.add(stage::fill_empty, std::min(groups - first, most_groups(device_)),
                                      request_.has_initial ? UPSWEEP_F_SEGMENT_INITIAL : 0u);
        next.bindings[UPSWEEP_INPUT] = offsets.range;
        next.bindings[UPSWEEP_OUTPUT] = out.range;
        for (const int other : {UPSWEEP_WORKSPACE, UPSWEEP_TOTAL, UPSWEEP_LENGTH})
            next.bindings.at(static_cast<std::size_t>(other)) = offsets.range;
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(request_.room);
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        next.parameters[UPSWEEP_P_INPUT_FIRST] = offsets.first;
        next.parameters[UPSWEEP_P_OUTPUT_FIRST] = out.first;
        std::copy(request_.initial.begin(), request_.initial.end(),
                  next.parameters.begin() + UPSWEEP_P_INITIAL);
    }
    builder_.set_form(form::sequence);
}

void check_runs(const runs_request& request, const limits& device) {
    if (request.length >= words_limit) {
        throw_error(errc::unsupported,
                    "in: expected fewer than 4294967296 elements, because segments are counted in 32 bits, "
                    "but there are " +
                        std::to_string(request.length));
    }
    check_segments(request.segments, request.length);
    const bool folds = request.values == run_values::totals;
    const std::uint64_t size = folds ? std::uint64_t{4} * request.op.element_words : 4;
    check_offset("in", request.input_offset, folds ? input_bytes(request.op) : size);
    check_offset(results_name(request.values), request.output_offset, size);
    check_offset(keys_out_name(request.values), request.keys_offset, 4);
    check_offset("arguments", request.arguments_offset, 4);
    if (request.length_in_buffer) check_offset("options.length", request.length_offset, 4);
    check_offset("workspace", request.workspace_offset, alignment_of(device));
    if (request.group_items == 0)
        throw_error(errc::invalid_argument, "options.items_per_group: expected at least 1, but it is 0");
    if (!is_by_offsets(request)) return;
    if (request.length_in_buffer) {
        throw_error(errc::invalid_argument,
                    "options.length: expected none with offsets, which say how many elements there are");
    }
    const std::uint64_t segments = request.segments.count - 1;
    if (request.room != segments) {
        throw_error(errc::invalid_argument, "out: expected " + std::to_string(segments) +
                                                " elements, one for each segment, but it has " +
                                                std::to_string(request.room));
    }
    if (!request.op.has_identity && !request.has_initial && segments != 0) {
        throw_error(
            errc::invalid_argument,
            "options.initial: segments by offsets, which may be empty, need an initial value, because "
            "the operator has no identity");
    }
}

}  // namespace

const char* results_name(run_values values) { return values == run_values::lengths ? "lengths" : "out"; }
const char* keys_out_name(run_values values) {
    return values == run_values::totals || values == run_values::first ? "keys_out" : "out";
}

std::uint64_t runs_workspace_bytes(const runs_request& request, const limits& device) {
    return runs_layout_of(request, device).bytes;
}

std::vector<dispatch> plan_runs(const runs_request& request, const limits& device) {
    check_runs(request, device);
    return runs_planner(request, device).make();
}

}  // namespace upsweep::shader
