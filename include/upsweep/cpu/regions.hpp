// Scans that stay in the caches, on several threads: reduce, then scan, over regions that keep their threads.
//
// In a chain (chain.hpp) a chunk goes to whoever is free, so results are written where another thread wrote
// in the call before, and such lines are slow to come by. Here an array is divided once a call, the same way
// every time:
//
//   | lead | block 0 | block 1 | ... | block H-1 | tail |
//
// Helper k summarises block k while the caller scans the lead. Then the caller hands to every block the state
// that stands before it, a few operations for each of its regions, and scans the tail, while the helpers scan
// their blocks. What the caller scans by itself is summarised by nobody, so that two threads take 0.6 of one
// thread's time where summarising takes half as long as scanning.
//
// Nothing waits for a helper that has not come: until the first does, the caller scans as if it were alone,
// and what is left then is divided. Of the regions of a block that nobody has claimed, the caller takes the
// first and helpers the last. A helper whose block is done, and only then, goes on in the others: its caches
// hold its own block, and others' caches theirs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "upsweep/cpu/backoff.hpp"
#include "upsweep/cpu/chain.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/first_failure.hpp"
#include "upsweep/cpu/inline_array.hpp"
#include "upsweep/cpu/shared_span.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {

// What a step of a thread came to: something, nothing because it waits for another thread, or the end.
enum class progress { made, waits, finished };

inline constexpr std::size_t most_regions = 128;
inline constexpr std::size_t most_region_helpers = 63;

// Where the threads of a scan find what to do. Kernel as in chain.hpp, whose chunks are the regions here.
// Threads go by steps that never block, so that a test can take them in any order.
template <class Kernel>
class region_board {
  public:
    // Whether a thread's stack has room for it: most_regions of them take 64 KiB at most, the blocks 36.
    static constexpr bool is_small =
        sizeof(std::optional<typename Kernel::state>) + sizeof(typename Kernel::summary) <= 448;

    // `regions` up to most_regions, `helpers` at least one.
    region_board(const Kernel& kernel, std::size_t regions, std::size_t helpers)
        : kernel_(kernel),
          count_(regions),
          helpers_(std::min(helpers, most_region_helpers)),
          blocks_(helpers_),
          regions_(regions) {
        lead_.reset({0, regions});
    }

    class caller;
    class helper;

  private:
    using state = typename Kernel::state;
    static constexpr std::size_t none = shared_span::none;

    using summary = typename Kernel::summary;
    // A caller's elements may ask for more than a cache line.
    struct alignas(64) alignas(summary) region {
        std::atomic<bool> summarised{false};
        summary made;
    };
    struct block {
        alignas(64) shared_span open;  // regions that nobody has claimed
        std::size_t end = 0;
        alignas(64) shared_span ready;  // those that are handed on, and that nobody scans
        std::size_t first = 0;          // of those
        std::optional<state> before;    // which stands before it
    };

    // How `count` regions from the first-th on are divided: a block for each helper, and as much at the end.
    struct division {
        std::size_t lead_end, tail_begin;

        division(std::size_t first, std::size_t count, std::size_t helpers) {
            const std::size_t whole = tuning::lead_percent + 100 * helpers + 100;
            const auto rounded = [&](std::size_t percent) { return (percent * count + whole / 2) / whole; };
            lead_end = first + rounded(tuning::lead_percent);
            tail_begin = std::max(lead_end, first + count - std::max<std::size_t>(1, rounded(100)));
        }
    };

