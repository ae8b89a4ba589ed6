// Totals by bin of integers under operators that the machine combines in memory, in any order: a cell a bin
// in shared memory, many copies of each where there are few, as histograms have counters (count_bins.cuh).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/bin_classes.cuh"
#include "upsweep/cuda/combine.cuh"
#include "upsweep/cuda/count_bins.cuh"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/split_shape.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::cuda {

namespace detail {

// Whether values that are accumulated in Acc are folded so.
template <class Acc, class Op>
inline constexpr bool folds_in_tables =
    std::integral<Acc> && !std::same_as<Acc, bool> &&
    (std::same_as<Op, plus> || std::same_as<Op, minimum> || std::same_as<Op, maximum> ||
     std::same_as<Op, bit_and> || std::same_as<Op, bit_or> || std::same_as<Op, bit_xor>);

// *cell = *cell (+) x, in shared or global memory.
template <class Op, class Cell>
__device__ __forceinline__ void fold_atomically(Cell* cell, Cell x) {
    using wide = std::conditional_t<std::is_signed_v<Cell>, long long, unsigned long long>;
    using word = std::conditional_t<sizeof(Cell) == 8, wide, Cell>;
    using bits = std::make_unsigned_t<word>;
    auto* const ordered = reinterpret_cast<word*>(cell);
    auto* const unordered = reinterpret_cast<bits*>(cell);
    if constexpr (std::same_as<Op, plus>)
        atomicAdd(unordered, static_cast<bits>(x));
    else if constexpr (std::same_as<Op, minimum>)
        atomicMin(ordered, static_cast<word>(x));
    else if constexpr (std::same_as<Op, maximum>)
        atomicMax(ordered, static_cast<word>(x));
    else if constexpr (std::same_as<Op, bit_and>)
        atomicAnd(unordered, static_cast<bits>(x));
    else if constexpr (std::same_as<Op, bit_or>)
        atomicOr(unordered, static_cast<bits>(x));
    else
        atomicXor(unordered, static_cast<bits>(x));
}

// Values of V, accumulated in Acc, beside elements of InType.
template <class Acc, class InType, class V, class OutType, class OpType, class ClassesType>
struct bin_table_arguments {
    using In = InType;
    using Value = V;
    using Out = OutType;
    using Op = OpType;
    using Nominal = Acc;
    using Cell = register_type<Acc, Op>;

