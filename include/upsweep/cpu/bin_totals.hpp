// The CPU engine for totals of values by the bins of other elements: a bin's values are a sequence of their
// own, whatever lies between them.
//
// Exact operators that commute. Each thread folds values into a table of its own, a cell a bin, as a
// histogram counts. Where tables are small a thread has four, which neighbouring values take in turn.
// Complexity: O(n + bins). Scratch: a cell a bin for each thread, four times as many in tables of up to 4
// KiB; those of the helpers at most most_table_bytes, and where the heap has no room for them one thread does
// all.
//
// Sums and products that round, on one thread. A bin's values are gathered in rows of 128, which are folded
// side by side, up to sixteen of any bins, while they are in the near caches; where bins are so many that
// rows of all do not fit there, or would hardly be filled, a bin is an odometer (docs/numerics.md) whose two
// lowest accumulators take an element without a branch. Scratch: 128 values and 48 bytes a bin, or 65 bytes.
//
// On several threads, where bins have many values. They are moved to their bins first (cpu/bins.hpp), and
// every bin's are then totalled by themselves: long ones by all threads, of the others each thread some. Two
// threads gain by that only where caches hold all and bins are few; else one does it alone. Scratch: a copy
// of the values and 8 bytes a bin, beside what bin extraction takes.
//
// Other operators. The same of the values' indices, 8 bytes each, by any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/bins.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/operation.hpp"
#include "upsweep/cpu/reduce.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::cpu {

// How values go into tables: a cell for each bin and one for what has none, `slots` of them at least. Cells
// are trivially copyable.
struct bin_table {
    const void* context;
    std::size_t cell_bytes;
    std::size_t value_bytes;  // of an element of the input
    // Each of so many cells becomes the identity.
    void (*clear)(const bin_table&, void* cells, std::size_t count);
    // cells[found[i]] = cells[found[i]] (+) value first + i, for every i < count; of `ways` tables, 1 or 4,
    // which neighbours take in turn.
    void (*add)(const bin_table&, std::size_t first, std::size_t count, const std::uint32_t* found,
                void* cells, std::size_t ways, std::size_t slots);
    // Stores what the cells of bins [first, end) of so many tables come to.
    void (*finish)(const bin_table&, const void* cells, std::size_t tables, std::size_t slots,
                   std::size_t first, std::size_t end);
};

// Totals of n values by bins under an exact operator. Returns how many of them have a bin.
std::size_t run_bin_tables(executor& ex, const classifier& by, const bin_table& way, std::size_t n);

// What complete rows of a bin's values come to: R, T and S of docs/numerics.md, identities where there is
// nothing to fold.
template <class T>
struct bin_rows {
    T rows, tiles, supers;
    std::uint64_t count;  // of rows

    template <class Combine>
    void push(T row, T identity, const Combine& combine) {
        constexpr std::size_t rows_per_tile = core::tile_size / core::row_size;
        rows = combine(rows, row);
        if (++count % rows_per_tile != 0) return;
        tiles = combine(tiles, rows);
        rows = identity;
        if (count % (rows_per_tile * core::tiles_per_super) != 0) return;
        supers = combine(supers, tiles);
        tiles = identity;
    }
    // With V (+) L of what follows.
    template <class Combine>
    T value(T nested, const Combine& combine) const {
        return combine(supers, combine(tiles, combine(rows, nested)));
    }
};

// An odometer for every bin and one for what has none. runs[4 b], ... are L, V, how many elements L has, and
// how many runs V; `above` has something where has_above is 1.
template <class T>
struct bin_odometers {
    T* runs;
    bin_rows<T>* above;
    std::uint8_t* has_above;
};
template <class T>
struct bin_odometer_kernels {
    // Of `count` bins from the first one on, each without a value.
    void (*clear)(const bin_odometers<T>& bins, std::size_t count);
    // Bin found[i] takes x[i], for every i < count in turn.
    void (*take)(const T* x, const std::uint32_t* found, std::size_t count, const bin_odometers<T>& bins);
    // totals[i] = start (+) what bin first + i comes to, for every i < count.
    void (*total)(const bin_odometers<T>& bins, std::size_t first, std::size_t count, T start, T* totals);
};
template <class T, class Op>
const bin_odometer_kernels<T>& bin_odometer_kernels_for(simd_level level);

// Up to eight bins, and one more for what has none. For every i < count in turn, with k = how many of
// found[0], ..., found[i - 1] are b = found[i]: ends[b][k] = x[i]. Returns how many of them every bin has,
// b's in bits 7 b, ...; count is at most few_bins_most.
inline constexpr std::uint32_t few_bins = 8, few_bins_bits = 7, few_bins_most = 127;
template <class T>
using place_few_kernel = std::uint64_t (*)(const T* x, const std::uint32_t* found, std::size_t count,
                                           T* const* ends);
