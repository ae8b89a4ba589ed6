// The CPU engine for what has one result a segment: totals, lengths, first keys.
//
// Heads are marked a piece at a time. A chunk is summarised as the number of its heads and whatever its
// results ask for; the chain (chain.hpp) tells how many segments begin before it, so where its results
// belong. A result is stored where its segment ends: an element ends one if the next is a head, or if there
// is none.
//
// Complexity: O(n) work; on several threads the input is read twice, the second time from the cache. Memory:
// less than 100 KiB on the stack of every thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/chunks.hpp"
#include "upsweep/cpu/compact.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/staging.hpp"

namespace upsweep::cpu {

// Elements [first, first + count) of one tile, and which of them begin and end a segment; the bits past them
// are 0.
struct marked_piece {
    std::size_t first, count;
    const std::uint64_t* heads;
    const std::uint64_t* ends;
    std::size_t head_count, end_count;
    std::size_t segment;  // index of the first element's

    // The place of the last head in the piece, if there is one.
    [[nodiscard]] std::optional<std::size_t> last_head() const {
        for (std::size_t word = words_of(count); word-- != 0;)
            if (heads[word] != 0)
                return 64 * word + static_cast<std::size_t>(std::bit_width(heads[word]) - 1);
        return std::nullopt;
    }
    // Of the piece as a sequence of its own.
    [[nodiscard]] head_marks marks() const { return {this, count, false, &repeat}; }

  private:
    static void repeat(const head_marks& of, const memory_kernels&, std::size_t from, std::size_t part,
                       std::uint64_t* bits, std::size_t&) {
        const auto& piece = *static_cast<const marked_piece*>(of.segments);
        std::copy_n(piece.heads + from / 64, words_of(part), bits);
    }
};

// Where results go, segment after segment: to out[0], ..., out[room - 1].
template <class Out>
class packed_results {
  public:
    packed_results(Out* out, std::size_t room) : out_(out), room_(room) {}

    // Stores the results of the piece's segments in turn, the first of them first.
    class cursor {
      public:
        cursor(const packed_results& of, const marked_piece& piece) : of_(of), at_(piece.segment) {}
        template <class T>
        void operator()(const T& value) {
            if (at_ < of_.room_) of_.out_[at_] = convert<Out>(value);
            ++at_;
        }

      private:
        const packed_results& of_;
        std::size_t at_;
    };

    // The same of results[i] for every i that ends a segment.
    template <class T>
    void put(const compress_kernels& kernels, const marked_piece& piece, const T* results) const {
        if constexpr (std::is_same_v<T, Out> && std::is_arithmetic_v<T> && sizeof(T) <= 8) {
            const std::size_t at = std::min(piece.segment, room_);
            kernels.compress[std::countr_zero(sizeof(T))](out_ + at, std::min(piece.end_count, room_ - at),
                                                          results, piece.ends, piece.count);
        } else {
            cursor store(*this, piece);
            for_each_bit(piece.ends, piece.count, [&](std::size_t i) { store(results[i]); });
        }
    }

  private:
    Out* out_;
    std::size_t room_;
};

// The same of segments some of which are empty, whose result is `empty`.
template <class Integer, class Acc, class Out>
class results_by_offsets {
  public:
    results_by_offsets(std::span<const Integer> offsets, Out* out, const std::optional<Acc>& empty)
        : offsets_(offsets), out_(out), empty_(empty) {}

    class cursor {
      public:
        cursor(const results_by_offsets& of, const marked_piece& piece) : of_(of) {
            end_ = of.first_end(piece);
            pass_empty();
        }
        template <class T>
        void operator()(const T& value) {
            store(value);
            pass_empty();
        }

      private:
        void pass_empty() {
            while (end_ != of_.offsets_.end() && *end_ == *std::prev(end_)) store(*of_.empty_);
        }
        template <class T>
        void store(const T& value) {
            of_.out_[std::prev(end_) - of_.offsets_.begin()] = convert<Out>(value);
            ++end_;
        }

        const results_by_offsets& of_;
        typename std::span<const Integer>::iterator end_;  // the offset where the segment ends
    };
    template <class T>
    void put(const compress_kernels&, const marked_piece& piece, const T* results) const {
        const Out nothing = convert<Out>(empty_.value_or(Acc()));
        const auto last = static_cast<Integer>(piece.first + piece.count);
        Out* to = out_ + (first_end(piece) - offsets_.begin()) - 1;
        for (auto end = first_end(piece); end != offsets_.end() && *end <= last; ++end, ++to) {
            const bool is_empty = *std::prev(end) == *end;
            *to =
                is_empty ? nothing : convert<Out>(results[static_cast<std::size_t>(*end) - 1 - piece.first]);
        }
    }

  private:
    // The offset where the first element's segment ends, or, of the whole sequence, the first segment.
    auto first_end(const marked_piece& piece) const {
        if (piece.first == 0) return std::next(offsets_.begin());
        return std::upper_bound(offsets_.begin(), offsets_.end(), static_cast<Integer>(piece.first));
    }

