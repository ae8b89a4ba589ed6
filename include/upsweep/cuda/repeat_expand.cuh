// The kernel that makes repeated elements: blocks take stretches of results that cost the same, wherever they
// lie.
//
// The way through the rows goes over each row's results and then some places more, what reading its counts
// costs; so neither many counts of 0 nor a large one leaves a block alone with the work. A window is a part
// of that way: up to a few thousand results. For each element that has any among them, its value is put in
// shared memory where these begin, and a bit is set; results look for the nearest bit in front of them.
#pragma once

#include <cstdint>
#include <cstring>

#include "upsweep/collectives/block_scan.hpp"
#include "upsweep/cuda/group.cuh"
#include "upsweep/cuda/repeat_results.cuh"
#include "upsweep/cuda/repeat_rows.cuh"
#include "upsweep/operators.hpp"

namespace upsweep::cuda::detail {

template <class Out>
struct repeat_shape {
    static constexpr bool by_value = passes_as_bits<Out>;
    static constexpr int threads = repeat_threads;
    static constexpr int blocks_per_multiprocessor = 4;  // for five there are too few registers
    static constexpr int group = by_value ? 16 / int(sizeof(Out)) : 1;  // results stored at once
    // Places in shared memory, of which the first and the last few may not belong to a window's results.
    static constexpr int slots = !by_value || sizeof(Out) == 16 ? 2048
                                 : sizeof(Out) <= 2             ? 16384
                                                                : 32768 / int(sizeof(Out));
    static constexpr int window = slots - (group - 1);
    static constexpr int words = slots / 32;
    static constexpr int words_each = (words + threads - 1) / threads;
    static constexpr unsigned row_cost = slots / 128;
    static constexpr int starts = window / int(row_cost) + 4;  // of the rows of a window, and the next one
    static_assert(starts <= threads);
    // A window has so many places at least, and a block takes its windows in about so many stretches.
    static constexpr int least_window = 1024;
    static constexpr unsigned stretches = 8;
    static_assert(least_window <= window);

    // Windows of all of the way, at most.
    static constexpr std::uint64_t windows(std::uint64_t n, std::uint64_t room) {
        return (repeat_rows(n) * row_cost + room) / least_window + 1;
    }
};

template <class Places, class Source>
struct repeat_arguments {
    Places places;
    Source source;
    std::uint64_t n;
    typename Source::result* out;
    std::uint64_t room;
    std::uint64_t* count;  // where the blocks find it themselves
};

// What a slot holds: a result, or the number of its element from the window's first row on.
template <class Out, bool ByValue = passes_as_bits<Out>>
struct slot_of {
    using type = result_bits<Out>;
};
template <class Out>
struct slot_of<Out, false> {
    using type = std::uint16_t;
};

template <class Places, class Source>
class repeat_block {
    using Out = typename Source::result;
    using shape = repeat_shape<Out>;
    using slot = typename slot_of<Out>::type;

  public:
    struct memory {
        alignas(16) slot slots[shape::slots];
        std::uint32_t marks[shape::words];  // bits of slots where an element's results begin
        uint2 words[shape::words];          // the same, and the last such slot in front of the word
        std::uint64_t starts[shape::starts];
        std::uint32_t scratch[block_scan_scratch(shape::threads)];
        std::uint64_t end;       // of the way
        unsigned window, parts;  // places of a window, windows of a stretch
        typename Places::memory places;
    };

    __device__ __forceinline__ repeat_block(const repeat_arguments<Places, Source>& arguments, memory& shared)
        : given_(arguments), shared_(shared), starts_(arguments.places.find_starts(shared.places)) {
        for (int k = int(threadIdx.x); k < shape::words; k += shape::threads) shared.marks[k] = 0;
        const std::uint64_t count = start(rows());
        if (given_.places.tells() && blockIdx.x == 0 && threadIdx.x == 0) *given_.count = count;
        if (threadIdx.x == 0) divide(in_room(count) == 0 ? 0 : before(rows(), count));
        __syncthreads();
    }

