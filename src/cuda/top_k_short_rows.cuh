// Selections from many short rows: by a warp each, or, of the fewest elements of each, by a lane each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "segment_records.cuh"
#include "sort_key.cuh"
#include "top_k_block.cuh"
#include "top_k_elements.cuh"
#include "top_k_results.cuh"

namespace upsweep::cuda::detail {

template <class OrderType, class RecordType>
struct short_row_arguments {
    using Order = OrderType;
    using Record = RecordType;
    using Key = typename Order::Key;

    const Key* keys;
    std::uint64_t rows;
    std::uint32_t length, k;
    Order order;
    top_k_results results;
};

// A warp a row: lanes hold its elements in registers, lane l every 32nd from l on. The k-th of the lanes'
// first records is a bound that k records at least are not above, and of elements in no particular order not
// many more: these are put in order.
template <class Arguments, int Items>
class warp_selection {
    using Order = typename Arguments::Order;
    using Record = typename Arguments::Record;
    using Word = typename Order::Word;

  public:
    static constexpr unsigned most_selected = 32;
    static constexpr unsigned most_length = 32 * Items;
    static constexpr unsigned candidates = 256;  // that there is room for
    static constexpr unsigned threads = 128;

    __device__ __forceinline__ warp_selection(const Arguments& given, Record* shared)
        : given_(given), lane_(threadIdx.x % 32), candidates_(shared + threadIdx.x / 32 * candidates) {}

    __device__ __forceinline__ void run(std::uint64_t row) {
        first_ = row * given_.length;
        row_ = row;
        load();
        // Without an element a lane has the last record.
        Record least = Record::last();
#pragma unroll
        for (int j = 0; j < Items; ++j)
            if (record(j) < least) least = record(j);
        const Record bound = of_lane(sorted_lanes(least), int(given_.k) - 1);
        const unsigned count = gather(bound);
        if (count <= 32) {
            const Record own = lane_ < count ? candidates_[lane_] : Record::last();
            store(lane_, sorted_lanes(own));
        } else if (count <= candidates) {
            sort_shared<candidates / 32>(candidates_, count, lane_, [] { __syncwarp(); });
            store(lane_, candidates_[lane_]);
        } else {
            take_one_by_one(least);
        }
        __syncwarp();
    }

  private:
    [[nodiscard]] __device__ __forceinline__ unsigned place(int j) const { return unsigned(j) * 32 + lane_; }
    [[nodiscard]] __device__ __forceinline__ Record record(int j) const {
        return place(j) < given_.length ? Record::of(words_[j], place(j)) : Record::last();
    }
    __device__ __forceinline__ void load() {
        typename Arguments::Key keys[Items];
#pragma unroll
        for (int j = 0; j < Items; ++j)
            keys[j] = place(j) < given_.length ? given_.keys[first_ + place(j)] : 0;
#pragma unroll
        for (int j = 0; j < Items; ++j) words_[j] = given_.order.order(keys[j]);
    }
    // The records of all lanes in order.
    [[nodiscard]] __device__ __forceinline__ Record sorted_lanes(Record own) const {
#pragma unroll
        for (unsigned length = 2; length <= 32; length *= 2) {
#pragma unroll
            for (unsigned distance = length / 2; distance != 0; distance /= 2) {
                const Record other = other_lanes(own, int(distance));
                const bool ascends = (lane_ & length) == 0, is_low = (lane_ & distance) == 0;
                if ((other < own) == (ascends == is_low)) own = other;
            }
        }
        return own;
    }
    // How many records are up to the bound, which become candidates as far as there is room.
    __device__ __forceinline__ unsigned gather(const Record& bound) const {
        unsigned count = 0;
        const auto most = static_cast<Word>(bound.word());
#pragma unroll
        for (int j = 0; j < Items; ++j) {
            if (__any_sync(0xffffffffu, words_[j] <= most) == 0) continue;
            const Record own = record(j);
            const bool has = own <= bound && place(j) < given_.length;
            const unsigned votes = __ballot_sync(0xffffffffu, has);
            const unsigned at = count + unsigned(__popc(votes & ((1u << lane_) - 1)));
            if (has && at < candidates) candidates_[at] = own;
            count += unsigned(__popc(votes));
        }
        __syncwarp();
        return count;
    }
    __device__ __forceinline__ void store(unsigned i, const Record& own) const {
        if (i < given_.k) store_record(given_.results, given_.order, own, row_ * given_.k + i, first_);
    }
    // The least record of all lanes, again and again; `own` is that of this one.
    __device__ __forceinline__ void take_one_by_one(Record own) const {
        for (unsigned i = 0; i < given_.k; ++i) {
            Record least = own;
#pragma unroll
            for (int mask = 16; mask != 0; mask /= 2) {
                const Record other = other_lanes(least, mask);
                if (other < least) least = other;
            }
            if (lane_ == 0) store(i, least);
            if (!(own <= least)) continue;
            own = Record::last();
#pragma unroll
            for (int j = 0; j < Items; ++j)
                if (least < record(j) && record(j) < own) own = record(j);
        }
    }

