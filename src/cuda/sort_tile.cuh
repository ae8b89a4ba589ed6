// A tile of a radix sort: the records that a block holds at once, and where in the tile each of them goes by
// a digit of its key.
//
// A warp has 32 * items neighbours of the tile, a lane every 32nd of them. It ranks them 32 at a time: eight
// votes, one a bit of the digit, tell every lane which others have its digit, and a counter of the warp how
// many it has seen of that digit before. The counters of all warps then become places, digits in order and
// within a digit warps in order, so that equal digits keep their order.
//
// Integer instructions bound this more than memory does; a rank takes 35 (sm_90).
#pragma once

#include <cstdint>
#include <type_traits>

#include "sort_key.cuh"
#include "upsweep/cuda/digit_look_back.cuh"
#include "upsweep/cuda/digit_ranks.cuh"

namespace upsweep::cuda::detail {

struct no_value {};
struct alignas(16) value_of_16_bytes {
    std::uint64_t word[2];
};
template <class Value>
inline constexpr int bytes_of_value = std::is_same_v<Value, no_value> ? 0 : int(sizeof(Value));

// Registers that hold a key or a value.
template <class T>
inline constexpr int words_of = (bytes_of_value<T> + 3) / 4;

// What a block of so many threads takes at once, if so many of them share a multiprocessor. Measured on an
// H100 (docs/cuda-design.md).
template <class KeyType, class ValueType, int Threads, int Blocks>
struct sort_shape {
    using Key = KeyType;
    using Value = ValueType;
    static constexpr bool has_values = !std::is_same_v<Value, no_value>;
    static constexpr int threads = Threads;
    static constexpr int warps = threads / 32;
    static constexpr int blocks = Blocks;
    static constexpr bool is_alone = blocks == 1;
    // Records of a thread: of a block by itself as many as its registers hold, beside all else, of keys,
    // values and ranks, of which those without values hold the next tile's too, and as its tile's counts can
    // tell; else as many keys and ranks as those hold and as many records as shared memory does.
    static constexpr int by_registers =
        is_alone ? (has_values ? 144 / (2 * words_of<Key> + 2 * words_of<Value> + 1) : 12)
                 : (sizeof(Key) == 8 ? 13 : 20);
    static constexpr int by_memory = is_alone ? int(digit_most_records) / threads
                                              : 75776 / (int(sizeof(Key)) + bytes_of_value<Value>) / threads;
    static constexpr int items = by_registers < by_memory ? by_registers : by_memory;
    static constexpr int tile = threads * items;

    // In order: counters of the warps; where digits begin in the result, of the tile and of all; where they
    // begin in the tile; sums; keys, and values, in their new order.
    static constexpr int counters_bytes = warps * int(sort_digits) * 4;
    static constexpr int starts_bytes = 2 * int(sort_digits) * 8;
    static constexpr int begins_bytes = (int(sort_digits) + 4) * 4;
    static constexpr int sums_bytes = 64;
    static constexpr int keys_bytes = (tile * int(sizeof(Key)) + 15) / 16 * 16;
    static constexpr int shared_bytes =
        counters_bytes + starts_bytes + begins_bytes + sums_bytes + keys_bytes + tile * bytes_of_value<Value>;
    // Of what is in front of a block's shared memory.
    static constexpr int alignment = int(sort_digits) * 4;
    static_assert(threads >= int(sort_digits) && sort_digits == digits_told);
    static_assert(shared_bytes <= (is_alone ? 227 : 99) << 10,
                  "what devices of compute capability 9, or all, have");
};

// A pass of all blocks, and a sort by one.
template <class Key, class Value>
using sort_pass_shape = sort_shape<Key, Value, bytes_of_value<Value> != 0 && sizeof(Key) <= 4 ? 384 : 512, 2>;
template <class Key, class Value>
using sort_block_shape = sort_shape<Key, Value, 512, 2>;
// A pass where shared memory holds larger tiles, of which a digit's records are stored in longer runs, and
// where there are so many of them for each multiprocessor: with values, or with keys of eight bytes.
template <class Key, class Value>
using sort_large_shape = sort_shape<Key, Value, bytes_of_value<Value> != 0 ? 640 : 1024, 1>;
template <class Key, class Value>
inline constexpr bool sorts_large_tiles = bytes_of_value<Value> != 0 || sizeof(Key) == 8;
template <class Value>
inline constexpr unsigned sort_large_tiles = bytes_of_value<Value> != 0 ? 2 : 16;
inline constexpr int sort_large_architecture = 90;

template <class Shape>
class sort_tile {
    using shape = Shape;
    using Key = typename shape::Key;
    using Value = typename shape::Value;

  public:
    static constexpr int items = shape::items;
    // Of a thread's records, two to a register.
    using ranks = std::uint32_t[(items + 1) / 2];

    // `shared` is aligned to shape::alignment.
    __device__ __forceinline__ explicit sort_tile(char* shared)
        : lane_(threadIdx.x % 32),
          warp_(threadIdx.x / 32),
          counters_(reinterpret_cast<std::uint32_t*>(shared)),
          starts_(reinterpret_cast<std::uint64_t*>(shared + shape::counters_bytes)),
          begins_(reinterpret_cast<std::uint32_t*>(shared + shape::counters_bytes + shape::starts_bytes)),
          sums_(begins_ + shape::begins_bytes / 4),
          keys_(reinterpret_cast<Key*>(sums_ + shape::sums_bytes / 4)),
          values_(reinterpret_cast<Value*>(reinterpret_cast<char*>(keys_) + shape::keys_bytes)),
          own_counters_(
              static_cast<std::uint32_t>(__cvta_generic_to_shared(counters_ + warp_ * sort_digits))) {}

