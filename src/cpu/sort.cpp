// Sorting on the CPU.
#include "upsweep/cpu/sort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include "src/cpu/sort_division.hpp"
#include "src/cpu/sort_local.hpp"
#include "src/cpu/sort_order.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/error.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace upsweep::cpu {
namespace {

[[noreturn]] void throw_no_scratch(std::size_t bytes) {
    throw_error(errc::out_of_memory,
                "sort: " + std::to_string(bytes) + " bytes of scratch memory are not to be had");
}

// What does not exceed it is sorted by one thread, in its second-level cache.
constexpr std::size_t local_bytes = std::size_t{256} << 10;
constexpr std::size_t piece_bytes_of_ends = std::size_t{64} << 10;

// Room for n records: on the stack for a few, else on the heap, in huge pages where it takes some.
template <class Record>
class scratch {
  public:
    explicit scratch(std::size_t n) {
        constexpr std::size_t huge = std::size_t{2} << 20;
        if (n > SIZE_MAX / 2 / sizeof(Record)) throw_no_scratch(SIZE_MAX);
        const std::size_t bytes = n * sizeof(Record);
        if (bytes <= sizeof few_) return;
        const std::size_t alignment = bytes >= huge ? huge : 64;
        const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
        many_.reset(static_cast<Record*>(std::aligned_alloc(alignment, rounded)));
        if (many_ == nullptr) throw_no_scratch(bytes);
#if defined(__linux__)
        if (alignment == huge) ::madvise(many_.get(), rounded, MADV_HUGEPAGE);
#endif
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    [[nodiscard]] Record* data() { return many_ != nullptr ? many_.get() : few_; }

  private:
    struct release {
        void operator()(Record* records) const { std::free(records); }
    };
    std::unique_ptr<Record, release> many_;
    alignas(64) Record few_[4096 / sizeof(Record)];
};

// Calls body(first, end) of pieces of n records.
template <class Record, class Body>
void for_each_piece_of(executor& ex, std::size_t helpers, std::size_t n, const Body& body) {
    constexpr std::size_t piece = piece_bytes_of_ends / sizeof(Record);
    for_each_task(ex, helpers, (n + piece - 1) / piece,
                  [&](std::size_t task) { body(task * piece, std::min(n, (task + 1) * piece)); });
}

// Room that threads sort in, each in a slot of its own as long as it sorts.
template <class Record>
class local_slots {
  public:
    // For so many threads, and up to `records` of them in each.
    local_slots(std::size_t threads, std::size_t records)
        : each_(2 * std::max(records, least_records)), memory_(threads * each_) {
        for (std::size_t k = 0; k < threads; ++k) put_back(memory_.data() + k * each_);
    }

    template <class Use>
    void use(const Use& body) {
        Record* const slot = take();
        body(slot);
        put_back(slot);
    }

  private:
    static constexpr std::size_t least_records = sizeof(void*);  // a link fits

    Record* take() {
        const std::lock_guard lock(mutex_);
        Record* const slot = first_;
        std::memcpy(static_cast<void*>(&first_), static_cast<const void*>(slot), sizeof first_);
        return slot;
    }
    void put_back(Record* slot) {
        const std::lock_guard lock(mutex_);
        std::memcpy(static_cast<void*>(slot), static_cast<const void*>(&first_), sizeof first_);
        first_ = slot;
    }

    std::size_t each_;
    scratch<Record> memory_;
    std::mutex mutex_;
    Record* first_ = nullptr;  // of the free slots, each of which begins with the next
};

// All that a call takes, before anything is written.
template <class Record>
struct workspace {
    workspace(std::size_t n, std::size_t helpers)
        : spare(helpers == 0 && is_local(n) ? 0 : n),
          slots(helpers + 1, std::min(n, local_bytes / sizeof(Record))) {}
    static bool is_local(std::size_t n) { return n * sizeof(Record) <= local_bytes; }

