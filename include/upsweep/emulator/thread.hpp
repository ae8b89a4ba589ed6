// One emulated thread as seen by the groups of emulator/block.hpp: where it is, and the operations at which
// the emulator takes notice of it. Kernels use the groups, not this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/emulator/trace.hpp"

namespace upsweep::emulator {

class block_run;

// A piece of shared memory that holds one value.
struct shared_cell {
    std::size_t offset;  // bytes from the beginning of the block's shared memory
    std::size_t bytes;
    value_type type;
};

class thread_context {
  public:
    thread_context(block_run& run, unsigned thread) : run_(&run), thread_(thread) {}

    [[nodiscard]] unsigned thread() const { return thread_; }
    [[nodiscard]] unsigned block_size() const;
    [[nodiscard]] unsigned warp_width() const;
    [[nodiscard]] unsigned block_index() const;
    [[nodiscard]] unsigned block_count() const;

    void sync_block(source_line where);
    void sync_warp(source_line where);
    // `received` becomes the `bytes` bytes at `sent` of lane `source`. All lanes send equally many.
    void shuffle(const void* sent, void* received, std::size_t bytes, value_type type, unsigned source,
                 source_line where);
    [[nodiscard]] std::uint64_t ballot(bool predicate, source_line where);

    // Views are checked when they are made, elements when they are used.
    void check_view(std::size_t offset, std::size_t bytes, std::size_t alignment, source_line where);
    void check_index(std::size_t index, std::size_t size, std::size_t offset, std::size_t bytes,
                     operation what, source_line where);
    void load(const shared_cell& cell, void* to, source_line where);
    void store(const shared_cell& cell, const void* from, source_line where);
    // The cell's memory, for an addition of the value at `operand`.
    [[nodiscard]] std::byte* fetch_add(const shared_cell& cell, const void* operand, source_line where);

    // Around an atomic access to global memory: other threads run first. A load alone is no progress.
    void meet_global(bool loads, source_line where);

  private:
    block_run* run_;
    unsigned thread_;
};

}  // namespace upsweep::emulator
