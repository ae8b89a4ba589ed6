// Compaction and partition on the CPU.
#include "upsweep/cpu/compact.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "src/cpu/advanced.hpp"
#include "upsweep/cpu/chunks.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {
namespace {

constexpr std::size_t piece_elements = 2048;  // that are marked at once, and stay in the first-level cache
constexpr std::size_t piece_words = words_of(piece_elements);
constexpr std::size_t most_chunk_elements = core::tiles_per_super * core::tile_size;

// The others.
void invert(const std::uint64_t* bits, std::size_t count, std::uint64_t* inverted) {
    const std::size_t words = words_of(count);
    for (std::size_t i = 0; i < words; ++i) inverted[i] = ~bits[i];
    if (count % 64 != 0) inverted[words - 1] &= (std::uint64_t{1} << (count % 64)) - 1;
}

// What is the same for every chunk.
struct call {
    const choice& which;
    const transfer& way;
    std::size_t n;
    std::size_t chunk_size;
    const memory_kernels& memory;
    const compress_kernels& compress;
    bool streaming;  // results are stored past the caches

    [[nodiscard]] std::size_t begin_of(std::size_t chunk) const { return chunk * chunk_size; }
    [[nodiscard]] std::size_t count_in(std::size_t chunk) const {
        return std::min(chunk_size, n - begin_of(chunk));
    }
    void mark(std::size_t first, std::size_t count, std::uint64_t* bits) const {
        which.mark(which, memory, first, count, bits);
    }
    [[nodiscard]] std::size_t count_of(const std::uint64_t* bits, std::size_t count) const {
        return compress.count(bits, words_of(count));
    }
    // To out[at], out[at + 1], ..., `room` at most.
    std::size_t move(std::size_t first, std::size_t count, const std::uint64_t* bits, std::size_t at,
                     std::size_t room) const {
        return way.move(way, compress, first, count, bits, advanced(way.out, at * way.out_bytes), room);
    }
};

// Where a thread's results go: to neighbouring places, directly or, past the caches, through a buffer from
// which whole cache lines leave.
class output {
  public:
    output(const call& of, std::size_t at, std::size_t room) : of_(of), at_(at), room_(room) {}
    output(const output&) = delete;
    output& operator=(const output&) = delete;

    // Whether elements of such a size can take their way through the buffer.
    static bool takes(std::size_t element_bytes) { return 64 * element_bytes <= appended_bytes; }

    // Appends those among elements [first, first + count) whose bit is set, `chosen` of them, as far as there
    // is room.
    void append(std::size_t first, std::size_t count, const std::uint64_t* bits, std::size_t chosen) {
        if (!of_.streaming) {
            advance(of_.move(first, count, bits, at_, std::min(chosen, room_)));
            return;
        }
        const std::size_t size = of_.way.out_bytes;
        const std::size_t step = appended_bytes / size / 64 * 64;
        for (std::size_t i = 0; i < count; i += step) {
            const std::size_t part = std::min(step, count - i);
            const std::size_t moved =
                of_.way.move(of_.way, of_.compress, first + i, part, bits + i / 64, buffer_.data() + filled_,
                             std::min(room_, (buffer_.size() - filled_) / size));
            advance(moved);
            filled_ += moved * size;
            if (filled_ >= appended_bytes) flush_lines();
        }
    }
    // After the last append().
    void finish() {
        if (filled_ != 0) of_.memory.stream(begin(), buffer_.data(), filled_, nullptr);
        filled_ = 0;
    }

  private:
    static constexpr std::size_t appended_bytes = 4096;  // at most, at once

    void advance(std::size_t moved) {
        at_ += moved;
        room_ -= moved;
    }
    // Where the buffer's contents belong.
    [[nodiscard]] void* begin() const { return advanced(of_.way.out, at_ * of_.way.out_bytes - filled_); }
    void flush_lines() {
        void* const to = begin();
        const std::size_t open = (reinterpret_cast<std::uintptr_t>(to) + filled_) % 64;  // in the last line
        of_.memory.stream(to, buffer_.data(), filled_ - open, nullptr);
        std::memmove(buffer_.data(), buffer_.data() + (filled_ - open), open);
        filled_ = open;
    }

