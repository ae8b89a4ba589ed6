// From the arrays of a selection to its kernels in a stream, of one width of keys.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "record_sort.hpp"
#include "sort_orders.cuh"
#include "top_k_filter.cuh"
#include "top_k_merge.cuh"
#include "top_k_plan.hpp"
#include "top_k_results.cuh"
#include "top_k_rows.cuh"
#include "top_k_select.cuh"
#include "top_k_short_rows.cuh"
#include "upsweep/cuda/equal_rows.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/launch.cuh"
#include "upsweep/cuda/top_k_records.hpp"

namespace upsweep::cuda::detail {

// Room for what shared memory can finish, of either record.
inline constexpr std::uint64_t selected_at_least = finished_records<packed_record>;
using largest_top_k_state = top_k_state<wide_record>;

template <class Order>
class top_k_launch {
    using Key = typename Order::Key;
    // Of rows that blocks select from, which are short enough.
    using row_record = std::conditional_t<sizeof(Key) == 8, wide_record, packed_record>;

  public:
    top_k_launch(executor& ex, const core::key_order& order, const top_k_records& all)
        : ex_(ex), order_(order), all_(all) {}

    void run() const {
        if (all_.k <= row_most_selected<row_record> && blocks_take_rows())
            select_by_rows();
        else if (all_.rows > 1 && all_.k > row_most_selected<row_record> && all_.length <= longest_sorted_row)
            sort_rows();
        else if (all_.k >
                 all_.length / (all_.values_out == nullptr ? least_share_of_keys : least_share_selected))
            for (std::uint64_t row = 0; row < all_.rows; ++row) sort_all(row);
        else if (selected_record_bytes(all_.length, sizeof(Key)) == 16)
            select_by_all<wide_record>();
        else if constexpr (sizeof(Key) <= 4)
            select_by_all<packed_record>();
        check(cudaGetLastError(), "launching a selection");
    }

  private:
    // Whether a block for each row is faster than all of them for all rows together: by what a multiprocessor
    // reads in a nanosecond, a device, and what the kernels of the latter take besides.
    [[nodiscard]] bool blocks_take_rows() const {
        if (all_.length <= block_sequence) return true;
        if (all_.rows == 1 || all_.length > std::uint64_t{1} << 31) return false;
        constexpr double block_bytes = 17, device_bytes = 3500, device_nanoseconds = 35'000;
        const double bytes = static_cast<double>(all_.length) * sizeof(Key);
        const double rounds = std::ceil(static_cast<double>(all_.rows) / ex_.multiprocessors());
        const double calls = std::ceil(static_cast<double>(all_.rows) / rows_selected_together);
        return rounds * bytes / block_bytes <=
               calls * device_nanoseconds + static_cast<double>(all_.rows) * bytes / device_bytes;
    }

    [[nodiscard]] const Key* keys_of(std::uint64_t row) const {
        return static_cast<const Key*>(all_.keys) + row * all_.length;
    }
    [[nodiscard]] top_k_results results_of(std::uint64_t row) const {
        const auto moved = [&](void* out, std::size_t bytes) {
            return out == nullptr ? nullptr
                                  : static_cast<void*>(static_cast<char*>(out) + row * all_.k * bytes);
        };
        top_k_results made{keys_of(row), moved(all_.keys_out, sizeof(Key)), {}};
        made.along.out = moved(all_.values_out, all_.value_bytes);
        const auto bytes = static_cast<unsigned>(all_.value_bytes);
        if (all_.values == nullptr) {
            made.along.piece_bytes = bytes;
            made.along.pieces = 1;
            made.along.from_segment = true;
            return made;
        }
        const auto bits = reinterpret_cast<std::uintptr_t>(all_.values) |
                          reinterpret_cast<std::uintptr_t>(all_.values_out) | all_.value_bytes | 16;
        const auto piece = static_cast<unsigned>(bits & (0 - bits));
        made.along.in = all_.values;
        made.along.piece_bytes = piece;
        made.along.pieces = bytes / piece;
        return made;
    }
    [[nodiscard]] selected_sizes sizes() const {
        unsigned index_bits = 1;
        while (all_.length > std::uint64_t{1} << index_bits) ++index_bits;
        return {all_.length, 8 * unsigned(sizeof(Key)), index_bits};
    }
    [[nodiscard]] unsigned blocks_for_elements(std::uint64_t n, std::uint64_t each, unsigned most) const {
        return static_cast<unsigned>(
            std::clamp<std::uint64_t>((n + each - 1) / each, 1, std::uint64_t(ex_.multiprocessors()) * most));
    }

