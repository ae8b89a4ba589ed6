// Where CUDA scans run: a stream, and the scratch memory of its scans.
//
// Scans on one executor run one after the other, in stream order, without synchronising the host. The stream
// outlives the executor. Use one executor a stream; executors of different streams may run at the same time.
// Not thread-safe: calls through one executor come from one thread at a time.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/launch_state.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cuda {

// How a one-dimensional scan runs; the bits are the same (docs/cuda-design.md).
enum class algorithm {
    automatic,         // chosen by device, types and length: tuning.hpp
    look_ahead,        // one pass, compute capability 9.0 or later
    look_back,         // one pass
    reduce_then_scan,  // four kernels, of which no block waits for another
};
[[nodiscard]] const char* name(algorithm choice);

// How an axis scan runs; the bits are the same (docs/cuda-design.md).
enum class axis_way {
    automatic,      // chosen by shape and strides: tuning.hpp
    lanes,          // a lane a sequence
    word_lanes,     // a lane as many sequences of one- or two-byte elements as a word has
    turned_lanes,   // the same, turned on the way to and from memory
    chunked_lanes,  // the same, 16 bytes at a time
    rows,           // a lane a row of the tree, read twice
    columns,        // a lane a row of the tree, read once
    lines,          // a block a sequence
    line_tiles,     // a block a tile
    lines_ahead,    // one look-ahead for all sequences
    line_by_line,   // one one-dimensional scan after the other
    short_lines,    // a lane a run of a sequence, of short ones that follow one another
    packed_lanes,   // a lane a sequence of such, which pass through shared memory as they lie
};
[[nodiscard]] const char* name(axis_way way);

// Throws upsweep::error: errc::out_of_memory or errc::device, with CUDA's name and words for `status`.
[[noreturn]] void throw_status(cudaError_t status, const std::string& doing);
inline void check(cudaError_t status, const char* doing) {
    if (status != cudaSuccess) throw_status(status, doing);
}
// Frees memory in the order of that device's stream, whichever device is current: the default stream, null,
// is the current one's. A failure means that the device is lost, and the memory with it.
void free_in_order(void* data, cudaStream_t stream, int device) noexcept;

class executor {
  public:
    // Scratch grows on demand with cudaMallocAsync and is kept; a call that needs no more than an earlier one
    // allocates nothing. Calls while the stream is being captured give the graph scratch of its own, so that
    // graphs may be replayed concurrently.
    // The device is the stream's; or the current one for the default stream, and for one that is being
    // captured, of which CUDA does not tell. Throws upsweep::error (device) if there is no usable device or
    // the stream is not valid, and unsupported if look_ahead is asked for where the device lacks it.
    explicit executor(cudaStream_t stream = nullptr, algorithm choice = algorithm::automatic);
    // Uses the caller's scratch, aligned to 256 bytes, at least scan_workspace_bytes() of every call; it is
    // cleared here, in stream order. A call that needs more throws upsweep::error (out_of_memory); nothing is
    // ever allocated. Graphs captured through such an executor share its scratch: replay them one at a time.
    executor(cudaStream_t stream, device_span<std::byte> workspace, algorithm choice = algorithm::automatic);
    executor(executor&&) noexcept;
    executor& operator=(executor&&) noexcept;
    ~executor();

    // Scratch comes from this pool of the stream's device from the next allocation on, instead of the
    // device's default one, which gives freed memory back whenever the host waits; null: from the default
    // pool. The pool outlives the executor and the graphs that are captured through it.
    void set_memory_pool(cudaMemPool_t pool) { pool_ = pool; }

