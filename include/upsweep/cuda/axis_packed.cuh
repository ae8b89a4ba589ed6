// Many short sequences that follow one another in memory: a warp copies a stretch of them to shared memory as
// they lie, there a lane scans one after the other in place, and the stretch goes back. However long the
// sequences are, memory is read and written as by a copy.
#pragma once

#include <cstdint>
#include <numeric>

#include "upsweep/core/portability.hpp"
#include "upsweep/cuda/axis_arguments.cuh"
#include "upsweep/cuda/element_copy.cuh"

namespace upsweep::cuda {

template <class Types>
struct packed_shape {
    using Out = typename Types::Out;
    static constexpr int size = int(sizeof(Out));
    // Results take the places of elements.
    static constexpr bool exists = [] {
        bool same = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
        for (const int bytes : Types::element_size) same = same && bytes == size;
        return same;
    }();
    static constexpr int most_warps = 4;
    static constexpr int threads = 32 * most_warps;
    static constexpr int blocks = 7;  // that registers leave room for
    // Of a sequence. A lane has as many of a warp's bytes to scan one by one, of which fewer warps have room.
    static constexpr std::uint64_t most_bytes = 2048;
    // Whether no more than four lanes meet in a bank, whose sequences are so long.
    static constexpr bool are_apart(std::uint64_t length) {
        constexpr std::uint64_t words = size > 4 ? size / 4 : 1;  // of an access
        return length * size % 4 != 0 || std::gcd(length * size / 4, std::uint64_t{32}) <= 4 * words;
    }
    // Sequences that a warp has at once: some KiB, to have enough under way.
    UPSWEEP_HOST_DEVICE static constexpr unsigned together(std::uint64_t length) {
        const auto wanted = unsigned(4096 / (std::uint64_t(Types::inputs * 32 * size) * length));
        return 32 * (wanted < 1 ? 1 : wanted > 32 ? 32 : wanted);
    }
    // Of one input, wherever its elements begin within 16 bytes.
    UPSWEEP_HOST_DEVICE static constexpr int input_bytes(std::uint64_t length) {
        return (int(together(length) * length) * size + 31) / 16 * 16;
    }
    UPSWEEP_HOST_DEVICE static constexpr int warp_bytes(std::uint64_t length) {
        return Types::inputs * input_bytes(length);
    }
};

namespace detail {

template <class Types, bool Exclusive>
struct packed_scanner {
    using shape = packed_shape<Types>;
    using Out = typename Types::Out;
    template <int k>
    using Input = axis_input<Types, k>;
    static constexpr bool has_second = Types::inputs == 2;

    const axis_arguments<Types>& arguments;
    char* shared;  // the warp's
    int lane;

    [[nodiscard]] __device__ __forceinline__ std::int64_t length() const {
        return std::int64_t(arguments.scan.n);
    }
    // From the first element in memory to the first one of the scan.
    [[nodiscard]] __device__ __forceinline__ std::int64_t back() const {
        return arguments.geometry.in_stride < 0 ? length() - 1 : 0;
    }
    // Input k of so many bytes that begin there; where they are in shared memory.
    template <int k>
    __device__ __forceinline__ Input<k>* copy(const Input<k>* from, int bytes) const {
        const auto misalignment = int(reinterpret_cast<std::uintptr_t>(from) & 15);
        char* const to = shared + k * shape::input_bytes(arguments.scan.n) + misalignment;
        copy_bytes_ahead<int(alignof(Input<k>))>(to, reinterpret_cast<const char*>(from), bytes, lane);
        return reinterpret_cast<Input<k>*>(to);
    }
    __device__ __forceinline__ void scan(axis_source<Types> from, Out* to) const {
        const std::int64_t stride = from.stride;
        lane_state<Types> state(arguments.scan);
#pragma unroll 1
        for (std::int64_t left = length(); left > 0; left -= lane_row) {
            scan_row_of_lane<Exclusive>(arguments.scan, state, from, to, stride,
                                        left < lane_row ? int(left) : lane_row, true);
            from = from.from(lane_row);
            to += lane_row * stride;
        }
    }
    // Sequences [first, first + count).
    __device__ __forceinline__ void scan_stretch(std::uint64_t first, unsigned count) const {
        const auto begin = arguments.geometry.begin(0);
        const std::int64_t at = std::int64_t(first) * length() - back();
        const auto bytes = int(count * unsigned(length()) * unsigned(shape::size));
        const std::int64_t stride = arguments.geometry.in_stride;
        axis_source<Types> staged;
        auto* const slots = copy<0>(arguments.template input<0>(begin) + at, bytes);
        staged.x = slots + back();
        staged.stride = stride;
        if constexpr (has_second) {
            staged.second = copy<1>(arguments.template input<1>(begin) + at, bytes) + back();
            staged.second_stride = stride;
        }
        close_copies();
        wait_for_copies<0>();
        __syncwarp();
        auto* const results = reinterpret_cast<Out*>(slots);
#pragma unroll 1
        for (unsigned k = unsigned(lane); k < count; k += 32) {
            axis_source<Types> own = staged;
            own.x += k * length();
            if constexpr (has_second) own.second += k * length();
            scan(own, results + k * length() + back());
        }
        __syncwarp();
        store_bytes<int(alignof(Out))>(reinterpret_cast<char*>(arguments.scan.out + begin.out + at),
                                       reinterpret_cast<const char*>(results), bytes, lane);
        __syncwarp();
    }
};

}  // namespace detail

template <class Types, bool Exclusive>
__global__ void __launch_bounds__(packed_shape<Types>::threads, packed_shape<Types>::blocks)
    scan_packed_kernel(const __grid_constant__ axis_arguments<Types> arguments) {
    using shape = packed_shape<Types>;
    extern __shared__ __align__(128) char shared[];
    const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const detail::packed_scanner<Types, Exclusive> scanner{
        arguments, shared + int(warp) * shape::warp_bytes(arguments.scan.n), int(threadIdx.x % 32)};
    const std::uint64_t sequences = arguments.geometry.sequence_count;
    const unsigned together = shape::together(arguments.scan.n);
#pragma unroll 1
    for (std::uint64_t first = (std::uint64_t(blockIdx.x) * warps + warp) * together; first < sequences;
         first += std::uint64_t(gridDim.x) * warps * together)
        scanner.scan_stretch(first, sequences - first < together ? unsigned(sequences - first) : together);
}

}  // namespace upsweep::cuda
