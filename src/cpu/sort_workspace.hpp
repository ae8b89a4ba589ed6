// Memory that sorting takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "upsweep/error.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace upsweep::cpu {

[[noreturn]] inline void throw_no_scratch(std::size_t bytes) {
    throw_error(errc::out_of_memory,
                "sort: " + std::to_string(bytes) + " bytes of scratch memory are not to be had");
}

// What does not exceed it is sorted by one thread, in its second-level cache.
inline constexpr std::size_t local_bytes = std::size_t{256} << 10;
// Room for n records: on the stack for a few, else on the heap, in huge pages where it takes some.
template <class Record>
class scratch {
  public:
    explicit scratch(std::size_t n) {
        constexpr std::size_t huge = std::size_t{2} << 20;
        if (n > SIZE_MAX / 2 / sizeof(Record)) throw_no_scratch(SIZE_MAX);
        const std::size_t bytes = n * sizeof(Record);
        if (bytes <= sizeof few_) return;
        const std::size_t alignment = bytes >= huge ? huge : 64;
        const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
        many_.reset(static_cast<Record*>(std::aligned_alloc(alignment, rounded)));
        if (many_ == nullptr) throw_no_scratch(bytes);
#if defined(__linux__)
        if (alignment == huge) ::madvise(many_.get(), rounded, MADV_HUGEPAGE);
#endif
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    [[nodiscard]] Record* data() { return many_ != nullptr ? many_.get() : few_; }

  private:
    struct release {
        void operator()(Record* records) const { std::free(records); }
    };
    std::unique_ptr<Record, release> many_;
    alignas(64) Record few_[4096 / sizeof(Record)];
};

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
    workspace(std::size_t n, std::size_t helpers)
        : spare(helpers == 0 && is_local(n) ? 0 : n),
          slots(helpers + 1, std::min(n, local_bytes / sizeof(Record))) {}
    static bool is_local(std::size_t n) { return n * sizeof(Record) <= local_bytes; }

    scratch<Record> spare;  // for n records, unless one thread sorts all in its caches
    local_slots<Record> slots;
};

}  // namespace upsweep::cpu
