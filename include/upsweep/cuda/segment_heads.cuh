// Which elements start a segment, in device memory: what describes segments, and what the kernels of a scan
// ask it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/cuda/async.cuh"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/rows.cuh"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

namespace detail {

// Types::Heads of a scan in segments has the functions below. A run is Items elements of the scan from
// `first` on, a multiple of Items; its answer is a bit for each in the order of memory, whether the element
// is the first of its segment as the scan goes. Backwards, element e of the scan is element n - 1 - e of
// memory, and a segment that begins at i in memory ends the one that has i - 1. Bits of elements behind the
// last one are 0.
//
//   bits<Items>(first, n, reverse)           of any run
//   loads_runs<Items>                        whether runs may be loaded whole
//   has_whole_runs<Items>(n, reverse)        whether the next two may be called, for runs within the array
//   load_run<Items>(first, n, reverse)       what bits_of is to know, a run<Items>: loads, without a branch
//   bits_of<Items>(run, first, reverse)
//   prefetch(first, count, n, reverse)       by one thread, where the device can: what `count` elements from
//                                            `first` on will need, to the L2 cache

// begins(i): whether a segment begins at element i of memory, 0 < i < n; if the sequence `continues` another,
// forwards, also of element 0.
template <int Items, class Begins>
__device__ __forceinline__ unsigned head_bits(std::uint64_t first, std::uint64_t n, bool reverse,
                                              bool continues, const Begins& begins) {
    unsigned bits = 0;
#pragma unroll
    for (int m = 0; m < Items; ++m) {
        const std::uint64_t e = first + unsigned(m);
        const bool is_head = e < n && ((e == 0 && !continues) || begins(reverse ? n - e : e));
        bits |= unsigned(is_head) << (reverse ? Items - 1 - m : m);
    }
    return bits;
}

// A run of an array in registers, and one element more: the one before it as the scan goes. The first run
// has none, unless the array continues another, and takes one of its own.
template <class T, int Items>
struct neighbouring_run {
    static constexpr int run_bytes = Items * int(sizeof(T));
    static constexpr bool fits =
        std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && run_bytes <= 32;
    word_array<run_bytes / 4> own;
    word_array<words_for<sizeof(T)>> before;

    __device__ __forceinline__ static bool is_aligned(const T* array, std::uint64_t n, bool reverse) {
        const auto begin = reinterpret_cast<std::uintptr_t>(array) + (reverse ? n * sizeof(T) : 0);
        return begin % access_size<run_bytes> == 0;
    }
    __device__ __forceinline__ static neighbouring_run load(const T* array, std::uint64_t first,
                                                            std::uint64_t n, bool reverse, bool continues) {
        using whole = typename unit_of<access_size<run_bytes>>::type;
        const T* const begin = array + (reverse ? n - Items - first : first);
        const int neighbour = first == 0 && !continues ? 0 : reverse ? Items : -1;
        whole pieces[run_bytes / sizeof(whole)];
#pragma unroll
        for (int p = 0; p < int(run_bytes / sizeof(whole)); ++p)
            pieces[p] = reinterpret_cast<const whole*>(begin)[p];
        neighbouring_run run;
        std::memcpy(&run.own, pieces, run_bytes);
        run.before = to_words(begin[neighbour]);
        return run;
    }
    // Element m of the run, or the one before it where the scan comes from.
    __device__ __forceinline__ T element(int m) const {
        return m < 0 || m == Items ? from_words<T>(before) : unpack<T>(own, m);
    }
    // begins(a, b): whether a segment begins at the second of two neighbours in memory.
    template <class Begins>
    __device__ __forceinline__ unsigned bits(std::uint64_t first, bool reverse, bool continues,
                                             const Begins& begins) const {
        unsigned found = 0;
#pragma unroll
        for (int m = 0; m < Items; ++m) {
            // Of element m of memory: at its own place, or backwards at the next one's.
            const T x = element(m), other = reverse ? element(m + 1) : element(m - 1);
            found |= unsigned(reverse ? begins(x, other) : begins(other, x)) << m;
        }
        return first != 0 || continues ? found : found | (reverse ? 1u << (Items - 1) : 1u);
    }
};

// By flags or keys: begins_between(a, b) of neighbours in memory, whether a segment begins at the second.
template <class T, class Begins>
struct heads_of_array {
    using element = T;
    const T* array;
    Begins begins_between;
    bool continues = false;  // there is an element in front of the array

