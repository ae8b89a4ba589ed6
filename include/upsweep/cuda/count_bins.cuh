// How many elements of an array belong to each bin: counters in shared memory, many copies of
// each where there are few, so that the lanes of a warp count in 32 different banks whatever they count.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/bin_classes.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

// How many elements an array has, as a device may know alone.
struct array_extent {
    std::uint64_t n;
    const std::uint64_t* length;  // in device memory: min(*length, n) elements; null: n

    __device__ __forceinline__ std::uint64_t size() const {
        if (length == nullptr) return n;
        const std::uint64_t wanted = *length;
        return wanted < n ? wanted : n;
    }
};

template <class InType, class ClassesType>
struct count_arguments {
    using In = InType;
    using Classes = ClassesType;

    const In* in;
    array_extent extent;
    Classes classes;
    std::uint32_t sharing;  // blocks that see some of the elements each
    std::uint32_t parts;    // times as many blocks, each of which has counters for some of the slots:
    std::uint32_t slots;    // [part * slots, (part + 1) * slots), of each 2^log_copies copies
    unsigned log_copies;    // and one more counter
    std::uint64_t* counts;  // of each bin, cleared before
    // Exclusive sums of the counts and behind them that of all, of few bins; null: not wanted.
    std::uint64_t* offsets;
    unsigned* finished_blocks;  // 0 before, where offsets are wanted

    __device__ __forceinline__ void add(std::uint32_t bin, std::uint32_t count) const {
        if (bin < classes.bins() && count != 0)
            atomicAdd(reinterpret_cast<unsigned long long*>(counts + bin),
                      static_cast<unsigned long long>(count));
    }
};

namespace detail {

inline constexpr unsigned count_threads = 1024;

// What is counted: bins; or the 256 values that bytes have, whose bins are found when all are counted, unless
// the caller's function says them, which is not asked about values that are not there.
template <class In, class Classes>
struct counted_slots {
    static constexpr bool are_values = sizeof(In) == 1 && !Classes::asks_caller;

    static std::uint32_t count(const Classes& classes) { return are_values ? 256 : classes.bins(); }
    // bin_of(x) says the bin.
    template <class BinOf>
    __device__ __forceinline__ static std::uint32_t of(const BinOf& bin_of, const In& x) {
        if constexpr (are_values) {
            std::uint8_t value;
            std::memcpy(&value, &x, 1);
            return value;
        } else {
            return bin_of(x);
        }
    }
    __device__ __forceinline__ static std::uint32_t bin(const Classes& classes, std::uint32_t slot) {
        if constexpr (are_values) {
            const auto value = static_cast<std::uint8_t>(slot);
            In x;
            std::memcpy(static_cast<void*>(&x), &value, 1);
            return classes(x);
        } else {
            return slot;
        }
    }
};

// Several blocks at an array, of which this is one.
struct shared_work {
    unsigned share, sharing;
};

// see(x) of this block's share of elements [first, end), by all its threads, in any order; where the type
// lets it 16 aligned bytes at a time, of which each thread has several under way. All blocks read near each
// other.
template <class T, class See>
__device__ __forceinline__ void see_share(const T* in, std::uint64_t first, std::uint64_t end,
                                          const shared_work& work, const See& see) {
    if constexpr (16 % sizeof(T) != 0 || alignof(T) != sizeof(T)) {
        for (std::uint64_t i = first + work.share * count_threads + threadIdx.x; i < end;
             i += std::uint64_t(work.sharing) * count_threads)
            see(in[i]);
    } else {
        constexpr int each = 16 / int(sizeof(T));
        constexpr int ahead = each == 16 ? 2 : 4;  // more would not stay in registers
        const auto past = reinterpret_cast<std::uintptr_t>(in + first) % 16 / sizeof(T);
        const std::uint64_t head = min(end - first, past == 0 ? 0 : each - past);
        const std::uint64_t whole = (end - first - head) / each;
        const std::uint64_t tail = first + head + whole * each;
        if (work.share == 0) {
            if (threadIdx.x < head) see(in[first + threadIdx.x]);
            if (tail + threadIdx.x < end) see(in[tail + threadIdx.x]);
        }
        const auto see_each = [&](const uint4& bytes) {
            const word_array<4> words{bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
            for (int m = 0; m < each; ++m) see(unpack<T>(words, m));
        };
        constexpr std::uint64_t batch = std::uint64_t(ahead) * count_threads;
        const std::uint64_t step = work.sharing * batch;
        const auto* const from = reinterpret_cast<const uint4*>(in + first + head) + threadIdx.x;
        std::uint64_t at = work.share * batch;
        if (at + batch <= whole) {
            uint4 next[ahead];
            const auto load = [&](std::uint64_t here) {
#pragma unroll
                for (int k = 0; k < ahead; ++k) next[k] = from[here + k * count_threads];
            };
            load(at);
            for (; at + batch <= whole; at += step) {
                uint4 now[ahead];
#pragma unroll
                for (int k = 0; k < ahead; ++k) now[k] = next[k];
                if (at + step + batch <= whole) load(at + step);
#pragma unroll
                for (int k = 0; k < ahead; ++k) see_each(now[k]);
            }
        }
        // The batch that is not whole, by the block whose turn it would be.
        for (std::uint64_t rest = at + threadIdx.x; rest < whole; rest += count_threads)
            see_each(from[rest - threadIdx.x]);
    }
}

// sums[i] = counts[0] + ... + counts[i - 1] of `size` counts that other blocks may have written, by a warp;
// returns the sum of all. sums may be counts.
__device__ __forceinline__ std::uint64_t exclusive_sums(const std::uint64_t* counts, unsigned size,
                                                        std::uint64_t* sums) {
    const unsigned lane = threadIdx.x % 32;
    std::uint64_t done = 0;
    for (unsigned first = 0; first < size; first += 32) {
        const unsigned at = first + lane;
        const std::uint64_t own = at < size ? __ldcg(counts + at) : 0;
        std::uint64_t upto = own;
#pragma unroll
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const std::uint64_t left = __shfl_up_sync(0xffffffffu, upto, distance);
            if (lane >= distance) upto += left;
        }
        if (at < size) sums[at] = done + upto - own;
        done += __shfl_sync(0xffffffffu, upto, 31);
    }
    return done;
}
// Whether this is the last block of all to say that it has finished; then it sees what the others have
// written. Called by all threads; `shared_word` is one of shared memory that nobody needs any more.
__device__ __forceinline__ bool finishes_last(unsigned* finished_blocks, std::uint32_t& shared_word) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) shared_word = atomicAdd(finished_blocks, 1u) + 1;
    __syncthreads();
    const bool is_last = shared_word == gridDim.x;
    if (is_last) __threadfence();
    return is_last;
}

}  // namespace detail

