// One pass of a radix sort over one portion of the records: each goes to where records of its digit, and
// before them those of smaller digits, leave off.
//
// Blocks take tiles by ticket, rank a tile's records by digit and publish how many it has of each. What is
// before a tile is found by looking back, a thread a digit (digit_look_back.cuh).
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sort_plan.cuh"
#include "upsweep/cuda/count_bins.cuh"
#include "upsweep/cuda/digit_look_back.cuh"

namespace upsweep::cuda::detail {

template <class OrderType, class ValueType>
struct sort_pass_arguments {
    using Order = OrderType;
    using Value = ValueType;
    using Key = typename Order::Key;

    Key* keys[sort_arrays_count];      // the first is only read
    Value* values[sort_arrays_count];  // likewise; null: record i has value i
    array_extent extent;               // of all records
    Order order;
    unsigned pass;
    std::uint64_t first;  // of the portion
    unsigned portion;
    bool stores_last_keys;
    sort_state* state;
    unsigned* ticket;  // 0 before the launch
    digit_counts counts;
};

// `Distinct`: keys that are equal have the same bits.
template <class Arguments, class Shape, bool Distinct>
class sort_pass {
    using Order = typename Arguments::Order;
    using Key = typename Order::Key;
    using Word = typename Order::Word;
    using Value = typename Arguments::Value;
    using digit_at = typename Order::template digit_at<Distinct>;
    using shape = Shape;
    using ranks = typename sort_tile<shape>::ranks;
    static constexpr int items = shape::items;
    static constexpr bool has_values = shape::has_values;
    static_assert(shape::tile <= digit_most_records);

  public:
    __device__ __forceinline__ sort_pass(const Arguments& given, char* shared)
        : given_(given), tile_(shared), digit_(given.order, given.pass * sort_digit_bits) {}

    __device__ __forceinline__ void run() {
        const sort_step step = given_.state->step[given_.pass];
        const std::uint64_t all = given_.extent.size();
        if (step.runs == 0 || all <= given_.first) return;
        n_ = min(all - given_.first, digit_portion);
        tiles_ = static_cast<unsigned>((n_ - 1) / shape::tile + 1);
        const auto array = [&](auto* const(&arrays)[sort_arrays_count], unsigned which) {
            return which == sort_in    ? arrays[sort_in]
                   : which == sort_out ? arrays[sort_out]
                                       : arrays[sort_other];
        };
        keys_ = array(given_.keys, step.from) + given_.first;
        keys_out_ = step.is_last && !given_.stores_last_keys ? nullptr : array(given_.keys, step.to);
        if constexpr (has_values) {
            Value* const from = array(given_.values, step.from);
            values_ = from == nullptr ? nullptr : from + given_.first;
            values_out_ = array(given_.values, step.to);
        }
        const auto portions = static_cast<unsigned>((all - 1) / digit_portion + 1);
        launch_ = step.index * portions + given_.portion;

        if (threadIdx.x < sort_digits) tile_.origin(threadIdx.x) = starts(given_.portion)[threadIdx.x];
        if (threadIdx.x == 0) {
            tile_.first_word() = take_ticket();
            tile_.set_zero();
        }
        __syncthreads();
        unsigned tile = tile_.first_word();
        Word key[items];
        if (!has_values && tile < tiles_) load(tile, key);
        while (tile < tiles_) {
            if (records(tile) == shape::tile)
                tile = move<true>(tile, key);
            else
                tile = move<false>(tile, key);
        }
    }

  private:
    // Moves tile `tile` to where its records belong; returns the next one. Without values a tile's keys are
    // in registers by then: the next ones are loaded while the block looks back. With them that is when the
    // values are loaded, and keys wait: to have more under way takes registers, and tiles that write next to
    // each other find less of what the others wrote in the L2 cache.
    template <bool Whole>
    __device__ __forceinline__ unsigned move(unsigned tile, Word (&key)[items]) const {
        const unsigned valid = Whole ? unsigned(shape::tile) : records(tile);
        unsigned next = 0;
        if constexpr (has_values)
            load_keys<Whole>(tile, valid, key);
        else if (threadIdx.x == 0)
            next = take_ticket();
        // What fills up the last tile has the last digit, behind all records.
        const auto digit = [&](int k) -> sort_digit {
            return Whole || tile_.place(k) < valid ? digit_(key[k]) : digit_.last();
        };
        ranks rank;
        tile_.rank(digit, rank);
        if (!has_values && threadIdx.x == 0) tile_.shared_word() = next;
        __syncthreads();
        if constexpr (!has_values) next = tile_.shared_word();

        std::uint32_t count = 0;
        if (threadIdx.x < sort_digits) {
            count = tile_.count();
            digit_look_back(given_.counts, launch_, tile, threadIdx.x)
                .publish(threadIdx.x == sort_digits - 1 ? count - (shape::tile - valid) : count,
                         tile + 1 != tiles_);
        }
        tile_.locate(count);
        __syncthreads();
        place_keys<Whole>(valid, key, rank);
        if constexpr (has_values) {
            Value value[items];
            load_values<Whole>(tile, valid, value);
            look_back(tile, valid);
#pragma unroll
            for (int k = 0; k < items; ++k)
                if (Whole || tile_.place(k) < valid) tile_.value(tile_.kept_place(k, rank)) = value[k];
            __syncthreads();
            if (threadIdx.x == 0) next = take_ticket();
            store<Whole>(valid);
            if (threadIdx.x == 0) tile_.shared_word() = next;
            __syncthreads();
            return tile_.shared_word();
        } else {
            if (next < tiles_) load(next, key);
            look_back(tile, valid);
            __syncthreads();
            store<Whole>(valid);
            return next;
        }
    }

