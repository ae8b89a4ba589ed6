// The thread pool behind cpu::executor.
//
// Calls stand in a list while they are open. Idle threads sleep on a condition variable, after watching the
// list for a few microseconds, because calls come in bursts and a wake-up costs more than a small scan.
#include "upsweep/cpu/executor.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "upsweep/cpu/chain.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cpu {
namespace {

constexpr int idle_polls = 2000;  // pauses before an idle thread sleeps: about 20 us

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
        for (std::size_t i = 0; i < size; ++i) threads_.emplace_back([this] { serve(); });
    }
    ~pool() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
            epoch_.fetch_add(1, std::memory_order_relaxed);
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    void run(std::size_t helpers, void (*call)(void*), void* context) {
        job entry{call, context, std::min(helpers, threads_.size())};
        std::size_t sleepers = 0;
        {
            const std::lock_guard lock(mutex_);
            open_.push_back(&entry);
            epoch_.fetch_add(1, std::memory_order_release);
            sleepers = std::min(entry.places, sleeping_);
        }
        for (; sleepers != 0; --sleepers) wake_.notify_one();
        call(context);
        std::unique_lock lock(mutex_);
        std::erase(open_, &entry);  // closed: whoever comes now finds nothing to join
        if (entry.inside != 0) {
            lock.unlock();
            backoff pause;
            while (entry.finished.load(std::memory_order_acquire) != entry.inside) pause();
        }
    }

  private:
    struct job {
        void (*call)(void*);
        void* context;
        std::size_t places;                    // helpers that may still join; guarded by mutex_
        std::size_t inside = 0;                // helpers that joined; guarded by mutex_ while the job is open
        std::atomic<std::size_t> finished{0};  // helpers that left
    };

    // The first open job with a free place, joined; mutex_ is held.
    job* join() {
        for (job* candidate : open_) {
            if (candidate->places != 0) {
                --candidate->places;
                ++candidate->inside;
                return candidate;
            }
        }
        return nullptr;
    }

    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            if (stopping_) return;
            if (job* current = join()) {
                lock.unlock();
                current->call(current->context);
                current->finished.fetch_add(1, std::memory_order_release);  // the job may be gone after this
                lock.lock();
                continue;
            }
            const std::size_t seen = epoch_.load(std::memory_order_relaxed);
            lock.unlock();
            bool changed = false;
            for (int i = 0; i < idle_polls && !changed; ++i) {
                processor_pause();
                changed = epoch_.load(std::memory_order_acquire) != seen;
            }
            lock.lock();
            if (epoch_.load(std::memory_order_relaxed) == seen) {
                ++sleeping_;
                wake_.wait(lock, [&] { return epoch_.load(std::memory_order_relaxed) != seen; });
                --sleeping_;
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<job*> open_;
    std::atomic<std::size_t> epoch_{0};  // changes with every new job
    std::size_t sleeping_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

executor::executor(std::size_t threads, simd_level level)
    : threads_(threads == 0 ? available_processors() : threads), level_(choose_level(level)) {
    if (threads_ > 1) pool_ = std::make_unique<pool>(threads_ - 1);
}

executor::~executor() = default;

void executor::run_shared(std::size_t helpers, void (*call)(void*), void* context) {
    if (pool_)
        pool_->run(helpers, call, context);
    else
        call(context);
}

}  // namespace upsweep::cpu
