// Repeated elements on the CPU.
#include "upsweep/cpu/repeat.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>

#include "src/cpu/advanced.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {
namespace {

constexpr std::size_t most_count_chunks = 2048;
constexpr std::uint64_t most_of_64_bits = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t asked_ahead = 4 * 1024;
constexpr std::size_t least_count_chunk = 4 * repeat_block;  // elements
constexpr std::size_t streamed_at_once = 16 * 1024;          // that are made in a cache and leave at once
// Bytes of results of an element, on average, from which kernels stream them. They branch on every count,
// which costs more than a buffer if there are few: 1.8 times as long with 120 bytes, but 0.9 with 240.
constexpr std::size_t streamed_directly = 192;

// Asks for the bytes from base + offset on, which are read soon; they need not be there.
void ask_for_bytes(const void* base, std::size_t offset, std::size_t bytes) {
    const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(base) + offset;
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(reinterpret_cast<const void*>(from + i));
    asm volatile("");  // GCC drops calls of a function that does nothing but prefetch, as without effect
}

// A call, whose counts are added up.
struct counted_call {
    const repetition& of;
    const repeat_kernels& kernels;
    const memory_kernels& memory;
    std::size_t chunk;  // elements of one
    std::size_t chunks;
    std::array<std::uint64_t, most_count_chunks + 1> before;  // results of the chunks in front of one
    bool asks = false;                                        // for what is read soon
    bool streaming = false;                                   // results are stored past the caches
    const repeat_kernels* writing;  // streaming ones do that themselves, others by way of a buffer

    counted_call(executor& ex, const repetition& what)
        : of(what),
          kernels(repeat_kernels_for(ex.simd())),
          memory(memory_kernels_for(ex.simd())),
          writing(&kernels) {
        const std::size_t fair = (of.n + most_count_chunks - 1) / most_count_chunks;
        chunk = std::max(least_count_chunk, (fair + repeat_block - 1) / repeat_block * repeat_block);
        chunks = (of.n + chunk - 1) / chunk;
    }

    // Whether every sum can be; of all results there are before[chunks] then.
    bool add_up(executor& ex, std::size_t helpers) {
        std::atomic<bool> good{true};
        const auto add = [&](std::size_t k) {
            if (!add_up(k)) good.store(false, std::memory_order_relaxed);
        };
        if (helpers == 0) {
            for (std::size_t k = 0; k < chunks; ++k) add(k);
        } else {
            for_each_task(ex, helpers, chunks, add);
        }
        if (!good.load(std::memory_order_relaxed)) return false;
        before[0] = 0;
        for (std::size_t k = 0; k < chunks; ++k) {
            if (before[k + 1] > most_of_64_bits - before[k]) return false;
            before[k + 1] += before[k];
        }
        return true;
    }
    // The counts, and elements, that come some way behind the first-th.
    void ask_for_counts(std::size_t first) const {
        if (asks)
            ask_for_bytes(of.counts, first * of.count_bytes + asked_ahead, repeat_block * of.count_bytes);
    }
    void ask_for_elements(std::size_t first) const {
        if (asks) ask_for_bytes(of.in, first * of.in_bytes + asked_ahead, repeat_block * of.in_bytes);
    }
    // The last chunk of those before which there are no more than so many results.
    [[nodiscard]] std::size_t chunk_of(std::uint64_t result) const {
        return static_cast<std::size_t>(std::upper_bound(before.begin(), before.begin() + chunks, result) -
                                        before.begin() - 1);
    }

  private:
    // The results of a chunk to before[chunk + 1], unless they cannot be.
    bool add_up(std::size_t k) {
        const std::size_t end = std::min(of.n, (k + 1) * chunk);
        std::uint64_t all = 0;
        for (std::size_t i = k * chunk; i < end; i += repeat_block) {
            std::uint64_t sum = 0;
            ask_for_counts(i + repeat_block);
            if (!of.sum(of, kernels, i, std::min(repeat_block, end - i), &sum) || all > most_of_64_bits - sum)
                return false;
            all += sum;
        }
        before[k + 1] = all;
        return true;
    }
};

// Results from one place on, one after the other.
class repeat_cursor {
  public:
    // There is a result of this number.
    repeat_cursor(const counted_call& from, std::uint64_t result) : from_(from) {
        const std::size_t chunk = from.chunk_of(result);
        std::uint64_t skipped = result - from.before[chunk];
        end_ = chunk * from.chunk;
        for (;;) {  // the block in which it lies
            std::uint64_t sum = 0;
            if (skipped == 0) break;
            const std::size_t count = std::min(repeat_block, from.of.n - end_);
            from.of.sum(from.of, from.kernels, end_, count, &sum);
            if (sum > skipped) break;
            skipped -= sum;
            end_ += count;
        }
        load();
        for (; counts_[at_] <= skipped && skipped != 0; ++at_) skipped -= counts_[at_];
        counts_[at_] -= skipped;
    }
    repeat_cursor(const repeat_cursor&) = delete;
    repeat_cursor& operator=(const repeat_cursor&) = delete;

    // The next `room` results, which there are.
    void write(void* dst, std::size_t room) {
        while (room != 0) {
            if (at_ == loaded_) load();
            const repeated made = from_.of.write(from_.of, *from_.writing, end_ - loaded_ + at_,
                                                 loaded_ - at_, counts_.data() + at_, dst, room);
            at_ += made.elements;
            room -= made.results;
            dst = advanced(dst, made.results * from_.of.out_bytes);
        }
    }

