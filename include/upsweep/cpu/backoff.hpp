// Waiting for another thread without keeping it from the processor it may need.
#pragma once

#include <chrono>
#include <thread>

#include "upsweep/cpu/tuning.hpp"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace upsweep::cpu {

// Some tens of cycles. arm64's `yield` takes one on processors without hyperthreads; its `isb` takes about as
// long as x86's pause.
inline void processor_pause() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
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

// Whether a caller that has waited for so long, in a call that began then, has waited for threads that have
// lost their processors: for longer than any chunk takes, and for a good part of the call.
inline bool is_late(backoff::clock::duration waited, backoff::clock::time_point begin) {
    return waited > std::chrono::microseconds(tuning::late_turn_microseconds) &&
           tuning::late_part * waited > backoff::clock::now() - begin;
}

// How many times as long a call that began then took as it would have, had the caller not waited for so long.
// Waits as short as a chunk do not count.
inline double times_as_long(backoff::clock::duration waited, backoff::clock::time_point begin) {
    if (waited <= std::chrono::microseconds(tuning::late_microseconds)) return 1;
    const auto took = std::chrono::duration<double>(backoff::clock::now() - begin);
    return took / (took - waited);
}

}  // namespace upsweep::cpu