    // Divides what the caller has left, which the first helper to come does. Whether it is being divided.
    bool divide() {
        division parts(0, count_, helpers_);
        const bool first_to_come = lead_.change([&](shared_span::bounds& left) {
            if (left.last != count_ || count_ - left.first < 2) return false;
            // The same division every time, except for those who come late.
            if (left.first > parts.lead_end) parts = division(left.first, count_ - left.first, helpers_);
            left.last = std::max(left.first, parts.lead_end);
            return true;
        });
        const std::size_t begin = lead_.now().last;
        if (!first_to_come) return begin != count_;
        tail_begin_ = parts.tail_begin;
        const std::size_t inside = tail_begin_ - begin;
        for (std::size_t k = 0; k < helpers_; ++k) {
            blocks_[k].end = begin + (k + 1) * inside / helpers_;
            blocks_[k].open.reset({begin + k * inside / helpers_, blocks_[k].end});
        }
        divided_.store(true, std::memory_order_release);
        return true;
    }
    [[nodiscard]] bool divided() const { return divided_.load(std::memory_order_acquire); }

    // What a thread claims from `ready` of a block, and scans. A thread that scans one region after another
    // has the state that stands before the next one; others find it from the block's.
    class follower {
      public:
        bool claim(region_board& board, block& from) {
            const std::size_t taken = from.ready.take_first();
            if (taken == none) return false;
            if (!state_ || taken != next_) {
                state_.emplace(*from.before);
                for (next_ = from.first; next_ != taken; ++next_)
                    board.kernel_.advance(*state_, next_, board.regions_[next_].made);
            }
            claimed_ = true;
            return true;
        }
        // From the last block on.
        bool claim_any(region_board& board) {
            for (std::size_t k = board.helpers_; k-- != 0;) {
                if (claim(board, board.blocks_[k])) return true;
            }
            return false;
        }
        // Whether there was something to scan. Never inlined: g++ 12 would warn that a state may be read
        // which is absent.
        [[gnu::noinline]] bool scan(region_board& board) {
            if (!claimed_) return false;
            board.kernel_.scan(next_++, *state_, no_chunk);
            claimed_ = false;
            return true;
        }

      private:
        bool claimed_ = false;  // region next_
        std::size_t next_ = 0;
        std::optional<state> state_;  // before region next_
    };

    const Kernel& kernel_;
    const std::size_t count_;
    const std::size_t helpers_;
    alignas(64) shared_span lead_;  // what the caller scans by itself: everything, until it is divided
    std::atomic<bool> divided_{false};
    std::size_t tail_begin_ = 0;
    inline_array<block, most_region_helpers> blocks_;
    inline_array<region, most_regions> regions_;
};

// The thread that called, and holds the running state.
template <class Kernel>
class region_board<Kernel>::caller {
  public:
    caller(region_board& board, const state& initial) : board_(board), state_(initial) {}

    progress step() {
        if (claimed_ != none) {
            board_.kernel_.scan(next_++, state_, no_chunk);
            claimed_ = none;
        } else if (handed_.scan(board_)) {
            return progress::made;
        } else if (block_ == before_blocks) {
            claimed_ = board_.lead_.take_first();
            if (claimed_ != none) return progress::made;
            if (board_.lead_.now().last == board_.count_) return progress::finished;
            if (!board_.divided()) return progress::waits;
            block_ = 0;
        } else if (block_ != board_.helpers_) {
            return step_in(board_.blocks_[block_]);
        } else if (next_ != board_.count_) {
            claimed_ = next_;
        } else {  // the tail is done; what helpers have not come to yet, from the end
            return handed_.claim_any(board_) ? progress::made : progress::finished;
        }
        return progress::made;
    }
    // After the last step.
    state& last() { return state_; }

  private:
    // Asks for what handing on a block needs, which lies in other processors' caches and would come line by
    // line.
    void ask_for(std::size_t number) {
        if (number == board_.helpers_) return;
        block& next = board_.blocks_[number];
        __builtin_prefetch(&next.open);
        __builtin_prefetch(&next.ready, 1);
        for (std::size_t k = board_.blocks_[number - 1].end; k != next.end; ++k)
            __builtin_prefetch(&board_.regions_[k]);
        asm volatile("");  // GCC drops calls of a function that does nothing but prefetch, as without effect
    }