    std::span<const Integer> offsets_;
    Out* out_;
    const std::optional<Acc>& empty_;
};

// What is made of the segments (segment_lengths.hpp, segment_totals.hpp), for segment_kernel:
//   using state, using summary
//   static constexpr std::size_t piece_elements        whole rows; a divisor of a tile
//   void summarise(tile, at, summary&) const           the at-th tile of a chunk, as a marked_piece
//   void advance(state&, tiles, const summary&) const  over so many complete tiles
//   void scan(piece, state&) const                     stores results, piece after piece
//   std::size_t read_bytes() const                     what it reads of an element beside the marks

// The chain's kernel. Beside the totals, the first key of every segment may go to an array of its own.
template <class Totals>
class segment_kernel {
  public:
    struct state {
        std::size_t heads = 0;
        typename Totals::state totals{};
    };
    struct summary {
        std::size_t heads = 0;
        typename Totals::summary totals;
    };

    // `keys` is null, or how they move; their output has room for `room`.
    segment_kernel(const executor& ex, const Totals& totals, const head_marks& marks, std::size_t chunk_size,
                   const transfer* keys, std::size_t room)
        : totals_(totals),
          memory_(memory_kernels_for(ex.simd())),
          compress_(compress_kernels_for(ex.simd())),
          marks_(marks),
          chunk_size_(chunk_size),
          keys_(keys),
          room_(room) {}

    void summarise(std::size_t chunk, summary& made) const {
        std::size_t at = 0;
        made.heads = for_each_piece<core::tile_size>(
            chunk, 0, [&](const marked_piece& tile) { totals_.summarise(tile, at++, made.totals); });
    }
    void advance(state& carried, std::size_t chunk, const summary& made) const {
        carried.heads += made.heads;
        totals_.advance(carried.totals, count_in(chunk) / core::tile_size, made.totals);
    }
    void scan(std::size_t chunk, state& carried, std::size_t /*next*/) const {
        constexpr std::size_t size = Totals::piece_elements;
        carried.heads = for_each_piece<size>(chunk, carried.heads, [&](const marked_piece& piece) {
            move_keys(piece);
            totals_.scan(piece, carried.totals);
        });
    }

  private:
    [[nodiscard]] std::size_t count_in(std::size_t chunk) const {
        return std::min(chunk_size_, marks_.n - chunk * chunk_size_);
    }
    // visit(piece) of a chunk before which there are so many heads; returns how many there are up to its end.
    template <std::size_t Size, class Visit>
    std::size_t for_each_piece(std::size_t chunk, std::size_t heads, const Visit& visit) const {
        std::uint64_t begins[words_of(Size + 1)], ends[words_of(Size)];
        std::size_t hint = 0;
        const std::size_t first = chunk * chunk_size_;
        for (std::size_t i = 0; i < count_in(chunk); i += Size) {
            const std::size_t count = std::min(Size, count_in(chunk) - i);
            // The one behind tells whether the last ends its segment.
            marks_.mark(marks_, memory_, first + i, count + 1, begins, hint);
            for (std::size_t word = 0; word < words_of(count); ++word) {
                const bool more = word + 1 < words_of(count + 1);
                ends[word] = begins[word] >> 1 | (more ? begins[word + 1] << 63 : 0);
            }
            const std::uint64_t last_end = begins[count / 64] >> (count % 64) & 1;
            begins[count / 64] &= (std::uint64_t{1} << (count % 64)) - 1;
            const std::size_t head_count = compress_.count(begins, words_of(count));
            const std::size_t first_head = begins[0] & 1;
            visit(marked_piece{first + i, count, begins, ends, head_count, head_count - first_head + last_end,
                               heads + first_head - 1});
            heads += head_count;
        }
        return heads;
    }
    void move_keys(const marked_piece& piece) const {
        if (keys_ == nullptr) return;
        const std::size_t before = piece.segment + 1 - (piece.heads[0] & 1);
        const std::size_t at = std::min(before, room_);
        keys_->move(*keys_, compress_, piece.first, piece.count, piece.heads,
                    static_cast<std::byte*>(keys_->out) + at * keys_->out_bytes,
                    std::min(piece.head_count, room_ - at));
    }

    Totals totals_;
    const memory_kernels& memory_;
    const compress_kernels& compress_;
    const head_marks& marks_;
    std::size_t chunk_size_;
    const transfer* keys_;
    std::size_t room_;
};

// Of n >= 1 elements, in segments by `marks`; `written_bytes` an element at most. Returns the number of
// segments that are not empty. What is before the elements, a number of heads and what totals have of them,
// is that of a tile boundary.
template <class Totals>
std::size_t run_segments(executor& ex, const Totals& totals, const head_marks& marks,
                         std::size_t written_bytes, std::size_t cost, const transfer* keys = nullptr,
                         std::size_t room = 0, const typename segment_kernel<Totals>::state& before = {}) {
    const std::size_t read_bytes = marks.bytes + totals.read_bytes();
    const std::size_t footprint = marks.n * (read_bytes + written_bytes);
    const chunking plan = chunking::plan(ex, marks.n, read_bytes, written_bytes, footprint, cost);
    const segment_kernel<Totals> kernel(ex, totals, marks, plan.elements, keys, room);
    return run_chunks(ex, plan, kernel, before).heads;
}

}  // namespace upsweep::cpu
