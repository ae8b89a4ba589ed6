// Which elements start a segment, in device memory: what describes segments, and the kernels that turn it
// into one bit an element.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::cuda {

namespace detail {

inline constexpr unsigned mark_threads = 256;

// Words that hold a bit for each of n elements, for whole rows of a scan.
UPSWEEP_HOST_DEVICE constexpr std::uint64_t head_words(std::uint64_t n) { return (n + 511) / 512 * 16; }

// Bit e % 32 of heads[e / 32]: whether the scan's element e, which backwards is element n - 1 - e of memory,
// is the first of its segment as the scan goes. Bits behind the last element are 0. is_head(i): whether a
// segment begins at element i of memory, 0 < i < n.
template <class IsHead>
__global__ void __launch_bounds__(mark_threads)
    mark_heads_kernel(std::uint32_t* heads, std::uint64_t n, bool reverse, IsHead is_head) {
    constexpr int each = 8;  // words of a warp at once, so that a lane's loads are under way together
    const std::uint64_t words = head_words(n);
    const std::uint64_t step = std::uint64_t(gridDim.x) * mark_threads / 32 * each;
    const unsigned lane = threadIdx.x % 32;
    std::uint64_t first = (blockIdx.x * std::uint64_t(mark_threads) + threadIdx.x) / 32 * each;
    for (; first < words; first += step) {
        bool marked[each];
#pragma unroll
        for (int k = 0; k < each; ++k) {
            const std::uint64_t e = (first + k) * 32 + lane;
            const std::uint64_t boundary = reverse ? n - e : e;
            marked[k] = e < n && (e == 0 || is_head(boundary));
        }
        std::uint32_t own = 0;
#pragma unroll
        for (int k = 0; k < each; ++k) {
            const std::uint32_t bits = __ballot_sync(0xffffffffu, marked[k]);
            if (lane == k) own = bits;
        }
        if (lane < each && first + lane < words) heads[first + lane] = own;
    }
}
// The same of `heads` that are cleared, by the boundaries offsets[0], ..., offsets[count - 1]; what is no
// boundary within the array is passed over.
template <class Integer>
__global__ void mark_offsets_kernel(std::uint32_t* heads, std::uint64_t n, bool reverse,
                                    const Integer* offsets, std::uint64_t count) {
    const auto mark = [&](std::uint64_t e) { atomicOr(heads + e / 32, 1u << (e % 32)); };
    const std::uint64_t first = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x;
    if (first == 0) mark(0);
    for (std::uint64_t k = first; k < count; k += std::uint64_t(gridDim.x) * blockDim.x) {
        const auto boundary = static_cast<std::uint64_t>(offsets[k]);
        if (boundary != 0 && boundary < n) mark(reverse ? n - boundary : boundary);
    }
}
template <class Flag>
struct flag_is_set {
    const Flag* flags;
    __device__ bool operator()(std::uint64_t i) const { return flags[i] != Flag(0); }
};
template <class Key, class Equal>
struct key_differs {
    const Key* keys;
    Equal equal;
    __device__ bool operator()(std::uint64_t i) const { return !equal(keys[i - 1], keys[i]); }
};
inline unsigned mark_blocks(const executor& ex, std::uint64_t n) {
    const std::uint64_t most = std::uint64_t(ex.multiprocessors()) * 16;
    const std::uint64_t wanted = (n - 1) / mark_threads + 1;
    return static_cast<unsigned>(wanted < most ? wanted : most);
}

inline void check_described(executor& ex, const checked_array& what, std::uint64_t n, const char* things) {
    upsweep::detail::check_described(what.size, n, things);
    what.check(ex);
}

}  // namespace detail

// Segments [offsets[k], offsets[k + 1]), some of them empty, of m + 1 integers 0 = offsets[0] <= ... <=
// offsets[m] = n. That they are such is a precondition, as the host does not read them.
template <std::integral Integer>
class by_offsets {
  public:
    explicit by_offsets(device_span<const Integer> offsets) : offsets_(offsets) {}

    void check(executor& ex, std::uint64_t) const {
        upsweep::detail::check_offset_count(offsets_.size());
        array().check(ex);
    }
    [[nodiscard]] detail::checked_array array() const {
        return detail::checked_array::of("segments", offsets_);
    }
    // Preconditions: n is not 0; the executor's device is the current one.
    void mark(const executor& ex, std::uint32_t* heads, std::uint64_t n, bool reverse) const {
        cuda::check(cudaMemsetAsync(heads, 0, detail::head_words(n) * 4, ex.stream()), "clearing scratch");
        const unsigned blocks = detail::mark_blocks(ex, offsets_.size());
        detail::mark_offsets_kernel<<<blocks, detail::mark_threads, 0, ex.stream()>>>(
            heads, n, reverse, offsets_.data(), offsets_.size());
    }

  private:
    device_span<const Integer> offsets_;
};
template <class Integer>
by_offsets(device_span<Integer>) -> by_offsets<std::remove_const_t<Integer>>;

// n flags; one that is not zero (true) starts a segment; element 0 always does.
template <class Flag>
class by_head_flags {
  public:
    explicit by_head_flags(device_span<const Flag> flags) : flags_(flags) {}

    void check(executor& ex, std::uint64_t n) const { detail::check_described(ex, array(), n, "head flags"); }
    [[nodiscard]] detail::checked_array array() const {
        return detail::checked_array::of("segments", flags_);
    }
    void mark(const executor& ex, std::uint32_t* heads, std::uint64_t n, bool reverse) const {
        const unsigned blocks = detail::mark_blocks(ex, n);
        detail::mark_heads_kernel<<<blocks, detail::mark_threads, 0, ex.stream()>>>(
            heads, n, reverse, detail::flag_is_set<Flag>{flags_.data()});
    }

  private:
    device_span<const Flag> flags_;
};
template <class Flag>
by_head_flags(device_span<Flag>) -> by_head_flags<std::remove_const_t<Flag>>;

// n keys; a segment is a run of neighbours that are equal, each to the one before. `equal` is called on the
// device.
template <class Key, class Equal = std::equal_to<>>
class by_keys {
  public:
    explicit by_keys(device_span<const Key> keys, const Equal& equal = {}) : keys_(keys), equal_(equal) {}

    void check(executor& ex, std::uint64_t n) const { detail::check_described(ex, array(), n, "keys"); }
    [[nodiscard]] detail::checked_array array() const { return detail::checked_array::of("segments", keys_); }
    void mark(const executor& ex, std::uint32_t* heads, std::uint64_t n, bool reverse) const {
        const unsigned blocks = detail::mark_blocks(ex, n);
        detail::mark_heads_kernel<<<blocks, detail::mark_threads, 0, ex.stream()>>>(
            heads, n, reverse, detail::key_differs<Key, Equal>{keys_.data(), equal_});
    }

  private:
    device_span<const Key> keys_;
    Equal equal_;
};
template <class Key, class Equal = std::equal_to<>>
by_keys(device_span<Key>, Equal = {}) -> by_keys<std::remove_const_t<Key>, Equal>;

}  // namespace upsweep::cuda
