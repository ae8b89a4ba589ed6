// Totals of values by bin on the CPU.
#include "upsweep/cpu/bin_totals.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>

#include "src/cpu/bin_counts.hpp"
#include "src/cpu/bin_gathering.hpp"
#include "src/cpu/reduce-impl.hpp"
#include "src/cpu/sort_scratch.hpp"
#include "upsweep/cpu/first_failure.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/tuning.hpp"

namespace upsweep::cpu {
namespace {

// Tables for some threads, one behind the other.
class cell_tables {
  public:
    // For at least one thread and at most so many.
    cell_tables(const bin_table& way, std::size_t bins, std::size_t n, std::size_t threads) : way_(way) {
        // Tables begin at lines of their own, unless cells are of odd sizes.
        const std::size_t line = std::max<std::size_t>(1, 64 / way.cell_bytes);
        slots_ = (bins + line) / line * line;
        const std::size_t bytes = slots_ * way.cell_bytes;
        if (bytes <= most_four_bytes && n / 16 >= slots_) ways_ = 4;
        const std::size_t own = ways_ * bytes;
        const std::size_t helpers = std::min({threads - 1, n / (8 * slots_), most_table_bytes / own});
        if (helpers != 0) memory_.reset(::operator new[]((helpers + 1) * own, alignment, std::nothrow));
        tables_ = helpers + 1;
        if (memory_ != nullptr) return;
        memory_.reset(::operator new[](own, alignment, std::nothrow));
        if (memory_ == nullptr) throw_no_scratch(own);
        tables_ = 1;
    }
    [[nodiscard]] std::size_t helpers() const { return tables_ - 1; }
    [[nodiscard]] std::size_t ways() const { return ways_; }
    [[nodiscard]] std::size_t slots() const { return slots_; }
    [[nodiscard]] const void* cells() const { return memory_.get(); }
    // How many of `slots` cells threads have taken.
    [[nodiscard]] std::size_t claimed() const { return ways_ * std::min(tables_, claims_.load()); }
    // Those of one thread, cleared; null if there are none left.
    void* claim() {
        const std::size_t claim = claims_.fetch_add(1);
        if (claim >= tables_) return nullptr;
        const std::size_t count = ways_ * slots_;
        void* const own = static_cast<std::byte*>(memory_.get()) + claim * count * way_.cell_bytes;
        way_.clear(way_, own, count);
        return own;
    }

  private:
    static constexpr std::align_val_t alignment{64};
    static constexpr std::size_t most_four_bytes = 4096;
    struct release {
        void operator()(void* memory) const { ::operator delete[](memory, alignment); }
    };

    const bin_table& way_;
    std::size_t slots_, ways_ = 1, tables_ = 0;
    std::atomic<std::size_t> claims_{0};
    std::unique_ptr<void, release> memory_;
};

// The values of a piece: where they lie, or in the buffer.
template <class T>
const T* load_piece(const source<T>& values, const memory_kernels& memory, std::size_t first,
                    std::size_t count, T* buffer) {
    if (values.direct != nullptr) return values.direct + first;
    values.load(values, memory, first, count, buffer);
    return buffer;
}

// Asks for what lies at elements [first, end).
void ask_for(const void* in, std::size_t element_bytes, std::size_t first, std::size_t end) {
    const auto* const at = static_cast<const std::byte*>(in);
    for (std::size_t i = first * element_bytes; i < end * element_bytes; i += 64)
        __builtin_prefetch(at + i, 0, 2);
}

// On one thread; returns how many values have a bin. Where caches do not hold elements and values those of
// the next piece are asked for, some at a time, while this one's are taken: what processors ask for by
// themselves breaks off between the two.
template <class T, class Bins>
std::size_t take_alone(const executor& ex, Bins& bins, const classifier& by, const source<T>& values,
                       std::size_t n) {
    constexpr std::size_t step = 2 * gathered_bins<T>::block;
    const memory_kernels& memory = memory_kernels_for(ex.simd());
    const count_kernel count_none = count_kernel_for(ex.simd());
    const bool asks = !ex.fits_caches(n * (by.input_bytes + values.element_size));
    std::size_t outside = 0;
    for_each_piece(by, 0, n, [&](std::size_t first, std::size_t count, const std::uint32_t* found) {
        T buffer[bin_piece];
        const T* const x = load_piece(values, memory, first, count, buffer);
        for (std::size_t i = 0, part; i < count; i += part) {
            part = std::min(count - i, asks ? step : count);
            if (asks) {
                const std::size_t next = std::min(n, first + bin_piece + i), end = std::min(n, next + part);
                ask_for(by.in, by.input_bytes, next, end);
                ask_for(values.data, values.element_size, next, end);
            }
            bins.take(x + i, found + i, part);
        }
        outside += count_none(found, count, by.bins);
    });
    return n - outside;
}
// What all that was taken comes to.
template <class T, class Bins>
void store_totals(const executor& ex, Bins& bins, std::size_t number_of_bins, const sink<T>& out) {
    const memory_kernels& memory = memory_kernels_for(ex.simd());
    bins.close();
    constexpr std::size_t some = 512;
    T totals[some];
    for (std::size_t first = 0; first < number_of_bins; first += some) {
        const std::size_t count = std::min(some, number_of_bins - first);
        bins.total(first, count, totals);
        out.store(out, memory, first, count, totals);
    }
}
template <class T, class Bins>
std::size_t total_alone(const executor& ex, Bins& bins, const classifier& by, const source<T>& values,
                        std::size_t n, const sink<T>& out) {
    const std::size_t inside = take_alone(ex, bins, by, values, n);
    store_totals(ex, bins, by.bins, out);
    return inside;
}

// Whether values are moved to their bins: two threads gain by it where caches hold all and bins are few.
bool moves(const executor& ex, std::size_t helpers, std::size_t bytes, std::size_t n, std::size_t bins) {
    constexpr std::size_t few_bins_of_two = 64, least_values = 64;  // of a bin
    if (helpers == 0 || n / least_values < bins) return false;
    return helpers > 1 || (bins <= few_bins_of_two && ex.fits_caches(bytes));
}

// Values on their way to their bins.
template <class T>
struct moved_values {
    const source<T>& values;
    const memory_kernels& memory;