    scratch<Record> spare;  // for n records, unless one thread sorts all in its caches
    local_slots<Record> slots;
};

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
          spare_(space.spare.data()),
          out_(out),
          finish_(finish) {}

    // Those of [first, first + n), which are at `from`. `exact`: by their bounds.
    void sort(const Record* from, std::size_t first, std::size_t n, std::size_t helpers,
              bool exact = false) const {
        if (helpers == 0 ? workspace<Record>::is_local(n) : n * sizeof(Record) <= shared_bytes)
            return sort_locally(from, first, n);
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

  private:
    // What several threads do not share.
    static constexpr std::size_t shared_bytes = std::size_t{32} << 10;

    template <class Division>
    void divide(const Record* from, std::size_t first, std::size_t n, std::size_t helpers,
                const Division& by) const {
        constexpr bool is_exact = std::is_same_v<Division, division<word>>;
        bool is_complete = false;
        if constexpr (is_exact) is_complete = by.is_complete();
        shared_division<Record, Order, Division> parts(ex_, helpers, order_, from, n, by);
        Record* const spare = spare_ + first;
        Record* const out = out_ + first;
        Record* const to = from == out ? spare : out;
        parts.count();
        parts.move(to, memory_);
        if (is_complete) return settle(to, first, n, helpers);
        // Parts that would keep one thread busy for long are for all of them. One that has most of the
        // elements although a sample said otherwise goes by its bounds.
        const std::size_t large = std::max(shared_bytes / sizeof(Record), n / (2 * (helpers + 1)));
        const auto sort_part = [&](std::size_t part, bool by_all) {
            const std::size_t begin = parts.begin(part), size = parts.end(part) - begin;
            if (size == 0 || (helpers != 0 && size > large) != by_all) return;
            sort(to + begin, first + begin, size, by_all ? helpers : 0, !is_exact && size > n / 2);
        };
        for_each_task(ex_, helpers, parts.parts(), [&](std::size_t part) { sort_part(part, false); });
        for (std::size_t part = 0; part < parts.parts(); ++part) sort_part(part, true);
    }

    void sort_locally(const Record* from, std::size_t first, std::size_t n) const {
        local_sorter<Record, Order> local(order_, ex_.simd());
        slots_.use([&](Record* slot) { local.sort(from, slot, out_ + first, n); });
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
    Record* spare_;
    Record* out_;
    const Finish& finish_;
};

// By an order of the records' bits.
template <class Order, class Record, class Finish>
void sort_by_order(executor& ex, std::size_t helpers, const key_order& order, const Record* from,
                   workspace<Record>& space, Record* out, std::size_t n, const Finish& finish) {
    sorter<Record, Order, Finish>(ex, Order(order), space, out, finish).sort(from, 0, n, helpers);
}

template <class Record>
using word_of = decltype(bits_of(Record()));

// The order of records whose bits are ascending ones: for those of integers and, unless there are special
// ones, of floating point.
key_order ascending_order(const key_order& order, std::size_t word_bytes) {
    return {word_bytes, false, false, 0, order.descending};
}

std::size_t helpers_for(executor& ex, std::size_t n, std::size_t bytes) {
    return ex.helpers_for(n * bytes * tuning::sort_cost);
}

template <class Word>
void sort_integers(executor& ex, const key_order& order, const Word* in, Word* out, std::size_t n) {
    const std::size_t helpers = helpers_for(ex, n, 2 * sizeof(Word));
    if (n <= most_ranked)
        return sort_kernels_for<Word, integer_order<Word>>(ex.simd()).rank(in, n, out, n,
                                                                           integer_order<Word>(order));
    workspace<Word> space(n, helpers);
    sort_by_order<integer_order<Word>>(ex, helpers, order, in, space, out, n,
                                       [](std::size_t, std::size_t) {});
}

// load(first, count, records) and store(first, count, records) of pieces of any size.
template <class Record, class Load, class Store>
void sort_loaded(executor& ex, const key_order& order, workspace<Record>& space, Record* out, std::size_t n,
                 std::size_t helpers, const Load& load, const Store& store) {
    using word = word_of<Record>;
    if (!order.is_floating) {
        for_each_piece_of<Record>(ex, helpers, n, [&](std::size_t first, std::size_t end) {
            load(first, end - first, out + first);
        });
        return sort_by_order<integer_order<word>>(
            ex, helpers, order, out, space, out, n,
            [&](std::size_t first, std::size_t count) { store(first, count, out + first); });
    }
    if constexpr (sizeof(word) != 1) {
        const auto& kernels = floating_kernels_for<Record>(ex.simd());
        const floating_order<word> own(order);
        std::atomic<bool> special{false};
        for_each_piece_of<Record>(ex, helpers, n, [&](std::size_t first, std::size_t end) {
            load(first, end - first, out + first);
            if (kernels.enter(out + first, out + first, end - first, own))
                special.store(true, std::memory_order_relaxed);
        });
        const auto finish = [&](std::size_t first, std::size_t count) {
            kernels.leave(out + first, count);
            store(first, count, out + first);
        };
        if (special.load())
            sort_by_order<floating_order<word>>(ex, helpers, order, out, space, out, n, finish);
        else
            sort_by_order<integer_order<word>>(ex, helpers, ascending_order(order, sizeof(word)), out, space,
                                               out, n, finish);
    }
}

template <class Word>
void sort_floating(executor& ex, const key_order& order, const Word* in, Word* out, std::size_t n) {
    const std::size_t helpers = helpers_for(ex, n, 2 * sizeof(Word));
    workspace<Word> space(n, helpers);
    sort_loaded(
        ex, order, space, out, n, helpers,
        [=](std::size_t first, std::size_t count, Word* to) {
            if (in != out) std::memcpy(to, in + first, count * sizeof(Word));
        },
        [](std::size_t, std::size_t, const Word*) {});
}

template <class Record>
void sort_records(executor& ex, const key_order& order, const record_ends& ends, std::size_t n) {
    const std::size_t helpers = helpers_for(ex, n, 2 * sizeof(Record));
    workspace<Record> space(n, helpers);
    scratch<Record> out(n);
    sort_loaded(
        ex, order, space, out.data(), n, helpers,
        [&](std::size_t first, std::size_t count, Record* to) { ends.load(ends, first, count, to); },
        [&](std::size_t first, std::size_t count, const Record* from) {
            ends.store(ends, first, count, from);
        });
}

template <class Word>
void sort_words(executor& ex, const key_order& order, const void* in, void* out, std::size_t n) {
    if constexpr (sizeof(Word) != 1) {
        if (order.is_floating)
            return sort_floating(ex, order, static_cast<const Word*>(in), static_cast<Word*>(out), n);
    }
    sort_integers(ex, order, static_cast<const Word*>(in), static_cast<Word*>(out), n);
}

}  // namespace

void run_sort(executor& ex, const key_order& order, const void* in, void* out, std::size_t n) {
    if (n == 0) return;
    switch (order.bytes) {
        case 1:
            return sort_words<std::uint8_t>(ex, order, in, out, n);
        case 2:
            return sort_words<std::uint16_t>(ex, order, in, out, n);
        case 4:
            return sort_words<std::uint32_t>(ex, order, in, out, n);
        default:
            return sort_words<std::uint64_t>(ex, order, in, out, n);
    }
}

void run_sort_records(executor& ex, const key_order& order, const record_ends& ends, std::size_t n) {
    if (n == 0) return;
    if (ends.is_wide)
        sort_records<keyed<std::uint64_t>>(ex, order, ends, n);
    else
        sort_records<keyed<std::uint32_t>>(ex, order, ends, n);
}

}  // namespace upsweep::cpu
