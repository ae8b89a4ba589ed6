// In which process we are: a child that was forked has the memory of its parent, but of its threads one.
#pragma once

#include <atomic>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace upsweep::cpu {

inline std::atomic<unsigned> forks_before{0};

// How many forks made this process of the first one that asked, itself or by its parents. The number differs
// in a child from what it was in the parent, once that has asked.
inline unsigned fork_count() {
#if defined(__unix__) || defined(__APPLE__)
    static const bool watches =
        pthread_atfork(nullptr, nullptr, [] { forks_before.fetch_add(1, std::memory_order_relaxed); }) == 0;
    static_cast<void>(watches);
#endif
    return forks_before.load(std::memory_order_relaxed);
}

}  // namespace upsweep::cpu