    [[nodiscard]] placement_of_bins to(T* out) const { return {this, out, sizeof(T), &move, true}; }
    static void move(const placement_of_bins& way, std::size_t first, std::size_t count,
                     const std::uint32_t* found, std::uint64_t* at, std::size_t room) {
        const auto& self = *static_cast<const moved_values*>(way.in);
        T* const out = static_cast<T*>(way.out);
        T buffer[bin_piece];
        for (std::size_t i = 0; i < count; i += bin_piece) {
            const std::size_t part = std::min(bin_piece, count - i);
            const T* const x = load_piece(self.values, self.memory, first + i, part, buffer);
            for (std::size_t k = 0; k < part; ++k) {
                const std::uint64_t place = at[found[i + k]]++;
                if (place < room) out[place] = x[k];
            }
        }
    }
};

// Of 1 to any number of values.
template <class T>
T total_of(const operation<T, false>& op, executor& ex, const T* x, std::size_t n, T start) {
    if (n <= core::tile_size) {
        T rows = op.identity;
        if (n != 0) op.kernels(ex.simd()).fold_rows(x, n, &rows, {});
        return op.combine(start, rows);
    }
    const source<T> in = make_source<T>(x);
    if (ex.threads() != 1) return run_reduce(op, ex, in, n, std::optional<T>(start));
    return reduce_alone(op, folded_input<T, false>(op, ex, in, 0), n, start);
}

}  // namespace

std::size_t run_bin_tables(executor& ex, const classifier& by, const bin_table& way, std::size_t n) {
    const std::size_t bins = by.bins;
    const std::size_t bytes = n * (by.input_bytes + way.value_bytes);
    const std::size_t helpers = n == 0 ? 0 : ex.helpers_for(bytes * tuning::histogram_cost);
    cell_tables tables(way, bins, n, helpers + 1);
    stretches left(n);
    first_failure failure;
    std::atomic<std::size_t> outside{0};
    const count_kernel count_none = count_kernel_for(ex.simd());
    auto work = [&](std::size_t worker) noexcept {
        if (worker != 0 && !left.any_left()) return;
        try {
            void* const own = tables.claim();
            if (own == nullptr) return;
            std::size_t counted = 0;  // of those without a bin
            left.for_each(failure, [&](std::size_t begin, std::size_t end) {
                for_each_piece(by, begin, end,
                               [&](std::size_t first, std::size_t count, const std::uint32_t* found) {
                                   way.add(way, first, count, found, own, tables.ways(), tables.slots());
                                   counted += count_none(found, count, by.bins);
                               });
            });
            outside.fetch_add(counted, std::memory_order_relaxed);
        } catch (...) {
            failure.fail(std::current_exception());
        }
    };
    ex.run(tables.helpers(), work);
    failure.rethrow_failure();
    constexpr std::size_t block = 16 * 1024;
    for_each_task(ex, bins <= block ? 0 : tables.helpers(), (bins + block - 1) / block,
                  [&](std::size_t task) {
                      way.finish(way, tables.cells(), tables.claimed(), tables.slots(), task * block,
                                 std::min(bins, (task + 1) * block));
                  });
    return n - outside;
}

template <class T>
std::size_t run_bin_totals(executor& ex, const operation<T, false>& op,
                           const bin_odometer_kernels<T>& odometers, const classifier& by,
                           const source<T>& values, std::size_t n, const std::optional<T>& initial,
                           const sink<T>& out) {
    const std::size_t bins = by.bins;
    const memory_kernels& memory = memory_kernels_for(ex.simd());
    const T start = initial.value_or(op.identity);
    const std::size_t bytes = n * (by.input_bytes + values.element_size + sizeof(T));
    const std::size_t helpers = ex.helpers_for(bytes * tuning::bins_cost);
    if (moves(ex, helpers, bytes, n, bins)) {
        scratch<std::byte> block(arrays_in_block::bytes_of<T>(n) +
                                 arrays_in_block::bytes_of<std::uint64_t>(bins + 1));
        arrays_in_block arrays(block.data());
        T* const moved = arrays.take<T>(n);
        std::uint64_t* const offsets = arrays.take<std::uint64_t>(bins + 1);
        const moved_values<T> way{values, memory};
        const std::size_t inside = run_bins(ex, by, way.to(moved), n, n, offsets);
        const bin_shares shares{offsets, bins, helpers};
        shares.for_each(ex, [&](executor& with, std::size_t bin) {
            const T total = total_of(op, with, moved + offsets[bin], shares.values(bin), start);
            out.store(out, memory, bin, 1, &total);
        });
        return inside;
    }
    const bin_operator<T> with{op, op.kernels(ex.simd()), start};
    if (gathered_bins<T>::suits(bins, n)) {
        gathered_bins<T> gathered(with, place_few_kernel_for<T>(ex.simd()), bins);
        return total_alone(ex, gathered, by, values, n, out);
    }
    odometer_bins<T> each(with, odometers, bins);
    return total_alone(ex, each, by, values, n, out);
}

// One way of the two.
template <class T>
class carried_bin_totals<T>::state {
  public:
    virtual ~state() = default;
    virtual std::size_t take(const classifier& by, const source<T>& values, std::size_t n) = 0;
    virtual void store(const sink<T>& out) = 0;
};
template <class T>
template <class Bins>
class carried_bin_totals<T>::state_of final : public state {
  public:
    template <class Kernels>
    state_of(const executor& ex, const bin_operator<T>& with, const Kernels& kernels, std::size_t bins)
        : ex_(ex), number_of_bins_(bins), bins_(with, kernels, bins) {}
    std::size_t take(const classifier& by, const source<T>& values, std::size_t n) override {
        return take_alone(ex_, bins_, by, values, n);
    }
    void store(const sink<T>& out) override { store_totals(ex_, bins_, number_of_bins_, out); }