    // Of elements [begin, end), in scan order, of n.
    [[nodiscard]] heads_of_array part(std::uint64_t begin, std::uint64_t end, std::uint64_t n,
                                      bool reverse) const {
        return {array + (reverse ? n - end : begin), begins_between, continues || begin != 0};
    }

    template <int Items>
    using run = neighbouring_run<T, Items>;
    template <int Items>
    static constexpr bool loads_runs = run<Items>::fits;

    template <int Items>
    __device__ __forceinline__ unsigned bits(std::uint64_t first, std::uint64_t n, bool reverse) const {
        return head_bits<Items>(first, n, reverse, continues, [&](std::uint64_t i) {
            return static_cast<bool>(begins_between(array[i - 1], array[i]));
        });
    }
    template <int Items>
    __device__ __forceinline__ bool has_whole_runs(std::uint64_t n, bool reverse) const {
        if constexpr (loads_runs<Items>) return run<Items>::is_aligned(array, n, reverse);
        return false;
    }
    template <int Items>
    __device__ __forceinline__ run<Items> load_run(std::uint64_t first, std::uint64_t n, bool reverse) const {
        if constexpr (loads_runs<Items>) return run<Items>::load(array, first, n, reverse, continues);
        return {};
    }
    template <int Items>
    __device__ __forceinline__ unsigned bits_of(const run<Items>& own, std::uint64_t first,
                                                bool reverse) const {
        if constexpr (loads_runs<Items>) return own.bits(first, reverse, continues, begins_between);
        return 0;
    }
    __device__ __forceinline__ void prefetch(std::uint64_t first, unsigned count, std::uint64_t n,
                                             bool reverse) const {
#if __CUDA_ARCH__ >= 900
        const T* const begin = array + (reverse ? n - first - count : first);
        prefetch_async(begin, begin + count);
#endif
    }
};
template <class Flag>
struct has_flag {
    __device__ bool operator()(const Flag&, const Flag& flag) const { return flag != Flag(0); }
};
template <class Key, class Equal>
struct differs {
    Equal equal;
    __device__ bool operator()(const Key& a, const Key& b) const { return !equal(a, b); }
};

// Bits in memory, in the order of the scan: bit e % 32 of words[e / 32].
struct marked_heads {
    std::uint32_t* words;

    template <int>
    struct run {
        std::uint32_t word;
    };
    template <int>
    static constexpr bool loads_runs = true;

    // Words that hold a bit for each of n elements, for whole rows of a scan.
    static constexpr std::uint64_t count(std::uint64_t n) { return (n + 511) / 512 * 16; }

