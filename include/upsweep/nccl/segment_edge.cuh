// Segments of a sequence that lies on many GPUs. Whether one begins where a rank's elements do, in scan
// order, flags or keys of another rank may have to tell; a kernel finds it out, and the kernels of a scan
// read it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/nccl/distribution.hpp"
#include "upsweep/nccl/executor.hpp"

namespace upsweep::nccl {

// Types::Heads of a rank's elements. Those of its own array take its first element for a head.
template <class Array>
struct heads_on_rank {
    Array own;
    const std::uint32_t* begins;  // in device memory, whether the first element is one; null: it is

    // Of elements [begin, end), in scan order, of n.
    [[nodiscard]] heads_on_rank part(std::uint64_t begin, std::uint64_t end, std::uint64_t n,
                                     bool reverse) const {
        return {own.part(begin, end, n, reverse), begin == 0 ? begins : nullptr};
    }

    template <int Items>
    using run = typename Array::template run<Items>;
    template <int Items>
    static constexpr bool loads_runs = Array::template loads_runs<Items>;

    template <int Items>
    __device__ __forceinline__ unsigned bits(std::uint64_t first, std::uint64_t n, bool reverse) const {
        return corrected<Items>(own.template bits<Items>(first, n, reverse), first, reverse);
    }
    template <int Items>
    __device__ __forceinline__ bool has_whole_runs(std::uint64_t n, bool reverse) const {
        return own.template has_whole_runs<Items>(n, reverse);
    }
    template <int Items>
    __device__ __forceinline__ run<Items> load_run(std::uint64_t first, std::uint64_t n, bool reverse) const {
        return own.template load_run<Items>(first, n, reverse);
    }
    template <int Items>
    __device__ __forceinline__ unsigned bits_of(const run<Items>& loaded, std::uint64_t first,
                                                bool reverse) const {
        return corrected<Items>(own.template bits_of<Items>(loaded, first, reverse), first, reverse);
    }
    __device__ __forceinline__ void prefetch(std::uint64_t first, unsigned count, std::uint64_t n,
                                             bool reverse) const {
        own.prefetch(first, count, n, reverse);
    }

  private:
    template <int Items>
    __device__ __forceinline__ unsigned corrected(unsigned bits, std::uint64_t first, bool reverse) const {
        if (first != 0 || begins == nullptr || *begins != 0) return bits;
        return bits & ~(reverse ? 1u << (Items - 1) : 1u);
    }
};

// By one thread: of neighbours in memory, whether a segment begins at the second.
template <class Array, class T>
__global__ void find_edge_kernel(Array own, const T* first, const T* second, std::uint32_t* begins) {
    *begins = own.begins_between(*first, *second) ? 1 : 0;
}

// What a scan has to know of where a rank's elements begin, as scan_piece() asks for it.
template <class Segments>
class segment_edge {
  public:
    using element = typename Segments::element;
    static_assert(
        std::is_trivially_copyable_v<element>,
        "segments: expected flags or keys of a trivially copyable type, because ranks exchange their "
        "bytes");
    using heads = heads_on_rank<decltype(std::declval<const Segments&>().heads())>;

    explicit segment_edge(const Segments& segments) : segments_(segments) {}

    // Scratch for so many ranks: what everybody shows of its elements, and the answer in front of that.
    [[nodiscard]] static std::size_t scratch_bytes(int ranks) {
        return shown_at + (static_cast<std::size_t>(ranks) * sizeof(element) + 255) / 256 * 256;
    }
    // Collective.
    template <class Arguments>
    void find(const executor& ex, const place& own, void* scratch, Arguments& arguments) const {
        const cudaStream_t stream = ex.local().stream();
        auto* const begins = static_cast<std::uint32_t*>(scratch);
        auto* const shown = reinterpret_cast<element*>(static_cast<char*>(scratch) + shown_at);
        const element* const elements = segments_.elements().data();
        const std::uint64_t n = arguments.n;
        const bool reverse = arguments.reverse;
        element* const mine = shown + ex.rank();
        if (n != 0)
            cuda::check(cudaMemcpyAsync(mine, elements + (reverse ? 0 : n - 1), sizeof(element),
                                        cudaMemcpyDeviceToDevice, stream),
                        "showing where segments meet");
        ex.gather(mine, shown, sizeof(element));
        if (n == 0 || own.is_first()) return;
        const element* const other = shown + own.previous;
        find_edge_kernel<<<1, 1, 0, stream>>>(segments_.heads(), reverse ? elements + n - 1 : other,
                                              reverse ? other : elements, begins);
        arguments.heads.begins = begins;
    }

  private:
    static constexpr std::size_t shown_at = 256;

    const Segments& segments_;
};

// Flags or keys: what has an edge that ranks can tell each other.
template <class Segments>
concept cut_among_ranks = requires(const Segments& segments) {
    typename Segments::element;
    segments.elements();
};

}  // namespace upsweep::nccl
