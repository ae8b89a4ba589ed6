// A range of indices that threads share out among themselves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace upsweep::cpu {

// Indices [first, last), below 2^32, of which several threads take the first or the last. Lock-free.
class shared_span {
  public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct bounds {
        std::size_t first, last;
    };

    [[nodiscard]] bounds now() const { return unpacked(both_.load(std::memory_order_acquire)); }
    // Only while nobody can take anything.
    void reset(bounds b) { both_.store(packed(b), std::memory_order_release); }

    // `none` if the span is empty.
    std::size_t take_first() {
        std::size_t taken = none;
        change([&](bounds& b) {
            taken = b.first == b.last ? none : b.first++;
            return taken != none;
        });
        return taken;
    }
    std::size_t take_last() {
        std::size_t taken = none;
        change([&](bounds& b) {
            taken = b.first == b.last ? none : --b.last;
            return taken != none;
        });
        return taken;
    }
    // Adds so many indices from `last` on. What was written before is seen by whoever takes them.
    void append(std::size_t count) { both_.fetch_add(packed({0, count}), std::memory_order_release); }

    // Applies edit(bounds&) in one step, unless it returns false. Whether it did.
    template <class Edit>
    bool change(const Edit& edit) {
        std::uint64_t seen = both_.load(std::memory_order_relaxed);
        for (;;) {
            bounds after = unpacked(seen);
            if (!edit(after)) return false;
            if (both_.compare_exchange_weak(seen, packed(after), std::memory_order_acq_rel,
                                            std::memory_order_relaxed))
                return true;
        }
    }

  private:
    static constexpr unsigned half = 32;
    static std::uint64_t packed(bounds b) { return std::uint64_t{b.first} | std::uint64_t{b.last} << half; }
    static bounds unpacked(std::uint64_t both) { return {both & 0xffffffffu, both >> half}; }

    std::atomic<std::uint64_t> both_{0};
};

}  // namespace upsweep::cpu
