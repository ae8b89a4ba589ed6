// Sorting on the CPU.
#include "upsweep/cpu/sort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/cpu/sort_division.hpp"
#include "src/cpu/sort_few.hpp"
#include "src/cpu/sort_local.hpp"
#include "src/cpu/sort_order.hpp"
#include "src/cpu/sort_pivots.hpp"
#include "src/cpu/sort_settled.hpp"
#include "src/cpu/sort_workspace.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {
namespace {

// What one thread sorts alone although there are others, and so twice where there are no kernels that divide.
constexpr std::size_t most_unshared_bytes(bool splits) { return (std::size_t{64} << 10) * (splits ? 1 : 2); }

// Sorts n records at `from` to `out`; finish(first, count) is called once of stretches of `out` that are in
// order.
template <class Record, class Order, class Finish>
class sorter {
    using word = typename Order::word;

  public:
    sorter(executor& ex, const Order& order, workspace<Record>& space, Record* out, const Finish& finish)
        : ex_(ex),
          order_(order),
          kernels_(sort_kernels_for<Record, Order>(ex.simd())),
          memory_(memory_kernels_for(ex.simd())),
          slots_(space.slots),
          segments_(space.segments),
          spare_(space.spare()),
          out_(out),
          finish_(finish) {}

    // All n, which are at `from`, or those of each segment. `mixed`: all n are not in order, as is known.
    void sort_all(const Record* from, std::size_t n, std::size_t helpers, bool mixed) const {
        if (!segments_.is_one_sequence()) return sort_segments(from, n, helpers);
        if (mixed) return sort(from, 0, n, helpers);
        sort_sequence(from, {0, n}, helpers);
    }

  private:
    void sort_segments(const Record* from, std::size_t n, std::size_t helpers) const {
        segments_.find_firsts(ex_, helpers, memory_);
        const std::size_t large = helpers == 0 ? n : too_large_for_one(n, helpers);
        for_each_task(ex_, helpers, segments_.count(), [&](std::size_t task) {
            const std::size_t first = segments_.first_of(task);
            if (first == n) return;
            const segment last = sort_task(from, task, large);
            if (last.begin != first) finish_(first, last.begin - first);
            if (last.size() > large)
                segments_.share(last);
            else if (last.size() != 0)
                sort_sequence(from + last.begin, last, 0);
        });
        segments_.for_each_shared([&](const segment& one) { sort_sequence(from + one.begin, one, helpers); });
    }
    // By one thread, in its caches. Returns the task's last segment, from its end on if it was none too many.
    segment sort_task(const Record* from, std::size_t task, std::size_t large) const {
        segment last{};
        local_sorter<Record, Order> local(order_, ex_.simd());
        slots_.use([&](Record* slot) {
            // What is behind a task's segments may be written meanwhile, where out is in.
            const auto sort_one = [&](const segment& one, std::size_t readable) {
                const Record* const begin = from + one.begin;
                Record* const to = out_ + one.begin;
                if (one.size() <= most_exchanged)
                    sort_few(begin, to, one.size(), order_);
                else if (one.size() <= most_ranked)
                    kernels_.rank(begin, readable - one.begin, to, one.size(), order_);
                else
                    local.sort(begin, slot, to, one.size());
            };
            const std::size_t end = segments_.end_of(task);
            last =
                segments_.for_each_but_last(task, memory_, [&](const segment& one) { sort_one(one, end); });
            if (last.size() > large || !workspace<Record>::is_local(last.size())) return;
            sort_one(last, end);
            last.begin = last.end;
        });
        return last;
    }
    // Those of `of`, which are at `from`. What is in order already is copied at most.
    void sort_sequence(const Record* from, const segment& of, std::size_t helpers) const {
        const auto look = [&](std::size_t first, std::size_t end) {
            return kernels_.in_order(from + first, end - first, order_);
        };
        if (settle_in_order<Record>(ex_, helpers, of.size(), look, [](std::size_t, std::size_t) {}))
            return settle(from, of.begin, of.size(), helpers);
        sort(from, of.begin, of.size(), helpers);
    }
    // Those of [first, first + n), which are at `from`. `exact`: by their bounds.
    void sort(const Record* from, std::size_t first, std::size_t n, std::size_t helpers,
              bool exact = false) const {
        if (n * sizeof(Record) <= most_bytes_for_one(helpers)) return sort_alone(from, first, n);
        if constexpr (are_keys) {
            if (kernels_.split != nullptr && !exact && divide_by_pivots(from, first, n, helpers)) return;
        }
        const int bits = streams(ex_, n * sizeof(Record)) ? most_division_bits : direct_division_bits;
        if (!exact) {
            const key_bounds<word> most = bounds_of_most(from, n);
            if (most.lo != most.hi)
                return divide(from, first, n, helpers, clamped_division<word>(most, bits));
        }
        const key_bounds<word> bounds = bounds_of(from, n, helpers);
        if (bounds.lo == bounds.hi) return settle(from, first, n, helpers);
        divide(from, first, n, helpers, division<word>(bounds, bits));
    }

