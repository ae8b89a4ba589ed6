// The OpenGL executor: scans, totals, compactions, repetitions, sorts, histograms and bins in the caller's
// context, on the caller's buffer objects.
//
// - Context: the executor is made, used and destroyed while one OpenGL 4.3 (or later, core or compatibility)
//   or OpenGL ES 3.1 context, or contexts that share objects with it, are current on the calling thread. It
//   never makes a context.
// - State: every call leaves the context as it found it, the indexed storage buffer bindings included. It
//   reads nothing back, except where a function says so, and flushes nothing. glGetError is never called, so
//   errors of the caller's stay where they are. No transform feedback may be active and unpaused.
// - Order: calls are ordered with all other commands of the context. Each begins with
//   glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT), so it sees what shaders wrote before, and ends with
//   glMemoryBarrier(GL_ALL_BARRIER_BITS), so its results may be used as anything.
// - Memory: one scratch buffer, which grows when a call needs more; see reserve(). Programs are compiled at
//   first use and kept; see prepare() in scan.hpp and prepare_sort() in sort.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "upsweep/gl/buffers.hpp"
#include "upsweep/gl/loader.hpp"
#include "upsweep/shader/axis_way.hpp"
#include "upsweep/shader/bins.hpp"
#include "upsweep/shader/conformance.hpp"
#include "upsweep/shader/operation.hpp"
#include "upsweep/shader/segments.hpp"
#include "upsweep/shader/sequence_way.hpp"
#include "upsweep/shader/sort.hpp"

