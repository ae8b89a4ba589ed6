// The selection proper, in stages: which digit the k-th record has, the highest digit first, until as many
// records as are wanted are at or below those with it; then these are appended to the result. Records are the
// candidates of a filter (top_k_filter.cuh) or, where that found too few or too many, all.
//
// All stages are one kernel. A stage is cut into shares, which blocks take by ticket, stage after stage; a
// share waits until the stage before is done, whose shares have earlier tickets, so that whoever waits, waits
// for what is running. The last block to finish a share of a stage says what the next one does.
#pragma once

#include <cstdint>

#include "sort_key.cuh"
#include "top_k_block.cuh"
#include "top_k_elements.cuh"
#include "top_k_filter.cuh"
#include "top_k_results.cuh"

namespace upsweep::cuda::detail {

// Records that the last block puts in order itself, in shared memory, which appenders have before.
template <class Record>
inline constexpr unsigned finished_records = 32768 / sizeof(Record);
static_assert(finished_records<wide_record> >= select_threads / 32 * record_appender<wide_record>::held);
// A share has so many at least.
inline constexpr std::uint64_t least_share_records = 4096;

template <class OrderType, class RecordType>
struct select_arguments {
    using Order = OrderType;
    using Record = RecordType;
    using Key = typename Order::Key;

    const Key* keys;
    selected_sizes sizes;
    Order order;
    std::uint64_t k, most;   // `most` records may be selected at most
    std::uint64_t capacity;  // of candidates; 0: there are none
    record_array<Record> candidates;
    record_array<Record> selected;
    top_k_state<Record>* state;
    bool finishes;  // and stores the results; `most` is at most finished_records then, and k otherwise
    top_k_results results;
};

template <class Arguments>
class record_selection {
    using Order = typename Arguments::Order;
    using Record = typename Arguments::Record;
    using Key = typename Arguments::Key;
    using stage_plan = select_stage<Record>;
    static constexpr int each = keys_at_once<Key>;

  public:
    struct shared_memory {
        block_choice block;
        digit_choice<unsigned long long> choice;
        stage_plan plan;
        unsigned long long ticket;
        unsigned told;
    };

    __device__ __forceinline__ record_selection(const Arguments& given, shared_memory& shared,
                                                Record* records)
        : given_(given),
          row_(blockIdx.y),
          keys_(given.keys + row_ * given.sizes.n),
          candidates_(given.candidates.behind(row_ * given.capacity)),
          selected_(given.selected.behind(row_ * given.most)),
          state_(given.state[row_]),
          shared_(shared),
          records_(records) {
        const unsigned long long found = given.capacity == 0 ? 0 : state_.count;
        from_candidates_ = given.k <= found && found <= given.capacity;
        count_ = from_candidates_ ? found : given.sizes.n;
        shares_ =
            static_cast<unsigned>(min((count_ - 1) / least_share_records + 1, std::uint64_t{gridDim.x}));
        if (from_candidates_)
            plan_.range = record_range<Record>::between(static_cast<typename Record::Word>(~state_.lowest),
                                                        state_.bound.word(), given.sizes.index_bits);
        else
            plan_.range = record_range<Record>::all(given.sizes.word_bits, given.sizes.index_bits);
        plan_.below = 0;
        plan_.collects = count_ <= given.most;
    }

    __device__ void run() {
        for (;;) {
            if (threadIdx.x == 0) shared_.ticket = atomicAdd(&state_.ticket, 1ull);
            __syncthreads();
            const unsigned long long ticket = shared_.ticket;
            const auto stage = static_cast<unsigned>(ticket / shares_);
            if (stage != 0 && !await(stage)) return;
            const key_share share{(ticket - std::uint64_t{stage} * shares_) * select_threads + threadIdx.x,
                                  std::uint64_t{shares_} * select_threads};
            if (plan_.collects != 0)
                collect(share);
            else
                count_digits(share);
            if (!finishes_stage()) continue;
            if (plan_.collects != 0) {
                if (given_.finishes) finish();
                if (threadIdx.x == 0) publish(all_done);
                return;
            }
            choose();
            if (threadIdx.x == 0) publish(stage + 1);
        }
    }

  private:
    static constexpr unsigned all_done = ~0u;

