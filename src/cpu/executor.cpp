// The thread pool behind cpu::executor.
//
// Every thread has a box of its own, in which a caller leaves a job. Idle threads watch their boxes for a few
// microseconds, because calls come in bursts and a wake-up costs more than a small scan, and then sleep. A
// caller fills the first boxes that are free, first of those who are awake, so that small calls find the same
// threads every time. It wakes two threads at most; those wake further ones, so that waking many does not
// keep the caller from its work.
#include "upsweep/cpu/executor.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "src/cpu/cache_sizes.hpp"
#include "src/cpu/fork_count.hpp"
#include "src/cpu/thread_limit.hpp"
#include "upsweep/cpu/backoff.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cpu {
namespace {

std::size_t available_processors() {
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return std::max<std::size_t>(1, static_cast<std::size_t>(CPU_COUNT(&set)));
    }
#endif
    return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

std::size_t default_streamed_bytes(std::size_t threads) {
    const auto share =
        static_cast<std::size_t>(tuning::streaming_cache_share * static_cast<double>(data_caches().largest));
    const std::size_t times = std::max<std::size_t>(1, threads / tuning::streaming_threads);
    return std::min(share, times * tuning::streaming_most_bytes);
}

// The processor that the calling thread is on; -1 if unknown.
int current_processor() {
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

// Keeps a helper off the processor of the caller that woke it. A virtual machine often wakes a thread right
// there, because it takes a halted processor for one that is not to be had, and then two threads share one
// processor while another is idle. Moving costs some 20 us, but the thread stays where it went.
class neighbour {
  public:
    void keep_off([[maybe_unused]] int processor) {
#if defined(__linux__)
        if (processor < 0 || processor >= CPU_SETSIZE || current_processor() != processor) return;
        cpu_set_t set;
        CPU_ZERO(&set);
        if (sched_getaffinity(0, sizeof set, &set) != 0) return;
        if (left_ >= 0) CPU_SET(left_, &set);
        CPU_CLR(processor, &set);
        if (CPU_COUNT(&set) != 0 && sched_setaffinity(0, sizeof set, &set) == 0) left_ = processor;
#endif
    }

  private:
    int left_ = -1;  // the only processor that was taken from the set of this thread
};

std::string names_of(const std::vector<simd_level>& supported) {
    std::string names = "automatic";
    for (const simd_level level : supported) names += ", " + std::string(name(level));
    return "one of " + names + " (what this machine has and this build has kernels for)";
}

simd_level choose_level(simd_level wanted) {
    const std::vector<simd_level> supported = supported_simd_levels();
    if (wanted == simd_level::automatic) {
        const char* forced = std::getenv("UPSWEEP_SIMD");
        if (forced == nullptr || *forced == '\0' || std::string_view(forced) == "automatic")
            return supported.back();
        for (const simd_level level : supported) {
            if (name(level) == forced) return level;
        }
        throw_error(errc::unsupported,
                    "UPSWEEP_SIMD: expected " + names_of(supported) + ", but it is \"" + forced + "\"");
    }
    if (std::find(supported.begin(), supported.end(), wanted) == supported.end()) {
        throw_error(errc::unsupported,
                    "level: expected " + names_of(supported) + ", but it is " + std::string(name(wanted)));
    }
    return wanted;
}

struct job {
    void (*call)(void*, std::size_t);
    void* context;
    int processor;                      // of the caller
    std::atomic<std::size_t> boxes{0};  // the owners below may sleep; 0 until it is in all of them
    alignas(64) std::atomic<std::size_t> next_to_wake{0};  // the first box not yet looked at for that
};

// What a thread is to do: nothing, a job, or a job that it is at. Only callers put jobs in and take them out
// again, only its owner begins a job and ends it.
class alignas(64) box {
  public:
    // Whether the owner is free; it may be asleep.
    bool post(job& entry) {
        std::uintptr_t seen = nothing;
        return content_.load(std::memory_order_relaxed) == nothing &&
               content_.compare_exchange_strong(seen, posted(entry));
    }
    // Whether the owner has not come; it never will.
    bool take_back(job& entry) {
        std::uintptr_t seen = posted(entry);
        return content_.load(std::memory_order_relaxed) == seen &&
               content_.compare_exchange_strong(seen, nothing);
    }
    // Whether the owner is at the job. What it did is seen by whoever learns that it is not any more.
    [[nodiscard]] bool is_at(const job& entry) const {
        return content_.load(std::memory_order_acquire) == begun(entry);
    }
    // Whether the owner sleeps. Then this wakes it.
    bool wake() {
        if (!asleep_.load()) return false;
        {
            const std::lock_guard lock(mutex_);
            if (!asleep_.exchange(false)) return false;
        }
        woken_.notify_one();
        return true;
    }
    [[nodiscard]] bool asleep() const { return asleep_.load(); }
    [[nodiscard]] bool holds(const job& entry) const { return content_.load() == posted(entry); }

    // The owner's: what it is to do, if anything; leave() once that is done.
    job* enter() {
        std::uintptr_t seen = content_.load(std::memory_order_relaxed);
        return seen != nothing && content_.compare_exchange_strong(seen, seen + at_it)
                   ? reinterpret_cast<job*>(seen)
                   : nullptr;
    }
    void leave() { content_.store(nothing, std::memory_order_release); }
    // Returns when there is something in the box or `stopping`. Whoever sets either of them wakes the owner
    // afterwards, if it sleeps.
    void sleep(const std::atomic<bool>& stopping) {
        std::unique_lock lock(mutex_);
        for (asleep_.store(true); content_.load() == nothing && !stopping.load(); asleep_.store(true))
            woken_.wait(lock);
        asleep_.store(false);
    }

  private:
    static constexpr std::uintptr_t nothing = 0;
    static constexpr std::uintptr_t at_it = 1;
    static std::uintptr_t posted(const job& entry) { return reinterpret_cast<std::uintptr_t>(&entry); }
    static std::uintptr_t begun(const job& entry) { return posted(entry) + at_it; }

    std::atomic<std::uintptr_t> content_{nothing};  // a job's address, and at_it
    std::atomic<bool> asleep_{false};  // true only while the owner waits, or looks whether it should
    std::mutex mutex_;
    std::condition_variable woken_;
};

}  // namespace

class executor::pool {
  public:
    explicit pool(std::size_t size) : limit_(size + 1), boxes_(size) {
        threads_.reserve(size);
        try {
            for (std::size_t i = 0; i < size; ++i) threads_.emplace_back([this, i] { serve(i); });
        } catch (...) {
            stop();
            throw;
        }
    }
    ~pool() { stop(); }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    // Whether its threads are in this process, and not in one that this was forked from.
    [[nodiscard]] bool is_here() const { return fork_count() == forks_; }