    [[nodiscard]] cudaStream_t stream() const { return stream_; }
    [[nodiscard]] int device() const { return device_; }
    [[nodiscard]] algorithm choice() const { return choice_; }
    // 10 * major + minor.
    [[nodiscard]] int compute_capability() const { return compute_capability_; }
    [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
    // Bytes of shared memory that a block may have.
    [[nodiscard]] int shared_memory() const { return shared_memory_; }
    // Bytes of the L2 cache.
    [[nodiscard]] int cache_bytes() const { return cache_bytes_; }
    [[nodiscard]] std::size_t workspace_bytes() const { return workspace_.bytes; }
    // The algorithm of the latest call that has a choice of them; `automatic` before the first.
    [[nodiscard]] algorithm latest() const { return latest_; }

    // Until all work of the stream is done. Throws upsweep::error (device) for errors of earlier work.
    void wait();

    // ---- for engines
    // ----------------------------------------------------------------------------------------

    // Scratch of one call: a launch_state, and words that are zero or tagged (tile_state.cuh), as every call
    // leaves them; so whoever writes anything else clears it. Returned by release_scratch in the same call,
    // see held_scratch.hpp.
    struct scratch {
        void* data = nullptr;
        std::size_t bytes = 0;
        enum { kept, captured, to_be_cleared } state = kept;  // captured: belongs to the graph
    };
    [[nodiscard]] scratch take_scratch(std::size_t bytes);
    // Scratch that may hold anything, in front and afterwards, and is other memory than what take_scratch
    // gives. Of the caller's workspace it is the end, where at least the first `other` bytes are left, a
    // multiple of 256 that is not 0: there the launch_state is. It is cleared when it is released, since
    // tagged words of a later call may come to lie there. One at a time.
    [[nodiscard]] scratch take_plain_scratch(std::size_t bytes, std::size_t other = launch_state_bytes);
    // Scratch for tables of a call that others of its launches look up: that of neither of the above. Only
    // where allocates().
    [[nodiscard]] scratch take_table_scratch(std::size_t bytes) { return take_own(tables_, bytes, false); }
    void release_scratch(const scratch& used);
    // All words behind the launch_state of what take_scratch gives, in front of plain scratch that is in use:
    // what the launch with the last tag clears.
    [[nodiscard]] std::uint64_t tagged_words() const {
        const std::size_t end = plain_at_ != 0 ? plain_at_ : workspace_.bytes;
        return end > launch_state_bytes ? (end - launch_state_bytes) / sizeof(std::uint64_t) : 0;
    }
    void set_latest(algorithm used) { latest_ = used; }
    // Whether calls may allocate: not with scratch of the caller's.
    [[nodiscard]] bool allocates() const { return owns_workspace_; }
    // Memory in the stream's order, which cudaFreeAsync gives back.
    [[nodiscard]] cudaError_t allocate(void** data, std::size_t bytes) const;
    // Throws upsweep::error (device) for a sticky error of earlier work.
    void check_before_launch() const;
    // Throws upsweep::error (invalid_argument) unless p is memory that this executor's device can use, pinned
    // host memory too, or may be some that a graph being captured allocates. The last four pointers that
    // passed are not asked about again, as long as the executor lives: the driver takes a tenth of a
    // microsecond for each.
    void check_pointer(const void* p, const char* argument);
    // How many tiles look-back sums ahead of its scan, whatever the length and the alignment, where the types
    // let it: a multiple of 64, or 0 for none.
    // Unless set, the cache and the length decide. For tests; no bit of a result depends on it.
    void set_tiles_ahead(std::optional<unsigned> tiles) { tiles_ahead_ = tiles; }
    [[nodiscard]] std::optional<unsigned> tiles_ahead() const { return tiles_ahead_; }
    // Whether partitions count what is chosen in a launch of its own, also where one could do both. For
    // tests; no bit of a result depends on it.
    void set_counts_first(bool counts) { counts_first_ = counts; }
    [[nodiscard]] bool counts_first() const { return counts_first_; }
    // How axis scans run, unless that is left to shape and strides; a call throws upsweep::error
    // (unsupported) where its arrays cannot be scanned so. For tests; no bit of a result depends on it.
    void set_axis_way(axis_way way) { axis_way_ = way; }
    [[nodiscard]] axis_way chosen_axis_way() const { return axis_way_; }
    // How the latest axis scan ran; `automatic` before the first.
    [[nodiscard]] axis_way latest_axis_way() const { return latest_axis_way_; }
    void set_latest_axis_way(axis_way used) { latest_axis_way_ = used; }
    // Whether the process sees one device alone, which is then the current one.
    [[nodiscard]] bool has_only_device() const { return only_device_; }

  private:
    // Memory that grows on demand.
    struct memory {
        void* data = nullptr;
        std::size_t bytes = 0;
    };
    void read_device();
    void free_all() noexcept;
    void free_memory(memory& held) noexcept;
    scratch take_own(memory& held, std::size_t bytes, bool clears);

    cudaStream_t stream_ = nullptr;
    algorithm choice_ = algorithm::automatic;
    algorithm latest_ = algorithm::automatic;
    int device_ = 0;
    int compute_capability_ = 0;
    int multiprocessors_ = 0;
    int shared_memory_ = 0;
    int cache_bytes_ = 0;
    std::optional<unsigned> tiles_ahead_;
    bool counts_first_ = false;
    axis_way axis_way_ = axis_way::automatic;
    axis_way latest_axis_way_ = axis_way::automatic;
    bool only_device_ = false;
    std::array<const void*, 4> passed_{};  // by check_pointer, the latest
    std::size_t next_passed_ = 0;
    memory workspace_, plain_, tables_;
    bool owns_workspace_ = true;
    std::size_t plain_at_ = 0;  // where, of the caller's workspace, plain scratch is in use; 0: nowhere
    cudaMemPool_t pool_ = nullptr;
};

}  // namespace upsweep::cuda
