// What a host must do for a scan, of a sequence or along an axis, a compaction, a repetition, a sort or a
// histogram: which stages in which order, with which ranges of which buffers, how many work groups and which
// parameters. Plain data, made without touching a device; OpenGL and Vulkan only carry it out.
//
// A host carries out a dispatch as follows: if `waits`, a memory barrier (storage buffer writes before it
// become visible to storage buffer reads and writes after it); bind the five ranges; hand over the parameter
// words; dispatch groups_x by groups_y by 1. The order of dispatches is that of the vector.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "shader/stages.hpp"
#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/shader/axis_way.hpp"
#include "upsweep/shader/bins.hpp"
#include "upsweep/shader/segments.hpp"
#include "upsweep/shader/sequence_way.hpp"
#include "upsweep/shader/sort.hpp"

namespace upsweep::shader {

// Of dispatches with `counts`.
inline constexpr operation counts_operation = operation_of<plus, std::uint32_t>();

// What a device allows. Defaults are OpenGL 4.3's and Vulkan's minima.
struct limits {
    // Largest range of a storage buffer that can be bound: maxStorageBufferRange,
    // GL_MAX_SHADER_STORAGE_BLOCK_SIZE.
    std::uint64_t binding_bytes = std::uint64_t{1} << 27;
    // minStorageBufferOffsetAlignment, GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT: a power of two.
    std::uint64_t binding_alignment = 256;
    // maxComputeWorkGroupCount, x and y.
    std::uint32_t groups_x = 65535;
    std::uint32_t groups_y = 65535;
    // Supers that one dispatch of super_prefixes folds: see super_prefixes.comp.
    std::uint32_t supers_per_dispatch = 16384;
    // Elements of each sequence that one dispatch of lane_scan takes, for the same reason: about 4
    // iterations of loops for one.
    std::uint32_t lane_elements_per_dispatch = 8192;
    sequence_way way = sequence_way::automatic;
    // What `automatic` is for elements of one word that are not in segments: on NVIDIA's GPUs, where it was
    // measured. There it takes longer than reduce_then_scan for wider elements and for pairs; on the
    // processors that Mesa's drivers run on, for all.
    bool look_back_is_faster = false;
    // look_back: how often a work group asks for a total before it computes it, and whether the last tile
    // comes first, so that none is ever there.
    std::uint32_t polls = 256;
    bool last_tile_first = false;
    // A sort of up to so many keys of a word, or four times as many of two, merges; one of more splits by
    // digits. Measured on an NVIDIA H200.
    std::uint64_t merged_keys = most_merged_keys;
};

// Buffers of a request. A binding that a stage does not use names one that it may have at that place
// unharmed.
enum class resource : std::uint8_t {
    none,
    input,
    output,
    workspace,
    total,
    length,
    flags,
    values,
    moved_values,
};
inline constexpr int resource_count = 9;

struct binding {
    resource from = resource::none;
    std::uint64_t offset = 0;  // bytes from the start of that buffer, a multiple of binding_alignment
    std::uint64_t bytes = 0;
    friend constexpr bool operator==(const binding&, const binding&) = default;
};

struct dispatch {
    stage which = stage::tile_scan;
    form shape = form::sequence;
    // For what the dispatches before it wrote. True for all but the first: each reads what the one before
    // wrote, or, where a stage takes several dispatches, may have bytes in its bindings that the other
    // writes.
    bool waits = false;
    // An element is a uint whatever the request's operation, and items have no text of a user's: the scan of
    // counts, and what else goes on beside a request's own stages.
    bool counts = false;
    std::uint32_t groups_x = 1;
    std::uint32_t groups_y = 1;
    std::array<binding, UPSWEEP_BINDINGS> bindings{};
    std::array<std::uint32_t, UPSWEEP_PARAMETERS> parameters{};
};

// What a dispatch is called where it is seen: the stage's name, or "turned_lane_scan".
[[nodiscard]] std::string_view name(const dispatch& next);

enum class algorithm : std::uint8_t {
    tree,      // the bits of docs/numerics.md
    blelloch,  // exclusive; the same bits for exact operators only
};

// Offsets are bytes from the start of the buffers: of input, output and total multiples of the size of their
// elements, of the length multiples of 4, of the workspace a multiple of workspace_alignment(limits).
struct scan_request {
    operation op{};
    std::uint64_t length = 0;  // elements; with length_in_buffer the most that there can be, below 2^32
    bool exclusive = false;
    bool reverse = false;
    bool has_initial = false;
    std::array<std::uint32_t, 4> initial{};
    bool has_total = false;         // write it to resource::total
    bool only_total = false;        // and nothing else, by the tree: what the caller calls `out`
    bool length_in_buffer = false;  // min(length, the uint in resource::length) elements
    algorithm how = algorithm::tree;
    std::uint32_t blelloch_size = group_size;  // invocations, 1 to 1024, any number
    std::uint64_t input_offset = 0;
    std::uint64_t output_offset = 0;
    std::uint64_t workspace_offset = 0;
    std::uint64_t total_offset = 0;
    std::uint64_t length_offset = 0;
    // In segments, whose heads are in the workspace's buffer from that byte on: see segmented_request.
    // Neither a total nor a length in a buffer, by the tree.
    bool segmented = false;
    std::uint64_t heads_offset = 0;
    // One result a segment, by segment_totals, as many as there is room for. In the workspace's buffer, from
    // that byte on, are their numbers, `room` words, or a word with the number of segments, if they are to be
    // asked.
    bool totals = false;
    std::uint64_t room = 0;
    bool numbered = false, counted = false;
    std::uint64_t numbers_offset = 0;
};

// Bytes of workspace that a scan of up to `length` elements needs; it never decreases with the length. At
// least 4.
[[nodiscard]] std::uint64_t scan_workspace_bytes(const operation& op, std::uint64_t length, algorithm how,
                                                 std::uint32_t blelloch_size, const limits& device);
[[nodiscard]] std::uint64_t workspace_alignment(const limits& device);
// Whether sequences of more than a tile are scanned in one pass, if what work groups tell each other can be
// bound.
[[nodiscard]] bool prefers_look_back(form shape, const operation& op, const limits& device);
// The stages that scans by the tree of every length take, or those of the totals of segments.
[[nodiscard]] std::vector<stage> scan_stages(form shape, const operation& op, const limits& device,
                                             bool totals = false);
// And those that total sequences of every length.
[[nodiscard]] std::vector<stage> total_stages();

// Throws upsweep::error (invalid_argument) for offsets that are not such multiples, an exclusive scan or a
// total without initial value under an operator without identity, an inclusive scan or no identity with
// Blelloch's algorithm; (unsupported) for what exceeds the device: a workspace above binding_bytes, a length
// from a buffer of 2^32 or more. Empty if there is nothing to do.
[[nodiscard]] std::vector<dispatch> plan_scan(const scan_request& request, const limits& device);

// A scan of a sequence in segments: its description (resource::flags) becomes heads, one bit an element, and
// the pairs (head, value) are scanned.
struct segment_description {
    // By a uint an element, which is not zero where a segment begins; by uints in any order, where segments
    // begin besides 0; by keys, runs of which that are equal are segments.
    segments_by kind = segments_by::head_flags;
    std::uint32_t key_words = 1;    // 1 or 2
    bool floating_keys = false;     // compared as floating-point numbers: no NaN equals anything, -0 is +0
    std::uint64_t count = 0;        // of flags, offsets or keys
    std::uint64_t offset = 0;       // bytes, a multiple of the size of one
    const char* name = "segments";  // of the caller's argument
};
struct segmented_request {
    scan_request scan{};  // heads_offset is set by the plan
    segment_description segments{};
};
// Never decreases with the length; at least 4.
[[nodiscard]] std::uint64_t segmented_workspace_bytes(const operation& op, std::uint64_t length,
                                                      const limits& device);
// Throws as plan_scan does, and (invalid_argument) for a number of flags or keys that is not the scan's
// length, or no offset; (unsupported) for offsets in a sequence of 2^32 elements or more, or so many of
// them.
[[nodiscard]] std::vector<dispatch> plan_segmented_scan(const segmented_request& request,
                                                        const limits& device);

// One result for each segment, or for each run of equal keys. First keys go from resource::flags, which
// describes the segments, to resource::moved_values; totals, lengths, or first ones among the records of
// resource::input go to resource::output. By flags and keys the number of segments goes, as the arguments of
// a compaction (UPSWEEP_A_...), to resource::total.
struct runs_request {
    segment_description segments{};
    std::uint64_t length = 0;       // elements, below 2^32; with length_in_buffer the most that there can be
    bool length_in_buffer = false;  // not by offsets
    run_values values = run_values::totals;
    operation op{};  // of totals
    bool has_initial = false;
    std::array<std::uint32_t, 4> initial{};
    std::uint32_t record_words = 1;  // of first ones
    bool has_keys = false;           // the first key of each
    std::uint64_t room = 0;          // results; by offsets one for each segment
    std::uint64_t keys_room = 0;
    std::uint32_t vertices = 0;  // see compact_request
    std::uint32_t group_items = 256;
    std::uint64_t input_offset = 0;
    std::uint64_t output_offset = 0;
    std::uint64_t keys_offset = 0;
    std::uint64_t workspace_offset = 0;
    std::uint64_t arguments_offset = 0;
    std::uint64_t length_offset = 0;
};
// What the caller's arguments are called: where the values go, and the first keys.
[[nodiscard]] const char* results_name(run_values values);
[[nodiscard]] const char* keys_out_name(run_values values);
// It never decreases with the length, nor with the number of results that there is room for. At least 4.
[[nodiscard]] std::uint64_t runs_workspace_bytes(const runs_request& request, const limits& device);
// Heads; the scan of their counts, as they are votes for first elements and keys; where there are totals, the
// scan of segments up to segment_totals; what compact moves by the votes. By offsets the votes are those
// for segments with elements, whose numbers compact writes. Throws upsweep::error as plan_segmented_scan
// does, and (invalid_argument) by offsets if there is not room for one result each, or for an operator
// without an identity if there is no initial value, since the host does not know of empty segments;
// (unsupported) if there are 2^32 elements or more, or if what is written exceeds binding_bytes.
[[nodiscard]] std::vector<dispatch> plan_runs(const runs_request& request, const limits& device);

// A scan along an axis. Offsets are bytes from the start of the buffers to the elements from which the
// geometry counts, multiples of their size; of the workspace a multiple of
// workspace_alignment(limits). All elements lie behind the buffers' starts.
struct axis_request {
    operation op{};
    core::axis_geometry geometry;
    bool only_totals = false;  // one result a sequence, its total: out_stride is 0
    bool exclusive = false;
    bool reverse = false;
    bool has_initial = false;
    std::array<std::uint32_t, 4> initial{};
    axis_way way = axis_way::automatic;
    std::uint64_t input_offset = 0;
    std::uint64_t output_offset = 0;
    std::uint64_t workspace_offset = 0;
};
// The way that `automatic` takes.
[[nodiscard]] axis_way choose_axis_way(const axis_request& request, const limits& device);
// Bytes of workspace that such a scan needs, wherever the workspace is; at least 4. Throws as plan_axis_scan
// does.
[[nodiscard]] std::uint64_t axis_workspace_bytes(const axis_request& request, const limits& device);
// Throws upsweep::error (invalid_argument) for offsets that are not such multiples and an exclusive scan
// without initial value under an operator without identity, or totals of no elements; (unsupported) for what
// exceeds the device, as by the way `tiles` a tile whose elements are further apart than can be bound at
// once. Empty if there is nothing to do.
[[nodiscard]] std::vector<dispatch> plan_axis_scan(const axis_request& request, const limits& device);

// Items are chosen by a flag each (resource::flags, a uint, nonzero = keep) or by the user's keep(); what is
// moved are records of `record_words` words (resource::input to resource::output), indices (record_words = 0,
// output only) or what the user's move() moves. Arguments (UPSWEEP_A_...) go to resource::total.
struct compact_request {
    std::uint64_t items = 0;  // below 2^32; with length_in_buffer the most that there can be
    bool length_in_buffer = false;
    bool partition = false;   // rejected items follow, in order
    bool user_items = false;  // keep() and move() are the user's: flags, input and output are not bound
    std::uint32_t record_words = 1;
    std::uint32_t capacity =
        0xffffffffu;             // compact writes at most so many, and the arguments count at most so many
    std::uint32_t vertices = 0;  // see UPSWEEP_P_VERTICES
    std::uint32_t group_items = 256;      // for the dispatch arguments
    std::array<std::uint32_t, 4> user{};  // UPSWEEP_P_USER
    std::uint64_t flags_offset = 0;
    std::uint64_t input_offset = 0;
    std::uint64_t output_offset = 0;
    std::uint64_t workspace_offset = 0;
    std::uint64_t arguments_offset = 0;
    std::uint64_t length_offset = 0;
};

[[nodiscard]] std::uint64_t compact_workspace_bytes(std::uint64_t items, const limits& device);
// Two or more stages: vote, a scan of the counts (dispatch::counts), compact. Throws upsweep::error as
// plan_scan does, and (unsupported) if flags, records or votes exceed binding_bytes.
[[nodiscard]] std::vector<dispatch> plan_compact(const compact_request& request, const limits& device);

// The records of resource::input, or their indices (record_words = 0), go to resource::output, each as often
// as its word of resource::flags says; or, by offsets, as often as the next word there is more than its own.
// Arguments (UPSWEEP_A_...) go to resource::total: all results are found, those that were left out rejected.
struct repeat_request {
    std::uint64_t elements = 0;     // with length_in_buffer the most that there can be
    bool length_in_buffer = false;  // not by offsets
    bool by_offsets = false;
    std::uint64_t counts = 0;  // words of resource::flags
    std::uint32_t record_words = 1;
    std::uint64_t room = 0;      // results
    std::uint32_t vertices = 0;  // see compact_request
    std::uint32_t group_items = 256;
    std::uint64_t input_offset = 0;
    std::uint64_t counts_offset = 0;
    std::uint64_t output_offset = 0;
    std::uint64_t workspace_offset = 0;
    std::uint64_t arguments_offset = 0;
    std::uint64_t length_offset = 0;
};

// By counts; offsets need none. It never decreases with the number of elements.
[[nodiscard]] std::uint64_t repeat_workspace_bytes(std::uint64_t elements, const limits& device);
// A scan of the counts, unless there are offsets, and repeat. Throws upsweep::error as plan_scan does, and
// (invalid_argument) for another number of counts or offsets; (unsupported) if there are 2^32 elements or
// more, or if records, offsets or results exceed binding_bytes.
[[nodiscard]] std::vector<dispatch> plan_repeat(const repeat_request& request, const limits& device);

// Keys are words of resource::input. Sorted, they go to resource::output, with the values, records of
// shape.value_words words, from resource::values to resource::moved_values; or their indices, words, go to
// resource::output.
struct sort_request {
    sort_shape shape{};
    core::key_order order{};  // of keys of 4 * shape.key_words bytes
    std::uint64_t items = 0;  // below 2^32; with length_in_buffer the most that there can be
    bool length_in_buffer = false;
    bool keys_in_place = false;  // with values: output is input
    std::uint64_t input_offset = 0;
    std::uint64_t output_offset = 0;
    std::uint64_t values_offset = 0;
    std::uint64_t moved_values_offset = 0;
    std::uint64_t workspace_offset = 0;
    std::uint64_t length_offset = 0;
};

// It never decreases with the number of items.
[[nodiscard]] std::uint64_t sort_workspace_bytes(const sort_shape& shape, std::uint64_t items,
                                                 const limits& device);
// Of more than limits::merged_keys for each byte of a key sort_count, a scan of the counts (dispatch::counts)
// and sort_move; then sort_gather for values of more than a word, twice in place. Of fewer what
// plan_segmented_sort has for one segment, without its heads, if its scratch can be bound. Output and input
// may be the same, and so may the values.
// Throws upsweep::error as plan_scan does, and (unsupported) if keys, values or counts exceed binding_bytes.
// Empty if there are no items.
[[nodiscard]] std::vector<dispatch> plan_sort(const sort_request& request, const limits& device);

// A sort of every segment by itself (resource::flags), with the resources of a sort.
struct segmented_sort_request {
    sort_request sort{};
    segment_description segments{};
};
// It never decreases with the number of items. At least 4.
[[nodiscard]] std::uint64_t segmented_sort_workspace_bytes(const sort_shape& shape, std::uint64_t items,
                                                           const limits& device);
// mark_heads, for offsets mark_offsets; segment_sort; segment_merge as often as the number of tiles, of 2048
// words of keys, can be halved; with values sort_gather for keys and for values, each twice in place. Throws
// as plan_sort and plan_segmented_scan do, (invalid_argument) for a length in a buffer with offsets,
// (unsupported) also if keys with an index each exceed binding_bytes. Empty if there are no items.
[[nodiscard]] std::vector<dispatch> plan_segmented_sort(const segmented_sort_request& request,
                                                        const limits& device);

// Elements (resource::input) are counted by bin into 32-bit words (resource::output): by `bounds`, or by the
// user's bin(), which input is not bound for.
struct histogram_request {
    bin_bounds bounds{};
    bool user_bins = false;
    std::uint64_t bins = 0;    // not 0; with bounds their count
    std::uint64_t length = 0;  // below 2^32; with length_in_buffer the most that there can be
    bool length_in_buffer = false;
    std::array<std::uint32_t, 4> user{};  // UPSWEEP_P_USER
    std::uint64_t input_offset = 0;
    std::uint64_t counts_offset = 0;
    std::uint64_t workspace_offset = 0;
    std::uint64_t length_offset = 0;
};
struct bin_plan {
    // The thresholds of the bins, which the host writes to the beginning of the workspace before the first
    // dispatch. Nothing with the user's bins.
    std::vector<std::uint32_t> table;
    std::vector<dispatch> dispatches;
};

// Never decreases with the number of bins. At least 4.
[[nodiscard]] std::uint64_t histogram_workspace_bytes(std::uint32_t element_words, std::uint64_t bins);
// clear_counts, then count_bins if there are elements. Throws upsweep::error as plan_scan does, and
// (unsupported) if there are 2^32 elements or more, or if counts or thresholds exceed binding_bytes.
[[nodiscard]] bin_plan plan_histogram(const histogram_request& request, const limits& device);

// The items of each bin go from resource::input, as records of record_words words, or as indices
// (record_words = 0), to resource::output, those of bin 0 first; where each bin begins, and the last one
// ends, to resource::total.
struct bins_request {
    bin_bounds bounds{};
    bool user_bins = false;
    std::uint64_t bins = 0;   // not 0; with bounds their count
    std::uint64_t items = 0;  // below 2^32; with length_in_buffer the most that there can be
    bool length_in_buffer = false;
    std::uint32_t record_words = 0;  // with bounds those of an element, or 0
    std::uint64_t room = 0;          // items that the output has room for
    std::array<std::uint32_t, 4> user{};
    std::uint64_t input_offset = 0;
    std::uint64_t output_offset = 0;
    std::uint64_t offsets_offset = 0;
    std::uint64_t workspace_offset = 0;
    std::uint64_t length_offset = 0;
};

// table_words: of a threshold, 0 with the user's bins. Never decreases with the number of items.
[[nodiscard]] std::uint64_t bins_workspace_bytes(std::uint32_t table_words, std::uint64_t bins,
                                                 std::uint64_t items, const limits& device);
// For up to 256 bins one stable split: bins_count, a scan of the counts, bins_move, bins_offsets. For more
// the counts of a histogram and their scan, then bins_number, a sort by the numbers of bins, from digit to
// digit, of eight bits each, and sort_gather. No items: clear_counts. Throws upsweep::error as plan_scan
// does, and (unsupported) if there are 2^32 items or more, or if anything exceeds binding_bytes.
[[nodiscard]] bin_plan plan_bins(const bins_request& request, const limits& device);

}  // namespace upsweep::shader