    // False, and nothing is done, where a sample finds nothing to divide by.
    bool divide_by_pivots(const Record* from, std::size_t first, std::size_t n, std::size_t helpers) const {
        pivot_division<Record> parts(ex_, helpers, order_, n);
        if (!parts.find_pivots(from)) return false;
        Record* const spare = spare_ + first;
        Record* const out = out_ + first;
        const bool is_spare = from == spare;
        Record* const to = is_spare ? out : spare;
        parts.divide(from, is_spare ? spare : out, to, kernels_);
        sort_parts(parts, to, first, n, helpers, false);
        return true;
    }
    // Parts of `from`, too large ones by all threads. One that has most of the elements although a sample
    // said otherwise goes by its bounds, unless this division did.
    template <class Parts>
    void sort_parts(const Parts& parts, const Record* from, std::size_t first, std::size_t n,
                    std::size_t helpers, bool exact) const {
        const std::size_t large = too_large_for_one(n, helpers);
        const auto sort_part = [&](std::size_t part, bool by_all) {
            const std::size_t begin = parts.begin(part), size = parts.end(part) - begin;
            if (size == 0 || (helpers != 0 && size > large) != by_all) return;
            sort(from + begin, first + begin, size, by_all ? helpers : 0, !exact && size > n / 2);
        };
        for_each_task(ex_, helpers, parts.parts(), [&](std::size_t part) { sort_part(part, false); });
        for (std::size_t part = 0; part < parts.parts(); ++part) sort_part(part, true);
    }

    static constexpr bool are_keys = std::is_same_v<Order, integer_order<Record>>;
    // Whether a kernel sorts by itself, without a slot.
    [[nodiscard]] bool by_kernel() const { return kernels_.sorts_any(); }
    // What one thread sorts in its caches, and what several do not share.
    [[nodiscard]] std::size_t most_bytes_for_one(std::size_t helpers) const {
        if (helpers == 0) return by_kernel() ? SIZE_MAX : local_bytes;
        return most_unshared_bytes(kernels_.split != nullptr);
    }
    // Parts of n that have more would keep one thread busy for long.
    [[nodiscard]] std::size_t too_large_for_one(std::size_t n, std::size_t helpers) const {
        return std::max(most_bytes_for_one(helpers) / sizeof(Record), n / (2 * (helpers + 1)));
    }

    template <class Division>
    void divide(const Record* from, std::size_t first, std::size_t n, std::size_t helpers,
                const Division& by) const {
        constexpr bool is_exact = std::is_same_v<Division, division<word>>;
        bool is_complete = false;
        if constexpr (is_exact) is_complete = by.is_complete();
        shared_division<Record, Order, Division> parts(ex_, helpers, order_, from, n, by);
        Record* const spare = spare_ + first;
        Record* const out = out_ + first;
        Record* const to = from == spare || (is_complete && from != out) ? out : spare;
        parts.count();
        parts.move(to, memory_);
        if (is_complete) return settle(to, first, n, helpers);
        sort_parts(parts, to, first, n, helpers, is_exact);
    }

