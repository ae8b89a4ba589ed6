// Chunks of a long scan on several threads: the chain that hands the running state from chunk to chunk.
//
// Chunks are claimed in order by ticket. A thread first summarises its chunk (reads it once), then waits for
// its turn, takes the state before the chunk, advances the shared state by the summary, passes the turn on,
// claims the next chunk, and scans the first, which by now lies in its cache, while it asks for the next, and
// summarises that one meanwhile where the kernel can: a stretch behind each stretch of the first.
// There is one shared state, and whoever has the turn owns it. Whoever waits, waits for a chunk that was
// claimed before and is being summarised: no deadlock. A hop of the chain costs well under a microsecond
// where a chunk takes tens of them; see docs/architecture.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>

#include "upsweep/cpu/backoff.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/first_failure.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {

// The shared state and whose turn it is.
template <class State>
class turnstile : public first_failure {
  public:
    explicit turnstile(State initial) : state_(std::move(initial)) {}

    // Whether chunk `index` may take the state now.
    [[nodiscard]] bool is_turn(std::size_t index) const {
        return turn_.load(std::memory_order_acquire) == index;
    }

    // Blocks until it is the turn of chunk `index`, or until another thread failed: then false.
    // `impatient`: this is the caller, whose waits may make late() true.
    [[nodiscard]] bool wait(std::size_t index, bool impatient = false) {
        backoff pause;
        for (; !is_turn(index); pause()) {
            if (failed()) return false;
            if (impatient && !late() && is_late(waited_ + pause.waited(), begin_))
                late_.store(true, std::memory_order_relaxed);
        }
        if (impatient) waited_ += pause.waited();
        return true;
    }
    // Whether the caller has waited for longer than helpers are worth; and that said to one of them.
    [[nodiscard]] bool late() const { return late_.load(std::memory_order_relaxed); }
    bool take_late() { return late() && late_.exchange(false, std::memory_order_relaxed); }

    // For how long the caller has.
    [[nodiscard]] executor::duration waited() const { return waited_; }

    // How many chunks have had their turn.
    [[nodiscard]] std::size_t passed() const { return turn_.load(std::memory_order_relaxed); }

    // Only for whoever has the turn.
    State& state() { return state_; }
    void pass(std::size_t index) { turn_.store(index + 1, std::memory_order_release); }

  private:
    using clock = backoff::clock;

    const clock::time_point begin_ = clock::now();
    clock::duration waited_{};  // the caller's
    std::atomic<bool> late_{false};
    alignas(64) std::atomic<std::size_t> turn_{0};
    alignas(64) alignas(State) State state_;  // a caller's elements may ask for more than a cache line
};

// Whether a second thread makes a long scan faster. Often it is the other hyperthread of the caller's core,
// or one core can take all that the memory gives: then two threads only read everything twice. So the caller
// does the first chunks alone, both do the next ones, and the helper leaves if those came no faster. Only the
// caller calls look() and reads what is not atomic.
class second_thread_trial {
  public:
    using time = backoff::clock::time_point;

    second_thread_trial(std::size_t helpers, std::size_t chunk_count)
        : open_(helpers == 1 && chunk_count >= tuning::trial_least_chunks) {}

    // Whether the helper may begin when so many chunks have had their turn.
    [[nodiscard]] bool admits(std::size_t passed) const {
        return !open_ || passed >= tuning::trial_alone_chunks;
    }
    // Whether it should leave.
    [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }

    // Between two chunks of the caller, of which the first is not counted: it has to find its pages.
    void look(std::size_t passed, bool is_alone) {
        if (open_ && passed != 0 && !decided_) look(passed, is_alone, backoff::clock::now());
    }
    void look(std::size_t passed, bool is_alone, time now) {
        if (begin_.passed == 0) begin_ = {passed, now};
        if (is_alone && both_.passed == 0) {
            alone_ = {passed, now};
        } else if (both_.passed == 0) {
            both_ = {passed, now};
        } else if (passed >= both_.passed + tuning::trial_chunks) {
            decided_ = true;
            const double alone = pace(begin_, alone_);
            failed_.store(alone > 0 && pace(both_, {passed, now}) > tuning::trial_worthwhile * alone,
                          std::memory_order_relaxed);
        }
    }

  private:
    struct moment {
        std::size_t passed = 0;
        time when{};
    };
    // Time per chunk, in any unit; 0 if unknown.
    static double pace(const moment& from, const moment& to) {
        return to.passed > from.passed ? static_cast<double>((to.when - from.when).count()) /
                                             static_cast<double>(to.passed - from.passed)
                                       : 0;
    }

    const bool open_;
    bool decided_ = false;
    moment begin_, alone_, both_;
    std::atomic<bool> failed_{false};
};