    __device__ __forceinline__ unsigned take_ticket() const { return atomicAdd(given_.ticket, 1u); }

    // Into shared memory, in order of their digits.
    template <bool Whole>
    __device__ __forceinline__ void place_keys(unsigned valid, const Word (&key)[items], ranks& rank) const {
        // The same digits, which the compiler does not know: it would keep addresses of counters in
        // registers.
        const digit_at again(given_.order, given_.pass * sort_digit_bits + tile_.zero());
#pragma unroll
        for (int k = 0; k < items; ++k) {
            const sort_digit own = Whole || tile_.place(k) < valid ? again(key[k]) : again.last();
            const unsigned place = tile_.new_place(k, own, rank);
            tile_.key(place) = static_cast<Key>(key[k]);
            if constexpr (has_values) tile_.keep_place(k, place, rank);
        }
        // Likewise: it would keep places apart.
        if constexpr (has_values) {
#pragma unroll
            for (std::uint32_t& two : rank) asm volatile("" : "+r"(two));
        }
    }

    // Finds where the tile's records of each digit go.
    __device__ __forceinline__ void look_back(unsigned tile, unsigned valid) const {
        if (threadIdx.x < shape::threads - sort_digits) return;
        const unsigned digit = threadIdx.x - (shape::threads - sort_digits);
        const std::uint32_t begin = tile_.begin(digit);
        const std::uint32_t end = digit + 1 == sort_digits ? valid : tile_.begin(digit + 1);
        digit_look_back look(given_.counts, launch_, tile, digit);
        const std::uint32_t before = look.records_before();
        if (tile + 1 == tiles_)
            starts(given_.portion + 1)[digit] = tile_.origin(digit) + before + (end - begin);
        else
            look.publish_group(before + (end - begin));
        tile_.start(digit) = tile_.origin(digit) + before - begin;
    }

    __device__ __forceinline__ unsigned records(unsigned tile) const {
        return static_cast<unsigned>(min(n_ - std::uint64_t(tile) * shape::tile, std::uint64_t(shape::tile)));
    }
    __device__ __forceinline__ unsigned long long* starts(unsigned portion) const {
        return given_.state->start[given_.pass][portion % 2];
    }

    __device__ __forceinline__ void load(unsigned tile, Word (&key)[items]) const {
        const unsigned valid = records(tile);
        if (valid == shape::tile)
            load_keys<true>(tile, valid, key);
        else
            load_keys<false>(tile, valid, key);
    }
    template <bool Whole>
    __device__ __forceinline__ void load_keys(unsigned tile, unsigned valid, Word (&key)[items]) const {
        const Key* const from = keys_ + std::uint64_t(tile) * shape::tile;
#pragma unroll
        for (int k = 0; k < items; ++k)
            key[k] = Whole || tile_.place(k) < valid ? from[tile_.place(k)] : Key{};
    }
    template <bool Whole>
    __device__ __forceinline__ void load_values(unsigned tile, unsigned valid, Value (&value)[items]) const {
        const std::uint64_t first = std::uint64_t(tile) * shape::tile;
        if (values_ != nullptr) {
#pragma unroll
            for (int k = 0; k < items; ++k)
                if (Whole || tile_.place(k) < valid) value[k] = values_[first + tile_.place(k)];
        } else if constexpr (std::is_integral_v<Value>) {
#pragma unroll
            for (int k = 0; k < items; ++k)
                value[k] = static_cast<Value>(given_.first + first + tile_.place(k));
        }
    }

    template <bool Whole>
    __device__ __forceinline__ void store(unsigned valid) const {
        if constexpr (Whole) {
#pragma unroll
            for (int k = 0; k < items; ++k) store_at(threadIdx.x + k * shape::threads);
        } else {
            for (unsigned at = threadIdx.x; at < valid; at += shape::threads) store_at(at);
        }
    }
    __device__ __forceinline__ void store_at(unsigned at) const {
        const Key key = tile_.key(at);
        const std::uint64_t to = tile_.start(digit_(key).offset / 4) + at;
        if (keys_out_ != nullptr) keys_out_[to] = key;
        if constexpr (has_values) values_out_[to] = tile_.value(at);
    }

    const Arguments& given_;
    sort_tile<shape> tile_;
    digit_at digit_;
    unsigned launch_ = 0;
    std::uint64_t n_ = 0;
    unsigned tiles_ = 0;
    const Key* keys_ = nullptr;
    Key* keys_out_ = nullptr;
    const Value* values_ = nullptr;
    Value* values_out_ = nullptr;
};

template <class Arguments, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks) sort_pass_kernel(Arguments given) {
#if __CUDA_ARCH__ >= 900
    constexpr bool is_used = true;
#else
    constexpr bool is_used = !Shape::is_alone;  // sort_large_architecture
#endif
    if constexpr (is_used) {
        extern __shared__ __align__(1024) char shared[];
        if constexpr (Arguments::Order::is_floating) {
            if (given.state->has_equals == 0) {
                sort_pass<Arguments, Shape, true>(given, shared).run();
                return;
            }
        }
        sort_pass<Arguments, Shape, false>(given, shared).run();
    }
}

}  // namespace upsweep::cuda::detail
