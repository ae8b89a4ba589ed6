// Memory that sorting and totals by bin take and give back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "upsweep/error.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace upsweep::cpu {

[[noreturn]] inline void throw_no_scratch(std::size_t bytes) {
    throw_error(errc::out_of_memory,
                "scratch: " + std::to_string(bytes) + " bytes of memory are not to be had");
}

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
        // Not by std::aligned_alloc: glibc would map and unmap what is aligned so in every call, and the
        // system clear its pages each time, a tenth of what a sort takes.
        many_.reset(std::malloc(rounded + alignment));
        if (many_ == nullptr) throw_no_scratch(bytes);
        const auto address = reinterpret_cast<std::uintptr_t>(many_.get());
        records_ = reinterpret_cast<Record*>((address + alignment - 1) / alignment * alignment);
#if defined(__linux__)
        if (alignment == huge) ::madvise(records_, rounded, MADV_HUGEPAGE);
#endif
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    [[nodiscard]] Record* data() { return records_; }
    [[nodiscard]] const Record* data() const { return records_; }

  private:
    struct release {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<void, release> many_;
    Record* records_ = few_;
    alignas(64) Record few_[4096 / sizeof(Record)];
};

}  // namespace upsweep::cpu