  private:
    // The next block, of a chunk that has results.
    void load() {
        if (end_ % from_.chunk == 0) {
            std::size_t chunk = end_ / from_.chunk;
            while (from_.before[chunk + 1] == from_.before[chunk]) ++chunk;
            end_ = chunk * from_.chunk;
        }
        loaded_ = std::min(repeat_block, from_.of.n - end_);
        from_.of.load(from_.of, from_.kernels, end_, loaded_, counts_.data());
        end_ += loaded_;
        from_.ask_for_counts(end_);
        from_.ask_for_elements(end_);
        at_ = 0;
    }

    const counted_call& from_;
    std::size_t end_;  // of the elements whose counts are loaded
    std::size_t loaded_ = 0;
    std::size_t at_ = 0;  // of those, done
    // Read while they are still being stored, which is slow where a store crosses a cache line.
    alignas(64) std::array<std::uint64_t, repeat_block> counts_;
};

// Results [first, last).
void make_results(const counted_call& from, std::size_t first, std::size_t last) {
    if (first == last) return;
    const std::size_t size = from.of.out_bytes;
    void* to = advanced(from.of.out, first * size);
    repeat_cursor results(from, first);
    if (!from.streaming) return results.write(to, last - first);
    if (from.writing != &from.kernels) {
        results.write(to, last - first);
        return from.memory.fence();
    }
    alignas(64) std::array<std::byte, streamed_at_once> buffer;
    for (std::size_t left = last - first; left != 0;) {
        const std::size_t offset = reinterpret_cast<std::uintptr_t>(to) % streamed_at_once;
        const std::size_t part = std::min(left, std::max<std::size_t>(1, (streamed_at_once - offset) / size));
        results.write(buffer.data(), part);
        from.memory.stream(to, buffer.data(), part * size, nullptr);
        to = advanced(to, part * size);
        left -= part;
    }
    from.memory.fence();
}

// Parts of the first `room` results that cost the same.
class repeat_division {
  public:
    repeat_division(const counted_call& from, std::size_t room, std::size_t parts)
        : from_(from), room_(room), parts_(parts) {
        const std::size_t last = from.chunk_of(room - 1);
        all_ = cost_before(last) + (room - from.before[last]) * from.of.out_bytes + chunk_cost();
    }
    [[nodiscard]] std::size_t begin_of(std::size_t part) const {
        if (part == parts_) return room_;
        const std::size_t cost = all_ / parts_ * part;
        std::size_t low = 0, high = from_.chunks;  // cost_before(low) <= cost
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            (from_.before[middle] < room_ && cost_before(middle) <= cost ? low : high) = middle;
        }
        const std::uint64_t inside = std::min<std::uint64_t>((cost - cost_before(low)) / from_.of.out_bytes,
                                                             from_.before[low + 1] - from_.before[low]);
        return std::min<std::size_t>(room_, from_.before[low] + inside);
    }

  private:
    [[nodiscard]] std::size_t chunk_cost() const {
        return from_.chunk * (from_.of.count_bytes + from_.of.in_bytes);
    }
    // Of a chunk before which there are fewer than room_ results.
    [[nodiscard]] std::size_t cost_before(std::size_t chunk) const {
        return from_.before[chunk] * from_.of.out_bytes + chunk * chunk_cost();
    }
    const counted_call& from_;
    std::size_t room_, parts_;
    std::size_t all_;
};

// One block, by one thread and through the caches.
repeat_result repeat_block_alone(const executor& ex, const repetition& of, std::size_t room) {
    const repeat_kernels& kernels = repeat_kernels_for(ex.simd());
    std::uint64_t all = 0;
    if (!of.sum(of, kernels, 0, of.n, &all)) return {false, 0};
    room = std::min<std::uint64_t>(room, all);
    if (room == 0) return {true, all};
    alignas(64) std::array<std::uint64_t, repeat_block> counts;  // as in repeat_cursor
    of.load(of, kernels, 0, of.n, counts.data());
    of.write(of, kernels, 0, of.n, counts.data(), of.out, room);
    return {true, all};
}

// `bytes`: that the call reads and writes.
repeat_result repeat_blocks(executor& ex, const repetition& of, std::size_t room, std::size_t bytes,
                            std::size_t helpers) {
    constexpr std::size_t parts_per_thread = 8;
    counted_call from(ex, of);
    from.asks = bytes >= tuning::asking_bytes;
    if (!from.add_up(ex, helpers)) return {false, 0};
    const std::uint64_t all = from.before[from.chunks];
    room = std::min<std::uint64_t>(room, all);
    if (room == 0) return {true, all};
    from.streaming = of.is_plain && std::has_single_bit(of.out_bytes) && of.out_bytes <= 64 &&
                     (helpers == 0 ? ex.streams(bytes) : !ex.fits_caches(bytes));
    if (from.streaming && of.by_kernels && all / of.n >= streamed_directly / of.out_bytes)
        from.writing = &streaming_repeat_kernels_for(ex.simd());
    if (helpers == 0) {
        make_results(from, 0, room);
    } else {
        const repeat_division parts(from, room, parts_per_thread * (helpers + 1));
        for_each_task(ex, helpers, parts_per_thread * (helpers + 1),
                      [&](std::size_t k) { make_results(from, parts.begin_of(k), parts.begin_of(k + 1)); });
    }
    return {true, all};
}

}  // namespace

repeat_result run_repeat(executor& ex, const repetition& of, std::size_t room) {
    const std::size_t bytes = of.n * (of.count_bytes + of.in_bytes) + room * of.out_bytes;
    const std::size_t helpers = ex.helpers_for(tuning::repeat_cost * bytes);
    if (helpers == 0 && of.n <= repeat_block && !ex.streams(bytes)) return repeat_block_alone(ex, of, room);
    return repeat_blocks(ex, of, room, bytes, helpers);
}

}  // namespace upsweep::cpu