    const call& of_;
    std::size_t at_;  // of the next element in `out`
    std::size_t room_;
    std::size_t filled_ = 0;
    alignas(64) std::array<std::byte, 2 * appended_bytes> buffer_;
};

// In place of an output for elements that are left.
struct no_output {
    no_output(const call&, std::size_t, std::size_t) {}
};

// The chain's kernel: chosen elements go to out[0], out[1], ..., out[room - 1]; with Both, the others behind.
template <bool Both>
class moving_kernel {
  public:
    using state = std::size_t;  // chosen so far
    struct summary {
        std::size_t count;  // of those chosen
        std::array<std::uint64_t, words_of(most_chunk_elements)> bits;
    };

    moving_kernel(const call& of, std::size_t room) : of_(of), room_(room) {}

    void summarise(std::size_t chunk, summary& made) const {
        const std::size_t count = of_.count_in(chunk);
        of_.mark(of_.begin_of(chunk), count, made.bits.data());
        made.count = of_.count_of(made.bits.data(), count);
    }
    void advance(state& chosen, std::size_t, const summary& made) const { chosen += made.count; }
    void scan(std::size_t chunk, state& chosen, std::size_t, const summary& made) const {
        move(chunk, chosen, [&](std::size_t i, std::size_t) { return made.bits.data() + i / 64; });
    }
    void scan(std::size_t chunk, state& chosen, std::size_t) const {
        std::uint64_t bits[piece_words];
        move(chunk, chosen, [&](std::size_t i, std::size_t count) {
            of_.mark(of_.begin_of(chunk) + i, count, bits);
            return bits;
        });
    }

  private:
    // bits(i, count): those of the chunk's elements [i, i + count).
    template <class Bits>
    void move(std::size_t chunk, state& chosen, const Bits& bits) const {
        const std::size_t first = of_.begin_of(chunk);
        const std::size_t at = std::min(chosen, room_);
        const std::size_t other = room_ + std::min(first - std::min(first, chosen), of_.n - room_);
        output out(of_, at, room_ - at);
        std::conditional_t<Both, output, no_output> others(of_, other, of_.n - other);
        for (std::size_t i = 0; i < of_.count_in(chunk); i += piece_elements) {
            const std::size_t piece = std::min(piece_elements, of_.count_in(chunk) - i);
            const std::uint64_t* found = bits(i, piece);
            const std::size_t count = of_.count_of(found, piece);
            out.append(first + i, piece, found, count);
            if constexpr (Both) {
                std::uint64_t inverted[piece_words];
                invert(found, piece, inverted);
                others.append(first + i, piece, inverted, piece - count);
            }
            chosen += count;
        }
        out.finish();
        if constexpr (Both) others.finish();
        if (of_.streaming) of_.memory.fence();
    }

    const call& of_;
    std::size_t room_;
};

// In place: what is chosen of a chunk waits in a buffer until all chunks in front of it have been read.
class packing_kernel {
  public:
    static constexpr std::size_t most_bytes = 48 * 1024;  // of a chunk that is summarised
    using state = std::size_t;
    struct summary {
        std::size_t count;
        alignas(64) std::array<std::byte, most_bytes> chosen;
    };

    packing_kernel(const call& of, std::size_t room) : of_(of), room_(room) {}

    void summarise(std::size_t chunk, summary& made) const {
        made.count = 0;
        for_each_piece(chunk, [&](std::size_t first, std::size_t count, const std::uint64_t* bits) {
            void* const to = made.chosen.data() + made.count * of_.way.out_bytes;
            made.count += of_.way.move(of_.way, of_.compress, first, count, bits, to,
                                       most_bytes / of_.way.out_bytes - made.count);
        });
    }
    void advance(state& chosen, std::size_t, const summary& made) const { chosen += made.count; }
    void scan(std::size_t, state& chosen, std::size_t, const summary& made) const {
        const std::size_t at = std::min(chosen, room_);
        std::memcpy(advanced(of_.way.out, at * of_.way.out_bytes), made.chosen.data(),
                    std::min(made.count, room_ - at) * of_.way.out_bytes);
        chosen += made.count;
    }
    void scan(std::size_t chunk, state& chosen, std::size_t) const {
        for_each_piece(chunk, [&](std::size_t first, std::size_t count, const std::uint64_t* bits) {
            const std::size_t found = of_.count_of(bits, count);
            const std::size_t at = std::min(chosen, room_);
            of_.move(first, count, bits, at, std::min(found, room_ - at));
            chosen += found;
        });
    }