    void select_by_rows() const {
        using lanes = lane_selection<short_row_arguments<Order, packed_record>, lane_most_selected>;
        if constexpr (sizeof(Key) <= 4)
            if (all_.k <= lane_most_selected && all_.length <= lane_most_length &&
                all_.rows >= std::uint64_t(ex_.multiprocessors()) * lanes::threads)
                return select_by_lanes();
        if (all_.k <= warp_most_selected && all_.length <= 256)
            select_by_warps<8>();
        else if (all_.k <= warp_most_selected && all_.length <= 1024)
            select_by_warps<32>();
        else
            select_by_blocks();
    }
    template <class Record>
    [[nodiscard]] short_row_arguments<Order, Record> short_rows() const {
        return {keys_of(0),
                all_.rows,
                static_cast<std::uint32_t>(all_.length),
                static_cast<std::uint32_t>(all_.k),
                kernel_order<Order>(order_),
                results_of(0)};
    }
    void select_by_lanes() const {
        using arguments = short_row_arguments<Order, packed_record>;
        select_rows_by_lanes_kernel<arguments, lane_most_selected>
            <<<blocks_for_elements(all_.rows, lane_selection<arguments, lane_most_selected>::threads, 64),
               lane_selection<arguments, lane_most_selected>::threads, 0, ex_.stream()>>>(
                short_rows<packed_record>());
    }
    template <int Items>
    void select_by_warps() const {
        using arguments = short_row_arguments<Order, row_record>;
        using selection = warp_selection<arguments, Items>;
        static_assert(selection::most_selected == warp_most_selected);
        select_rows_by_warps_kernel<arguments, Items>
            <<<blocks_for_elements(all_.rows, selection::threads / 32, 64), selection::threads, 0,
               ex_.stream()>>>(short_rows<row_record>());
    }
    void select_by_blocks() const {
        row_arguments<Order, row_record> made{};
        made.keys = keys_of(0);
        made.rows = all_.rows;
        made.length = static_cast<std::uint32_t>(all_.length);
        made.k = static_cast<std::uint32_t>(all_.k);
        made.capacity = row_candidates<row_record>;
        made.order = kernel_order<Order>(order_);
        made.sizes = sizes();
        made.results = results_of(0);
        if (all_.length <= made.capacity) {
            made.capacity = power_of_two_from(made.length);
        } else {
            const sample_ranks ranks = sample_ranks::of(all_.k, all_.length, row_samples);
            const double likely = ranks.most + 4 * std::sqrt(static_cast<double>(ranks.most));
            const double every = static_cast<double>(all_.length) / row_samples;
            if (likely * every <= made.capacity) made.ranks = ranks;
        }
        constexpr auto kernel = &select_rows_kernel<row_arguments<Order, row_record>>;
        require_kernel<kernel>(ex_, int(row_candidates<row_record> * sizeof(row_record)));
        kernel<<<blocks_for_elements(all_.rows, 1, 64), select_threads, made.capacity * sizeof(row_record),
                 ex_.stream()>>>(made);
    }

