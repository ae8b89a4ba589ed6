// The thread pool behind cpu::executor.
//
// Calls stand in a list while they are open. Idle threads sleep on a condition variable, after watching the
// list for a few microseconds, because calls come in bursts and a wake-up costs more than a small scan. A
// caller wakes two threads at most; those wake further ones, so that waking many does not keep the caller
// from its work.
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

simd_level choose_level(simd_level wanted) {
    const std::vector<simd_level> supported = supported_simd_levels();
    if (wanted == simd_level::automatic) {
        const char* forced = std::getenv("UPSWEEP_SIMD");
        if (forced == nullptr || *forced == '\0' || std::string_view(forced) == "automatic")
            return supported.back();
        for (const simd_level level : supported) {
            if (name(level) == forced) return level;
        }
        throw_error(errc::unsupported, std::string("UPSWEEP_SIMD: \"") + forced +
                                           "\" is not an instruction set of this machine");
    }
    if (std::find(supported.begin(), supported.end(), wanted) == supported.end()) {
        throw_error(errc::unsupported, "level: this machine does not support " + std::string(name(wanted)));
    }
    return wanted;
}

}  // namespace

class executor::pool {
  public:
    explicit pool(std::size_t size) {
        threads_.reserve(size);
        try {
            for (std::size_t i = 0; i < size; ++i) threads_.emplace_back([this] { serve(); });
        } catch (...) {
            stop();
            throw;
        }
    }
    ~pool() { stop(); }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    // For a call of so many bytes, where calls are shared from `shared` bytes on. One at least.
    std::size_t helpers_for(std::size_t bytes, std::size_t shared) {
        if (microseconds_now() < lonely_until_.load(std::memory_order_relaxed)) return 0;
        const std::size_t all = threads_.size() + 1;
        const std::size_t awake = all - sleeping_.load(std::memory_order_relaxed);
        const auto busy = [&](std::size_t threads, std::size_t part) {
            return std::min(threads, bytes / std::max<std::size_t>(shared / part, 1));
        };
        return std::max({busy(all, tuning::asleep_thread_part), busy(awake, tuning::awake_thread_part),
                         std::size_t{2}}) -
               1;
    }

    // Each late call makes the time without helpers four times as long, each call in time a quarter shorter.
    void remember(bool late) {
        std::int64_t penalty = penalty_.load(std::memory_order_relaxed);
        if (late) {
            penalty = std::clamp<std::int64_t>(4 * penalty, tuning::first_penalty_microseconds,
                                               tuning::most_penalty_microseconds);
            lonely_until_.store(microseconds_now() + penalty, std::memory_order_relaxed);
        } else {
            penalty -= penalty / 4;
        }
        penalty_.store(penalty, std::memory_order_relaxed);
    }

    void run(std::size_t helpers, void (*call)(void*), void* context) {
        job entry{call, context, current_processor(), std::min(helpers, threads_.size())};
        std::size_t sleepers = 0;
        {
            const auto lock = lock_briefly(mutex_);
            *open_end() = &entry;
            sleepers = sleepers_wanted(entry);
        }
        epoch_.fetch_add(1, std::memory_order_release);  // unlocked: who watches it wants the mutex at once
        for (; sleepers != 0; --sleepers) wake_.notify_one();
        call(context);
        auto lock = lock_briefly(mutex_);
        job** at = &open_;
        while (*at != &entry) at = &(*at)->next;
        *at = entry.next;  // closed: whoever comes now finds nothing to join
        if (entry.inside == 0) return;
        lock.unlock();
        backoff pause;
        while (entry.finished.load(std::memory_order_acquire) != entry.inside) pause();
        remember(pause.waited() > std::chrono::microseconds(tuning::late_leave_microseconds));
    }

  private:
    struct job {
        void (*call)(void*);
        void* context;
        int processor;                         // of the caller
        std::size_t places;                    // helpers that may still join; guarded by mutex_
        std::size_t inside = 0;                // helpers that joined; guarded by mutex_ while the job is open
        std::atomic<std::size_t> finished{0};  // helpers that left
        job* next = nullptr;                   // the one opened after it; guarded by mutex_
    };

    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        epoch_.fetch_add(1, std::memory_order_relaxed);
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    // Where the next job is linked; mutex_ is held.
    [[nodiscard]] job** open_end() {
        job** at = &open_;
        while (*at != nullptr) at = &(*at)->next;
        return at;
    }

