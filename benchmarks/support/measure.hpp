// Interleaved timing. The cores of a shared machine drift by 1.3-1.9x over seconds, so times taken one after
// the other do not compare. Here every round times each contender once, in a fresh random order, and what is
// reported of two contenders is the median of their ratios within a round.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace bench {

// `copy` moves the same bytes and bounds the work; `orientation` is shown and never compared against.
enum class role { copy, peer, orientation, upsweep };

inline const char* name(role value) {
    constexpr const char* names[] = {"copy", "peer", "orientation", "upsweep"};
    return names[static_cast<std::size_t>(value)];
}

struct contender {
    std::string name;
    role kind;
    std::size_t threads;
    std::function<void(std::size_t)> repeat;  // runs the work so many times
    std::function<bool()> correct{};          // runs once and checks the output; empty: nothing to check
    std::chrono::microseconds settle{300};    // how long its threads may keep spinning after it returns
};

// A loop around `once` that the compiler may not merge, hoist or drop.
template <class Once>
std::function<void(std::size_t)> repeated(Once once) {
    return [once = std::move(once)](std::size_t times) mutable {
        for (std::size_t i = 0; i < times; ++i) {
            once();
            asm volatile("" ::: "memory");
        }
    };
}

struct effort {
    double sample_seconds = 200e-6;  // shortest sample; shorter work is repeated within one
    double cell_seconds = 1.0;       // rounds go on for so long,
    int least_rounds = 7;            // but not fewer
    int most_rounds = 31;            // and not more than this
};

inline double percentile(std::vector<double> values, double fraction) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::sort(values.begin(), values.end());
    const double position = fraction * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}
inline double median(std::vector<double> values) { return percentile(std::move(values), 0.5); }

inline double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds of each contender in each round; NaN where it sat a round out. Contenders in rows.
using timings = std::vector<std::vector<double>>;

class interleaver {
  public:
    explicit interleaver(effort budget) : budget_(budget) {}

    timings measure(const std::vector<contender>& contenders) {
        const auto start = std::chrono::steady_clock::now();
        std::vector<plan> plans;
        for (const contender& one : contenders) {
            plans.push_back(calibrate(one));
            std::this_thread::sleep_for(one.settle);
        }
        timings result(contenders.size());
        std::vector<std::size_t> order(contenders.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (int round = 0; round < budget_.most_rounds; ++round) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
            if (round >= budget_.least_rounds && spent.count() > budget_.cell_seconds) break;
            std::shuffle(order.begin(), order.end(), random_);
            const std::vector<bool> hopeless = round < rounds_for_all ? std::vector<bool>(contenders.size())
                                                                      : far_behind(contenders, result);
            for (const std::size_t i : order) {
                if (hopeless[i]) {
                    result[i].push_back(std::numeric_limits<double>::quiet_NaN());
                    continue;
                }
                result[i].push_back(sample(contenders[i], plans[i]));
                std::this_thread::sleep_for(contenders[i].settle);
            }
        }
        return result;
    }

  private:
    // After so many rounds a peer slower than `hopeless_factor` times the fastest peer sits the others out.
    static constexpr int rounds_for_all = 3;
    static constexpr double hopeless_factor = 2.5;
    // Untimed calls go on for so long before a sample, so that threads are awake.
    static constexpr double warm_seconds = 0.5e-3;
    // A call longer than this is not preceded by an untimed one: waking a thread costs some 30 us at most.
    static constexpr double warm_below_seconds = 10e-3;

    struct plan {
        std::size_t warm_times;  // untimed calls before a sample, then
        std::size_t times;       // timed ones
    };

    plan calibrate(const contender& one) const {
        for (std::size_t times = 1;; times *= 4) {
            const double took = seconds_of([&] { one.repeat(times); });
            if (took < budget_.sample_seconds / 4) continue;
            const auto times_in = [&](double seconds) {
                return static_cast<std::size_t>(static_cast<double>(times) * seconds / took + 0.5);
            };
            const std::size_t warm = took < warm_below_seconds ? 1 + times_in(warm_seconds) : 0;
            return {warm, std::max<std::size_t>(1, times_in(budget_.sample_seconds))};
        }
    }

    static double sample(const contender& one, plan counts) {
        one.repeat(counts.warm_times);
        return seconds_of([&] { one.repeat(counts.times); }) / static_cast<double>(counts.times);
    }

    static std::vector<bool> far_behind(const std::vector<contender>& contenders, const timings& times) {
        std::vector<double> medians;
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            medians.push_back(median({times[i].begin(), times[i].begin() + rounds_for_all}));
            if (contenders[i].kind == role::peer) best = std::min(best, medians.back());
        }
        std::vector<bool> result(contenders.size());
        for (std::size_t i = 0; i < contenders.size(); ++i)
            result[i] = contenders[i].kind == role::peer && medians[i] > hopeless_factor * best;
        return result;
    }

    effort budget_;
    std::minstd_rand random_{20240229};
};

}  // namespace bench
