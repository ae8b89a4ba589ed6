// How many threads calls should do with, after helpers have kept callers waiting. Many may use one at a time;
// nothing depends on what they tell each other being exact.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {

class thread_limit {
  public:
    explicit thread_limit(std::size_t threads) : threads_(threads) {}

    // Threads of a call that begins now. Times are microseconds of any clock that never goes back.
    [[nodiscard]] std::size_t at(std::int64_t now) const {
        return is_restricted(now) ? allowed_.load(std::memory_order_relaxed) : threads_;
    }

    // After a call of several threads, which took so many times as long because it waited for helpers, where
    // half of the threads would have taken `doubled_speed` times as long. When half of them would be faster
    // on average, calls do with half of those that they had, for a while: four times as long as the last
    // while, of which each call in time takes off a quarter.
    void count(double times_as_long, double doubled_speed, std::int64_t now) {
        const double loss = (times_as_long - 1) / (doubled_speed - 1);
        double mean = mean_.load(std::memory_order_relaxed);
        // Whether the reason is gone shows in the first call with all threads again.
        const bool returns = !is_restricted(now) && probing_.exchange(false, std::memory_order_relaxed);
        if (returns) mean = whole_gain;
        mean += (std::min(loss, tuning::most_loss) - mean) / tuning::mean_of_calls;
        std::int64_t last = penalty_.load(std::memory_order_relaxed);
        if (mean > whole_gain) {
            last = std::clamp<std::int64_t>(4 * last, tuning::first_penalty_microseconds,
                                            tuning::most_penalty_microseconds);
            allowed_.store(std::max<std::size_t>(at(now) / 2, 1), std::memory_order_relaxed);
            restricted_until_.store(now + last, std::memory_order_relaxed);
            probing_.store(true, std::memory_order_relaxed);
            mean = 0;
        } else {
            last -= last / 4;
        }
        mean_.store(mean, std::memory_order_relaxed);
        penalty_.store(last, std::memory_order_relaxed);
    }

  private:
    // The loss at which half of the threads are as fast.
    static constexpr double whole_gain = 1;

    [[nodiscard]] bool is_restricted(std::int64_t now) const {
        return now < restricted_until_.load(std::memory_order_relaxed);
    }

    std::size_t threads_;
    std::atomic<double> mean_{0};  // loss of the latest calls, in parts of what the other half gains
    std::atomic<std::size_t> allowed_{1};
    std::atomic<std::int64_t> restricted_until_{0};
    std::atomic<std::int64_t> penalty_{0};  // for how long calls were restricted last
    std::atomic<bool> probing_{false};      // none has been counted since with all threads
};

}  // namespace upsweep::cpu
