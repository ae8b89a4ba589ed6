// A sort of many segments, each by itself. Heads are bits, one for each element. Elements are divided into
// windows of half a tile; a block takes the segments that begin in its window. All but the last of them end
// there too, so that they fit a tile together, and they are sorted as one sequence: by their keys, digit by
// digit, and then by their segments' numbers in the tile. The last one goes with them if it fits, else by
// itself, and if it is longer than a tile the block only tells so: segmented_sort.cu.
//
// Where all segments of a tile are short, a record's place is how many of its segment go before it, which
// are counted one by one.
#pragma once

#include <cstdint>

#include "segment_values.cuh"
#include "sort_tile.cuh"
#include "upsweep/cuda/count_bins.cuh"

namespace upsweep::cuda::detail {

struct told_heads {
    unsigned first, last;      // of those in the window
    unsigned end;              // of the segment that begins at the last
    std::uint32_t counts[16];  // of heads, by warps
};

// Records are a key and where in the tile it came from.
template <class Key>
struct segment_tile_shape : sort_shape<Key, std::uint16_t, 512, 2> {
    using base = sort_shape<Key, std::uint16_t, 512, 2>;
    static constexpr unsigned window = unsigned(base::tile) / 2;
    static constexpr unsigned words = (window + unsigned(base::tile)) / 32;  // of heads that a block looks at
    // Behind all else: words, and how many heads are in front of each; what threads tell each other.
    static constexpr int heads_at = (base::shared_bytes + 15) / 16 * 16;
    static constexpr int told_at = heads_at + (int(words + 1) * 6 + 3) / 4 * 4;
    static constexpr int shared_bytes = told_at + int(sizeof(told_heads));
    static_assert(window % 32 == 0 && words <= unsigned(base::threads) && base::warps <= 16);
    static_assert(shared_bytes <= 99 << 10, "what every device has");
};

// What a block leaves for others: element numbers count from the window's first one.
struct segment_window {
    std::uint32_t first;    // the first head; no_head: there is none
    std::uint32_t last;     // the last head
    std::uint32_t is_long;  // the segment that begins there is longer than a tile
};
inline constexpr std::uint32_t no_head = ~std::uint32_t{0};

// Up to so many elements a segment's are counted.
inline constexpr unsigned counted_segment = 48;

template <class OrderType>
struct segment_tile_arguments {
    using Order = OrderType;
    using Key = typename Order::Key;

    const Key* keys;
    Key* keys_out;  // null: not wanted
    moved_values values;
    array_extent extent;
    const std::uint32_t* heads;
    segment_window* windows;  // null: no segment is longer than a tile
    unsigned* any_long;       // set where one is
    Order order;
};

// The heads in a block's reach, bits counted from its window's first element.
class reached_heads {
  public:
    __device__ __forceinline__ reached_heads(char* shared, unsigned words)
        : words_(words),
          bits_(reinterpret_cast<std::uint32_t*>(shared)),
          before_(reinterpret_cast<std::uint16_t*>(bits_ + words + 1)) {}

    // By all threads, of which each brings a word; `counts` is for their warps. Followed by a barrier.
    __device__ __forceinline__ void set(std::uint32_t word, std::uint32_t* counts) const {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        unsigned upto = unsigned(__popc(word));
#pragma unroll
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const unsigned left = __shfl_up_sync(0xffffffffu, upto, distance);
            if (lane >= distance) upto += left;
        }
        if (lane == 31) counts[warp] = upto;
        __syncthreads();
        unsigned before = upto - unsigned(__popc(word));
        for (unsigned w = 0; w < warp; ++w) before += counts[w];
        if (threadIdx.x < words_) {
            bits_[threadIdx.x] = word;
            before_[threadIdx.x] = static_cast<std::uint16_t>(before);
        }
    }

    // How many heads are at i or in front of it.
    __device__ __forceinline__ unsigned upto(unsigned i) const {
        return before_[i / 32] + unsigned(__popc(bits_[i / 32] & (0xffffffffu >> (31 - i % 32))));
    }
    // The last head at i or in front of it, if there is one.
    __device__ __forceinline__ unsigned last(unsigned i) const {
        unsigned w = i / 32, bits = bits_[w] & (0xffffffffu >> (31 - i % 32));
        while (bits == 0 && w != 0) bits = bits_[--w];
        return w * 32 + 31 - unsigned(__clz(int(bits)));
    }
    // The last head of a word, of those in front of `end`; no_head: there is none.
    __device__ __forceinline__ unsigned last_of_word(unsigned w, unsigned end) const {
        std::uint32_t bits = bits_[w];
        if (end - w * 32 < 32) bits &= (1u << (end - w * 32)) - 1;
        return bits == 0 ? no_head : w * 32 + 31 - unsigned(__clz(int(bits)));
    }
    // The first head behind i, or `end`, whichever comes first.
    __device__ __forceinline__ unsigned next(unsigned i, unsigned end) const {
        unsigned w = i / 32, bits = bits_[w] & (0xfffffffeu << (i % 32));
        while (bits == 0 && (w + 1) * 32 < end) bits = bits_[++w];
        if (bits == 0) return end;
        const unsigned at = w * 32 + unsigned(__ffs(int(bits))) - 1;
        return at < end ? at : end;
    }

