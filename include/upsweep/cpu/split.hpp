// A scan of a size that caches hold, on two threads: split once rather than chained.
//
// The caller scans chunk after chunk and waits for nobody. When a helper comes, what is left is divided. Out
// of place the helper sums up the first part while the caller scans it, and then scans the second. In place
// that would race with the caller's results, so the caller sums up the first part, hands the state on, and
// both scan. Each core writes one part of the output only, and in equal calls one after the other the same
// part, which thus stays in its cache. A helper that comes late gets less to do, or nothing.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "upsweep/cpu/backoff.hpp"
#include "upsweep/cpu/chain.hpp"
#include "upsweep/cpu/executor.hpp"

namespace upsweep::cpu {

// Which chunks are the caller's, and the state that it hands to the helper.
template <class State>
class division : public first_failure {
  public:
    struct range {
        std::size_t begin, end;
    };
    struct step {
        std::size_t chunk;           // that the caller scans next; no_chunk if none of its own is left
        std::optional<range> asked;  // since the last step a helper came: from `chunk` on, this is divided
    };

    // `first_share`: of what is left when a helper comes, the part that the caller keeps.
    division(std::size_t chunk_count, double first_share)
        : end_(chunk_count), share_(first_share), usual_end_(share_of(chunk_count)) {}

    // Caller. An answer that is `asked` for is due at once, by hand_over().
    step next() {
        const auto lock = lock_briefly(mutex_);
        step made{no_chunk, {}};
        if (asked_) made.asked = range{position_, end_};
        asked_ = false;
        if (position_ != end_) made.chunk = position_++;
        return made;
    }
    void hand_over(State state) {
        handed_.emplace(std::move(state));
        ready_.store(true, std::memory_order_release);
    }

    // Helper, once: the chunks that remain the caller's among those not yet begun; what follows them is the
    // helper's. Nothing if too few are left. A helper that is hardly late leaves the division as it would
    // have been, so that in equal calls each core meets the memory that it wrote before.
    std::optional<range> divide() {
        const auto lock = lock_briefly(mutex_);
        const std::size_t left = end_ - position_;
        if (left < 3) return {};
        end_ = 8 * position_ <= end_ && position_ < usual_end_ ? usual_end_ : position_ + share_of(left);
        asked_ = true;
        return range{position_, end_};
    }
    // Helper: what the caller hands over; nothing if the caller failed.
    std::optional<State> take() {
        for (backoff pause; !ready_.load(std::memory_order_acquire); pause()) {
            if (failed()) return {};
        }
        return std::move(handed_);
    }

  private:
    [[nodiscard]] std::size_t share_of(std::size_t chunks) const {
        return static_cast<std::size_t>(std::llround(share_ * static_cast<double>(chunks)));
    }

    std::mutex mutex_;
    std::size_t position_ = 0;  // chunks that the caller has begun
    std::size_t end_;           // of the caller's chunks
    const double share_;
    const std::size_t usual_end_;  // when a helper comes at once
    bool asked_ = false;
    std::atomic<bool> ready_{false};
    std::optional<State> handed_;
};

// Scans chunks [0, chunk_count) with at most one further thread and returns the state after the last. Kernel:
// as in run_chain, and
//   first_share        of a scan out of place, the part that takes as long to scan as summing it up and
//                      scanning the rest do
// In place: the results overwrite the input.
template <class Kernel>
typename Kernel::state run_split(executor& ex, std::size_t chunk_count, const Kernel& kernel,
                                 typename Kernel::state initial, bool in_place) {
    using state = typename Kernel::state;
    division<state> line(chunk_count, in_place ? 0.5 : Kernel::first_share);
    std::optional<state> last_of_caller, last_of_helper;

    const auto scan_all = [&](std::size_t begin, std::size_t end, state& carried) {
        typename Kernel::summary unused;
        for (std::size_t chunk = begin; chunk < end && !line.failed(); ++chunk)
            kernel.scan(chunk, carried, no_chunk, unused);
    };
    // Advances over all of [begin, end).
    const auto sum_up = [&](std::size_t begin, std::size_t end, state& carried) {
        typename Kernel::summary summary;
        for (std::size_t chunk = begin; chunk < end && !line.failed(); ++chunk) {
            kernel.summarise(chunk, summary);
            kernel.advance(carried, chunk, summary);
        }
    };
    const auto call = [&] {
        state carried = std::move(initial);
        for (;;) {
            const auto [chunk, asked] = line.next();
            if (asked) {
                state handed = carried;
                if (in_place) sum_up(asked->begin, asked->end, handed);
                line.hand_over(std::move(handed));
            }
            if (chunk == no_chunk || line.failed()) break;
            scan_all(chunk, chunk + 1, carried);
        }
        last_of_caller.emplace(std::move(carried));
    };
    const auto help = [&] {
        const auto first = line.divide();
        if (!first) return;
        typename Kernel::summary summary;
        if (!in_place) kernel.summarise(first->begin, summary);  // while the caller finishes a chunk
        std::optional<state> carried = line.take();
        if (!carried) return;
        if (!in_place) {
            kernel.advance(*carried, first->begin, summary);
            sum_up(first->begin + 1, first->end, *carried);
        }
        scan_all(first->end, chunk_count, *carried);
        last_of_helper.emplace(std::move(*carried));
    };

    const std::thread::id caller = std::this_thread::get_id();
    auto work = [&]() noexcept {
        try {
            if (std::this_thread::get_id() == caller)
                call();
            else
                help();
        } catch (...) {
            line.fail(std::current_exception());
        }
    };
    ex.run(1, work);
    line.rethrow_failure();
    return std::move(last_of_helper ? *last_of_helper : *last_of_caller);
}

}  // namespace upsweep::cpu
