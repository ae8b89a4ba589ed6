// Histograms on the CPU.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numeric>

#include "src/cpu/bin_counts.hpp"
#include "upsweep/cpu/first_failure.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {
namespace {

// Up to so many bins that a thread's counters fit on its stack: each adds its own to the counts at the end.
void count_on_stacks(executor& ex, std::size_t helpers, const classifier& by, std::size_t n,
                     std::uint64_t* counts) {
    stretches left(n);
    first_failure failure;
    auto work = [&](std::size_t) noexcept {
        if (!left.any_left()) return;
        try {
            stacked_counts own(by.bins, n / (helpers + 1));
            left.for_each(failure, [&](std::size_t first, std::size_t end) {
                for_each_piece(by, first, end,
                               [&](std::size_t, std::size_t count, const std::uint32_t* found) {
                                   own.add(found, count);
                               });
            });
            for (std::size_t bin = 0; bin < by.bins; ++bin) {
                const std::uint64_t sum = own.of(bin);
                if (sum == 0) continue;
                std::atomic_ref(counts[bin]).fetch_add(sum, std::memory_order_relaxed);
            }
        } catch (...) {
            failure.fail(std::current_exception());
        }
    };
    ex.run(helpers, work);
    failure.rethrow_failure();
}

// Beyond: the caller counts in `counts`, each helper in a table of its own on the heap.
class heap_tables {
  public:
    heap_tables(std::size_t tables, std::size_t bins) : bins_(bins) {
        if (tables != 0)
            counters_.reset(static_cast<std::uint64_t*>(std::calloc(tables * bins, sizeof(std::uint64_t))));
        tables_ = counters_ == nullptr ? 0 : tables;
    }
    [[nodiscard]] std::size_t size() const { return tables_; }
    [[nodiscard]] std::size_t claimed() const { return std::min(tables_, claims_.load()); }
    // A table for one thread; null if there is none left.
    std::uint64_t* claim() {
        const std::size_t claim = claims_.fetch_add(1);
        return claim < tables_ ? (*this)[claim] : nullptr;
    }
    std::uint64_t* operator[](std::size_t table) { return counters_.get() + table * bins_; }

  private:
    struct release {
        void operator()(std::uint64_t* counters) const { std::free(counters); }
    };
    std::size_t bins_;
    std::size_t tables_ = 0;
    std::atomic<std::size_t> claims_{0};
    std::unique_ptr<std::uint64_t[], release> counters_;
};

void count_on_heap(executor& ex, std::size_t helpers, const classifier& by, std::size_t n,
                   std::uint64_t* counts) {
    const std::size_t bins = by.bins;
    heap_tables tables(std::min({helpers, n / (8 * bins), most_table_bytes / (bins * sizeof(std::uint64_t))}),
                       bins);
    stretches left(n);
    first_failure failure;
    auto work = [&](std::size_t worker) noexcept {
        if (!left.any_left()) return;
        std::uint64_t* const own = worker == 0 ? counts : tables.claim();
        if (own == nullptr) return;
        try {
            left.for_each(failure,
                          [&](std::size_t first, std::size_t end) { count_bins(by, first, end, own); });
        } catch (...) {
            failure.fail(std::current_exception());
        }
    };
    ex.run(tables.size(), work);
    failure.rethrow_failure();
    constexpr std::size_t block = 16 * 1024;
    const std::size_t added = tables.claimed();
    if (added == 0) return;
    for_each_task(ex, added, (bins + block - 1) / block, [&](std::size_t task) {
        const std::size_t end = std::min(bins, (task + 1) * block);
        for (std::size_t k = 0; k < added; ++k) {
            const std::uint64_t* const table = tables[k];
            for (std::size_t bin = task * block; bin < end; ++bin) counts[bin] += table[bin];
        }
    });
}

}  // namespace

std::size_t run_histogram(executor& ex, const classifier& by, std::size_t n, std::uint64_t* counts) {
    std::fill_n(counts, by.bins, 0);
    if (n == 0) return 0;
    const std::size_t helpers = ex.helpers_for(n * by.input_bytes * tuning::histogram_cost);
    if (stacked_counts::have_room_for(by.bins))
        count_on_stacks(ex, helpers, by, n, counts);
    else
        count_on_heap(ex, helpers, by, n, counts);
    return std::accumulate(counts, counts + by.bins, std::size_t{0});
}

}  // namespace upsweep::cpu