    template <int Items>
    __device__ __forceinline__ unsigned bits(std::uint64_t first, std::uint64_t n, bool reverse) const {
        return first < n ? bits_of<Items>({words[first / 32]}, first, reverse) : 0;
    }
    template <int Items>
    __device__ __forceinline__ bool has_whole_runs(std::uint64_t, bool) const {
        return true;
    }
    template <int Items>
    __device__ __forceinline__ run<Items> load_run(std::uint64_t first, std::uint64_t, bool) const {
        return {words[first / 32]};
    }
    template <int Items>
    __device__ __forceinline__ unsigned bits_of(const run<Items>& own, std::uint64_t first,
                                                bool reverse) const {
        const unsigned bits = own.word >> (first % 32) & (0xffffffffu >> (32 - Items));
        return reverse ? __brev(bits) >> (32 - Items) : bits;
    }
    __device__ __forceinline__ void prefetch(std::uint64_t, unsigned, std::uint64_t, bool) const {}
};
// By all lanes of a warp: sets bits in words[at]. Neighbouring lanes that have the same word set them
// together.
__device__ __forceinline__ void set_bits(std::uint32_t* words, std::uint64_t at, unsigned bits, int lane) {
    const std::uint64_t before = __shfl_up_sync(0xffffffffu, at, 1);
    const unsigned starts = __ballot_sync(0xffffffffu, lane == 0 || at != before);
    const unsigned later = starts & (0xfffffffeu << lane);
    const int end = later != 0 ? __ffs(int(later)) - 1 : 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned others = __shfl_down_sync(0xffffffffu, bits, distance);
        if (lane + distance < end) bits |= others;
    }
    if ((starts >> lane & 1) != 0 && bits != 0) atomicOr(words + at, bits);
}
// By all threads of a launch: sets bits, all of which are 0 before, by the boundaries offsets[0], ...,
// offsets[count - 1]; what is no boundary within the array is passed over. visit(k, offsets[k],
// offsets[k + 1]) of each; behind the last one is n.
template <class Integer, class Visit>
__device__ __forceinline__ void mark_offsets(const marked_heads& heads, std::uint64_t n, bool reverse,
                                             const Integer* offsets, std::uint64_t count,
                                             const Visit& visit) {
    // A thread takes neighbours, and sets the bits of those that have a word in common together.
    constexpr int each = 4;
    const int lane = int(threadIdx.x % 32);
    const std::uint64_t first = (blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x) * each;
    const std::uint64_t step = std::uint64_t(gridDim.x) * blockDim.x * each;
    for (std::uint64_t from = first; from - unsigned(lane * each) < count; from += step) {
        std::uint64_t boundary[each + 1];
#pragma unroll
        for (int j = 0; j <= each; ++j)
            boundary[j] = from + j < count ? static_cast<std::uint64_t>(offsets[from + j]) : n;
        std::uint64_t word = 0;
        unsigned bits = from == 0 && n != 0 ? 1 : 0;
#pragma unroll
        for (int j = 0; j < each; ++j) {
            if (from + j < count) visit(from + j, boundary[j], boundary[j + 1]);
            if (from + j == 0 || boundary[j] == 0 || boundary[j] >= n) continue;
            const std::uint64_t e = reverse ? n - boundary[j] : boundary[j];
            if (e / 32 != word) {
                if (bits != 0) atomicOr(heads.words + word, bits);
                word = e / 32;
                bits = 0;
            }
            bits |= 1u << (e % 32);
        }
        set_bits(heads.words, word, bits, lane);
    }
}
template <class Integer>
__global__ void mark_offsets_kernel(marked_heads heads, std::uint64_t n, bool reverse, const Integer* offsets,
                                    std::uint64_t count) {
    mark_offsets(heads, n, reverse, offsets, count, [](std::uint64_t, std::uint64_t, std::uint64_t) {});
}
// Blocks of so many threads for a launch that takes offsets in turn.
inline constexpr unsigned threads_for_offsets = 256;
inline unsigned blocks_for_offsets(const executor& ex, std::uint64_t count) {
    const std::uint64_t most = std::uint64_t(ex.multiprocessors()) * 16;
    return static_cast<unsigned>(std::min((count - 1) / threads_for_offsets + 1, most));
}

inline void check_described(executor& ex, const checked_array& what, std::uint64_t n, const char* things) {
    upsweep::detail::check_described(what.size, n, things);
    what.check(ex);
}

}  // namespace detail

// What describes segments. Beside the checks, a call asks for heads(), what the scan's kernels are given;
// scratch_bytes(n), which begin at multiples of 256 bytes; and, with n not 0 and the executor's device the
// current one, to prepare() the heads in that scratch before the scan and to clear() it behind.

// Segments [offsets[k], offsets[k + 1]), some of them empty, of m + 1 integers 0 = offsets[0] <= ... <=
// offsets[m] = n. That they are such is a precondition, as the host does not read them.
template <std::integral Integer>
class by_offsets {
  public:
    explicit by_offsets(device_span<const Integer> offsets) : offsets_(offsets) {}

