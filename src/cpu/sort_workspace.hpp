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
    // For so many threads, and up to `records` of them in each.
    local_slots(std::size_t threads, std::size_t records)
        : each_(2 * records), memory_(threads * each_), free_(threads), count_(threads) {
        for (std::size_t k = 0; k < threads; ++k) free_.data()[k] = memory_.data() + k * each_;
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

    std::size_t each_;
    scratch<Record> memory_;
    scratch<Record*> free_;
    std::mutex mutex_;
    std::size_t count_;
};

// All that a call takes, before anything is written.
template <class Record>
struct workspace {
    // `by_kernel`: one that sorts any number of records, and takes no memory.
    workspace(std::size_t n, std::size_t helpers, const head_marks* marks, bool by_kernel)
        : spare(helpers == 0 && (by_kernel || is_local(n)) ? 0 : n),
          slots(helpers + 1, by_kernel ? 0 : std::min(n, local_bytes / sizeof(Record))),
          segments(marks, n, helpers, sizeof(Record)) {}
    static bool is_local(std::size_t n) { return n * sizeof(Record) <= local_bytes; }

    scratch<Record> spare;  // for n records, unless one thread sorts all in its slot
    local_slots<Record> slots;
    segment_tasks segments;
};

}  // namespace upsweep::cpu