    // Until the stages before are done, and what is to be done now; false: nothing.
    __device__ __forceinline__ bool await(unsigned stage) {
        if (threadIdx.x == 0) {
            unsigned done = 0;
            do {
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                             : "=r"(done)
                             : "l"(&state_.published)
                             : "memory");
            } while (done < stage);
            shared_.told = done;
        }
        __syncthreads();
        if (shared_.told == all_done) return false;
        constexpr unsigned words = sizeof(stage_plan) / 4;
        if (threadIdx.x < words)
            reinterpret_cast<unsigned*>(&shared_.plan)[threadIdx.x] =
                __ldcg(reinterpret_cast<const unsigned*>(&state_.plan) + threadIdx.x);
        __syncthreads();
        plan_ = shared_.plan;
        return true;
    }
    // By one thread, which has seen all that others wrote.
    __device__ __forceinline__ void publish(unsigned stage) {
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&state_.published), "r"(stage) : "memory");
    }
    // Whether this block is the last to have done a share of the stage.
    __device__ __forceinline__ bool finishes_stage() {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) shared_.told = atomicAdd(&state_.finished_shares, 1u) + 1;
        __syncthreads();
        if (shared_.told != shares_) return false;
        __threadfence();
        return true;
    }

    // see(has, record) of a share's records, whole warps at once, until it is false.
    template <class See>
    __device__ __forceinline__ void see_records(const key_share& share, const See& see) const {
        if (!from_candidates_) {
            see_keys<4>(
                keys_, given_.sizes.n, share,
                [&](const Key(&keys)[each], unsigned count, std::uint64_t first) {
#pragma unroll
                    for (int m = 0; m < each; ++m)
                        if (!see(unsigned(m) < count, Record::of(given_.order.order(keys[m]), first + m)))
                            return false;
                    return true;
                });
            return;
        }
        constexpr int ahead = 4;
        const std::uint64_t lane = threadIdx.x % 32;
        for (std::uint64_t warp = share.rank - lane; warp < count_; warp += ahead * share.threads) {
            Record some[ahead];
#pragma unroll
            for (int a = 0; a < ahead; ++a) {
                const std::uint64_t i = warp + lane + a * share.threads;
                some[a] = i < count_ ? candidates_.get(i) : Record::last();
            }
#pragma unroll
            for (int a = 0; a < ahead; ++a)
                if (!see(warp + lane + a * share.threads < count_, some[a])) return;
        }
    }

    __device__ __forceinline__ void count_digits(const key_share& share) {
        std::uint32_t* const counters = shared_.block.counters;
        for (unsigned i = threadIdx.x; i < selected_digits; i += select_threads) counters[i] = 0;
        __syncthreads();
        const record_range<Record> range = plan_.range;
        const unsigned shift = range.shift();
        see_records(share, [&](bool has, const Record& record) {
            if (has && range.has(record)) atomicAdd(counters + range.digit(record, shift), 1u);
            return true;
        });
        __syncthreads();
        for (unsigned i = threadIdx.x; i < selected_digits; i += select_threads)
            if (counters[i] != 0)
                atomicAdd(state_.counters + i, static_cast<unsigned long long>(counters[i]));
    }
    // What the next stage does, when all shares have been counted.
    __device__ __forceinline__ void choose() {
        const auto chosen = choose_digit<unsigned long long>(
            [&](unsigned digit) {
                const unsigned long long count = __ldcg(state_.counters + digit);
                state_.counters[digit] = 0;
                return count;
            },
            given_.k - plan_.below, shared_.choice);
        plan_.range.narrow(chosen.digit);
        plan_.below += chosen.before;
        plan_.collects = plan_.below + chosen.count <= given_.most;
        __threadfence();
        __syncthreads();
        if (threadIdx.x != 0) return;
        state_.plan = plan_;
        state_.finished_shares = 0;
    }

    __device__ __forceinline__ void collect(const key_share& share) {
        record_appender<Record> appender(records_, selected_, &state_.selected, given_.most);
        // Candidates go up to the bound, which may be below the range's last.
        const Record last = plan_.range.last();
        see_records(share, [&](bool has, const Record& record) {
            return appender.append(has && record <= last, record);
        });
        appender.flush();
    }
    // Puts what has been selected in order and stores the first k.
    __device__ __forceinline__ void finish() {
        const auto count = static_cast<unsigned>(__ldcg(&state_.selected));
        for (unsigned i = threadIdx.x; i < count; i += select_threads) records_[i] = selected_.get(i);
        __syncthreads();
        sort_in_block(records_, count);
        for (unsigned i = threadIdx.x; i < given_.k; i += select_threads)
            store_record(given_.results, given_.order, records_[i], row_ * given_.k + i,
                         row_ * given_.sizes.n);
    }

    const Arguments& given_;
    std::uint64_t row_;
    const Key* keys_;
    record_array<Record> candidates_, selected_;
    top_k_state<Record>& state_;
    shared_memory& shared_;
    Record* records_;
    bool from_candidates_;
    std::uint64_t count_;
    unsigned shares_;
    stage_plan plan_;
};

template <class Arguments>
__global__ void __launch_bounds__(select_threads, 2)
    select_records_kernel(const __grid_constant__ Arguments given) {
    using selection = record_selection<Arguments>;
    using Record = typename Arguments::Record;
    __shared__ typename selection::shared_memory shared;
    __shared__ Record records[finished_records<Record>];
    selection(given, shared, records).run();
}

}  // namespace upsweep::cuda::detail