    // Of several rows at a time.
    template <class Record>
    void select_by_all() const {
        const std::uint64_t n = all_.length, k = all_.k;
        const auto together = static_cast<unsigned>(std::min(all_.rows, rows_selected_together));
        const selection_layout at(n, k, sizeof(Key), sizeof(largest_top_k_state), selected_at_least,
                                  together);
        held_scratch taken(ex_, ex_.take_plain_scratch(at.bytes));
        char* const scratch = taken.data();
        const cudaStream_t stream = ex_.stream();

        select_arguments<Order, Record> made{};
        made.sizes = sizes();
        made.order = kernel_order<Order>(order_);
        made.k = k;
        made.finishes = k <= finished_records<Record> / 2;
        made.most = k;
        if (made.finishes) made.most = power_of_two_from(std::max(static_cast<unsigned>(k), 512u));
        made.capacity = at.capacity;
        made.candidates = record_array<Record>::at(scratch + at.candidates_at, at.capacity * together);
        made.selected = record_array<Record>::at(scratch + at.selected_at, made.most * together);
        made.state = reinterpret_cast<top_k_state<Record>*>(scratch);
        const auto samples = record_array<Record>::at(scratch + at.samples_at, sampled_records * together);
        for (std::uint64_t row = 0; row < all_.rows; row += together) {
            const auto rows = static_cast<unsigned>(std::min<std::uint64_t>(together, all_.rows - row));
            made.keys = keys_of(row);
            made.results = results_of(row);
            check(cudaMemsetAsync(scratch, 0, rows * sizeof(top_k_state<Record>), stream),
                  "clearing a selection");
            if (at.capacity != 0) {
                sample_keys_kernel<Order, Record>
                    <<<dim3(sampled_records / select_threads, rows), select_threads, 0, stream>>>(
                        made.keys, made.sizes, made.order, sample_ranks::of(k, n, sampled_records), samples,
                        made.state);
                constexpr auto kernel = &filter_keys_kernel<Order, Record>;
                const int most = blocks_of_multiprocessor<kernel>(ex_, filter_threads, 0);
                kernel<<<blocks_of_row(filter_threads * 4 * keys_at_once<Key>, most, rows), filter_threads, 0,
                         stream>>>(made.keys, n, made.order, made.candidates, at.capacity, made.state);
            }
            select_records_kernel<select_arguments<Order, Record>>
                <<<blocks_of_row(least_share_records, 2, rows), select_threads, 0, stream>>>(made);
            for (unsigned own = 0; own < rows && !made.finishes; ++own) {
                const auto selected = made.selected.behind(own * made.most);
                if (k <= most_merged) {
                    merge_selected(selected, record_array<Record>::at(scratch + at.sorts_at, k),
                                   results_of(row + own));
                    continue;
                }
                sort_selected(selected, scratch + at.sorts_at);
                store(results_of(row + own), selected);
            }
        }
        taken.release();
    }
    // Blocks for each of so many rows: one for so many elements, and so many in all to a multiprocessor.
    [[nodiscard]] dim3 blocks_of_row(std::uint64_t elements, int most, unsigned rows) const {
        const auto together = std::uint64_t(ex_.multiprocessors()) * unsigned(most);
        const std::uint64_t blocks =
            std::min((all_.length + elements - 1) / elements, std::max<std::uint64_t>(together / rows, 1));
        return {static_cast<unsigned>(blocks), rows, 1};
    }
    // Puts k records in order and stores the results; `other` has room for as many.
    template <class Record>
    void merge_selected(const record_array<Record>& selected, const record_array<Record>& other,
                        const top_k_results& results) const {
        using arguments = merge_arguments<Order, Record>;
        arguments made{selected,
                       other,
                       all_.k,
                       sorted_tile<Record>,
                       all_.k <= sorted_tile<Record>,
                       kernel_order<Order>(order_),
                       results};
        const auto blocks = [&](std::uint64_t each) { return blocks_for((all_.k - 1) / each + 1); };
        sort_tiles_kernel<arguments><<<blocks(sorted_tile<Record>), select_threads, 0, ex_.stream()>>>(made);
        for (; made.run < all_.k; made.run *= 2) {
            std::swap(made.from, made.to);
            made.stores = 2 * made.run >= all_.k;
            merge_runs_kernel<arguments><<<blocks(merged_part), select_threads, 0, ex_.stream()>>>(made);
        }
    }
    void sort_selected(const record_array<packed_record>& selected, char* scratch) const {
        records by_bits;
        by_bits.n = all_.k;
        by_bits.keys = by_bits.keys_out = selected.bits;
        sort_records_in(ex_, core::order_of<std::uint64_t>(false), by_bits, scratch);
    }
    // By their indices, then, stably, by their words.
    void sort_selected(const record_array<wide_record>& selected, char* scratch) const {
        const auto sort_by = [&](std::uint64_t* keys, std::uint64_t* values) {
            records by_keys;
            by_keys.what = records::kind::values;
            by_keys.n = all_.k;
            by_keys.keys = by_keys.keys_out = keys;
            by_keys.values = by_keys.values_out = values;
            by_keys.value_bytes = sizeof *values;
            sort_records_in(ex_, core::order_of<std::uint64_t>(false), by_keys, scratch);
        };
        sort_by(selected.indices, selected.words);
        sort_by(selected.words, selected.indices);
    }
    void store(const top_k_results& results, const record_array<packed_record>& selected) const {
        store_rows(results, selected.bits, 0xffffffffu, 1, 0);
    }
    void store(const top_k_results& results, const record_array<wide_record>& selected) const {
        store_rows(results, selected.indices, ~std::uint64_t{0}, 1, 0);
    }
    template <class Index>
    void store_rows(const top_k_results& results, const Index* indices, std::uint64_t mask,
                    std::uint64_t rows, std::uint64_t stride) const {
        store_results_kernel<Key, Index>
            <<<blocks_for_elements(rows * all_.k, store_threads, 8), store_threads, 0, ex_.stream()>>>(
                results, indices, mask, rows, all_.k, stride);
    }