    // All of the block's stretches. What is the same for all threads is read anew where it is wanted: there
    // are registers for little more than a row.
    __device__ __forceinline__ void run() {
        std::uint64_t at = std::uint64_t(blockIdx.x) * shared_.parts * shared_.window;
        while (at < shared_.end) {
            std::uint64_t row = row_of(at);
            for (unsigned part = 0; part < shared_.parts && at < shared_.end; ++part) {
                const std::uint64_t left = shared_.end - at, next = at + shared_.window;
                row = make_window(at, left < shared_.window ? at + left : next, row);
                at = next;
            }
            at += std::uint64_t(gridDim.x - 1) * shared_.parts * shared_.window;
        }
    }

  private:
    // By one thread. Windows are as equal as can be, so that all blocks have as many.
    __device__ __forceinline__ void divide(std::uint64_t end) const {
        shared_.end = end;
        if (end == 0) return;
        const std::uint64_t blocks = gridDim.x, rounds = (end - 1) / (blocks * shape::window) + 1;
        const std::uint64_t parts = (rounds - 1) / shape::stretches + 1;
        const std::uint64_t windows = ((rounds - 1) / parts + 1) * parts * blocks;
        const auto fair = static_cast<unsigned>((end - 1) / windows + 1);
        shared_.parts = static_cast<unsigned>(parts);
        shared_.window = fair < shape::least_window ? shape::least_window : fair;
    }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t rows() const { return repeat_rows(given_.n); }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t start(std::uint64_t row) const {
        return given_.places.start(starts_, row);
    }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t in_room(std::uint64_t result) const {
        return result < given_.room ? result : given_.room;
    }
    // How much of the way lies before a row whose results begin at `start`.
    [[nodiscard]] __device__ __forceinline__ std::uint64_t before(std::uint64_t row,
                                                                  std::uint64_t start) const {
        return in_room(start) + row * shape::row_cost;
    }
    // The row in which place `at` of the way lies. By all threads of the block.
    [[nodiscard]] __device__ __forceinline__ std::uint64_t row_of(std::uint64_t at) const {
        std::uint64_t first = 0, count = rows();  // among which it is
        while (count > 1) {
            const std::uint64_t step = (count + shape::threads - 1) / shape::threads;
            const std::uint64_t own = threadIdx.x * step;
            const bool is_before = own < count && before(first + own, start(first + own)) <= at;
            const int found = __syncthreads_count(is_before);
            const std::uint64_t skipped = found > 0 ? unsigned(found - 1) * step : 0;
            first += skipped;
            count = count - skipped < step ? count - skipped : step;
        }
        return first;
    }

    // Places [at, next) of the way, a window at most, of which the first is in `row`. Returns the row of the
    // one behind.
    __device__ __forceinline__ std::uint64_t make_window(std::uint64_t at, std::uint64_t next,
                                                         std::uint64_t row) {
        const int thread = int(threadIdx.x);
        bool is_before = false;
        if (thread < shape::starts) {
            const std::uint64_t own = row + unsigned(thread);
            const std::uint64_t begin = start(own < rows() ? own : rows());
            shared_.starts[thread] = begin;
            is_before = own < rows() && thread < shape::starts - 1 && before(own, begin) <= next;
        }
        const int found = __syncthreads_count(is_before);
        const int touched = found > 0 ? found : 1;  // rows; at least one, whatever counts are
        const std::uint64_t last = row + unsigned(touched - 1);
        const std::uint64_t begin = place_in(at, row, 1), end = place_in(next, last, touched);
        const std::uint64_t wanted = end > begin ? end - begin : 0;
        if (wanted == 0) {
            __syncthreads();
            return last;
        }
        const int count = wanted < unsigned(shape::window) ? int(wanted) : shape::window;
        if constexpr (shape::by_value) {
            const result_places<Out> to(given_.out + begin, count);
            if (__syncthreads_or(mark_rows(row, touched, begin, count, to.lead()))) {
                find_owners();
                store_window(to);
            } else {
                fill_window(to);
            }
        } else {
            __syncthreads_or(mark_rows(row, touched, begin, count, 0));
            find_owners();
            const std::uint64_t first = row * repeat_row;
            given_.source.copy(given_.out + begin, unsigned(count), [&](unsigned j) {
                return first + shared_.slots[owner(int(j), shared_.words[j / 32])];
            });
        }
        return last;
    }
    // The first result that is not before place `at` of the way, which lies in `row`; its end is in
    // starts[behind].
    [[nodiscard]] __device__ __forceinline__ std::uint64_t place_in(std::uint64_t at, std::uint64_t row,
                                                                    int behind) const {
        const std::uint64_t result = at - row * shape::row_cost, end = in_room(shared_.starts[behind]);
        return result < end ? result : end;
    }

