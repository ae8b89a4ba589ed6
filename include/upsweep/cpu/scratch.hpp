// Memory for a chunk between the two halves of its scan, kept by threads from call to call: allocating it
// anew would cost a page fault every 4 KiB.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {

// One block of scratch_block::size bytes, borrowed from the calling thread, which keeps two of them once they
// were asked for. A thread that needs more at once, because an operation of a scan scans by itself, gets them
// from the allocator. Destroyed by the thread that made it.
class scratch_block {
  public:
    static constexpr std::size_t size = tuning::chunk_bytes;

    scratch_block() = default;
    ~scratch_block();
    scratch_block(const scratch_block&) = delete;
    scratch_block& operator=(const scratch_block&) = delete;

    // Aligned to a page. Throws upsweep::error if there is no memory.
    std::byte* get() {
        if (!memory_) borrow();
        return memory_.get();
    }

    struct deleter {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    using pointer = std::unique_ptr<std::byte, deleter>;

  private:
    void borrow();

    pointer memory_;
};

}  // namespace upsweep::cpu