namespace upsweep::gl {

enum class scan_algorithm : std::uint8_t {
    tree,      // the bits of docs/numerics.md
    blelloch,  // exclusive, in blocks of 2 * work_group_size; the same bits for exact operators, others for
               // the rest
};

using shader::sequence_way;

struct executor_options {
    // Limits lower than the device's, to see how work is divided; 0 takes the device's.
    std::uint32_t max_groups_x = 0;
    std::uint32_t max_groups_y = 0;
    std::uint64_t max_binding_bytes = 0;
    sequence_way way = sequence_way::automatic;  // of scans of sequences, docs/shaders.md
    // Of look_back: how often a work group asks for a total before it computes it, 0 for 256; and whether the
    // last tile comes first, so that no total is there yet.
    std::uint32_t max_polls = 0;
    bool last_tile_first = false;
    // A sort of up to so many keys of a word, or four times as many of two, merges sorted tiles; one of more
    // splits by digits: docs/shaders.md.
    std::uint64_t merged_keys = shader::most_merged_keys;
};

struct device_info {
    std::string vendor, renderer, version;  // GL_VENDOR, GL_RENDERER, GL_VERSION
    bool es = false;
    int major = 0, minor = 0;
    bool float64 = false;                              // sums and products of double can be computed
    std::uint32_t max_groups_x = 0, max_groups_y = 0;  // of a dispatch
    std::uint64_t max_binding_bytes = 0;               // of a storage buffer binding
    std::uint64_t binding_alignment = 1;               // of its offset, bytes
};

// A scan, total, compaction, repetition, sort or histogram without types, as scan.hpp, reduce.hpp,
// segmented_scan.hpp, segmented_reduce.hpp, segmented_sort.hpp, unique.hpp, axis_scan.hpp, axis_reduce.hpp,
// compact.hpp, repeat.hpp, sort.hpp, top_k.hpp, histogram.hpp and bins.hpp hand it over.
struct scan_call {
    shader::operation op{};
    std::uint32_t user_text = 0;  // number of a user's operator; 0: built in
    buffer_region in{}, out{}, total{}, length{}, workspace{};
    std::uint64_t size = 0;  // elements
    bool exclusive = false, reverse = false, has_initial = false;
    std::array<std::uint32_t, 4> initial{};
    scan_algorithm algorithm = scan_algorithm::tree;
    std::uint32_t work_group_size = 256;
};
struct reduce_call {
    shader::operation op{};
    std::uint32_t user_text = 0;
    buffer_region in{}, out{}, length{}, workspace{};
    std::uint64_t size = 0;  // elements
    bool has_initial = false;
    std::array<std::uint32_t, 4> initial{};
};
struct segmented_call {
    shader::operation op{};
    std::uint32_t user_text = 0;
    shader::segments<std::uint32_t> segments{};
    buffer_region in{}, out{}, workspace{};
    std::uint64_t size = 0;  // elements
    bool exclusive = false, reverse = false, has_initial = false;
    std::array<std::uint32_t, 4> initial{};
};
// One result for each segment, or for each run of equal keys.
struct runs_call {
    shader::run_values values = shader::run_values::none;
    shader::operation op{};  // of totals
    std::uint32_t user_text = 0;
    bool has_initial = false;
    std::array<std::uint32_t, 4> initial{};
    shader::segments<std::uint32_t> segments{};
    const char* described = "segments";  // what the caller calls them: "keys"
    buffer_region in{}, out{}, keys_out{}, arguments{}, length{}, workspace{};
    std::uint64_t size = 0;          // elements
    std::uint32_t record_words = 0;  // of first elements
    bool has_keys = false;           // keys_out is wanted
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
};
struct axis_call {
    struct array {
        std::uint32_t buffer;
        std::uint64_t offset;  // bytes
        std::span<const std::int64_t> shape, strides;
    };
    shader::operation op{};
    std::uint32_t user_text = 0;
    array in{}, out{};
    int axis = 0;
    bool only_totals = false;  // one result a sequence: `out` lacks the axis
    bool exclusive = false, reverse = false, has_initial = false;
    std::array<std::uint32_t, 4> initial{};
    shader::axis_way way = shader::axis_way::automatic;
    buffer_region workspace{};
};
struct compact_call {
    std::uint32_t user_text = 0;  // number of a user's items; 0: flags and records
    buffer_region flags{}, in{}, out{}, arguments{}, length{}, workspace{};
    std::uint64_t size = 0;  // items
    bool partition = false;
    std::uint32_t record_words = 0;  // 0: indices are written
    std::uint32_t maximum = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
    std::array<std::uint32_t, 4> user{};
};
// Elements, each as often as its count says.
struct repeat_call {
    buffer_region in{}, counts{}, out{}, arguments{}, length{}, workspace{};
    bool by_offsets = false;         // counts are the offsets of segments
    std::uint64_t size = 0;          // elements
    std::uint32_t record_words = 0;  // 0: indices are written
    std::uint32_t vertices_per_instance = 0;
    std::uint32_t items_per_group = 256;
};
struct sort_call {
    core::key_order order{};
    shader::sort_shape shape{};                                 // values_in_place is found out
    std::optional<shader::segments<std::uint32_t>> segments{};  // each sorted by itself
    buffer_region in{}, out{}, values{}, values_out{}, length{}, workspace{};
    std::uint64_t size = 0;  // keys
};
// The first elements of a sorted order.
struct top_k_call {
    core::key_order order{};
    shader::sort_shape shape{};
    buffer_region in{}, out{}, values{}, values_out{}, length{}, workspace{};
    std::uint64_t rows = 1;
    std::uint64_t size = 0;    // keys of a row
    std::uint64_t wanted = 0;  // of them
};
struct histogram_call {
    shader::bin_bounds bounds{};
    std::uint32_t user_text = 0;  // number of a user's bins, which replace the bounds; 0: none
    buffer_region in{}, counts{}, length{}, workspace{};
    std::uint64_t size = 0;  // elements or items
    std::uint64_t bins = 0;
    std::array<std::uint32_t, 4> user{};
};
struct bins_call {
    shader::bin_bounds bounds{};
    std::uint32_t user_text = 0;  // number of a user's bins, which replace the bounds; 0: none
    buffer_region in{}, out{}, offsets{}, length{}, workspace{};
    std::uint64_t size = 0;  // elements or items
    std::uint64_t bins = 0;
    std::uint32_t record_words = 0;  // 0: indices are written
    std::array<std::uint32_t, 4> user{};
};

class executor {
  public:
    // Throws upsweep::error: invalid_argument if `loader` does not find the functions; unsupported if the
    // context has no compute shaders.
    explicit executor(const function_loader& loader, const executor_options& options = {});
    executor(executor&&) noexcept;
    executor& operator=(executor&&) noexcept;
    ~executor();

    [[nodiscard]] const device_info& device() const;
    // Whether this operation can be computed here: sums and products of double need OpenGL, not ES.
    [[nodiscard]] bool supports(const shader::operation& op) const;
    // Whether the driver computes the bits of docs/numerics.md. The first call compares a few thousand sums
    // and products with the CPU's, and waits for them.
    [[nodiscard]] const shader::conformance& conformance();

