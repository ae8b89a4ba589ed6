// Segments that are sorted each by itself, as tasks of about as many elements each.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/cpu/sort_scratch.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::cpu {

// Elements [begin, end).
struct segment {
    std::size_t begin, end;

    [[nodiscard]] std::size_t size() const { return end - begin; }
};

// A stretch of elements is a task: whoever takes it has the segments that begin in it, all of which but the
// last one end in it too. Where none begins, there is nothing to do.
class segment_tasks {
  public:
    // All that it takes is taken here: a word for every stretch. No segments: `marks` is null.
    segment_tasks(const head_marks* marks, std::size_t n, std::size_t helpers, std::size_t record_bytes)
        : marks_(marks),
          n_(marks == nullptr ? 0 : n),
          elements_(stretch_elements(n, helpers, record_bytes)),
          firsts_(count()),
          shared_(marks == nullptr ? 0 : 2 * (helpers + 1)) {}

    [[nodiscard]] bool is_one_sequence() const { return marks_ == nullptr; }
    [[nodiscard]] std::size_t count() const { return (n_ + elements_ - 1) / elements_; }

    // Looks for the first segment of each stretch, in front of anything else: where the last one of a stretch
    // ends is where that of a later one begins.
    void find_firsts(executor& ex, std::size_t helpers, const memory_kernels& memory) {
        for_each_task(ex, helpers, count(), [&](std::size_t task) {
            std::size_t first = task == 0 ? 0 : n_;
            block marked;
            for (std::size_t at = task * elements_; first == n_ && at < stretch_end(task); at += bits) {
                marked.mark(*marks_, memory, at, stretch_end(task));
                first = marked.first_head(n_);
            }
            firsts_.data()[task] = first;
        });
    }
    // The task's first segment begins there; there is none if that is the number of elements.
    [[nodiscard]] std::size_t first_of(std::size_t task) { return firsts_.data()[task]; }
    // Where its last one ends.
    [[nodiscard]] std::size_t end_of(std::size_t task) {
        while (++task < count() && first_of(task) == n_) {
        }
        return task < count() ? first_of(task) : n_;
    }
    // Calls each(segment) of the task's, which has some, from front to back, but for the last, and returns
    // that one.
    template <class Each>
    segment for_each_but_last(std::size_t task, const memory_kernels& memory, const Each& each) {
        const std::size_t stop = stretch_end(task);
        std::size_t begin = first_of(task);
        block marked;
        for (std::size_t at = begin; at < stop; at += bits) {
            marked.mark(*marks_, memory, at, stop);
            for_each_bit(marked.heads.data(), marked.count, [&](std::size_t i) {
                if (at + i != begin) each(segment{begin, at + i});
                begin = at + i;
            });
        }
        return {begin, end_of(task)};
    }

    // Segments of more than a half of a thread's share of all elements, for all threads: fewer than two a
    // thread. May be called by several threads.
    void share(const segment& large) { shared_.data()[shared_count_++] = large; }
    template <class Each>
    void for_each_shared(const Each& each) {
        for (std::size_t k = 0; k < shared_count_; ++k) each(shared_.data()[k]);
    }

  private:
    static constexpr std::size_t bits = 512;
    struct block {
        std::array<std::uint64_t, words_of(bits)> heads;
        std::size_t first = 0, count = 0, hint = 0;

        void mark(const head_marks& marks, const memory_kernels& memory, std::size_t from, std::size_t stop) {
            first = from;
            count = std::min(bits, stop - from);
            marks.mark(marks, memory, first, count, heads.data(), hint);
        }
        [[nodiscard]] std::size_t first_head(std::size_t none) const {
            for (std::size_t word = 0; word < words_of(count); ++word)
                if (heads[word] != 0)
                    return first + 64 * word + static_cast<std::size_t>(std::countr_zero(heads[word]));
            return none;
        }
    };

    // Few enough for a near cache, and for every thread to have some stretches.
    static std::size_t stretch_elements(std::size_t n, std::size_t helpers, std::size_t record_bytes) {
        constexpr std::size_t bytes = std::size_t{64} << 10, stretches_per_thread = 8;
        const std::size_t share = helpers == 0 ? n : n / ((helpers + 1) * stretches_per_thread);
        return std::clamp(share / bits * bits, bits, bytes / record_bytes);
    }
    [[nodiscard]] std::size_t stretch_end(std::size_t task) const {
        return std::min(n_, (task + 1) * elements_);
    }

    const head_marks* marks_;
    std::size_t n_;
    std::size_t elements_;
    scratch<std::size_t> firsts_;
    scratch<segment> shared_;
    std::atomic<std::size_t> shared_count_{0};
};

}  // namespace upsweep::cpu