    [[nodiscard]] device_span<const Integer> offsets() const { return offsets_; }
    void check(executor& ex, std::uint64_t) const {
        upsweep::detail::check_offset_count(offsets_.size());
        array().check(ex);
    }
    [[nodiscard]] detail::checked_array array() const {
        return detail::checked_array::of("segments", offsets_);
    }
    [[nodiscard]] detail::marked_heads heads() const { return {nullptr}; }
    [[nodiscard]] static std::size_t scratch_bytes(std::uint64_t n) {
        return detail::marked_heads::count(n) * sizeof(std::uint32_t);
    }
    void prepare(const executor& ex, detail::marked_heads& heads, void* scratch, std::uint64_t n,
                 bool reverse) const {
        heads.words = static_cast<std::uint32_t*>(scratch);
        cuda::check(cudaMemsetAsync(scratch, 0, scratch_bytes(n), ex.stream()), "clearing scratch");
        detail::mark_offsets_kernel<<<detail::blocks_for_offsets(ex, offsets_.size()),
                                      detail::threads_for_offsets, 0, ex.stream()>>>(
            heads, n, reverse, offsets_.data(), offsets_.size());
    }
    // As it was found, because tagged words of a longer scan may come to lie there.
    void clear(const executor& ex, const detail::marked_heads& heads, std::uint64_t n) const {
        cuda::check(cudaMemsetAsync(heads.words, 0, scratch_bytes(n), ex.stream()), "clearing scratch");
    }

  private:
    device_span<const Integer> offsets_;
};
template <class Integer>
by_offsets(device_span<Integer>) -> by_offsets<std::remove_const_t<Integer>>;

namespace detail {

// By an array of n elements, of which kernels ask.
template <class T, class Begins>
class by_array {
  public:
    using element = T;

    by_array(device_span<const T> elements, const Begins& begins, const char* things)
        : elements_(elements), begins_(begins), things_(things) {}

    void check(executor& ex, std::uint64_t n) const { check_described(ex, array(), n, things_); }
    [[nodiscard]] device_span<const T> elements() const { return elements_; }
    [[nodiscard]] checked_array array() const { return checked_array::of("segments", elements_); }
    [[nodiscard]] heads_of_array<T, Begins> heads() const { return {elements_.data(), begins_, false}; }
    [[nodiscard]] static std::size_t scratch_bytes(std::uint64_t) { return 0; }
    void prepare(const executor&, heads_of_array<T, Begins>&, void*, std::uint64_t, bool) const {}
    void clear(const executor&, const heads_of_array<T, Begins>&, std::uint64_t) const {}

  private:
    device_span<const T> elements_;
    Begins begins_;
    const char* things_;
};

}  // namespace detail

// n flags; one that is not zero (true) starts a segment; element 0 always does.
template <class Flag>
class by_head_flags : public detail::by_array<Flag, detail::has_flag<Flag>> {
  public:
    explicit by_head_flags(device_span<const Flag> flags)
        : detail::by_array<Flag, detail::has_flag<Flag>>(flags, {}, "head flags") {}
};
template <class Flag>
by_head_flags(device_span<Flag>) -> by_head_flags<std::remove_const_t<Flag>>;

// n keys; a segment is a run of neighbours that are equal, each to the one before. `equal` is called on the
// device.
template <class Key, class Equal = std::equal_to<>>
class by_keys : public detail::by_array<Key, detail::differs<Key, Equal>> {
  public:
    explicit by_keys(device_span<const Key> keys, const Equal& equal = {})
        : detail::by_array<Key, detail::differs<Key, Equal>>(keys, {equal}, "keys") {}
};
template <class Key, class Equal = std::equal_to<>>
by_keys(device_span<Key>, Equal = {}) -> by_keys<std::remove_const_t<Key>, Equal>;

}  // namespace upsweep::cuda