    void sort_all(std::uint64_t row) const {
        const sort_all_layout at(all_.length, sizeof(Key));
        held_scratch taken(ex_, ex_.take_plain_scratch(at.bytes));
        char* const scratch = taken.data();
        const top_k_results results = results_of(row);
        records sorted;
        sorted.n = all_.length;
        sorted.keys = keys_of(row);
        if (results.along.out == nullptr) {
            sorted.keys_out = scratch;
            sort_records_in(ex_, order_, sorted, scratch + at.sorts_at);
            check(cudaMemcpyAsync(results.keys_out, scratch, all_.k * sizeof(Key), cudaMemcpyDeviceToDevice,
                                  ex_.stream()),
                  "copying the first keys");
        } else {
            sorted.what = records::kind::indices;
            sorted.values_out = scratch;
            sorted.value_bytes = index_bytes(all_.length);
            sort_records_in(ex_, order_, sorted, scratch + at.sorts_at);
            if (sorted.value_bytes == 4)
                store_rows(results, reinterpret_cast<const std::uint32_t*>(scratch), ~std::uint64_t{0}, 1, 0);
            else
                store_rows(results, reinterpret_cast<const std::uint64_t*>(scratch), ~std::uint64_t{0}, 1, 0);
        }
        taken.release();
    }
    void sort_rows() const {
        const std::uint64_t together =
            std::min(all_.rows, std::max<std::uint64_t>(1, sorted_row_elements / all_.length));
        const sort_rows_layout at(together * all_.length, sizeof(Key));
        held_scratch taken(ex_, ex_.take_plain_scratch(at.bytes));
        auto* const indices = reinterpret_cast<std::uint32_t*>(taken.data());
        for (std::uint64_t row = 0; row < all_.rows; row += together) {
            const std::uint64_t rows = std::min(together, all_.rows - row);
            const equal_rows heads{ex_, all_.length, rows * all_.length};
            segmented_records sorted;
            sorted.what = records::kind::indices;
            sorted.n = heads.n;
            sorted.keys = keys_of(row);
            sorted.values_out = indices;
            sorted.value_bytes = sizeof *indices;
            sorted.make_heads = &equal_rows::make;
            sorted.heads_maker = &heads;
            sorted.longest = all_.length;
            sorted.from_segment = true;
            sort_segments_in(ex_, order_, sorted, taken.data() + at.sorts_at);
            store_rows(results_of(row), indices, ~std::uint64_t{0}, rows, all_.length);
        }
        taken.release();
    }

    executor& ex_;
    core::key_order order_;
    top_k_records all_;
};

// Compiled for each width of keys in a file of its own.
template <class Order>
void select_top_of(executor& ex, const core::key_order& order, const top_k_records& all);

}  // namespace upsweep::cuda::detail
