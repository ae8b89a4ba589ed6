// What a call of sorting takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "src/cpu/sort_scratch.hpp"
#include "src/cpu/sort_segments.hpp"
#include "upsweep/cpu/heads.hpp"

namespace upsweep::cpu {

// What does not exceed it is sorted by one thread, in its second-level cache.
inline constexpr std::size_t local_bytes = std::size_t{256} << 10;

// Room that threads sort in, each in a slot of its own as long as it sorts.
template <class Record>
class local_slots {
  public:
    // For so many threads, and up to `records` of them in each.
    local_slots(std::size_t threads, std::size_t records)
        : each_(2 * std::max(records, least_records)), memory_(threads * each_) {
        for (std::size_t k = 0; k < threads; ++k) put_back(memory_.data() + k * each_);
    }

    template <class Use>
    void use(const Use& body) {
        Record* const slot = take();
        body(slot);
        put_back(slot);
    }

  private:
    static constexpr std::size_t least_records = sizeof(void*);  // a link fits

    Record* take() {
        const std::lock_guard lock(mutex_);
        Record* const slot = first_;
        std::memcpy(static_cast<void*>(&first_), static_cast<const void*>(slot), sizeof first_);
        return slot;
    }
    void put_back(Record* slot) {
        const std::lock_guard lock(mutex_);
        std::memcpy(static_cast<void*>(slot), static_cast<const void*>(&first_), sizeof first_);
        first_ = slot;
    }

    std::size_t each_;
    scratch<Record> memory_;
    std::mutex mutex_;
    Record* first_ = nullptr;  // of the free slots, each of which begins with the next
};

// All that a call takes, before anything is written.
template <class Record>
struct workspace {
    workspace(std::size_t n, std::size_t helpers, const head_marks* marks)
        : spare(helpers == 0 && is_local(n) ? 0 : n),
          slots(helpers + 1, std::min(n, local_bytes / sizeof(Record))),
          segments(marks, n, helpers, sizeof(Record)) {}
    static bool is_local(std::size_t n) { return n * sizeof(Record) <= local_bytes; }

    scratch<Record> spare;  // for n records, unless one thread sorts all in its caches
    local_slots<Record> slots;
    segment_tasks segments;
};

}  // namespace upsweep::cpu
