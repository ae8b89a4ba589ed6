// Folds of the upper levels of the tree for many sequences at once, between a kernel that sums the parts of
// sequences and one that scans them.
#pragma once

#include <cstdint>

#include "upsweep/cuda/arguments.cuh"
#include "upsweep/cuda/combine.cuh"

namespace upsweep::cuda {

// One level in the workspace: value k of sequence q is at values[k * sequences + q].
template <class Acc>
struct axis_level {
    Acc* values;
    std::uint64_t count;  // full ones, of a sequence
};

// Totals of 32 neighbours become the folds of those before each, and their parents get their totals: rows of
// tiles, or tiles of supers. The value behind the last full one is made too where there is `room` for it. The
// first of 32 is left as it is: nothing stands before it. A parent a thread.
template <class Types>
__global__ void __launch_bounds__(256)
    fold_axis_level_kernel(const __grid_constant__ scan_arguments<Types> arguments,
                           axis_level<typename Types::Acc> children, std::uint64_t room,
                           axis_level<typename Types::Acc> parents, std::uint64_t sequences) {
    using Acc = typename Types::Acc;
    const std::uint64_t at = blockIdx.x * 256ull + threadIdx.x;
    const std::uint64_t parent = at / sequences, sequence = at % sequences;
    const std::uint64_t first = parent * 32;
    if (first >= children.count) return;
    const int count = children.count - first < 32 ? int(children.count - first) : 32;
    const auto combine = arguments.combine();
    Acc* const own = children.values + first * sequences + sequence;
    constexpr int batch = sizeof(Acc) <= 8 ? 8 : 2;
    Acc fold{};
#pragma unroll 1
    for (int from = 0; from < count; from += batch) {
        Acc x[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k)
            x[k] = own[std::uint64_t(from + k < count ? from + k : count - 1) * sequences];
#pragma unroll
        for (int k = 0; k < batch; ++k) {
            if (from + k >= count) break;
            if (from + k > 0) own[std::uint64_t(from + k) * sequences] = fold;
            fold = from + k == 0 ? x[0] : combine(fold, x[k]);
        }
    }
    if (count == 32)
        parents.values[parent * sequences + sequence] = fold;
    else if (first + count < room)
        own[std::uint64_t(count) * sequences] = fold;
}

// Totals of supers become S of the next: the left fold of the initial value and all before. A sequence a
// thread: the fold of the tree is a chain, of length / 131072 steps.
template <class Types>
__global__ void __launch_bounds__(64)
    fold_axis_supers_kernel(const __grid_constant__ scan_arguments<Types> arguments,
                            axis_level<typename Types::Acc> supers, std::uint64_t sequences) {
    using Acc = typename Types::Acc;
    const std::uint64_t sequence = blockIdx.x * 64ull + threadIdx.x;
    if (sequence >= sequences) return;
    const auto combine = arguments.combine();
    bool present = arguments.has_initial;
    Acc sum{};
    if (present) sum = arguments.initial_value();
    Acc* own = supers.values + sequence;
    constexpr int batch = sizeof(Acc) <= 8 ? 16 : 2;
#pragma unroll 1
    for (std::uint64_t first = 0; first < supers.count; first += batch) {
        const int count = supers.count - first < batch ? int(supers.count - first) : batch;
        Acc x[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k) x[k] = own[std::uint64_t(k < count ? k : count - 1) * sequences];
#pragma unroll
        for (int k = 0; k < batch; ++k) {
            if (k >= count) break;
            sum = combine.join(present, sum, x[k]);
            present = true;
            own[std::uint64_t(k) * sequences] = sum;
        }
        own += batch * sequences;
    }
}

// S and T of tile `tile` of a sequence, as the kernels above have left them.
template <class Types>
__device__ __forceinline__ void read_upper_parts(const scan_arguments<Types>& arguments,
                                                 const typename Types::Acc* tiles,
                                                 const typename Types::Acc* supers, std::uint64_t tile,
                                                 std::uint64_t sequence, std::uint64_t sequences,
                                                 left_parts<typename Types::Acc>& left) {
    const auto combine = arguments.combine();
    const std::uint64_t super = tile / 32;
    set_part(
        combine, super > 0 || arguments.has_initial,
        [&] { return super > 0 ? supers[(super - 1) * sequences + sequence] : arguments.initial_value(); },
        left.supers, left.has_supers);
    set_part(
        combine, tile % 32 > 0, [&] { return tiles[tile * sequences + sequence]; }, left.tiles,
        left.has_tiles);
}

}  // namespace upsweep::cuda