    const Arguments& given_;
    unsigned lane_;
    Record* candidates_;
    std::uint64_t first_ = 0, row_ = 0;
    Word words_[Items];
};

template <class Arguments, int Items>
__global__ void __launch_bounds__(warp_selection<Arguments, Items>::threads)
    select_rows_by_warps_kernel(const __grid_constant__ Arguments given) {
    using selection = warp_selection<Arguments, Items>;
    constexpr unsigned warps = selection::threads / 32;
    __shared__ typename Arguments::Record candidates[warps * selection::candidates];
    selection own(given, candidates);
    const std::uint64_t step = std::uint64_t{gridDim.x} * warps;
    for (std::uint64_t row = std::uint64_t{blockIdx.x} * warps + threadIdx.x / 32; row < given.rows;
         row += step)
        own.run(row);
}

// A lane a row, of which up to Most are selected: rows are read by neighbours together, some columns of 32
// rows at a time, and pass through shared memory. Once for words alone: a lane puts Most of them in order, by
// a network of comparators, and of these and the first Most so far keeps the lesser half, which a bitonic
// network puts in order again. The k-th then tells which elements are selected, in a second time, and how
// many of those that are equal to it.
template <class Arguments, int Most>
class lane_selection {
    using Key = typename Arguments::Key;

  public:
    static constexpr unsigned threads = 128;
    static constexpr unsigned columns = 64;  // held at once
    // Words of a row, and of its results, a word and a place each, so that lanes meet in no bank.
    static constexpr unsigned pitch = columns + 1, result_pitch = 2 * Most + 1;
    static constexpr unsigned warp_words = 32 * (pitch + result_pitch);

    __device__ __forceinline__ lane_selection(const Arguments& given, std::uint32_t* shared)
        : given_(given),
          lane_(threadIdx.x % 32),
          words_(shared + threadIdx.x / 32 * warp_words),
          own_words_(words_ + lane_ * pitch),
          results_(words_ + 32 * pitch),
          own_results_(results_ + lane_ * result_pitch) {}

    // Of 32 rows, or those that there are.
    __device__ __forceinline__ void run(std::uint64_t row) {
        const auto rows = static_cast<unsigned>(min(std::uint64_t{32}, given_.rows - row));
        std::uint32_t least[Most];
#pragma unroll
        for (int i = 0; i < Most; ++i) least[i] = ~0u;
        for (unsigned column = 0; column < given_.length; column += columns) {
            load(row, rows, column);
            const unsigned count = min(columns, given_.length - column);
            for (unsigned begin = 0; begin < count; begin += Most) {
                std::uint32_t some[Most];
#pragma unroll
                for (int i = 0; i < Most; ++i) some[i] = own_words_[begin + unsigned(i)];
                sort_words(some);
                keep_lesser(least, some);
            }
        }
        std::uint32_t last = 0;
        unsigned equals = 0;  // selected of those that have it
#pragma unroll
        for (int i = 0; i < Most; ++i)
            if (unsigned(i) + 1 == given_.k) last = least[i];
#pragma unroll
        for (int i = 0; i < Most; ++i) equals += unsigned(i) < given_.k && least[i] == last ? 1 : 0;
        unsigned found = 0;
        for (unsigned column = 0; column < given_.length; column += columns) {
            if (given_.length > columns) load(row, rows, column);
            const unsigned count = min(columns, given_.length - column);
#pragma unroll 8
            for (unsigned i = 0; i < count; ++i) {
                const std::uint32_t word = own_words_[i];
                const bool is_equal = word == last && equals != 0;
                if (word >= last && !is_equal) continue;
                own_results_[2 * found] = word;
                own_results_[2 * found + 1] = column + i;
                equals -= is_equal ? 1 : 0;
                ++found;
            }
        }
        sort_results();
        store(row, rows);
    }