  private:
    unsigned words_;
    std::uint32_t* bits_;
    std::uint16_t* before_;
};

template <class Arguments>
class segment_sorter {
    using Key = typename Arguments::Key;
    using Word = typename Arguments::Order::Word;
    using shape = segment_tile_shape<Key>;
    static constexpr int items = shape::items;

  public:
    // `begin` is the window's first element.
    __device__ __forceinline__ segment_sorter(const Arguments& given, char* shared,
                                              const reached_heads& heads, std::uint64_t begin)
        : given_(given), tile_(shared), heads_(heads), begin_(begin) {}

    // The segments of elements [from, end) of the block's reach.
    __device__ __forceinline__ void sort(unsigned from, unsigned end) {
        from_ = from;
        n_ = end - from;
        each_ = (n_ - 1) / shape::threads + 1;
        load();
        if (__syncthreads_or(has_longer(end)) == 0)
            sort_by_counting(end);
        else
            sort_by_digits();
        store();
    }

  private:
    __device__ __forceinline__ unsigned place(int k) const { return tile_.place(k, each_); }
    __device__ __forceinline__ bool is_used(int k) const { return unsigned(k) < each_; }

    __device__ __forceinline__ void load() {
        const Key* const keys = given_.keys + begin_ + from_;
#pragma unroll
        for (int k = 0; k < items; ++k) {
            key_[k] = 0;
            origin_[k] = static_cast<std::uint16_t>(place(k));
            if (is_used(k) && place(k) < n_) key_[k] = keys[place(k)];
        }
    }

    // Whether a segment that begins in this thread's word of heads is too long to be counted. Only the last
    // of a word's can be.
    __device__ __forceinline__ bool has_longer(unsigned end) const {
        static_assert(counted_segment >= 32);
        const unsigned at = from_ / 32 * 32 + threadIdx.x * 32;
        if (at >= end) return false;
        const unsigned last = heads_.last_of_word(at / 32, end);
        const unsigned most = last + counted_segment + 1;
        return last != no_head && last >= from_ && heads_.next(last, end < most ? end : most) == most;
    }

    __device__ __forceinline__ void sort_by_counting(unsigned end) {
#pragma unroll
        for (int k = 0; k < items; ++k)
            if (is_used(k) && place(k) < n_)
                tile_.key(place(k)) = static_cast<Key>(given_.order.order(key_[k]));
        __syncthreads();
        std::uint16_t to[items];
#pragma unroll
        for (int k = 0; k < items; ++k) {
            if (!is_used(k) || place(k) >= n_) continue;
            const unsigned own_place = place(k);
            const unsigned first = heads_.last(from_ + own_place) - from_;
            const unsigned last = heads_.next(from_ + own_place, end) - from_;
            const auto own = static_cast<Key>(given_.order.order(key_[k]));
            unsigned at = first;
            for (unsigned j = first; j < last; ++j) {
                const Key other = tile_.key(j);
                at += other < own || (other == own && j < own_place) ? 1 : 0;
            }
            to[k] = static_cast<std::uint16_t>(at);
        }
        __syncthreads();
        move([&](int k) -> unsigned { return to[k]; }, [&](int k) { return place(k) < n_; });
    }

    __device__ __forceinline__ void sort_by_digits() {
        for (unsigned shift = 0; shift < 8 * sizeof(Key); shift += sort_digit_bits) {
            const typename Arguments::Order::template digit_at<false> digit_of(given_.order, shift);
            // What fills up the last records has the last digit, and so stays behind all others.
            pass([&](int k) -> sort_digit { return place(k) < n_ ? digit_of(key_[k]) : digit_of.last(); });
        }
        const unsigned lowest = heads_.upto(from_), count = heads_.upto(from_ + n_ - 1) - lowest + 1;
        for (unsigned shift = 0; (count - 1) >> shift != 0; shift += sort_digit_bits) {
            pass([&](int k) -> sort_digit {
                unsigned digit = sort_digits - 1;
                if (place(k) < n_)
                    digit = (heads_.upto(from_ + origin_[k]) - lowest) >> shift & (sort_digits - 1);
                return {digit, digit * 4};
            });
        }
    }

