// How the kernels of a selection go through keys, and gather what they find.
#pragma once

#include <cstdint>

#include "top_k_record.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda::detail {

struct selected_sizes {
    std::uint64_t n;
    unsigned word_bits, index_bits;
};

// Where record i of `count` samples is taken from, one from every n / count elements, which are below 2^32.
__host__ __device__ inline std::uint64_t sampled_index(unsigned i, std::uint64_t n, unsigned count) {
    const std::uint64_t every = n / count;
    std::uint64_t mixed = (i + 1) * std::uint64_t{0x9e3779b97f4a7c15};
    mixed = (mixed ^ mixed >> 29) * std::uint64_t{0xbf58476d1ce4e5b9};
    return i * every + ((mixed >> 32) * every >> 32);
}

// Which part of an array threads go through: `rank` of `threads` that share it, whole warps.
struct key_share {
    std::uint64_t rank, threads;
};

template <class Key>
inline constexpr int keys_at_once = 16 / int(sizeof(Key));

// see(keys, count, first) of all n keys in runs of up to 16 bytes: the first `count` of keys are those from
// element `first` on. All lanes of a warp call it together, those that have none with a count of 0, until it
// returns false to one of them all.
template <int Ahead, class Key, class See>
__device__ __forceinline__ void see_keys(const Key* in, std::uint64_t n, const key_share& share,
                                         const See& see) {
    constexpr int each = keys_at_once<Key>;
    const auto past = reinterpret_cast<std::uintptr_t>(in) % 16 / sizeof(Key);
    const std::uint64_t head = min(n, past == 0 ? std::uint64_t{0} : each - past);
    const std::uint64_t runs = (n - head) / each;
    if (share.rank < 32) {
        const std::uint64_t tail = head + runs * each;
        for (const bool is_tail : {false, true}) {
            const std::uint64_t at = (is_tail ? tail : 0) + share.rank;
            const bool has = at < (is_tail ? n : head);
            Key keys[each] = {};
            if (has) keys[0] = in[at];
            if (__any_sync(0xffffffffu, has) != 0 && !see(keys, has ? 1u : 0u, at)) return;
        }
    }
    const auto* const from = reinterpret_cast<const uint4*>(in + head);
    const std::uint64_t lane = threadIdx.x % 32;
    for (std::uint64_t warp = share.rank - lane; warp * Ahead < runs; warp += share.threads) {
        const std::uint64_t at = warp * Ahead + lane;
        uint4 bytes[Ahead];
#pragma unroll
        for (int a = 0; a < Ahead; ++a)
            if (at + a * 32 < runs) bytes[a] = from[at + a * 32];
#pragma unroll
        for (int a = 0; a < Ahead; ++a) {
            const word_array<4> words{bytes[a].x, bytes[a].y, bytes[a].z, bytes[a].w};
            Key keys[each];
#pragma unroll
            for (int m = 0; m < each; ++m) keys[m] = unpack<Key>(words, m);
            const std::uint64_t run = at + a * 32;
            if (!see(keys, run < runs ? unsigned(each) : 0u, head + run * each)) return;
        }
    }
}

// Appends records to an array of limited capacity in device memory: a warp keeps some in shared memory, so
// that it moves many of them with one addition to what all warps count.
template <class Record>
class record_appender {
  public:
    static constexpr unsigned held = 128;  // records of a warp in shared memory

    __device__ __forceinline__ record_appender(Record* shared, const record_array<Record>& to,
                                               unsigned long long* count, std::uint64_t capacity)
        : own_(shared + threadIdx.x / 32 * held), to_(to), count_(count), capacity_(capacity) {}

    // Called by all lanes of a warp. False: there was no room, and what has been appended is good for
    // nothing.
    __device__ __forceinline__ bool append(bool has, const Record& record) {
        const unsigned votes = __ballot_sync(0xffffffffu, has);
        if (votes == 0) return true;
        if (has) own_[used_ + unsigned(__popc(votes & ((1u << threadIdx.x % 32) - 1)))] = record;
        used_ += unsigned(__popc(votes));
        return used_ + 32 <= held || flush();
    }
    __device__ __forceinline__ bool flush() {
        if (used_ == 0) return true;
        __syncwarp();
        const unsigned lane = threadIdx.x % 32;
        unsigned long long first = 0;
        if (lane == 0) first = atomicAdd(count_, static_cast<unsigned long long>(used_));
        first = __shfl_sync(0xffffffffu, first, 0);
        const bool fits = first + used_ <= capacity_;
        if (fits)
            for (unsigned i = lane; i < used_; i += 32) to_.put(first + i, own_[i]);
        used_ = 0;
        __syncwarp();
        return fits;
    }

  private:
    Record* own_;
    record_array<Record> to_;
    unsigned long long* count_;
    std::uint64_t capacity_;
    unsigned used_ = 0;
};

}  // namespace upsweep::cuda::detail
