// Selections from many rows, a block each: candidates in shared memory, all of a short row, else those up to
// a bound by a sample, or the exact one where that fails.
#pragma once

#include <cstdint>

#include "sort_key.cuh"
#include "top_k_block.cuh"
#include "top_k_elements.cuh"
#include "top_k_plan.hpp"
#include "top_k_results.cuh"
#include "top_k_word_bound.cuh"

namespace upsweep::cuda::detail {

// Candidates that a block has room for, and samples that it takes of a longer row.
template <class Record>
inline constexpr unsigned row_candidates = 65536 / sizeof(Record);
inline constexpr unsigned row_samples = 2048;
// The greatest k of a selection by a block.
template <class Record>
inline constexpr unsigned row_most_selected = row_candidates<Record> / 4;

template <class OrderType, class RecordType>
struct row_arguments {
    using Order = OrderType;
    using Record = RecordType;
    using Key = typename Order::Key;

    const Key* keys;
    std::uint64_t rows;
    std::uint32_t length;
    std::uint32_t k;
    std::uint32_t capacity;  // of candidates, a power of two
    sample_ranks ranks;      // of the bound; least == 0: without a sample
    Order order;
    selected_sizes sizes;  // of a row
    top_k_results results;
};

template <class Arguments>
class row_selection {
    using Order = typename Arguments::Order;
    using Record = typename Arguments::Record;
    using Key = typename Arguments::Key;
    static constexpr int each = keys_at_once<Key>;

  public:
    __device__ __forceinline__ row_selection(const Arguments& given, Record* candidates, block_choice& shared)
        : given_(given), candidates_(candidates), shared_(shared) {}

    __device__ __forceinline__ void run(std::uint64_t row) {
        const std::uint64_t first = row * given_.length;
        keys_ = given_.keys + first;
        std::uint32_t count = given_.length <= given_.capacity ? take_all() : take_up_to_bound();
        // More than k are sorted as fast as are few, and found in fewer steps.
        const std::uint32_t most = power_of_two_from(max(given_.k, 256u));
        if (count > most) count = keep_least(count, most);
        sort_in_block(candidates_, count);
        for (std::uint32_t i = threadIdx.x; i < given_.k; i += select_threads)
            store_record(given_.results, given_.order, candidates_[i], row * given_.k + i, first);
        __syncthreads();
    }

  private:
    [[nodiscard]] __device__ __forceinline__ record_range<Record> all() const {
        return record_range<Record>::all(given_.sizes.word_bits, given_.sizes.index_bits);
    }
    template <class Use>
    __device__ __forceinline__ void for_each_record(const Use& use) const {
        see_keys<4>(keys_, given_.length, {threadIdx.x, select_threads},
                    [&](const Key(&keys)[each], unsigned count, std::uint64_t first) {
#pragma unroll
                        for (int m = 0; m < each; ++m)
                            if (unsigned(m) < count) use(Record::of(given_.order.order(keys[m]), first + m));
                        return true;
                    });
    }

    __device__ __forceinline__ std::uint32_t take_all() const {
        for_each_record([&](const Record& record) { candidates_[record.index()] = record; });
        __syncthreads();
        return given_.length;
    }
    __device__ __forceinline__ std::uint32_t take_up_to_bound() const {
        if (given_.ranks.least != 0) {
            for (unsigned i = threadIdx.x; i < row_samples; i += select_threads) {
                const std::uint64_t index = sampled_index(i, given_.length, row_samples);
                candidates_[i] = Record::of(given_.order.order(keys_[index]), index);
            }
            __syncthreads();
            const auto of_sample = select_bound<Record>(
                [&](const auto& use) {
                    for (unsigned i = threadIdx.x; i < row_samples; i += select_threads) use(candidates_[i]);
                },
                given_.ranks.least, given_.ranks.most, all(), shared_);
            const std::uint32_t count = take_up_to(of_sample.bound);
            if (given_.k <= count && count <= given_.capacity) return count;
        }
        const auto exact = select_bound<Record>([&](const auto& use) { for_each_record(use); }, given_.k,
                                                given_.capacity, all(), shared_);
        return take_up_to(exact.bound);
    }
    // How many records there are up to the bound, which become candidates as far as there is room.
    __device__ __forceinline__ std::uint32_t take_up_to(const Record& bound) const {
        if (threadIdx.x == 0) shared_.appended = 0;
        __syncthreads();
        const word_bound<Order> up_to(given_.order, bound);
        see_keys<4>(keys_, given_.length, {threadIdx.x, select_threads},
                    [&](const Key(&keys)[each], unsigned count, std::uint64_t first) {
                        if (count == 0 || !up_to.has_any(keys, first)) return true;
#pragma unroll
                        for (int m = 0; m < each; ++m) {
                            const Record record = Record::of(given_.order.order(keys[m]), first + m);
                            if (unsigned(m) >= count || !(record <= bound)) continue;
                            const std::uint32_t at = atomicAdd(&shared_.appended, 1u);
                            if (at < given_.capacity) candidates_[at] = record;
                        }
                        return true;
                    });
        __syncthreads();
        return shared_.appended;
    }
    // Of so many candidates at most `most` remain, the k least among them.
    __device__ __forceinline__ std::uint32_t keep_least(std::uint32_t count, std::uint32_t most) const {
        const auto up_to = select_bound<Record>(
            [&](const auto& use) {
                for (std::uint32_t i = threadIdx.x; i < count; i += select_threads) use(candidates_[i]);
            },
            given_.k, most, all(), shared_);
        if (threadIdx.x == 0) shared_.appended = 0;
        // What is written has been read by then.
        for (std::uint32_t begin = 0; begin < count; begin += select_threads) {
            const std::uint32_t i = begin + threadIdx.x;
            const Record own = i < count ? candidates_[i] : Record::last();
            __syncthreads();
            if (i < count && own <= up_to.bound) candidates_[atomicAdd(&shared_.appended, 1u)] = own;
        }
        __syncthreads();
        return up_to.count;
    }

    const Arguments& given_;
    Record* candidates_;
    block_choice& shared_;
    const Key* keys_ = nullptr;
};

template <class Arguments>
__global__ void __launch_bounds__(select_threads, 3)
    select_rows_kernel(const __grid_constant__ Arguments given) {
    using Record = typename Arguments::Record;
    extern __shared__ __align__(16) unsigned char records[];
    __shared__ block_choice shared;
    row_selection<Arguments> selection(given, reinterpret_cast<Record*>(records), shared);
    for (std::uint64_t row = blockIdx.x; row < given.rows; row += gridDim.x) selection.run(row);
}

}  // namespace upsweep::cuda::detail