template <class Arguments>
__global__ void __launch_bounds__(detail::count_threads, 1) count_bins_kernel(Arguments arguments) {
    using slots = detail::counted_slots<typename Arguments::In, typename Arguments::Classes>;
    extern __shared__ std::uint32_t counters[];
    const unsigned lane = threadIdx.x % 32;
    const unsigned copies = 1u << arguments.log_copies;
    const std::uint32_t words = arguments.slots << arguments.log_copies;
    const std::uint32_t first_slot = blockIdx.x % arguments.parts * arguments.slots;
    const detail::shared_work work{blockIdx.x / arguments.parts, arguments.sharing};
    const std::uint64_t n = arguments.extent.size();
    // What is in no slot is counted behind all of them, as the compiler would make a branch of it otherwise.
    // Addresses of shared memory take one register.
    const unsigned shift = arguments.log_copies + 2;
    const auto own = static_cast<std::uint32_t>(__cvta_generic_to_shared(counters + (lane & (copies - 1))));

    // So many elements at once that no counter overflows.
    const std::uint64_t most = std::uint64_t(arguments.sharing) << 31;
    for (std::uint64_t first = 0; first < n; first += most) {
        for (std::uint32_t k = threadIdx.x; k < words; k += detail::count_threads) counters[k] = 0;
        __syncthreads();
        detail::in_one_way(arguments.classes, [&](const auto& bin_of) {
            detail::see_share(
                arguments.in, first, min(n, first + most), work, [&](const typename Arguments::In& x) {
                    std::uint32_t slot = slots::of(bin_of, x);
                    if constexpr (!slots::are_values) slot = min(slot - first_slot, arguments.slots);
                    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(own + (slot << shift)) : "memory");
                });
        });
        __syncthreads();
        // The copies of a counter lie side by side, those of several counters before a warp. Blocks begin at
        // different counters, so that they do not all add to the same ones at once.
        const std::uint32_t rounds = (words - 1) / detail::count_threads + 1;
        for (std::uint32_t round = 0; round < rounds; ++round) {
            const std::uint32_t at = (round + blockIdx.x) % rounds * detail::count_threads + threadIdx.x;
            std::uint32_t sum = at < words ? counters[at] : 0;
            for (unsigned distance = copies / 2; distance != 0; distance /= 2)
                sum += __shfl_xor_sync(0xffffffffu, sum, int(distance));
            if (at < words && (lane & (copies - 1)) == 0)
                arguments.add(slots::bin(arguments.classes, first_slot + (at >> arguments.log_copies)), sum);
        }
        __syncthreads();
    }
    if (arguments.offsets == nullptr || !detail::finishes_last(arguments.finished_blocks, counters[0]))
        return;
    const std::uint32_t bins = arguments.classes.bins();
    if (threadIdx.x < 32) {
        const std::uint64_t all = detail::exclusive_sums(arguments.counts, bins, arguments.offsets);
        if (threadIdx.x == 0) arguments.offsets[bins] = all;
    }
}

// The same for more bins than blocks have counters for: by additions to the counts themselves, which are
// cleared before. A warp whose elements are all of one bin adds once.
template <class Arguments>
__global__ void __launch_bounds__(detail::count_threads) count_many_bins_kernel(Arguments arguments) {
    const std::uint64_t n = arguments.extent.size();
    for (std::uint64_t i = std::uint64_t(blockIdx.x) * detail::count_threads + threadIdx.x; i < n;
         i += std::uint64_t(gridDim.x) * detail::count_threads) {
        const std::uint32_t bin = arguments.classes(arguments.in[i]);
        const unsigned present = __activemask();
        const std::uint32_t lowest = unsigned(__ffs(int(present))) - 1;
        if (__all_sync(present, bin == __shfl_sync(present, bin, int(lowest)))) {
            if (threadIdx.x % 32 == lowest) arguments.add(bin, unsigned(__popc(present)));
        } else {
            arguments.add(bin, 1);
        }
    }
}

}  // namespace upsweep::cuda