  private:
    // What is behind the row's end has the last word. Called by all lanes, which see it then.
    __device__ __forceinline__ void load(std::uint64_t row, unsigned rows, unsigned column) const {
        __syncwarp();
        const Key* from = given_.keys + row * given_.length + column + lane_;
        constexpr unsigned ahead = 16;
        for (unsigned part = 0; part < columns && column + part < given_.length; part += 32, from += 32) {
            const bool has = column + part + lane_ < given_.length;
            for (unsigned begin = 0; begin < 32; begin += ahead) {
                Key keys[ahead] = {};
                if (has && begin + ahead <= rows) {
#pragma unroll
                    for (unsigned r = 0; r < ahead; ++r)
                        keys[r] = from[std::uint64_t{begin + r} * given_.length];
                } else if (has) {
#pragma unroll
                    for (unsigned r = 0; r < ahead; ++r)
                        if (begin + r < rows) keys[r] = from[std::uint64_t{begin + r} * given_.length];
                }
                const std::uint32_t filled = has ? 0 : ~0u;
#pragma unroll
                for (unsigned r = 0; r < ahead; ++r)
                    words_[(begin + r) * pitch + part + lane_] = given_.order.order(keys[r]) | filled;
            }
        }
        __syncwarp();
    }
    __device__ __forceinline__ static void order_words(std::uint32_t& low, std::uint32_t& high) {
        const std::uint32_t least = min(low, high);
        high = max(low, high);
        low = least;
    }
    __device__ __forceinline__ static void sort_words(std::uint32_t (&words)[Most]) {
        using network = core::exchange_network<Most>;
        [&]<std::size_t... C>(std::index_sequence<C...>) {
            (order_words(words[network::pair(C).low], words[network::pair(C).high]), ...);
        }
        (std::make_index_sequence<network::size>());
    }
    __device__ __forceinline__ static void keep_lesser(std::uint32_t (&least)[Most],
                                                       const std::uint32_t (&some)[Most]) {
#pragma unroll
        for (int i = 0; i < Most; ++i) least[i] = min(least[i], some[Most - 1 - i]);
#pragma unroll
        for (int distance = Most / 2; distance != 0; distance /= 2) {
#pragma unroll
            for (int i = 0; i < Most; ++i)
                if ((i & distance) == 0) order_words(least[i], least[i + distance]);
        }
    }
    __device__ __forceinline__ void sort_results() const {
        packed_record records[Most];
#pragma unroll
        for (int i = 0; i < Most; ++i)
            records[i] = unsigned(i) < given_.k
                             ? packed_record::of(own_results_[2 * i], own_results_[2 * i + 1])
                             : packed_record::last();
        sort_neighbours<Most>(records);
#pragma unroll
        for (int i = 0; i < Most; ++i) {
            own_results_[2 * i] = records[i].word();
            own_results_[2 * i + 1] = static_cast<std::uint32_t>(records[i].index());
        }
    }
    // Neighbours store the results of the rows one after the other.
    __device__ __forceinline__ void store(std::uint64_t row, unsigned rows) const {
        __syncwarp();
        for (unsigned i = lane_; i < rows * given_.k; i += 32) {
            const unsigned own = i / given_.k;
            const std::uint32_t* const result = results_ + own * result_pitch + 2 * (i - own * given_.k);
            store_record(given_.results, given_.order, packed_record::of(result[0], result[1]),
                         row * given_.k + i, (row + own) * given_.length);
        }
    }

    const Arguments& given_;
    unsigned lane_;
    std::uint32_t *words_, *own_words_, *results_, *own_results_;
};

template <class Arguments, int Most>
__global__ void __launch_bounds__(lane_selection<Arguments, Most>::threads)
    select_rows_by_lanes_kernel(const __grid_constant__ Arguments given) {
    using selection = lane_selection<Arguments, Most>;
    constexpr unsigned warps = selection::threads / 32;
    __shared__ std::uint32_t words[warps * selection::warp_words];
    selection own(given, words);
    const std::uint64_t step = std::uint64_t{gridDim.x} * selection::threads;
    for (std::uint64_t row = (std::uint64_t{blockIdx.x} * warps + threadIdx.x / 32) * 32; row < given.rows;
         row += step)
        own.run(row);
}

}  // namespace upsweep::cuda::detail