    const In* in;
    const V* values;
    array_extent extent;
    ClassesType classes;
    std::uint32_t bins;
    unsigned log_copies;  // of each cell
    Cell* cells;          // of each bin in global memory
    Out* totals;
    Cell identity;  // of Acc
    Cell start;     // folded in front of each
};

template <class Arguments>
__global__ void __launch_bounds__(count_threads) clear_cells_kernel(Arguments given) {
    for (std::uint32_t bin = blockIdx.x * count_threads + threadIdx.x; bin < given.bins;
         bin += gridDim.x * count_threads)
        given.cells[bin] = given.identity;
}
template <class Arguments>
__global__ void __launch_bounds__(count_threads) store_cells_kernel(Arguments given) {
    for (std::uint32_t bin = blockIdx.x * count_threads + threadIdx.x; bin < given.bins;
         bin += gridDim.x * count_threads) {
        const typename Arguments::Cell total = typename Arguments::Op{}(given.start, given.cells[bin]);
        given.totals[bin] = convert<typename Arguments::Out>(convert<typename Arguments::Nominal>(total));
    }
}

template <class Arguments>
__global__ void __launch_bounds__(count_threads, 1) fold_in_tables_kernel(Arguments given) {
    using Cell = typename Arguments::Cell;
    using Op = typename Arguments::Op;
    using In = typename Arguments::In;
    using V = typename Arguments::Value;
    constexpr int ahead = sizeof(In) + sizeof(V) <= 8 ? 8 : sizeof(In) + sizeof(V) <= 16 ? 4 : 1;
    extern __shared__ __align__(128) char shared[];
    auto* const cells = reinterpret_cast<Cell*>(shared);
    const Cell identity = given.identity;
    const unsigned lane = threadIdx.x % 32, copies = 1u << given.log_copies;
    const std::uint32_t words = given.bins << given.log_copies;
    const std::uint64_t n = given.extent.size();

    // What is in no bin is folded behind all of them.
    for (std::uint32_t k = threadIdx.x; k < words + copies; k += count_threads) cells[k] = identity;
    __syncthreads();
    Cell* const own = cells + (lane & (copies - 1));
    in_one_way(given.classes, [&](const auto& bin_of) {
        const auto fold = [&](const In& x, const V& value) {
            const std::uint32_t bin = min(std::uint32_t(bin_of(x)), given.bins);
            fold_atomically<Op>(own + (bin << given.log_copies),
                                convert<Cell>(convert<typename Arguments::Nominal>(value)));
        };
        constexpr std::uint64_t batch = std::uint64_t(ahead) * count_threads;
        for (std::uint64_t first = blockIdx.x * batch; first < n; first += gridDim.x * batch) {
            if (first + batch <= n) {
                held_element<In> x[ahead];
                held_element<V> value[ahead];
#pragma unroll
                for (int k = 0; k < ahead; ++k) {
                    const std::uint64_t at = first + unsigned(k) * count_threads + threadIdx.x;
                    x[k].value = given.in[at];
                    value[k].value = given.values[at];
                }
#pragma unroll
                for (int k = 0; k < ahead; ++k) fold(x[k].value, value[k].value);
            } else {
                for (std::uint64_t at = first + threadIdx.x; at < n; at += count_threads)
                    fold(given.in[at], given.values[at]);
            }
        }
    });
    __syncthreads();
    // The copies of a cell lie side by side, those of several cells before a warp. Blocks begin at different
    // ones, so that they do not all fold into the same ones at once.
    const std::uint32_t rounds = (words - 1) / count_threads + 1;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        const std::uint32_t at = (round + blockIdx.x) % rounds * count_threads + threadIdx.x;
        Cell total = at < words ? cells[at] : identity;
        for (unsigned distance = copies / 2; distance != 0; distance /= 2)
            total = Op{}(total, __shfl_xor_sync(0xffffffffu, total, int(distance)));
        if (at < words && (lane & (copies - 1)) == 0 && total != identity)
            fold_atomically<Op>(given.cells + (at >> given.log_copies), total);
    }
}

// From typed arguments, found good but for what this chooses itself, to kernels. Their scratch is plain, of
// no more bytes than offsets of the bins have.
template <class Arguments>
class bin_tables_launch {
    using Cell = typename Arguments::Cell;

  public:
    // Whether a block has cells for so many bins.
    static bool fits(const executor& ex, std::uint64_t bins) {
        return (bins + 1) * sizeof(Cell) <= std::uint64_t(ex.shared_memory());
    }
    // Of some elements.
    static void run(executor& ex, Arguments given) {
        constexpr auto kernel = &fold_in_tables_kernel<Arguments>;
        require_kernel<kernel>(ex, ex.shared_memory());
        const std::uint64_t n = given.extent.n, bins = given.bins;
        held_scratch plain(ex, ex.take_plain_scratch(bins * sizeof(Cell)));
        given.cells = reinterpret_cast<Cell*>(plain.data());
        const auto multiprocessors = std::uint64_t(ex.multiprocessors());
        const auto sharing = unsigned(std::min((n - 1) / count_least_elements + 1, multiprocessors));
        const std::uint64_t wanted = std::min(count_most_copies * sizeof(std::uint32_t) / sizeof(Cell),
                                              n / sharing / count_elements_a_counter);
        given.log_copies = 5;
        while (given.log_copies != 0 && bins << given.log_copies > wanted) --given.log_copies;
        const auto for_bins = unsigned(std::min((bins - 1) / count_threads + 1, multiprocessors));
        clear_cells_kernel<<<for_bins, count_threads, 0, ex.stream()>>>(given);
        kernel<<<sharing, count_threads, unsigned(sizeof(Cell) * ((bins + 1) << given.log_copies)),
                 ex.stream()>>>(given);
        store_cells_kernel<<<for_bins, count_threads, 0, ex.stream()>>>(given);
        plain.release();
        check(cudaGetLastError(), "launching totals by bin");
    }
};

}  // namespace detail

}  // namespace upsweep::cuda