    // Puts the elements of `touched` rows in their slots, as far as they have results among `count` from
    // `origin` on, the first of which is at slot `lead`. Returns whether any begins behind that one.
    __device__ __forceinline__ bool mark_rows(std::uint64_t row, int touched, std::uint64_t origin, int count,
                                              int lead) const {
        constexpr std::uint64_t narrow = std::uint64_t{1} << 30;
        bool spreads = false;
        for (int k = int(threadIdx.x / 32); k < touched; k += shape::threads / 32) {
            const std::uint64_t begin = shared_.starts[k], end = shared_.starts[k + 1];
            if (begin >= origin + unsigned(count) || end <= origin) continue;
            if (end - begin < narrow)
                spreads |= mark_row(row + unsigned(k), k, begin, origin, count, lead);
            else
                spreads |= mark_wide_row(row + unsigned(k), k, begin, origin, count, lead);
        }
        return spreads;
    }
    // Bits of one lane, of which neighbours are set together.
    struct lane_marks {
        std::uint32_t* marks;
        std::uint32_t bits = 0;
        int word = 0;

        __device__ __forceinline__ void set(int at) {
            if (at / 32 != word) flush();
            word = at / 32;
            bits |= 1u << (at % 32);
        }
        __device__ __forceinline__ void flush() {
            if (bits != 0) atomicOr(marks + word, bits);
            bits = 0;
        }
    };
    // By one warp, of a row that is number k of the window.
    __device__ __forceinline__ bool mark_row(std::uint64_t row, int k, std::uint64_t begin,
                                             std::uint64_t origin, int count, int lead) const {
        const int lane = int(threadIdx.x % 32);
        const std::uint64_t first = row * repeat_row + unsigned(lane * repeat_run);
        const auto elements = given_.source.load(first);  // on their way together with the counts
        const element_places found = given_.places.narrow_places(row, begin, origin, lane);
        const auto at = [&](int m) { return int(found.boundary[m]); };
        if (at(0) >= count || at(repeat_run) <= 0 || at(0) == at(repeat_run)) return false;
        lane_marks marks{shared_.marks};
        bool spreads = false;
#pragma unroll
        for (int m = 0; m < repeat_run; ++m) {
            if (at(m) >= count || at(m + 1) <= 0 || at(m + 1) <= at(m)) continue;
            const int to = lead + (at(m) > 0 ? at(m) : 0);
            spreads |= to != lead;
            if constexpr (shape::by_value)
                shared_.slots[to] = given_.source.value(elements, first, m);
            else
                shared_.slots[to] = static_cast<slot>(k * int(repeat_row) + lane * repeat_run + m);
            marks.set(to);
        }
        marks.flush();
        return spreads;
    }
    // The same where 32 bits may not hold the row's places.
    __device__ __forceinline__ bool mark_wide_row(std::uint64_t row, int k, std::uint64_t begin,
                                                  std::uint64_t origin, int count, int lead) const {
        const int lane = int(threadIdx.x % 32);
        lane_marks marks{shared_.marks};
        bool spreads = false;
        given_.places.wide_places(row, begin, origin, lane, [&](int m, std::int64_t from, std::int64_t end) {
            if (from >= count || end <= 0 || end <= from) return;
            const int to = lead + (from > 0 ? int(from) : 0);
            const int own = lane * repeat_run + m;
            spreads |= to != lead;
            if constexpr (shape::by_value)
                shared_.slots[to] = given_.source.value(row * repeat_row + unsigned(own));
            else
                shared_.slots[to] = static_cast<slot>(k * int(repeat_row) + own);
            marks.set(to);
        });
        marks.flush();
        return spreads;
    }