template <class T>
place_few_kernel<T> place_few_kernel_for(simd_level level);
template <>
place_few_kernel<float> place_few_kernel_for<float>(simd_level level);
template <>
place_few_kernel<double> place_few_kernel_for<double>(simd_level level);

// How many of found[0], ..., found[count - 1] are `bin`.
using count_kernel = std::size_t (*)(const std::uint32_t* found, std::size_t count, std::uint32_t bin);
count_kernel count_kernel_for(simd_level level);

// Totals of n values by bins, of which out receives one for each, under an operator that rounds. Returns how
// many values have a bin.
template <class T>
std::size_t run_bin_totals(executor& ex, const operation<T, false>& op,
                           const bin_odometer_kernels<T>& odometers, const classifier& by,
                           const source<T>& values, std::size_t n, const std::optional<T>& initial,
                           const sink<T>& out);

// The same of elements that come block by block, in order: what all of them come to has the bits of one call
// with all, wherever they are cut. By one thread, in the scratch of one, whatever the number of elements.
template <class T>
class carried_bin_totals {
  public:
    // What is given must outlive the object.
    carried_bin_totals(const executor& ex, const operation<T, false>& op,
                       const bin_odometer_kernels<T>& odometers, std::size_t bins,
                       const std::optional<T>& initial = {});
    carried_bin_totals(const carried_bin_totals&) = delete;
    carried_bin_totals& operator=(const carried_bin_totals&) = delete;
    ~carried_bin_totals();

    // The next n values, of elements that `by` puts into as many bins. Returns how many of them have a bin.
    std::size_t take(const classifier& by, const source<T>& values, std::size_t n);
    // out receives a total of each bin; more may be taken afterwards.
    void store(const sink<T>& out);

  private:
    class state;
    template <class Bins>
    class state_of;

    std::unique_ptr<state> state_;
};

#define UPSWEEP_DECLARE_BIN_ODOMETER(T, Op) \
    template <>                             \
    const bin_odometer_kernels<T>& bin_odometer_kernels_for<T, Op>(simd_level level);
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DECLARE_BIN_ODOMETER, plus)
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DECLARE_BIN_ODOMETER, multiplies)
#undef UPSWEEP_DECLARE_BIN_ODOMETER
#define UPSWEEP_DECLARE_BIN_TOTALS(T)                                                             \
    extern template std::size_t run_bin_totals<T>(                                                \
        executor&, const operation<T, false>&, const bin_odometer_kernels<T>&, const classifier&, \
        const source<T>&, std::size_t, const std::optional<T>&, const sink<T>&);                  \
    extern template class carried_bin_totals<T>;
UPSWEEP_DECLARE_BIN_TOTALS(float)
UPSWEEP_DECLARE_BIN_TOTALS(double)
#undef UPSWEEP_DECLARE_BIN_TOTALS

// How bins whose values lie one behind the other are shared out: those of more than `longest` values are
// totalled by all threads, one after the other; of the others a thread takes some at a time.
struct bin_shares {
    const std::uint64_t* offsets;
    std::size_t bins;
    std::size_t helpers;

    [[nodiscard]] std::size_t values(std::size_t bin) const { return offsets[bin + 1] - offsets[bin]; }
    [[nodiscard]] bool is_long(std::size_t bin) const {
        constexpr std::size_t least = 16 * core::tile_size;
        return helpers != 0 && values(bin) > std::max(least, offsets[bins] / (2 * (helpers + 1)));
    }
    // each(executor, bin) of every bin, a bin that all threads share with `ex`.
    template <class Each>
    void for_each(executor& ex, const Each& each) const;

  private:
    // A bin costs about as much as so many values.
    static constexpr std::uint64_t bin_cost = 16;
    // The first bin before which at least so much is to be done.
    [[nodiscard]] std::size_t bin_at(std::uint64_t cost) const {
        std::size_t first = 0;
        for (std::size_t left = bins; left != 0;) {
            const std::size_t half = left / 2, middle = first + half;
            if (offsets[middle] + middle * bin_cost < cost) {
                first = middle + 1;
                left -= half + 1;
            } else {
                left = half;
            }
        }
        return first;
    }
};

template <class Each>
void bin_shares::for_each(executor& ex, const Each& each) const {
    constexpr std::size_t tasks_per_thread = 8;
    const std::uint64_t all = offsets[bins] + bins * bin_cost;
    const std::size_t tasks = helpers == 0 ? 1 : (helpers + 1) * tasks_per_thread;
    executor one = ex.alone();
    for (std::size_t bin = 0; helpers != 0 && bin < bins; ++bin)
        if (is_long(bin)) each(ex, bin);
    for_each_task(ex, helpers, tasks, [&](std::size_t task) {
        const std::size_t end = task + 1 == tasks ? bins : bin_at(all / tasks * (task + 1));
        for (std::size_t bin = bin_at(all / tasks * task); bin < end; ++bin)
            if (!is_long(bin)) each(one, bin);
    });
}

}  // namespace upsweep::cpu