    // For a call of so many bytes, where sleeping threads are woken from `parallel` bytes on.
    std::size_t helpers_for(std::size_t bytes, std::size_t bytes_if_awake, std::size_t parallel) {
        const std::int64_t now = microseconds_now();
        const std::size_t most = limit_.at(now);
        const std::size_t before = count_burst(bytes, now);
        const auto busy = [&](std::size_t threads, std::size_t work, std::size_t part) {
            return std::min(threads, work / std::max<std::size_t>(parallel / part, 1));
        };
        const std::size_t awake = most - std::min(most, sleeping_.load(std::memory_order_relaxed));
        std::size_t threads = awake;
        if (bytes >= parallel || before >= parallel / tuning::burst_part)
            threads = std::max(threads, busy(most, before + bytes, tuning::asleep_thread_part));
        threads = busy(threads, bytes_if_awake, tuning::awake_thread_part);
        return std::max<std::size_t>(threads, 1) - 1;
    }

    void run(std::size_t helpers, void (*call)(void*, std::size_t), void* context,
             const helpers_record* record) {
        const auto begin = backoff::clock::now();
        job entry{call, context, current_processor()};
        std::size_t posted = 0, end = 0;  // boxes that were filled, all of them below `end`
        bool any_asleep = false;  // an owner that was awake afterwards looks once more before it sleeps
        for (const bool asleep : {false, true}) {
            for (std::size_t k = 0; k != threads_.size() && posted != helpers; ++k) {
                if (boxes_[k].asleep() != asleep || !boxes_[k].post(entry)) continue;
                ++posted;
                end = std::max(end, k + 1);
                any_asleep = any_asleep || boxes_[k].asleep();
            }
        }
        if (any_asleep) {
            entry.boxes.store(end, std::memory_order_release);
            wake_some(entry);
        }
        call(context, 0);
        std::size_t inside = posted;
        for (std::size_t k = 0; k != end; ++k) inside -= boxes_[k].take_back(entry) ? 1 : 0;
        if (inside == 0) return;
        backoff pause;
        for (std::size_t k = 0; k != end; ++k) {
            for (; boxes_[k].is_at(entry); pause()) continue;
        }
        const helpers_record known = record != nullptr ? *record : helpers_record();
        limit_.count(times_as_long(pause.waited() + known.waited, begin), known.doubled_speed,
                     microseconds_now());
    }