  private:
    const executor& ex_;
    std::size_t number_of_bins_;
    Bins bins_;
};

template <class T>
carried_bin_totals<T>::carried_bin_totals(const executor& ex, const operation<T, false>& op,
                                          const bin_odometer_kernels<T>& odometers, std::size_t bins,
                                          const std::optional<T>& initial) {
    const bin_operator<T> with{op, op.kernels(ex.simd()), initial.value_or(op.identity)};
    // How many values there will be nobody knows: rows wherever they fit.
    if (gathered_bins<T>::fit(bins))
        state_ =
            std::make_unique<state_of<gathered_bins<T>>>(ex, with, place_few_kernel_for<T>(ex.simd()), bins);
    else
        state_ = std::make_unique<state_of<odometer_bins<T>>>(ex, with, odometers, bins);
}
template <class T>
carried_bin_totals<T>::~carried_bin_totals() = default;
template <class T>
std::size_t carried_bin_totals<T>::take(const classifier& by, const source<T>& values, std::size_t n) {
    return state_->take(by, values, n);
}
template <class T>
void carried_bin_totals<T>::store(const sink<T>& out) {
    state_->store(out);
}

#define UPSWEEP_INSTANTIATE_BIN_TOTALS(T)                                                         \
    template std::size_t run_bin_totals<T>(                                                       \
        executor&, const operation<T, false>&, const bin_odometer_kernels<T>&, const classifier&, \
        const source<T>&, std::size_t, const std::optional<T>&, const sink<T>&);                  \
    template class carried_bin_totals<T>;
UPSWEEP_INSTANTIATE_BIN_TOTALS(float)
UPSWEEP_INSTANTIATE_BIN_TOTALS(double)

}  // namespace upsweep::cpu
