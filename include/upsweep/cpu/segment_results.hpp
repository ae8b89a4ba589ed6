// The CPU engine for what has one result a segment: totals, lengths, first keys.
//
// Heads are marked a piece at a time, or listed where they are few. A chunk is summarised as the number of
// its heads and whatever its results ask for; the chain (chain.hpp) tells how many segments begin before it,
// so where its results belong. A result is stored where its segment ends: an element ends one if the next is
// a head, or if there is none.
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

// Segments of so many elements on average and more are taken one by one.
inline constexpr std::size_t long_segment = 32;

// Elements [first, first + count) of one tile, and which of them begin and end a segment; the bits past them
// are 0. Where segments are long, totals that take places get those of the heads behind the first element, up
// to the one behind the last. What describes segments may list them without bits, which are null then.
struct marked_piece {
    std::size_t first, count;
    const std::uint64_t* heads;
    const std::uint64_t* ends;
    std::size_t head_count, end_count;
    std::size_t segment;  // index of the first element's
    std::size_t hint;     // of head_marks::mark behind the piece and the element that follows
    bool begins;          // whether the first element is a head
    bool far;             // whether elements come from memory
    const std::uint32_t* places = nullptr;

    // The place of the last head in the piece, if there is one.
    [[nodiscard]] std::optional<std::size_t> last_head() const {
        if (places != nullptr) {
            // One behind the piece is none of its.
            const std::size_t listed = head_count - (begins ? 1 : 0);
            if (listed != 0) return places[listed - 1];
            return begins ? std::optional<std::size_t>(0) : std::nullopt;
        }
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

// out[k] = results[k]
template <class Out, class T>
void convert_to(Out* out, const T* results, std::size_t count) {
    if constexpr (std::is_same_v<Out, T>) {
        std::copy_n(results, count, out);
    } else {
        for (std::size_t k = 0; k < count; ++k) out[k] = convert<Out>(results[k]);
    }
}

// Where results go, segment after segment: to out[0], ..., out[room - 1].
template <class Out>
class packed_results {
  public:
    static constexpr bool takes_numbers = true;

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

    // The same of all of the piece's, one after the other.
    template <class T>
    void put(const marked_piece& piece, const T* results) const {
        const std::size_t at = std::min(piece.segment, room_);
        convert_to(out_ + at, results, std::min(piece.end_count, room_ - at));
    }
    // Where all of them may be stored at once instead, or null.
    [[nodiscard]] Out* place(const marked_piece& piece) const {
        const bool fits = piece.segment < room_ && piece.end_count <= room_ - piece.segment;
        return fits ? out_ + piece.segment : nullptr;
    }

  private:
    Out* out_;
    std::size_t room_;
};

// The same of segments some of which are empty, whose result is `empty`.
template <class Integer, class Acc, class Out>
class results_by_offsets {
  public:
    static constexpr bool takes_numbers = false;

    results_by_offsets(std::span<const Integer> offsets, Out* out, const std::optional<Acc>& empty)
        : offsets_(offsets), out_(out), empty_(empty) {}

    class cursor {
      public:
        cursor(const results_by_offsets& of, const marked_piece& piece) : of_(of) {
            end_ = std::next(of.offsets_.begin(), static_cast<std::ptrdiff_t>(of.first_end(piece)));
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
    void put(const marked_piece& piece, const T* results) const {
        const std::size_t first = first_end(piece);
        Out* const to = out_ + first - 1;
        if (piece.hint - first == piece.end_count)  // none is empty
            return convert_to(to, results, piece.end_count);
        const Out nothing = convert<Out>(empty_.value_or(Acc()));
        if (piece.end_count == 0) {
            std::fill(to, to + (piece.hint - first), nothing);
            return;
        }
        std::size_t at = 0;
        for (std::size_t end = first; end != piece.hint; ++end) {
            // Which nobody can foretell; behind the last there may be empty ones.
            const bool is_empty = offsets_[end - 1] == offsets_[end];
            const Out result = convert<Out>(results[std::min(at, piece.end_count - 1)]);
            to[end - first] = is_empty ? nothing : result;
            at += is_empty ? 0 : 1;
        }
    }
    [[nodiscard]] Out* place(const marked_piece& piece) const {
        const std::size_t first = first_end(piece);
        return piece.hint - first == piece.end_count ? out_ + first - 1 : nullptr;
    }

  private:
    std::size_t place_of(std::size_t offset) const { return static_cast<std::size_t>(offsets_[offset]); }
    // The offset where the first element's segment ends, or, of the whole sequence, the first segment: the
    // first that is above the first element. The piece's hint is that of the element behind it.
    std::size_t first_end(const marked_piece& piece) const {
        if (piece.first == 0) return 1;
        // Mostly all segments have elements.
        const std::size_t likely = piece.hint - piece.end_count;
        if (place_of(likely - 1) <= piece.first) return likely;
        const auto begin = offsets_.begin();
        return static_cast<std::size_t>(std::upper_bound(begin, begin + static_cast<std::ptrdiff_t>(likely),
                                                         static_cast<Integer>(piece.first)) -
                                        begin);
    }

    std::span<const Integer> offsets_;
    Out* out_;
    const std::optional<Acc>& empty_;
};

// What is made of the segments (segment_lengths.hpp, segment_totals.hpp), for segment_kernel:
//   using state, using summary
//   static constexpr std::size_t piece_elements        whole rows; a divisor of a tile
//   static constexpr bool takes_places                 whether heads of a piece may be listed
//   static constexpr bool takes_numbers                whether a result's place is the number of its segment
//   void summarise(tile, at, summary&) const           the at-th tile of a chunk, as a marked_piece, of which
//                                                      it may use the elements and the last head
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
                   bool far, const transfer* keys, std::size_t room)
        : totals_(totals),
          memory_(memory_kernels_for(ex.simd())),
          compress_(compress_kernels_for(ex.simd())),
          heads_(head_kernels_for(ex.simd())),
          marks_(marks),
          chunk_size_(chunk_size),
          far_(far),
          keys_(keys),
          room_(room) {}

    void summarise(std::size_t chunk, summary& made) const {
        std::size_t at = 0;
        if constexpr (Totals::takes_places && !Totals::takes_numbers) {
            if (marks_.last != nullptr) return summarise_tiles(chunk, made);
        }
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
    // Where the last heads of tiles are found at once, and nobody asks how many there are.
    void summarise_tiles(std::size_t chunk, summary& made) const {
        std::size_t hint = 0;
        for (std::size_t i = 0, at = 0; i < count_in(chunk); i += core::tile_size, ++at) {
            const std::size_t first = chunk * chunk_size_ + i;
            const std::size_t count = std::min(core::tile_size, count_in(chunk) - i);
            const std::optional<std::size_t> head = marks_.last(marks_, first, count, hint);
            const auto place = static_cast<std::uint32_t>(head.value_or(0));
            const bool begins = head == 0;
            totals_.summarise(marked_piece{first, count, nullptr, nullptr, head ? std::size_t{1} : 0, 0, 0,
                                           hint, begins, far_, &place},
                              at, made.totals);
        }
    }
    // visit(piece) of a chunk before which there are so many heads; returns how many there are up to its end.
    template <std::size_t Size, class Visit>
    std::size_t for_each_piece(std::size_t chunk, std::size_t heads, const Visit& visit) const {
        std::uint64_t begins[words_of(Size + 1)], ends[words_of(Size)];
        std::uint32_t places[Size / long_segment + 1 + 4];
        std::size_t hint = 0;
        const std::size_t first = chunk * chunk_size_;
        for (std::size_t i = 0; i < count_in(chunk); i += Size) {
            const std::size_t count = std::min(Size, count_in(chunk) - i);
            if constexpr (Totals::takes_places) {
                if (marks_.list != nullptr) {
                    const std::size_t most = count / long_segment;
                    bool at_first = false;
                    const std::size_t listed =
                        marks_.list(marks_, first + i, count, most, places, at_first, hint);
                    if (listed <= most) {
                        const std::size_t last_end = listed != 0 && places[listed - 1] == count ? 1 : 0;
                        const std::size_t first_head = at_first ? 1 : 0;
                        const std::size_t head_count = first_head + listed - last_end;
                        visit(marked_piece{first + i, count, nullptr, nullptr, head_count, listed,
                                           heads + first_head - 1, hint, at_first, far_, places});
                        heads += head_count;
                        continue;
                    }
                }
            }
            // The one behind tells whether the last ends its segment.
            marks_.mark(marks_, memory_, first + i, count + 1, begins, hint);
            const std::size_t first_head = begins[0] & 1;
            const std::uint32_t* listed = nullptr;
            if constexpr (Totals::takes_places) {
                if (compress_.count(begins, words_of(count + 1)) <= count / long_segment) {
                    listed = places + first_head;
                    heads_.list(begins, words_of(count + 1), places);
                }
            }
            for (std::size_t word = 0; word < words_of(count); ++word) {
                const bool more = word + 1 < words_of(count + 1);
                ends[word] = begins[word] >> 1 | (more ? begins[word + 1] << 63 : 0);
            }
            const std::uint64_t last_end = begins[count / 64] >> (count % 64) & 1;
            begins[count / 64] &= (std::uint64_t{1} << (count % 64)) - 1;
            const std::size_t head_count = compress_.count(begins, words_of(count));
            visit(marked_piece{first + i, count, begins, ends, head_count, head_count - first_head + last_end,
                               heads + first_head - 1, hint, first_head != 0, far_, listed});
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
    const head_kernels& heads_;
    const head_marks& marks_;
    std::size_t chunk_size_;
    bool far_;
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
    const segment_kernel<Totals> kernel(ex, totals, marks, plan.elements, ex.streams(footprint), keys, room);
    return run_chunks(ex, plan, kernel, before).heads;
}

}  // namespace upsweep::cpu
