// Totals of many short sequences whose elements are neighbours: of whole runs that lie one after the other,
// as lines (reduce_lines.cuh); of others, turned through shared memory.
#pragma once

#include <cstdint>

#include "upsweep/cuda/element_copy.cuh"
#include "upsweep/cuda/reduce_lanes.cuh"
#include "upsweep/cuda/reduce_lines.cuh"

namespace upsweep::cuda {

namespace detail {

// Where results of sequences lie that follow each other in memory, as a dimension of the output at most.
template <class Types>
struct packed_results {
    const scan_arguments<Types>& scan;
    typename Types::Out* first;
    std::int64_t stride;

    __device__ __forceinline__ explicit packed_results(const reduced_axis<Types>& shape)
        : scan(shape.scan),
          first(shape.scan.out + shape.result(0)),
          stride(shape.geometry.fastest().second_stride) {}
    __device__ __forceinline__ void store(std::uint64_t sequence, const typename Types::Acc& value) const {
        first[std::int64_t(sequence) * stride] = with_initial(scan, value);
    }
};

}  // namespace detail

// Sequences of `runs` whole runs each, at most a line, which lie one after the other at whole runs: a warp
// takes as many of them as have 32 lines of runs together.
template <class Types>
__global__ void __launch_bounds__(reduce_lines_shape<Types>::threads,
                                  reduce_lines_shape<Types>::blocks_per_multiprocessor)
    reduce_packed_runs_kernel(const __grid_constant__ reduced_axis<Types> shape, unsigned runs) {
    using lines_shape = reduce_lines_shape<Types>;
    constexpr int batch = lines_shape::batch, warps = lines_shape::teams;
    extern __shared__ __align__(128) char shared[];
    const auto reducer = detail::make_line_reducer<Types, 1>(shape, shared);
    const auto combine = shape.scan.combine(false);
    const unsigned lane = threadIdx.x % 32, together = 32 * 32 / runs;
    const std::uint64_t sequences = shape.sequences();
    const auto* const in = static_cast<const detail::axis_input<Types>*>(shape.scan.in[0]) + shape.first(0);
    const detail::packed_results<Types> results(shape);
#pragma unroll 1
    for (std::uint64_t first = (blockIdx.x * std::uint64_t(warps) + threadIdx.x / 32) * together;
         first < sequences; first += gridDim.x * std::uint64_t(warps) * together) {
        const unsigned count = sequences - first < together ? unsigned(sequences - first) : together;
        const auto* const x = in + first * (runs * Types::items);
        const int all = int(count * runs);
#pragma unroll 1
        for (int line = 0; line * 32 < all; line += batch) {
            typename Types::Raw raw[batch];
#pragma unroll
            for (int k = 0; k < batch; ++k)
                if ((line + k) * 32 + int(lane) < all)
                    reducer.load_whole(raw[k], x + std::int64_t(line + k) * Types::row);
#pragma unroll
            for (int k = 0; k < batch; ++k)
                if ((line + k) * 32 + int(lane) < all)
                    reducer.totals.store(line + k, int(lane), reducer.fold_items(raw[k]));
        }
        __syncwarp();
#pragma unroll 1
        for (unsigned own = lane; own < count; own += 32) {
            const auto total = [&](unsigned run) {
                return reducer.totals.load(int(run / 32), int(run % 32));
            };
            auto sum = total(own * runs);
#pragma unroll 4
            for (unsigned k = 1; k < runs; ++k) sum = combine(sum, total(own * runs + k));
            results.store(first + own, sum);
        }
        __syncwarp();
    }
}

// Short sequences of neighbours: some at a time pass through a warp's part of shared memory, where each is a
// lane's.
template <class Types>
struct reduce_turned_shape {
    using In = detail::axis_input<Types>;
    static constexpr int warps = 4;
    static constexpr int threads = 32 * warps;
    static constexpr int most_elements = 256 / int(sizeof(In));  // of a sequence
    static constexpr int batch = sizeof(In) <= 8 ? 16 : 2;
    // Elements from one sequence's first to the next one's, where they do not lie as in memory: an odd
    // number, so that banks differ.
    __host__ __device__ static constexpr unsigned pitch(std::uint64_t length) { return unsigned(length) | 1; }
    // Sequences that a warp has at once: as many as are large enough to be under way together.
    __host__ __device__ static constexpr unsigned together(std::uint64_t length) {
        const unsigned wanted = 8192 / (32 * unsigned(sizeof(In)) * pitch(length));
        return 32 * (wanted < 1 ? 1 : wanted > 32 ? 32 : wanted);
    }
    __host__ __device__ static constexpr int warp_bytes(std::uint64_t length) {
        return (int(together(length) * pitch(length)) * int(sizeof(In)) + 15) / 16 * 16;
    }
    static constexpr int shared_bytes(std::uint64_t length) { return warps * warp_bytes(length); }
    static constexpr int most_shared_bytes = warps * (32 * (256 + int(sizeof(In))) + 16);
};

namespace detail {

// At most 32 sequences, which begin where the lanes say, to a warp's part of shared memory, `pitch` apart.
template <class Types>
__device__ __forceinline__ void turn_lines(const reduced_axis<Types>& shape, std::int64_t begin,
                                           unsigned count, unsigned pitch, axis_input<Types>* image) {
    using In = axis_input<Types>;
    constexpr int batch = reduce_turned_shape<Types>::batch;
    const unsigned length = unsigned(shape.scan.n), lane = threadIdx.x % 32;
    const unsigned step_sequences = 32 / length, step = 32 % length;
    unsigned k = lane / length, i = lane % length;  // element i of sequence k, in the order of memory
#pragma unroll 1
    for (unsigned done = 0; done < count * length; done += 32 * batch) {
        In x[batch];
        unsigned to[batch];
#pragma unroll
        for (int m = 0; m < batch; ++m) {
            const std::int64_t from = shuffle(begin, int(k % 32));
            to[m] = k < count ? k * pitch + i : ~0u;
            if (k < count)
                x[m] = static_cast<const In*>(shape.scan.in[0])[from + std::int64_t(i) * shape.stride()];
            k += step_sequences;
            i += step;
            if (i >= length) {
                i -= length;
                ++k;
            }
        }
#pragma unroll
        for (int m = 0; m < batch; ++m)
            if (to[m] != ~0u) image[to[m]] = x[m];
    }
}
// The total of at most 256 bytes of neighbours.
template <class Types>
__device__ __forceinline__ typename Types::Acc fold_short(const scan_arguments<Types>& scan,
                                                          const axis_input<Types>* x, unsigned length) {
    const axis_source<Types> own{x, 1};
    const auto combine = scan.combine(false);
    if (length <= unsigned(lane_run)) {
        auto sum = own[0].accumulator(scan);
#pragma unroll
        for (int m = 1; m < lane_run; ++m)
            if (unsigned(m) < length) sum = combine(sum, own[m].accumulator(scan));
        return sum;
    }
    typename Types::Acc sum{};
#pragma unroll 1
    for (unsigned done = 0; done < length; done += lane_row) {
        const unsigned left = length - done;
        const int row = left < unsigned(lane_row) ? int(left) : lane_row;
        sum = combine.join(done != 0, sum, fold_row_of_lane(scan, own.from(done), row));
    }
    return sum;
}

}  // namespace detail

// `Packed`: sequences lie one after the other, from a multiple of 16 bytes on.
template <class Types, bool Packed>
__global__ void __launch_bounds__(reduce_turned_shape<Types>::threads,
                                  Packed && sizeof(typename Types::Acc) <= 8 ? 7 : 1)
    reduce_turned_kernel(const __grid_constant__ reduced_axis<Types> shape) {
    using turned = reduce_turned_shape<Types>;
    using In = typename turned::In;
    extern __shared__ __align__(128) char shared[];
    const auto& scan = shape.scan;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, length = unsigned(scan.n);
    const unsigned pitch = Packed ? length : turned::pitch(length);
    char* const image = shared + warp * turned::warp_bytes(length);
    const auto* const lines = reinterpret_cast<const In*>(image);
    const std::uint64_t sequences = shape.geometry.sequence_count;
    const unsigned together = turned::together(length);
    const detail::packed_results<Types> results(shape);
#pragma unroll 1
    for (std::uint64_t first = (blockIdx.x * std::uint64_t(turned::warps) + warp) * together;
         first < sequences; first += gridDim.x * std::uint64_t(turned::warps) * together) {
        const unsigned count = sequences - first < together ? unsigned(sequences - first) : together;
        if constexpr (Packed) {
            const auto* const x = static_cast<const In*>(scan.in[0]) + shape.first(0) + first * length;
            copy_bytes_ahead<int(alignof(In))>(image, reinterpret_cast<const char*>(x),
                                               int(count * length * sizeof(In)), int(lane));
            close_copies();
            wait_for_copies<0>();
        } else {
#pragma unroll 1
            for (unsigned k = 0; k < count; k += 32) {
                const std::int64_t begin = shape.first(first + (k + lane < count ? k + lane : k));
                detail::turn_lines(shape, begin, count - k < 32 ? count - k : 32, pitch,
                                   reinterpret_cast<In*>(image) + k * pitch);
            }
        }
        __syncwarp();
#pragma unroll 1
        for (unsigned k = lane; k < count; k += 32) {
            const auto sum = detail::fold_short(scan, lines + k * pitch, length);
            if constexpr (Packed)
                results.store(first + k, sum);
            else
                detail::store_first_reduced(shape, first + k, sum);
        }
        __syncwarp();
    }
}

}  // namespace upsweep::cuda