    // Scans what helpers have left open and hands on the state over what they have summarised.
    progress step_in(block& in) {
        if (!handing_) {
            ask_for(block_ + 1);
            claimed_ = in.open.take_first();
            if (claimed_ != none) return progress::made;
            in.first = next_;
            in.before.emplace(state_);
            in.ready.reset({next_, next_});
            handing_ = true;
        }
        if (next_ == in.end) {
            handing_ = false;
            ++block_;
            return progress::made;
        }
        std::size_t handed = 0;
        while (next_ != in.end && board_.regions_[next_].summarised.load(std::memory_order_acquire)) {
            board_.kernel_.advance(state_, next_, board_.regions_[next_].made);
            ++next_;
            ++handed;
        }
        in.ready.append(handed);
        return handed == 0 ? progress::waits : progress::made;
    }

    static constexpr std::size_t before_blocks = static_cast<std::size_t>(-1);

    region_board& board_;
    state state_;                        // before region next_
    std::size_t next_ = 0;               // the first region that is neither scanned nor handed on
    std::size_t block_ = before_blocks;  // in which it lies
    bool handing_ = false;               // whether the rest of the block is summarised by helpers
    std::size_t claimed_ = none;         // what the next step scans, as the next region
    follower handed_;                    // or as a region that a helper summarised
};

// A thread that came to help. `index` is the same for the same thread in every call.
template <class Kernel>
class region_board<Kernel>::helper {
  public:
    helper(region_board& board, std::size_t index) : board_(board), home_(index % board.helpers_) {}

    progress step() {
        if (open_ != none) {
            region& here = board_.regions_[open_];
            board_.kernel_.summarise(open_, here.made);
            here.summarised.store(true, std::memory_order_release);
            open_ = none;
        } else if (handed_.scan(board_)) {
            return progress::made;
        } else if (!arrived_) {
            if (!board_.divide()) return progress::finished;
            arrived_ = true;
        } else if (!board_.divided()) {
            return progress::waits;
        } else if (!all_claimed_) {
            open_ = board_.blocks_[home_].open.take_last();
            for (std::size_t k = board_.helpers_; k-- != 0 && open_ == none;)
                open_ = board_.blocks_[k].open.take_last();
            all_claimed_ = open_ == none;
        } else if (!handed_.claim(board_, board_.blocks_[home_])) {
            if (board_.blocks_[home_].ready.now().first != board_.blocks_[home_].end) return progress::waits;
            return handed_.claim_any(board_) ? progress::made : progress::finished;
        }
        return progress::made;
    }

  private:
    region_board& board_;
    const std::size_t home_;  // its own block
    bool arrived_ = false;
    bool all_claimed_ = false;
    std::size_t open_ = none;  // what the next step summarises
    follower handed_;          // or scans
};

// As run_chain, for results that a cache holds.
template <class Kernel>
typename Kernel::state run_regions(executor& ex, std::size_t helpers, std::size_t count, const Kernel& kernel,
                                   const typename Kernel::state& initial) {
    using board_type = region_board<Kernel>;
    board_type board(kernel, count, helpers);
    typename board_type::caller front(board, initial);
    first_failure failure;
    executor::helpers_record record;

    const auto follow = [&](auto& thread) {
        executor::duration all{};
        backoff pause;
        for (progress now; (now = thread.step()) != progress::finished && !failure.failed();) {
            if (now == progress::waits) {
                pause();
            } else {
                all += pause.waited();
                pause = {};
            }
        }
        return all;
    };
    auto work = [&](std::size_t worker) noexcept {
        try {
            if (worker == 0) {
                record.waited = follow(front);
            } else {
                typename board_type::helper thread(board, worker - 1);
                follow(thread);
            }
        } catch (...) {
            failure.fail(std::current_exception());
        }
    };
    ex.run(helpers, work, &record);
    failure.rethrow_failure();
    return std::move(front.last());
}

}  // namespace upsweep::cpu