    // Where this thread's record k lies in the tile, of which each warp has `each` times 32.
    __device__ __forceinline__ unsigned place(int k, unsigned each = items) const {
        return warp_ * (32 * each) + unsigned(k) * 32 + lane_;
    }
    // Of one word that the block shares, between its barriers.
    __device__ __forceinline__ std::uint32_t& shared_word() const { return sums_[15]; }
    // Another, written once: what is read of it need not be read before the next barrier.
    __device__ __forceinline__ std::uint32_t& first_word() const { return sums_[13]; }

    // 0, as the compiler cannot know, once set_zero() has been called and a barrier passed.
    __device__ __forceinline__ std::uint32_t zero() const {
        return load_shared(static_cast<std::uint32_t>(__cvta_generic_to_shared(sums_ + 14)));
    }
    __device__ __forceinline__ void set_zero() const { sums_[14] = 0; }

    // rank[k], of the first `each` records: how many of the warp's records of the same digit are before it.
    // digit_of(k) is the digit of record k. The warp's counters receive how many there are of each digit.
    template <class DigitOf>
    __device__ __forceinline__ void rank(const DigitOf& digit_of, ranks& rank, unsigned each = items) const {
        auto* const pieces = reinterpret_cast<uint4*>(counters_ + warp_ * sort_digits);
        pieces[lane_] = {};
        pieces[lane_ + 32] = {};
        __syncwarp();
        const lane_masks lane(lane_);
#pragma unroll
        for (int k = 0; k < items; ++k) {
            if (unsigned(k) < each) {
                const sort_digit digit = digit_of(k);
                // Bits of the address are put together instead of added.
                const unsigned own =
                    rank_digit<sort_digit_bits>(digit.bits, own_counters_ ^ digit.offset, lane);
                if (k % 2 == 0)
                    rank[k / 2] = own;
                else
                    rank[k / 2] |= own << 16;
            }
        }
    }

    // Records of digit threadIdx.x in the tile, when all warps have ranked theirs.
    __device__ __forceinline__ std::uint32_t count() const {
        std::uint32_t sum = 0;
#pragma unroll
        for (int w = 0; w < shape::warps; ++w) sum += counters_[w * sort_digits + threadIdx.x];
        return sum;
    }
    // Counters become where in the tile records of a warp and digit begin. Called by all threads, those of
    // the digits with count() of theirs; followed by a barrier of all.
    __device__ __forceinline__ void locate(std::uint32_t count) const {
        const bool has_digit = threadIdx.x < sort_digits;
        std::uint32_t upto = count;
        if (has_digit) {
#pragma unroll
            for (unsigned distance = 1; distance < 32; distance *= 2) {
                const std::uint32_t left = __shfl_up_sync(0xffffffffu, upto, distance);
                if (lane_ >= distance) upto += left;
            }
            if (lane_ == 31) sums_[warp_] = upto;
        }
#if defined(UPSWEEP_CUDA_RACECHECK)
        __syncthreads();  // racecheck loses count of the block's barriers behind one of some threads
#endif
        if (!has_digit) return;
#if !defined(UPSWEEP_CUDA_RACECHECK)
        asm volatile("bar.sync 1, %0;" ::"n"(sort_digits) : "memory");
#endif
        std::uint32_t at = upto - count;
#pragma unroll
        for (unsigned w = 0; w < sort_digits / 32; ++w) at += w < warp_ ? sums_[w] : 0;
        begins_[threadIdx.x] = at;
#pragma unroll
        for (int w = 0; w < shape::warps; ++w) {
            std::uint32_t& counter = counters_[w * sort_digits + threadIdx.x];
            const std::uint32_t own = counter;
            counter = at;
            at += own;
        }
    }
    // Where in the tile records of a digit begin, after locate() and a barrier.
    __device__ __forceinline__ std::uint32_t begin(unsigned digit) const { return begins_[digit]; }
    // Where record k goes in the tile, likewise.
    __device__ __forceinline__ unsigned new_place(int k, const sort_digit& digit, const ranks& rank) const {
        return load_shared(own_counters_ ^ digit.offset) + half(rank, k);
    }
    // Keeps that in place of the record's rank, and tells it again.
    __device__ __forceinline__ static void keep_place(int k, unsigned place, ranks& rank) {
        rank[k / 2] =
            k % 2 == 0 ? (rank[k / 2] & 0xffff0000u) | place : (rank[k / 2] & 0xffffu) | place << 16;
    }
    __device__ __forceinline__ static unsigned kept_place(int k, const ranks& rank) { return half(rank, k); }

    // Where in the result the tile's first record would go, were it of this digit.
    __device__ __forceinline__ std::uint64_t& start(unsigned digit) const { return starts_[digit]; }
    // Where in the result records of a digit begin.
    __device__ __forceinline__ std::uint64_t& origin(unsigned digit) const {
        return starts_[sort_digits + digit];
    }
    __device__ __forceinline__ Key& key(unsigned place) const { return keys_[place]; }
    __device__ __forceinline__ Value& value(unsigned place) const { return values_[place]; }

  private:
    __device__ __forceinline__ static unsigned half(const ranks& rank, int k) {
        return k % 2 == 0 ? rank[k / 2] & 0xffffu : rank[k / 2] >> 16;
    }

    unsigned lane_, warp_;
    std::uint32_t* counters_;
    std::uint64_t* starts_;
    std::uint32_t* begins_;
    std::uint32_t* sums_;
    Key* keys_;
    Value* values_;
    std::uint32_t own_counters_;  // address in shared memory
};

}  // namespace upsweep::cuda::detail