    template <class DigitOf>
    __device__ __forceinline__ void pass(const DigitOf& digit) {
        typename sort_tile<shape>::ranks rank;
        tile_.rank(digit, rank, each_);
        __syncthreads();
        std::uint32_t count = 0, own = 0;
        if (threadIdx.x < sort_digits) {
            count = own = tile_.count();
            if (threadIdx.x == sort_digits - 1) own -= each_ * shape::threads - n_;
        }
        if (__syncthreads_or(own == n_) != 0) return;  // all have the same digit
        tile_.locate(count);
        __syncthreads();
        move([&](int k) { return tile_.new_place(k, digit(k), rank); }, [](int) { return true; });
    }
    // Record k goes to to(k), if moves(k), and others come for it. Called behind a barrier.
    template <class To, class Moves>
    __device__ __forceinline__ void move(const To& to, const Moves& moves) {
#pragma unroll
        for (int k = 0; k < items; ++k) {
            if (!is_used(k) || !moves(k)) continue;
            const unsigned at = to(k);
            tile_.key(at) = static_cast<Key>(key_[k]);
            tile_.value(at) = origin_[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < items; ++k) {
            if (!is_used(k) || !moves(k)) continue;
            key_[k] = tile_.key(place(k));
            origin_[k] = tile_.value(place(k));
        }
    }

    __device__ __forceinline__ void store() const {
        if (given_.keys_out != nullptr) {
            Key* const keys = given_.keys_out + begin_ + from_;
#pragma unroll
            for (int k = 0; k < items; ++k)
                if (is_used(k) && place(k) < n_) keys[place(k)] = static_cast<Key>(key_[k]);
        }
        if (given_.values.out == nullptr) return;
        const std::uint64_t first = begin_ + from_;
        use_piece(given_.values, [&](auto piece) {
#pragma unroll
            for (int k = 0; k < items; ++k) {
                if (!is_used(k) || place(k) >= n_) continue;
                const std::uint64_t segment =
                    given_.values.from_segment ? begin_ + heads_.last(from_ + origin_[k]) : 0;
                move_value<decltype(piece)>(given_.values, first + origin_[k], first + place(k), segment);
            }
        });
    }

    const Arguments& given_;
    sort_tile<shape> tile_;
    const reached_heads& heads_;
    std::uint64_t begin_;
    unsigned from_ = 0, n_ = 0, each_ = 0;
    Word key_[items];
    std::uint16_t origin_[items];
};

template <class Arguments>
__global__ void __launch_bounds__(segment_tile_shape<typename Arguments::Key>::threads, 2)
    segment_tile_kernel(const Arguments given) {
    using shape = segment_tile_shape<typename Arguments::Key>;
    constexpr unsigned window = shape::window;
    extern __shared__ __align__(1024) char shared[];
    auto& told = *reinterpret_cast<told_heads*>(shared + shape::told_at);
    const reached_heads heads(shared + shape::heads_at, shape::words);

    const std::uint64_t n = given.extent.size();
    const std::uint64_t begin = std::uint64_t(blockIdx.x) * window;
    const auto tell = [&](std::uint32_t first, std::uint32_t last, bool is_long) {
        if (threadIdx.x != 0 || given.windows == nullptr) return;
        given.windows[blockIdx.x] = {first, last, is_long ? 1u : 0u};
        if (is_long) *given.any_long = 1;
    };
    if (begin >= n) return tell(no_head, 0, false);

    // What is behind the last element is no head, but ends a segment.
    const unsigned reach =
        n - begin < window + unsigned(shape::tile) ? unsigned(n - begin) : window + unsigned(shape::tile);
    if (threadIdx.x == 0) {
        told.first = no_head;
        told.last = 0;
        told.end = n - begin <= reach ? reach : no_head;
    }
    std::uint32_t word = 0;
    const unsigned at = threadIdx.x * 32;
    if (at < reach) {
        word = given.heads[begin / 32 + threadIdx.x];
        if (reach - at < 32) word &= (1u << (reach - at)) - 1;
    }
    heads.set(word, told.counts);
    __syncthreads();
    if (word != 0) {
        const unsigned lowest = at + unsigned(__ffs(int(word))) - 1,
                       highest = at + 31 - unsigned(__clz(int(word)));
        if (at < window) {
            atomicMin(&told.first, lowest);
            atomicMax(&told.last, highest);
        } else {
            atomicMin(&told.end, lowest);
        }
    }
    __syncthreads();
    const unsigned first = told.first, last = told.last, end = told.end;
    if (first == no_head) return tell(no_head, 0, false);
    const bool is_long = end == no_head || end - last > unsigned(shape::tile);
    tell(first, last, is_long);

    segment_sorter<Arguments> sorter(given, shared, heads, begin);
    const bool together = !is_long && end - first <= unsigned(shape::tile);
    // Once where the same code is meant twice.
    for (unsigned part = 0; part < 2; ++part) {
        const unsigned from = part == 0 ? first : last;
        const unsigned to = part == 0 && !together ? last : end;
        if (from == to || (part == 1 && (together || is_long))) continue;
        sorter.sort(from, to);
        __syncthreads();
    }
}

}  // namespace upsweep::cuda::detail
