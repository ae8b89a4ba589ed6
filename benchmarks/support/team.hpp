// A fixed team of threads for the copies that bound a scan. Workers spin for some 50 us between calls, so
// that back-to-back calls find them awake, and then sleep, so that the next contender of a round has the
// cores to itself.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace bench {

inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
}

class team {
  public:
    explicit team(std::size_t threads) : count_(std::max<std::size_t>(threads, 1)) {
        for (std::size_t i = 1; i < count_; ++i) workers_.emplace_back([this, i] { serve(i); });
    }
    ~team() {
        task_ = nullptr;
        start();
        for (std::thread& worker : workers_) worker.join();
    }
    team(const team&) = delete;
    team& operator=(const team&) = delete;

    std::size_t size() const { return count_; }

    // Calls part(first, last) once a thread on equal shares of [0, total), cut at multiples of `grain`;
    // returns when all are done. Not reentrant.
    template <class Part>
    void divide(std::size_t total, std::size_t grain, Part&& part) {
        const std::size_t share = (total / count_ + grain - 1) / grain * grain;
        const std::function<void(std::size_t)> task = [&](std::size_t index) {
            const std::size_t first = std::min(total, index * share);
            const std::size_t last = index + 1 == count_ ? total : std::min(total, first + share);
            if (first < last) part(first, last);
        };
        task_ = &task;
        remaining_.store(count_ - 1, std::memory_order_relaxed);
        start();
        task(0);
        for (int i = 0; remaining_.load(std::memory_order_acquire) != 0; ++i) {
            if (i < spins)
                pause_briefly();
            else
                std::this_thread::yield();
        }
    }

  private:
    static constexpr int spins = 2000;

    void start() {
        epoch_.fetch_add(1, std::memory_order_release);
        epoch_.notify_all();
    }

    void serve(std::size_t index) {
        for (unsigned seen = 0;; ++seen) {
            for (int i = 0; i < spins && epoch_.load(std::memory_order_acquire) == seen; ++i) pause_briefly();
            epoch_.wait(seen, std::memory_order_acquire);
            if (task_ == nullptr) return;
            (*task_)(index);
            remaining_.fetch_sub(1, std::memory_order_release);
        }
    }

    std::size_t count_;
    const std::function<void(std::size_t)>* task_ = nullptr;
    std::atomic<unsigned> epoch_{0};
    std::atomic<std::size_t> remaining_{0};
    std::vector<std::thread> workers_;
};

}  // namespace bench