    void sort_alone(const Record* from, std::size_t first, std::size_t n) const {
        if (by_kernel()) {
            kernels_.sort(from, out_ + first, n, order_);
        } else {
            local_sorter<Record, Order> local(order_, ex_.simd());
            slots_.use([&](Record* slot) { local.sort(from, slot, out_ + first, n); });
        }
        finish_(first, n);
    }
    // Records that are in order at `from`.
    void settle(const Record* from, std::size_t first, std::size_t n, std::size_t helpers) const {
        Record* const out = out_ + first;
        for_each_piece_of<Record>(ex_, helpers, n, [&](std::size_t begin, std::size_t end) {
            if (from != out) std::memcpy(out + begin, from + begin, (end - begin) * sizeof(Record));
            finish_(first + begin, end - begin);
        });
    }
    // Between which all but a few of the keys should be, by a sample.
    key_bounds<word> bounds_of_most(const Record* from, std::size_t n) const {
        constexpr std::size_t size = 512, beyond = size / 64;
        std::array<word, size> sample;
        const std::size_t stride = n / size;
        for (std::size_t i = 0; i < size; ++i) sample[i] = order_(bits_of(from[i * stride]));
        std::sort(sample.begin(), sample.end());
        return {sample[beyond], sample[size - 1 - beyond]};
    }
    key_bounds<word> bounds_of(const Record* from, std::size_t n, std::size_t helpers) const {
        std::atomic<word> lo{std::numeric_limits<word>::max()}, hi{0};
        for_each_piece_of<Record>(ex_, helpers, n, [&](std::size_t begin, std::size_t end) {
            const key_bounds<word> own = kernels_.bounds(from + begin, end - begin, order_);
            for (word seen = lo.load(); own.lo < seen && !lo.compare_exchange_weak(seen, own.lo);) {
            }
            for (word seen = hi.load(); own.hi > seen && !hi.compare_exchange_weak(seen, own.hi);) {
            }
        });
        return {lo.load(), hi.load()};
    }
    executor& ex_;
    Order order_;
    const sort_kernels<Record, Order>& kernels_;
    const memory_kernels& memory_;
    local_slots<Record>& slots_;
    segment_tasks& segments_;
    Record* spare_;
    Record* out_;
    const Finish& finish_;
};

template <class Record>
using word_of = decltype(bits_of(Record()));

// The order of records whose bits are ascending ones: for those of integers and, unless there are special
// ones, of floating point.
key_order ascending_order(const key_order& order, std::size_t word_bytes) {
    return {word_bytes, false, false, 0, order.descending};
}

// None for what one thread sorts alone in any case.
template <class Record>
std::size_t helpers_for(executor& ex, std::size_t n, const head_marks* segments) {
    const std::size_t bytes = n * sizeof(Record);
    const bool splits = sort_kernels_for<Record, integer_order<word_of<Record>>>(ex.simd()).split != nullptr;
    if (segments == nullptr && bytes <= most_unshared_bytes(splits)) return 0;
    return ex.helpers_for(2 * bytes * tuning::sort_cost);
}

// Whether a kernel sorts any number of records whose bits are ascending ones.
template <class Record>
bool sorts_any(const executor& ex) {
    return sort_kernels_for<Record, integer_order<word_of<Record>>>(ex.simd()).sorts_any();
}

// A sort of n records: its threads, its memory, and whether all n are known not to be in order.
template <class Record>
struct task_of_sort {
    executor& ex;
    const key_order& order;
    std::size_t n;
    std::size_t helpers;
    workspace<Record>& space;
    bool mixed;

