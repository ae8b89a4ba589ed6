// Waiting for another thread without keeping it from the processor it may need.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace upsweep::cpu {

inline void processor_pause() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// About 200 pauses, then gives the processor away each time.
class backoff {
  public:
    void operator()() {
        if (count_ < pauses) {
            processor_pause();
            if (++count_ == pauses) start_ = clock::now();
        } else {
            std::this_thread::yield();
        }
    }
    using clock = std::chrono::steady_clock;
    // How long the wait has lasted beyond the pauses.
    [[nodiscard]] clock::duration waited() const {
        return count_ == pauses ? clock::now() - start_ : clock::duration();
    }

  private:
    static constexpr int pauses = 200;
    int count_ = 0;
    clock::time_point start_{};
};

// Locks a mutex that is held for a few instructions at a time: mostly it is free again before the operating
// system could put this thread to sleep and wake it, which takes microseconds.
inline std::unique_lock<std::mutex> lock_briefly(std::mutex& mutex) {
    std::unique_lock lock(mutex, std::try_to_lock);
    for (int i = 0; i < 200 && !lock.owns_lock(); ++i) {
        processor_pause();
        lock.try_lock();
    }
    if (!lock.owns_lock()) lock.lock();
    return lock;
}

}  // namespace upsweep::cpu