// Scans chunks [0, chunk_count) with up to `helpers` further threads and returns the state after the last.
// Kernel:
//   using state, using summary                    (summary is default-constructible)
//   void summarise(chunk, summary&) const         reads the chunk
//   void advance(state&, chunk, const summary&) const
//   void scan(chunk, state&, next) const          writes the chunk and advances the state itself; unless it
//                                                 is no_chunk, `next` is what this thread reads after it
//   void scan(chunk, state&, next, const summary&) const
//                                                 optional: the same for what this thread summarised last
//   bool summarises_ahead() const                 optional, both: whether this scans a chunk and meanwhile
//   void scan_and_summarise(chunk, state&, next, summary&) const      summarises the next
inline constexpr std::size_t no_chunk = static_cast<std::size_t>(-1);

// Scans a chunk that `made` summarises, from the state before it. True if `made` is then of chunk `next`.
template <class Kernel>
bool scan_summarised(const Kernel& kernel, std::size_t chunk, typename Kernel::state& before,
                     std::size_t next, std::size_t chunk_count, typename Kernel::summary& made) {
    const std::size_t following = next < chunk_count ? next : no_chunk;
    if constexpr (requires { kernel.scan_and_summarise(chunk, before, next, made); }) {
        // The last one is scanned in one pass.
        if (following != no_chunk && next + 1 != chunk_count && kernel.summarises_ahead()) {
            kernel.scan_and_summarise(chunk, before, next, made);
            return true;
        }
    }
    if constexpr (requires { kernel.scan(chunk, before, following, made); })
        kernel.scan(chunk, before, following, made);
    else
        kernel.scan(chunk, before, following);
    return false;
}

template <class Kernel>
typename Kernel::state run_chain(executor& ex, std::size_t helpers, std::size_t chunk_count,
                                 const Kernel& kernel, const typename Kernel::state& initial) {
    turnstile<typename Kernel::state> gate(initial);
    alignas(64) std::atomic<std::size_t> ticket{0};
    std::atomic<std::size_t> present{0};
    second_thread_trial trial(helpers, chunk_count);
    executor::helpers_record record;
    if (helpers == 1) record.doubled_speed = tuning::second_thread_speed;

    auto work = [&](std::size_t worker) noexcept {
        const bool is_caller = worker == 0;
        if (!is_caller) {
            for (backoff pause; !trial.admits(gate.passed()) && !gate.failed(); pause()) continue;
        }
        present.fetch_add(1, std::memory_order_relaxed);
        // A helper whose processor was taken holds everybody up; it leaves after the chunk that it has. The
        // others have taken as long, but waited for their turn, where this one's turn waited for it.
        auto last_claim = backoff::clock::now();
        bool expected = false;  // at its latest turn
        const auto leaves = [&] {
            const auto before = std::exchange(last_claim, backoff::clock::now());
            const bool slow = last_claim - before > std::chrono::microseconds(tuning::late_turn_microseconds);
            return trial.failed() || (slow && expected && gate.take_late());
        };
        try {
            const auto claim = [&] {
                return !is_caller && leaves() ? no_chunk : ticket.fetch_add(1, std::memory_order_relaxed);
            };
            typename Kernel::summary made;
            bool is_made = false;  // of the chunk
            for (std::size_t chunk = claim(); chunk < chunk_count && !gate.failed();) {
                // At the end, or alone, nobody waits for the state: one pass does.
                const bool last = chunk + 1 == chunk_count;
                const bool alone = present.load(std::memory_order_relaxed) == 1;
                const bool in_two = !last && !(alone && gate.is_turn(chunk));
                if (is_caller) trial.look(gate.passed(), alone);
                if (in_two && !is_made) kernel.summarise(chunk, made);
                is_made = false;
                expected = gate.is_turn(chunk);
                if (!gate.wait(chunk, is_caller)) break;
                std::size_t next = no_chunk;
                if (in_two) {
                    typename Kernel::state before = gate.state();
                    kernel.advance(gate.state(), chunk, made);
                    gate.pass(chunk);
                    next = claim();
                    is_made = scan_summarised(kernel, chunk, before, next, chunk_count, made);
                } else {
                    kernel.scan(chunk, gate.state(), no_chunk);
                    gate.pass(chunk);
                    next = claim();
                }
                chunk = next;
            }
        } catch (...) {
            gate.fail(std::current_exception());
        }
        present.fetch_sub(1, std::memory_order_relaxed);
        if (is_caller) record.waited = gate.waited();
    };
    ex.run(helpers, work, &record);
    gate.rethrow_failure();
    return std::move(gate.state());
}

}  // namespace upsweep::cpu