    // By an order of the records' bits, from `from` to `out`.
    template <class Order, class Finish>
    void run(const key_order& by, const Record* from, Record* out, const Finish& finish) const {
        sorter<Record, Order, Finish>(ex, Order(by), space, out, finish).sort_all(from, n, helpers, mixed);
    }
};

template <class Word>
void sort_integers(executor& ex, const key_order& order, const Word* in, Word* out, std::size_t n,
                   const head_marks* segments) {
    const std::size_t helpers = helpers_for<Word>(ex, n, segments);
    if (n <= most_ranked && segments == nullptr)
        return sort_kernels_for<Word, integer_order<Word>>(ex.simd()).rank(in, n, out, n,
                                                                           integer_order<Word>(order));
    workspace<Word> space(n, helpers, segments, sorts_any<Word>(ex), false);
    if (segments == nullptr && copy_in_order(ex, helpers, order, in, out, n)) return;
    const task_of_sort<Word> task{ex, order, n, helpers, space, true};
    task.template run<integer_order<Word>>(order, in, out, [](std::size_t, std::size_t) {});
}

// load(first, count, records) and store(first, count, records) of pieces of any size.
template <class Record, class Load, class Store>
void sort_loaded(const task_of_sort<Record>& task, Record* out, const Load& load, const Store& store) {
    using word = word_of<Record>;
    const key_order& order = task.order;
    if (!order.is_floating) {
        for_each_piece_of<Record>(task.ex, task.helpers, task.n, [&](std::size_t first, std::size_t end) {
            load(first, end - first, out + first);
        });
        return task.template run<integer_order<word>>(
            order, out, out, [&](std::size_t first, std::size_t count) { store(first, count, out + first); });
    }
    if constexpr (sizeof(word) != 1) {
        const auto& kernels = floating_kernels_for<Record>(task.ex.simd());
        const floating_order<word> own(order);
        std::atomic<bool> special{false};
        for_each_piece_of<Record>(task.ex, task.helpers, task.n, [&](std::size_t first, std::size_t end) {
            load(first, end - first, out + first);
            if (kernels.enter(out + first, out + first, end - first, own))
                special.store(true, std::memory_order_relaxed);
        });
        const auto finish = [&](std::size_t first, std::size_t count) {
            kernels.leave(out + first, count);
            store(first, count, out + first);
        };
        if (special.load())
            task.template run<floating_order<word>>(order, out, out, finish);
        else
            task.template run<integer_order<word>>(ascending_order(order, sizeof(word)), out, out, finish);
    }
}

template <class Word>
void sort_floating(executor& ex, const key_order& order, const Word* in, Word* out, std::size_t n,
                   const head_marks* segments) {
    const std::size_t helpers = helpers_for<Word>(ex, n, segments);
    workspace<Word> space(n, helpers, segments, false, false);  // where some are special, no kernel does it
    if (segments == nullptr && copy_in_order(ex, helpers, order, in, out, n)) return;
    sort_loaded<Word>(
        {ex, order, n, helpers, space, true}, out,
        [=](std::size_t first, std::size_t count, Word* to) {
            if (in != out) std::memcpy(to, in + first, count * sizeof(Word));
        },
        [](std::size_t, std::size_t, const Word*) {});
}

template <class Record>
void sort_records(executor& ex, const key_order& order, const record_ends& ends, std::size_t n,
                  const head_marks* segments) {
    const std::size_t helpers = helpers_for<Record>(ex, n, segments);
    workspace<Record> space(n, helpers, segments, false, true);
    const bool looks = ends.keys != nullptr && segments == nullptr;
    if (looks && pass_in_order<Record>(ex, helpers, order, ends, n)) return;
    sort_loaded<Record>(
        {ex, order, n, helpers, space, looks}, space.records(),
        [&](std::size_t first, std::size_t count, Record* to) { ends.load(ends, first, count, to); },
        [&](std::size_t first, std::size_t count, const Record* from) {
            ends.store(ends, first, count, from);
        });
}

template <class Word>
void sort_words(executor& ex, const key_order& order, const void* in, void* out, std::size_t n,
                const head_marks* segments) {
    if constexpr (sizeof(Word) != 1) {
        if (order.is_floating)
            return sort_floating(ex, order, static_cast<const Word*>(in), static_cast<Word*>(out), n,
                                 segments);
    }
    sort_integers(ex, order, static_cast<const Word*>(in), static_cast<Word*>(out), n, segments);
}

}  // namespace

void run_sort(executor& ex, const key_order& order, const void* in, void* out, std::size_t n,
              const head_marks* segments) {
    if (n == 0) return;
    switch (order.bytes) {
        case 1:
            return sort_words<std::uint8_t>(ex, order, in, out, n, segments);
        case 2:
            return sort_words<std::uint16_t>(ex, order, in, out, n, segments);
        case 4:
            return sort_words<std::uint32_t>(ex, order, in, out, n, segments);
        default:
            return sort_words<std::uint64_t>(ex, order, in, out, n, segments);
    }
}

void run_sort_records(executor& ex, const key_order& order, const record_ends& ends, std::size_t n,
                      const head_marks* segments) {
    if (n == 0) return;
    if (ends.is_wide)
        sort_records<keyed<std::uint64_t>>(ex, order, ends, n, segments);
    else
        sort_records<keyed<std::uint32_t>>(ex, order, ends, n, segments);
}

}  // namespace upsweep::cpu