    // Scratch of at least so many bytes from now on, so that calls that need no more allocate nothing. Throws
    // errc::out_of_memory.
    void reserve(std::uint64_t bytes);
    // Of scans, and of totals, which need no more.
    [[nodiscard]] std::uint64_t scan_workspace_bytes(const shader::operation& op, std::uint64_t size,
                                                     scan_algorithm algorithm = scan_algorithm::tree,
                                                     std::uint32_t work_group_size = 256) const;
    [[nodiscard]] std::uint64_t segmented_workspace_bytes(const shader::operation& op,
                                                          std::uint64_t size) const;
    // Of segmented_reduce and reduce_by_key; with the number of segments where they are given by offsets.
    [[nodiscard]] std::uint64_t segmented_reduce_workspace_bytes(const shader::operation& op,
                                                                 std::uint64_t size) const;
    [[nodiscard]] std::uint64_t segmented_reduce_workspace_bytes(const shader::operation& op,
                                                                 std::uint64_t size,
                                                                 std::uint64_t segments) const;
    // Of unique and unique_by_key; with the lengths that there is room for, of run_length_encode.
    [[nodiscard]] std::uint64_t runs_workspace_bytes(std::uint64_t size) const;
    [[nodiscard]] std::uint64_t runs_workspace_bytes(std::uint64_t size, std::uint64_t lengths) const;
    [[nodiscard]] std::uint64_t compact_workspace_bytes(std::uint64_t items) const;
    // By counts; offsets need none.
    [[nodiscard]] std::uint64_t repeat_workspace_bytes(std::uint64_t size) const;
    [[nodiscard]] std::uint64_t sort_workspace_bytes(const shader::sort_shape& shape,
                                                     std::uint64_t size) const;
    [[nodiscard]] std::uint64_t segmented_sort_workspace_bytes(const shader::sort_shape& shape,
                                                               std::uint64_t size) const;
    [[nodiscard]] std::uint64_t top_k_workspace_bytes(const shader::sort_shape& shape, std::uint64_t rows,
                                                      std::uint64_t size, std::uint64_t wanted) const;
    [[nodiscard]] std::uint64_t histogram_workspace_bytes(shader::element_type type,
                                                          std::uint64_t bins) const;
    [[nodiscard]] std::uint64_t bins_workspace_bytes(shader::element_type type, std::uint64_t bins,
                                                     std::uint64_t size) const;
    // With user_bins.
    [[nodiscard]] std::uint64_t bins_by_workspace_bytes(std::uint64_t bins, std::uint64_t size) const;
    // Where a workspace of the caller's may begin, in bytes.
    [[nodiscard]] std::uint64_t workspace_alignment() const;

    // Called after the commands of each stage have been issued, with the stage's name ("tile_scan";
    // docs/shaders.md): the place for timestamps. It must not call the executor.
    void observe(std::function<void(std::string_view stage)> observer);

    // Used by the headers named above and user.hpp. Throw upsweep::error before anything is issued.
    void run(const scan_call& call);
    void run(const reduce_call& call);
    void run(const segmented_call& call);
    void run(const runs_call& call);
    void run(const axis_call& call);
    void run(const compact_call& call);
    void run(const repeat_call& call);
    void run(const sort_call& call);
    void run(const top_k_call& call);
    void run(const histogram_call& call);
    void run(const bins_call& call);
    // Compiles what a scan of that many elements needs.
    void compile(const scan_call& call);
    // And what the total of any number needs.
    void compile(const reduce_call& call);
    // And what sorts of such keys need, whatever goes along with them.
    void compile(const sort_call& call);
    void compile(const top_k_call& call);
    // And what scans along axes, or of segments, need.
    void compile(const axis_call& call);
    void compile(const segmented_call& call);
    // Or what these calls need, by offsets too.
    void compile(const runs_call& call);
    // Or what all repetitions need.
    void compile(const repeat_call& call);
    [[nodiscard]] std::uint64_t axis_workspace_bytes(const axis_call& call) const;
    // What a histogram, or an extraction of any number of bins, of such elements needs.
    void compile_histogram(shader::element_type type);
    void compile_bins(shader::element_type type);
    // Number a user's text, which is compiled at once.
    std::uint32_t add_operator(const shader::operation& op, std::string text);
    std::uint32_t add_items(std::string text);
    std::uint32_t add_bins(std::string text);

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace upsweep::gl
