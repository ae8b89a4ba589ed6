// Guarded memory: what does not depend on the element type.
#include "support/guarded.hpp"

#include <algorithm>
#include <cstring>

#include "support/build.hpp"

namespace upsweep::test {
namespace {

constexpr std::size_t guard_bytes = 128;  // on either side, at least
constexpr unsigned char sentinel = 0xa5;
constexpr unsigned char poison = 0xcb;

bool all_equal(const std::byte* first, std::size_t count, unsigned char value) {
    return std::all_of(first, first + count, [value](std::byte b) { return b == std::byte{value}; });
}

}  // namespace

void guarded_bytes::reset(std::size_t bytes, std::size_t offset) {
    open();
    before_ = guard_bytes + offset;
    size_ = bytes;
    const std::size_t needed = before_ + bytes + guard_bytes;
    if (needed > capacity_) {
        capacity_ = needed + needed / 4;
        memory_.reset(static_cast<std::byte*>(::operator new(capacity_, alignment)));
    }
    begin_ = memory_.get() + before_;
    std::memset(memory_.get(), sentinel, before_);
    std::memset(data(), poison, bytes);
    std::memset(data() + bytes, sentinel, guard_bytes);
    close();
}

bool guarded_bytes::sentinels_intact() const {
    open();
    const bool intact =
        all_equal(memory_.get(), before_, sentinel) && all_equal(data() + size_, guard_bytes, sentinel);
    close();
    return intact;
}

bool guarded_bytes::untouched() const { return all_equal(data(), size_, poison); }

void guarded_bytes::close() const {
#if UPSWEEP_TEST_ADDRESS_SANITIZER
    __asan_poison_memory_region(memory_.get(), before_);
    __asan_poison_memory_region(data() + size_, guard_bytes);
#endif
}

void guarded_bytes::open() const {
#if UPSWEEP_TEST_ADDRESS_SANITIZER
    if (memory_) __asan_unpoison_memory_region(memory_.get(), capacity_);
#endif
}

}  // namespace upsweep::test