  private:
    void stop() {
        stopping_.store(true);
        for (std::size_t k = 0; k != threads_.size(); ++k) {
            boxes_[k].wake();
            threads_[k].join();
        }
    }

    // Wakes two of the threads that are asleep and have the job.
    void wake_some(job& entry) {
        const std::size_t end = entry.boxes.load(std::memory_order_acquire);
        for (int left = 2; left != 0 && entry.next_to_wake.load(std::memory_order_relaxed) < end;) {
            const std::size_t k = entry.next_to_wake.fetch_add(1, std::memory_order_relaxed);
            if (k >= end) return;
            if (boxes_[k].holds(entry) && boxes_[k].wake()) --left;
        }
    }

    // The bytes of the calls that came before this one in a burst.
    std::size_t count_burst(std::size_t bytes, std::int64_t now) {
        const std::int64_t until =
            burst_until_.exchange(now + tuning::burst_microseconds +
                                      static_cast<std::int64_t>(bytes / tuning::least_bytes_per_microsecond),
                                  std::memory_order_relaxed);
        if (now > until) burst_.store(0, std::memory_order_relaxed);
        return burst_.fetch_add(bytes, std::memory_order_relaxed);
    }

    static std::int64_t microseconds_now() {
        using namespace std::chrono;
        return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
    }

    void serve(std::size_t number) {
        neighbour place;
        box& own = boxes_[number];
        for (int idle = 0; !stopping_.load(std::memory_order_relaxed);) {
            if (job* current = own.enter()) {
                wake_some(*current);
                place.keep_off(current->processor);
                current->call(current->context, number + 1);
                own.leave();  // the job may be gone after this
                idle = 0;
            } else if (++idle < tuning::idle_pauses) {
                processor_pause();
            } else {
                sleeping_.fetch_add(1, std::memory_order_relaxed);
                own.sleep(stopping_);
                sleeping_.fetch_sub(1, std::memory_order_relaxed);
                idle = 0;
            }
        }
    }

    const unsigned forks_ = fork_count();
    std::atomic<bool> stopping_{false};
    std::atomic<std::size_t> sleeping_{0};
    // What helpers_for() goes by; nothing depends on their being exact.
    thread_limit limit_;
    std::atomic<std::int64_t> burst_until_{0};  // us; later calls begin another one
    std::atomic<std::size_t> burst_{0};         // bytes
    std::vector<box> boxes_;
    std::vector<std::thread> threads_;
};

executor::executor(std::size_t threads, simd_level level)
    : threads_(threads == 0 ? available_processors() : threads),
      level_(choose_level(level)),
      shared_bytes_(tuning::parallel_bytes),
      streamed_bytes_(default_streamed_bytes(threads_)) {
    if (threads_ == 1) return;
    try {
        pool_ = std::make_unique<pool>(threads_ - 1);
    } catch (const std::exception&) {
        throw_error(errc::out_of_memory,
                    "threads: this machine cannot run " + std::to_string(threads_ - 1) + " more of them");
    }
}

executor::executor(verified, simd_level level, std::size_t streamed_bytes)
    : threads_(1), level_(level), shared_bytes_(tuning::parallel_bytes), streamed_bytes_(streamed_bytes) {}

executor executor::alone() const { return executor(verified(), level_, streamed_bytes_); }

executor::~executor() {
    // Locks may be held for ever there, and threads that are not there would be waited for.
    if (pool_ && !pool_->is_here()) static_cast<void>(pool_.release());
}

std::size_t executor::helpers_for(std::size_t bytes, std::size_t awake_times) {
    if (!pool_ || bytes * awake_times < shared_bytes_ / tuning::awake_part || !pool_->is_here()) return 0;
    return pool_->helpers_for(bytes, bytes * awake_times, shared_bytes_);
}

bool executor::fits_caches(std::size_t bytes) const {
    const std::size_t times = std::max(tuning::chain_times, tuning::thread_cache_tenths * threads_ / 10);
    return bytes / times < shared_bytes_;
}

void executor::run_shared(std::size_t helpers, void (*call)(void*, std::size_t), void* context,
                          const helpers_record* record) {
    if (pool_ && pool_->is_here())
        pool_->run(helpers, call, context, record);
    else
        call(context, 0);
}

}  // namespace upsweep::cpu
