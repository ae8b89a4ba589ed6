// What a call of sorting takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>

#include "src/cpu/sort_scratch.hpp"
#include "src/cpu/sort_segments.hpp"
#include "upsweep/cpu/heads.hpp"

namespace upsweep::cpu {

// What does not exceed it is sorted by one thread, in its second-level cache.
inline constexpr std::size_t local_bytes = std::size_t{256} << 10;

// Room that threads sort in, each in a slot of its own as long as it sorts. Slots that nobody takes cost no
// memory: nothing is written to them.
template <class Record>
class local_slots {
  public:
    // For so many threads, `each` records in all of them, which lie at `memory`.
    local_slots(Record* memory, std::size_t threads, std::size_t each) : free_(threads), count_(threads) {
        for (std::size_t k = 0; k < threads; ++k) free_.data()[k] = memory + k * each;
    }

    template <class Use>
    void use(const Use& body) {
        Record* const slot = take();
        body(slot);
        put_back(slot);
    }

  private:
    Record* take() {
        const std::lock_guard lock(mutex_);
        return free_.data()[--count_];
    }
    void put_back(Record* slot) {
        const std::lock_guard lock(mutex_);
        free_.data()[count_++] = slot;
    }

    scratch<Record*> free_;
    std::mutex mutex_;
    std::size_t count_;
};

// All that a call takes. Records are in one block: an allocator that gives memory back to the system when
// much more is free than its largest block, as glibc's does, keeps this one for the next call, and its pages
// too.
template <class Record>
class workspace {
    std::size_t loaded_, spares_, each_;
    scratch<Record> memory_;

  public:
    // `by_kernel`: one that sorts any number of records, and takes no memory. `loads`: room for n at
    // records().
    workspace(std::size_t n, std::size_t helpers, const head_marks* marks, bool by_kernel, bool loads)
        : loaded_(loads ? n : 0),
          spares_(helpers == 0 && (by_kernel || is_local(n)) ? 0 : n),
          each_(by_kernel ? 0 : 2 * std::min(n, local_bytes / sizeof(Record))),
          memory_(loaded_ + spares_ + (helpers + 1) * each_),
          slots(spare() + spares_, helpers + 1, each_),
          segments(marks, n, helpers, sizeof(Record)) {}
    static bool is_local(std::size_t n) { return n * sizeof(Record) <= local_bytes; }

    [[nodiscard]] Record* records() { return memory_.data(); }
    [[nodiscard]] Record* spare() { return records() + loaded_; }  // for n, unless one thread sorts all

    local_slots<Record> slots;
    segment_tasks segments;
};

}  // namespace upsweep::cpu
