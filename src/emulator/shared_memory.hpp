// The shared memory of one emulated block and what is remembered of its accesses: which bytes have been
// written, and who has accessed them since the last barrier of the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/emulator/report.hpp"
#include "upsweep/emulator/thread.hpp"

namespace upsweep::emulator {

// One access, as far as races are concerned.
struct shared_access {
    actor who;
    unsigned warp = 0;
    unsigned warp_phase = 0;  // of this warp: two of its accesses are ordered if these differ
};

class shared_memory {
  public:
    // Every byte unwritten and 0xa5.
    explicit shared_memory(std::size_t bytes);
    void reset();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::byte* at(std::size_t offset) { return memory_ + offset; }

    // Whether a read of the cell sees a byte that nobody has written.
    [[nodiscard]] bool unwritten(const shared_cell& cell) const;
    // Remembers an access to the cell; returns an earlier one that nothing orders with it, if there is one.
    std::optional<actor> note(const shared_cell& cell, const shared_access& access);
    // The block's barrier: orders everything before it before everything after it.
    void pass_barrier();

  private:
    static constexpr std::size_t unit_bytes = 4;
    static constexpr std::uint32_t none = 0xffffffff;

    // What has been done to 4 bytes of memory since the last barrier: two lists, through `nodes_`.
    struct unit {
        std::uint32_t phase = 0;
        std::uint32_t reads = none;
        std::uint32_t writes = none;  // and atomics
    };
    struct node {
        std::uint32_t access;
        std::uint32_t next;
        std::uint8_t bytes;  // bit k: byte k of the unit
    };

    [[nodiscard]] const shared_access* find_unordered(std::uint32_t list, const shared_access& access,
                                                      unsigned bytes) const;

    std::size_t size_;
    std::vector<std::byte> storage_;
    std::byte* memory_;  // into storage_, aligned to shared_alignment
    std::vector<bool> written_;
    std::vector<unit> units_;
    std::uint32_t phase_ = 0;
    // Since the last barrier
    std::vector<shared_access> accesses_;
    std::vector<node> nodes_;
};

}  // namespace upsweep::emulator