    // The first open job with a free place, if any; mutex_ is held.
    [[nodiscard]] job* has_place() const {
        job* found = open_;
        while (found != nullptr && found->places == 0) found = found->next;
        return found;
    }
    job* join() {
        job* const found = has_place();
        if (found != nullptr) {
            --found->places;
            ++found->inside;
        }
        return found;
    }

    // How many sleeping threads whoever is awake should wake for an open job; mutex_ is held.
    [[nodiscard]] std::size_t sleepers_wanted(const job& entry) const {
        return std::min({entry.places, sleeping_.load(std::memory_order_relaxed), std::size_t{2}});
    }

    static std::int64_t microseconds_now() {
        using namespace std::chrono;
        return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
    }

    void serve() {
        neighbour place;
        auto lock = lock_briefly(mutex_);
        for (;;) {
            if (stopping_) return;
            if (job* current = join()) {
                std::size_t sleepers = sleepers_wanted(*current);
                lock.unlock();
                for (; sleepers != 0; --sleepers) wake_.notify_one();
                place.keep_off(current->processor);
                current->call(current->context);
                current->finished.fetch_add(1, std::memory_order_release);  // the job may be gone after this
                lock = lock_briefly(mutex_);
                continue;
            }
            const std::size_t seen = epoch_.load(std::memory_order_relaxed);
            lock.unlock();
            const auto changed = [&] { return epoch_.load(std::memory_order_acquire) != seen; };
            for (int i = 0; i < tuning::idle_pauses && !changed(); ++i) processor_pause();
            lock = lock_briefly(mutex_);
            // A job that came meanwhile is in the list already, though perhaps not counted yet.
            if (!changed() && !stopping_ && !has_place()) {
                sleeping_.fetch_add(1, std::memory_order_relaxed);
                wake_.wait(lock, [&] { return changed() || has_place() || stopping_; });
                sleeping_.fetch_sub(1, std::memory_order_relaxed);
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    job* open_ = nullptr;                // the oldest open job; a list, so that opening one allocates nothing
    std::atomic<std::size_t> epoch_{0};  // changes with every new job
    std::atomic<std::size_t> sleeping_{0};  // changes under mutex_
    bool stopping_ = false;
    // What helpers_for() goes by; nothing depends on their being exact.
    std::atomic<std::int64_t> lonely_until_{0};  // us; calls do without helpers until then
    std::atomic<std::int64_t> penalty_{0};       // us; for how long they last did
    std::vector<std::thread> threads_;
};

executor::executor(std::size_t threads, simd_level level)
    : threads_(threads == 0 ? available_processors() : threads),
      level_(choose_level(level)),
      shared_bytes_(threads_ == 2 ? tuning::pair_bytes : tuning::parallel_bytes) {
    if (threads_ == 1) return;
    try {
        pool_ = std::make_unique<pool>(threads_ - 1);
    } catch (const std::exception&) {
        throw_error(errc::out_of_memory,
                    "threads: this machine cannot run " + std::to_string(threads_ - 1) + " more of them");
    }
}

executor::executor(verified, simd_level level)
    : threads_(1), level_(level), shared_bytes_(tuning::parallel_bytes) {}

executor executor::alone() const { return executor(verified(), level_); }

executor::~executor() = default;

std::size_t executor::helpers_for(std::size_t bytes) {
    return pool_ && bytes >= shared_bytes_ ? pool_->helpers_for(bytes, shared_bytes_) : 0;
}

void executor::helpers_were_late() {
    if (pool_) pool_->remember(true);
}

void executor::run_shared(std::size_t helpers, void (*call)(void*), void* context) {
    if (pool_)
        pool_->run(helpers, call, context);
    else
        call(context);
}

}  // namespace upsweep::cpu