  private:
    template <class Body>
    void for_each_piece(std::size_t chunk, const Body& body) const {
        const std::size_t first = of_.begin_of(chunk);
        const std::size_t count = of_.count_in(chunk);
        std::uint64_t bits[piece_words];
        for (std::size_t i = 0; i < count; i += piece_elements) {
            const std::size_t piece = std::min(piece_elements, count - i);
            of_.mark(first + i, piece, bits);
            body(first + i, piece, bits);
        }
    }

    const call& of_;
    std::size_t room_;
};

// How many of all elements are chosen.
std::size_t count_chosen(executor& ex, const call& of, std::size_t helpers) {
    constexpr std::size_t task_elements = 16 * piece_elements;
    std::atomic<std::size_t> total{0};
    for_each_task(ex, helpers, (of.n + task_elements - 1) / task_elements, [&](std::size_t task) {
        const std::size_t end = std::min(of.n, (task + 1) * task_elements);
        std::uint64_t bits[piece_words];
        std::size_t sum = 0;
        for (std::size_t i = task * task_elements; i < end; i += piece_elements) {
            const std::size_t piece = std::min(piece_elements, end - i);
            of.mark(i, piece, bits);
            sum += of.count_of(bits, piece);
        }
        total.fetch_add(sum, std::memory_order_relaxed);
    });
    return total.load(std::memory_order_relaxed);
}

struct planned {
    chunking chunks;
    call of;
};
planned plan(executor& ex, const choice& which, const transfer& way, std::size_t n, bool in_place) {
    const std::size_t read = way.in_bytes + which.bytes;
    const std::size_t footprint = n * (read + way.out_bytes);
    chunking chunks = chunking::plan(ex, n, read, way.out_bytes, footprint, tuning::compact_cost);
    if (in_place && chunks.helpers != 0) {
        chunks.elements = way.is_plain ? packing_kernel::most_bytes / way.out_bytes / 64 * 64 : 0;
        if (chunks.elements == 0)
            chunks = {n, 1, 0, false};
        else
            chunks.count = (n + chunks.elements - 1) / chunks.elements;
        chunks.chained = true;  // in turn, so that what is overwritten has been read
    }
    const bool streaming = way.is_plain && output::takes(way.out_bytes) &&
                           worth_streaming(ex, chunks, {n, false, in_place, footprint});
    return {chunks,
            {which, way, n, chunks.elements, memory_kernels_for(ex.simd()), compress_kernels_for(ex.simd()),
             streaming}};
}

}  // namespace

std::size_t run_compact(executor& ex, const choice& which, const transfer& way, std::size_t n,
                        std::size_t room, bool in_place) {
    const planned made = plan(ex, which, way, n, in_place);
    if (in_place) return run_chunks(ex, made.chunks, packing_kernel(made.of, room), std::size_t{0});
    return run_chunks(ex, made.chunks, moving_kernel<false>(made.of, room), std::size_t{0});
}

std::size_t run_partition(executor& ex, const choice& which, const transfer& way, std::size_t n) {
    const planned made = plan(ex, which, way, n, false);
    if (made.chunks.count == 1 && n <= most_chunk_elements) {  // whose bits are kept
        moving_kernel<true>::summary all;
        moving_kernel<true>(made.of, 0).summarise(0, all);
        std::size_t chosen = 0;
        moving_kernel<true>(made.of, all.count).scan(0, chosen, no_chunk, all);
        return chosen;
    }
    const std::size_t chosen = count_chosen(ex, made.of, made.chunks.helpers);
    return run_chunks(ex, made.chunks, moving_kernel<true>(made.of, chosen), std::size_t{0});
}

}  // namespace upsweep::cpu
