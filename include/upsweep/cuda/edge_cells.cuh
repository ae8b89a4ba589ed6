// Where among ascending edges in device memory a number is, by a table: numbers are mapped to cells by a
// function that never descends, so an edge in a cell before x's is at most x, one in a cell behind it is
// above x, and only those in x's own cell are compared with it.
//
// Cells are equal intervals or, for floating point, equal numbers of neighbouring values, whichever parts
// more edges: edges in geometric progression want the latter. A cell's entry has its first edge; where there
// are more, a binary search among them follows.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include <cuda_runtime_api.h>

#include "upsweep/core/arithmetic.hpp"
#include "upsweep/cuda/bin_classes.cuh"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/tuning.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cuda::detail {

inline constexpr unsigned choice_threads = 1024, cell_threads = 256;

// The first of edges[0], ..., edges[last] of which holds what holds of all behind it; last + 1: of none.
template <class T, class Holds>
__device__ __forceinline__ std::uint32_t first_edge(const T* edges, std::uint32_t last, const Holds& holds) {
    std::uint32_t first = 0;
    for (std::uint32_t left = last + 1; left != 0;) {
        const std::uint32_t half = left / 2;
        const bool before = !holds(edges[first + half]);
        first = before ? first + half + 1 : first;
        left = before ? left - half - 1 : half;
    }
    return first;
}

// Finds out how cells are made of numbers, by one block: bounds, and the map that leaves fewer neighbouring
// edges in one cell.
template <class T>
__global__ void __launch_bounds__(choice_threads)
    choose_cells_kernel(const T* edges, std::uint32_t last, std::uint32_t cells, cell_map<T>* made) {
    __shared__ cell_map<T> intervals, words;
    __shared__ unsigned together[2];
    if (threadIdx.x == 0) {
        const auto is_finite = [](T edge) { return edge - edge == 0; };
        T lowest = edges[0], highest = edges[last];
        // Behind what is -inf, and before what is inf.
        if (!is_finite(lowest)) {
            const std::uint32_t low =
                first_edge(edges, last, [&](T edge) { return is_finite(edge) || edge > T(0); });
            lowest = edges[min(low, last)];
        }
        if (!is_finite(highest)) {
            const std::uint32_t end =
                first_edge(edges, last, [&](T edge) { return !is_finite(edge) && edge > T(0); });
            highest = edges[max(end, 1u) - 1];
        }
        intervals.set_bounds(lowest, max(lowest, highest));
        words = intervals;
        intervals.use_intervals(cells);
        words.use_words(cells);
        together[0] = together[1] = 0;
    }
    __syncthreads();
    // Of so many edges at most, evenly apart.
    const std::uint32_t step = last / (4 * choice_threads) + 1;
    unsigned found[2] = {0, 0};
    for (std::uint32_t i = threadIdx.x * step; i < last; i += choice_threads * step) {
        found[0] += intervals.cell(edges[i]) == intervals.cell(edges[i + 1]);
        found[1] += words.cell(edges[i]) == words.cell(edges[i + 1]);
    }
    atomicAdd(&together[0], found[0]);
    atomicAdd(&together[1], found[1]);
    __syncthreads();
    if (threadIdx.x == 0) *made = !intervals.by_words && together[0] <= together[1] ? intervals : words;
}

template <class T>
__global__ void __launch_bounds__(cell_threads)
    fill_cells_kernel(const T* edges, std::uint32_t last, std::uint32_t cells, cell_map<T>* chosen) {
    const std::uint32_t cell = blockIdx.x * cell_threads + threadIdx.x;
    if (cell > cells) return;
    const cell_map<T> map = *chosen;
    const std::uint32_t first = first_edge(edges, last, [&](T edge) { return map.cell(edge) >= cell; });
    cell_entry<T> entry{T(), first};
    if (first <= last && map.cell(edges[first]) == cell) {
        entry.edge = edges[first];
        entry.before |= cell_entry<T>::has_edge;
        if (first < last && map.cell(edges[first + 1]) == cell) entry.before |= cell_entry<T>::has_more;
    }
    reinterpret_cast<cell_entry<T>*>(chosen + 1)[cell] = entry;
}

// The table of a call, in memory of its stream; none where there are too few elements for it, or no room.
template <class T>
class edge_cells {
  public:
    edge_cells(executor& ex, const device_edges<T>& bins, std::uint64_t elements) {
        const std::uint64_t edges = bins.edges.size();
        const std::uint64_t enough =
            edges < cells_from_edges ? cells_of_few_edges_from_elements : cells_from_elements;
        if (elements < enough || elements < edges || edges > cells_up_to_edges || !ex.allocates()) return;
        const device_scope current(ex);
        ex.check_before_launch();
        const auto last = static_cast<std::uint32_t>(edges - 1);
        const std::uint32_t cells = std::bit_ceil(2 * last);
        try {
            scratch_.emplace(ex, ex.take_table_scratch(sizeof(cell_map<T>) +
                                                       (cells + std::size_t{1}) * sizeof(cell_entry<T>)));
        } catch (const error& problem) {
            if (problem.code() != errc::out_of_memory) throw;
            return;
        }
        const T* const from = bins.edges.data();
        choose_cells_kernel<<<1, choice_threads, 0, ex.stream()>>>(from, last, cells, data());
        fill_cells_kernel<<<cells / cell_threads + 1, cell_threads, 0, ex.stream()>>>(from, last, cells,
                                                                                      data());
        cuda::check(cudaGetLastError(), "making cells of edges");
    }

    // Null: none. The entries lie behind it.
    [[nodiscard]] const cell_map<T>* map() const { return scratch_ ? data() : nullptr; }
    // When everything that uses it has been enqueued.
    void release() {
        if (scratch_) scratch_->release();
    }

  private:
    [[nodiscard]] cell_map<T>* data() const { return reinterpret_cast<cell_map<T>*>(scratch_->data()); }

    std::optional<held_scratch> scratch_;
};

// use(classes) with what says to which of `bins` each of n elements belongs.
template <class Element, class T, class Use>
void with_classes(executor&, const bin_range<T>& range, std::uint64_t, const Use& use) {
    use(of_number<Element, binning<T>>{binning<T>(range)});
}
template <class Element, class T, class Use>
void with_classes(executor& ex, const device_edges<T>& bins, std::uint64_t n, const Use& use) {
    // Of bytes each value is looked up once, not each element; integers of more than 64 bits have no cells.
    edge_cells<T> cells(ex, bins, sizeof(Element) == 1 || sizeof(T) > 8 ? 0 : n);
    use(of_number<Element, between<T>>{between<T>(bins, cells.map())});
    cells.release();
}

}  // namespace upsweep::cuda::detail