    // From marks, which are cleared for the next window, to words. Ends with a barrier.
    __device__ __forceinline__ void find_owners() const {
        const block<unsigned(shape::threads)> threads;
        const int first = int(threadIdx.x) * shape::words_each;
        std::uint32_t bits[shape::words_each], latest = 0;
#pragma unroll
        for (int k = 0; k < shape::words_each; ++k) {
            bits[k] = 0;
            if (first + k >= shape::words) continue;
            bits[k] = shared_.marks[first + k];
            shared_.marks[first + k] = 0;
            if (bits[k] != 0) latest = last_slot(first + k, bits[k]);
        }
        std::uint32_t before = block_exclusive_scan(threads, shared_view(shared_.scratch), latest, maximum{});
#pragma unroll
        for (int k = 0; k < shape::words_each; ++k) {
            if (first + k >= shape::words) continue;
            shared_.words[first + k] = {bits[k], before};
            if (bits[k] != 0) before = last_slot(first + k, bits[k]);
        }
        __syncthreads();
    }
    [[nodiscard]] __device__ __forceinline__ static std::uint32_t last_slot(int word, std::uint32_t bits) {
        return unsigned(word * 32 + 31 - __clz(int(bits)));
    }
    // The last marked slot up to slot `at`, to which `word` belongs.
    [[nodiscard]] __device__ __forceinline__ static std::uint32_t owner(int at, const uint2& word) {
        const std::uint32_t upto = word.x << (31 - at % 32);
        return upto != 0 ? unsigned(at - __clz(int(upto))) : word.y;
    }

    __device__ __forceinline__ void store_window(const result_places<Out>& to) const {
        constexpr int group = shape::group;
        constexpr std::uint32_t later = (1u << (group - 1)) - 1;
        for (int at = int(threadIdx.x) * group; at < to.end(); at += shape::threads * group) {
            const uint2 word = shared_.words[at / 32];
            const std::uint32_t begins = (word.x >> (at % 32) >> 1) & later;
            slot value[group];
            value[0] = shared_.slots[owner(at, word)];
            if (group > 4 && begins == 0) {  // choosing among few takes less than a branch
#pragma unroll
                for (int k = 1; k < group; ++k) value[k] = value[0];
            } else {
                alignas(16) slot own[group];
                const uint4 whole = *reinterpret_cast<const uint4*>(shared_.slots + at);
                std::memcpy(own, &whole, sizeof(whole));
#pragma unroll
                for (int k = 1; k < group; ++k)
                    value[k] = (begins >> (k - 1) & 1) != 0 ? own[k] : value[k - 1];
            }
            to.store(at, value);
        }
    }
    // Of one element.
    __device__ __forceinline__ void fill_window(const result_places<Out>& to) const {
        constexpr int group = shape::group;
        slot value[group];
#pragma unroll
        for (int k = 0; k < group; ++k) value[k] = shared_.slots[to.lead()];
        if (threadIdx.x == 0) shared_.marks[0] = 0;
        for (int at = int(threadIdx.x) * group; at < to.end(); at += shape::threads * group)
            to.store(at, value);
    }

    const repeat_arguments<Places, Source>& given_;
    memory& shared_;
    decltype(given_.places.find_starts(shared_.places)) starts_;
};

template <class Places, class Source>
__global__ void __launch_bounds__(repeat_threads,
                                  repeat_shape<typename Source::result>::blocks_per_multiprocessor)
    repeat_kernel(const __grid_constant__ repeat_arguments<Places, Source> arguments) {
    using block = repeat_block<Places, Source>;
    __shared__ typename block::memory shared;
    block(arguments, shared).run();
}

}  // namespace upsweep::cuda::detail
