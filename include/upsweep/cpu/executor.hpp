// The CPU executor: a small pool of threads, and the table of vector kernels that its scans use.
//
// Cost: a call that one core finishes sooner wakes nobody. A woken helper joins whatever is left; a late one
// finds the work finished and goes back to sleep, so that the caller never waits for a thread to be
// scheduled.
//
// fork(): a child has none of the threads. There its parent's executors work on the calling thread alone, and
// give no memory back when they are destroyed; executors that the child makes have threads of their own. No
// other thread may be in a call when the process forks.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "upsweep/cpu/simd_level.hpp"

namespace upsweep::cpu {

// Where calls run: threads, and an instruction set. Several threads may call through one at the same time.
class executor {
  public:
    using duration = std::chrono::steady_clock::duration;

    // For engines: what the caller of a shared work knows of its helpers.
    struct helpers_record {
        duration waited{};         // for how long it waited for them, beside the wait for the last of them
        double doubled_speed = 2;  // how many times as fast twice as many threads make such work
    };

    // threads = 0 takes every processor that the calling thread may run on. `level` other than automatic
    // forces the instruction set; throws upsweep::error if this machine lacks it. The environment variable
    // UPSWEEP_SIMD (a level's name) replaces simd_level::automatic.
    explicit executor(std::size_t threads = 0, simd_level level = simd_level::automatic);
    ~executor();
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;

    // Threads that work on one call at most, the caller included.
    [[nodiscard]] std::size_t threads() const { return threads_; }
    // The instruction set in use; never automatic.
    [[nodiscard]] simd_level simd() const { return level_; }

    // One of a single thread, which in all else does as this one. Costs nothing.
    [[nodiscard]] executor alone() const;

    // Wakes threads for calls that read and write at least so many bytes, tuning::parallel_bytes without it.
    // The other sizes of tuning.hpp from which work is shared, and in which way, move with this one. Changes
    // no bit of any result. Not while another thread calls through this executor.
    void share_from(std::size_t bytes) { shared_bytes_ = bytes; }
    // Has a thread that scans alone store results past the caches in calls that read and write at least so
    // many bytes; without it half of this machine's last-level cache, of up to seven threads 64 MiB at most.
    // Changes no bit of any result. Not while another thread calls through this executor.
    void stream_from(std::size_t bytes) { streamed_bytes_ = bytes; }

    // For engines: how many helpers a call that reads and writes so many bytes should ask for: none where one
    // core finishes as soon, else one or more. Threads that are awake are worth having for less work than
    // those asleep, and waking them pays for a burst of calls together. When helpers keep callers waiting for
    // so long that half of them would be faster, because something else has their processors, calls do with
    // half of them for a while. `awake_times`: how many times as much as those of a scan such bytes count for
    // threads that are awake.
    [[nodiscard]] std::size_t helpers_for(std::size_t bytes, std::size_t awake_times = 1);
    // For engines: whether the threads' caches hold what a call reads and writes.
    [[nodiscard]] bool fits_caches(std::size_t bytes) const;
    // For engines: whether a thread alone stores the results of such a call past the caches.
    [[nodiscard]] bool streams(std::size_t bytes) const { return bytes >= streamed_bytes_; }

    // For engines: runs work(0) on the calling thread and, at the same time, work(k) on up to `helpers`
    // threads of the pool that are free, of which k > 0 is the number. work must therefore claim its pieces
    // itself and return when none is left, whether one thread runs it or all do. Returns when every thread
    // that entered has left. work must not throw. `record`, unless null, is read when work(0) has returned.
    template <class Work>
    void run(std::size_t helpers, Work& work, const helpers_record* record = nullptr) {
        static_assert(std::is_nothrow_invocable_v<Work&, std::size_t>);
        if (helpers == 0)
            work(std::size_t{0});
        else
            run_shared(
                helpers, [](void* context, std::size_t worker) { (*static_cast<Work*>(context))(worker); },
                &work, record);
    }

  private:
    struct verified {};
    class pool;
    executor(verified, simd_level level, std::size_t streamed_bytes);
    void run_shared(std::size_t helpers, void (*call)(void*, std::size_t), void* context,
                    const helpers_record* record);

    std::size_t threads_;
    simd_level level_;
    std::size_t shared_bytes_;
    std::size_t streamed_bytes_;
    std::unique_ptr<pool> pool_;
};

}  // namespace upsweep::cpu
