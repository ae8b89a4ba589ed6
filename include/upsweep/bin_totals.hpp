// Totals by bin: histograms in which every element counts for a value of its own (numpy.histogram's weights).
//
//     bin_totals:      totals[b] = the total of values[i], in order of i, with find_bin(bins, in[i]) == b
//     bin_totals_by:   totals[b] = the same of those with f(in[i]) == b
//
// Of a bin without elements it is the initial value, or else the operator's identity. Bins are those of
// histogram.hpp: equal intervals, intervals between edges, or what f(element) says. f may be called from
// several threads, up to twice for an element, and must answer the same both times. All return how many
// elements have a bin.
//
// Bits: totals[b] has those of reduce over bin b's values alone, one behind the other, so that it depends on
// nothing else: no values of other bins, no number of threads, no instruction set. With `initial`, every bin
// starts from it. Values are accumulated in the type that reduce takes for them, or the one that is named:
// bin_totals<double>(executor, in, floats, totals, range).
// Shapes: in is a contiguous range of n >= 0 elements, values one of as many; totals has one element for each
// bin, of which there are fewer than 2^32.
// Aliasing: totals overlaps none of in, values and edges. in and values may be the same.
// Errors: upsweep::error names the argument; nothing has been written then. That is so too of a bin without
// elements under an operator without an identity, if there is no initial value. An exception of f or of the
// operator passes through; totals are then unspecified.
// Complexity: O(n + bins) work, with edges O(n log bins + bins); one read of in and values on one thread, two
// reads of in on several where sums or products round.
// Scratch: of the heap, as cpu/bin_totals.hpp has it: a cell a bin for each thread; where the operator rounds
// 65 bytes a bin, or 128 values and 48 bytes for up to 512 KiB of these, on several threads a copy of the
// values and 8 bytes a bin; for operators without kernels 8 bytes a value and a bin. Where there is no room
// for it errc::out_of_memory, or of such operators std::bad_alloc.
// Source: docs/numerics.md for the grouping; the tables are those of histograms.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>

#include "upsweep/bins.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cpu/bin_totals.hpp"
#include "upsweep/cpu/generic.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/options.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segments.hpp"

namespace upsweep {
namespace detail {

// What is folded into tables of cells, in any order.
template <class Acc, class Op>
inline constexpr bool totals_in_tables =
    is_exact<Op, Acc>&& is_commutative<Op>&& has_identity<Op, Acc>&& std::is_trivially_copyable_v<Acc>&&
        std::is_default_constructible_v<Acc> &&
    sizeof(Acc) <= 16;

// As cpu::bin_table; lives as long as the call.
template <class Acc, class Op>
class values_in_tables {
  public:
    values_in_tables(const cpu::executor& ex, const cpu::source<Acc>& values, const cpu::sink<Acc>& totals,
                     const Op& op, const std::optional<Acc>& initial)
        : memory_(cpu::memory_kernels_for(ex.simd())),
          values_(values),
          totals_(totals),
          op_(op),
          initial_(initial) {}
    [[nodiscard]] cpu::bin_table table() const {
        return {this, sizeof(Acc), values_.element_size, &clear, &add, &finish};
    }

  private:
    static void clear(const cpu::bin_table& way, void* cells, std::size_t count) {
        const auto& self = *static_cast<const values_in_tables*>(way.context);
        std::uninitialized_fill_n(static_cast<Acc*>(cells), count, identity_of<Acc>(self.op_));
    }
    static void add(const cpu::bin_table& way, std::size_t first, std::size_t count,
                    const std::uint32_t* found, void* cells, std::size_t ways, std::size_t slots) {
        const auto& self = *static_cast<const values_in_tables*>(way.context);
        constexpr std::size_t step = 1024;
        Acc buffer[step];
        for (std::size_t i = 0; i < count; i += step) {
            const std::size_t part = std::min(step, count - i);
            const Acc* x = buffer;
            if (self.values_.direct != nullptr)
                x = self.values_.direct + first + i;
            else
                self.values_.load(self.values_, self.memory_, first + i, part, buffer);
            if (ways == 1)
                self.add_to_one(x, found + i, part, static_cast<Acc*>(cells));
            else
                self.add_to_four(x, found + i, part, static_cast<Acc*>(cells), slots);
        }
    }
    // A cell that is read where it was just written keeps its reader waiting: neighbours have tables of their
    // own, or are combined first where four are of one bin, as ordered data has them.
    void add_to_four(const Acc* x, const std::uint32_t* found, std::size_t count, Acc* cells,
                     std::size_t slots) const {
        Acc* const tables[4] = {cells, cells + slots, cells + 2 * slots, cells + 3 * slots};
        std::size_t i = 0;
        for (; i + 4 <= count; i += 4)
            for (std::size_t k = 0; k < 4; ++k) fold_into(tables[k][found[i + k]], x[i + k]);
        for (; i < count; ++i) fold_into(tables[0][found[i]], x[i]);
    }
    void add_to_one(const Acc* x, const std::uint32_t* found, std::size_t count, Acc* cells) const {
        std::size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            const std::uint32_t a = found[i], b = found[i + 1], c = found[i + 2], d = found[i + 3];
            if (((a ^ b) | (b ^ c) | (c ^ d)) == 0) {
                fold_into(cells[a], op_(op_(x[i], x[i + 1]), op_(x[i + 2], x[i + 3])));
            } else {
                fold_into(cells[a], x[i]);
                fold_into(cells[b], x[i + 1]);
                fold_into(cells[c], x[i + 2]);
                fold_into(cells[d], x[i + 3]);
            }
        }
        for (; i < count; ++i) fold_into(cells[found[i]], x[i]);
    }
    void fold_into(Acc& cell, const Acc& value) const { cell = op_(cell, value); }
    static void finish(const cpu::bin_table& way, const void* cells, std::size_t tables, std::size_t slots,
                       std::size_t first, std::size_t end) {
        const auto& self = *static_cast<const values_in_tables*>(way.context);
        const Acc* const all = static_cast<const Acc*>(cells);
        constexpr std::size_t step = 256;
        Acc totals[step];
        for (std::size_t b = first; b < end; b += step) {
            const std::size_t count = std::min(step, end - b);
            for (std::size_t i = 0; i < count; ++i) {
                totals[i] = all[b + i];
                for (std::size_t k = 1; k < tables; ++k)
                    totals[i] = self.op_(totals[i], all[k * slots + b + i]);
                if (self.initial_) totals[i] = self.op_(*self.initial_, totals[i]);
            }
            self.totals_.store(self.totals_, self.memory_, b, count, totals);
        }
    }

    const cpu::memory_kernels& memory_;
    cpu::source<Acc> values_;
    cpu::sink<Acc> totals_;
    const Op& op_;
    const std::optional<Acc>& initial_;
};

// x[at[first]], x[at[first + 1]], ... as accumulators.
template <class Acc, class In>
struct elements_at {
    const In* x;
    const std::size_t* at;

    auto reader(std::size_t first) const {
        return [x = x, next = at + first]() mutable -> Acc { return cpu::convert<Acc>(x[*next++]); };
    }
};

// What a bin without values comes to; an error if there is one and that is not known.
template <class Acc, class Op>
std::optional<Acc> empty_bin_total(const std::uint64_t* offsets, std::size_t bins, const Op& op,
                                   const std::optional<Acc>& initial) {
    if (initial) return initial;
    if constexpr (has_identity<Op, Acc>) {
        return identity_of<Acc>(op);
    } else {
        const std::uint64_t* const empty = std::adjacent_find(offsets, offsets + bins + 1);
        if (empty != offsets + bins + 1) {
            throw_error(errc::invalid_argument,
                        "options.initial: bin " + std::to_string(empty - offsets) +
                            " is empty, and its total needs an initial value, because the operator has no "
                            "identity");
        }
        return {};
    }
}

// By the indices of the values in each bin's order.
template <class Acc, class In, class Out, class Op>
std::size_t total_by_indices(cpu::executor& ex, const cpu::classifier& by, const In* values, std::size_t n,
                             Out* totals, const Op& op, const std::optional<Acc>& initial) {
    const std::size_t bins = by.bins;
    const std::unique_ptr<std::uint64_t[]> offsets(new std::uint64_t[bins + 1]);
    const std::unique_ptr<std::size_t[]> order(new std::size_t[n]);
    const std::size_t inside = cpu::run_bins(ex, by, indices_to(order.get(), n), n, n, offsets.get());
    const std::optional<Acc> empty = empty_bin_total<Acc>(offsets.get(), bins, op, initial);
    const std::size_t bytes = inside * (sizeof(std::size_t) + sizeof(Acc));
    const cpu::bin_shares shares{offsets.get(), bins, ex.helpers_for(bytes * cpu::tuning::generic_cost)};
    shares.for_each(ex, [&](cpu::executor& with, std::size_t bin) {
        const elements_at<Acc, In> own{values, order.get() + offsets[bin]};
        const std::size_t count = shares.values(bin);
        totals[bin] =
            cpu::convert<Out>(count == 0 ? *empty : cpu::run_generic_reduce(with, own, op, count, initial));
    });
    return inside;
}

// By an engine that takes and stores values through conversions.
template <class Acc, class Op>
inline constexpr bool totals_by_engine = totals_in_tables<Acc, Op> || cpu::has_kernels<Acc, Op>;
template <class Acc, class Op>
std::size_t total_converted(cpu::executor& ex, const cpu::classifier& by, const cpu::source<Acc>& values,
                            std::size_t n, const cpu::sink<Acc>& totals, const Op& op,
                            const std::optional<Acc>& initial) {
    if constexpr (totals_in_tables<Acc, Op>) {
        const values_in_tables<Acc, Op> tables(ex, values, totals, op, initial);
        return cpu::run_bin_tables(ex, by, tables.table(), n);
    } else {
        return cpu::run_bin_totals(ex, cpu::operation_of<Acc, Op>,
                                   cpu::bin_odometer_kernels_for<Acc, Op>(ex.simd()), by, values, n, initial,
                                   totals);
    }
}
template <class Acc, class In, class Out, class Op>
std::size_t total_classes(cpu::executor& ex, const cpu::classifier& by, const In* values, std::size_t n,
                          Out* totals, const Op& op, const std::optional<Acc>& initial) {
    if constexpr (totals_by_engine<Acc, Op>) {
        return total_converted<Acc>(ex, by, cpu::make_source<Acc>(as_storage(values)), n,
                                    cpu::make_sink<Acc>(as_storage(totals)), op, initial);
    } else {
        return total_by_indices(ex, by, values, n, totals, op, initial);
    }
}

template <class In, class Values, class Totals>
void check_totals(const In& in, const Values& values, const Totals& totals, std::size_t number_of_bins) {
    check_as_many("values", std::ranges::size(values), "in", std::ranges::size(in));
    check_counts("totals", std::ranges::size(totals), number_of_bins);
    const named_array target = named("totals", totals);
    check_disjoint(target, named("in", in));
    check_disjoint(target, named("values", values));
}
// Of equal bins or edges.
template <class In, class Values, class Totals, class Bins>
void check_bin_totals(const In& in, const Values& values, const Totals& totals, const Bins& bins) {
    check_bins(bins);
    check_totals(in, values, totals, count_of(bins));
    if constexpr (requires { bins.edges; })
        check_disjoint(named("totals", totals), named("edges", bins.edges));
}
// By a function.
template <class In, class Values, class Totals>
void check_bin_totals_by(const In& in, const Values& values, const Totals& totals) {
    const std::size_t number_of_bins = std::ranges::size(totals);
    if (number_of_bins > most_bins)
        throw_error(errc::invalid_argument, "totals: expected fewer than 2^32 bins");
    check_totals(in, values, totals, number_of_bins);
}
template <class Acc, class In, class Values, class Totals, class Op, class Bins>
std::size_t total_bins(cpu::executor& ex, const In& in, const Values& values, Totals& totals,
                       const Bins& bins, const Op& op, const std::optional<Acc>& initial) {
    check_bin_totals(in, values, totals, bins);
    const std::size_t n = std::ranges::size(in);
    const auto classes = classes_of(ex, std::ranges::data(in), n, bins);
    return total_classes<Acc>(ex, classes.classifier(), std::ranges::data(values), n,
                              std::ranges::data(totals), op, initial);
}

}  // namespace detail

// By equal bins: bin_totals(executor, in, values, totals, {.lo = 0, .hi = 1, .count = 8}).
template <class Acc = deduced, number_range In, input_range Values, class Totals, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
requires output_range<Totals, A> && combines<Op, A> std::size_t bin_totals(
    cpu::executor& ex, const In& in, const Values& values, Totals&& totals,
    const bin_range<binned_type<In>>& range, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    return detail::total_bins<A>(ex, in, values, totals, range, core::known<A>(op), options.initial);
}

// By edges: bin_totals(executor, in, values, totals, bin_edges<float>{edges}).
template <class Acc = deduced, number_range In, input_range Values, class Totals, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
requires output_range<Totals, A> && combines<Op, A> std::size_t bin_totals(
    cpu::executor& ex, const In& in, const Values& values, Totals&& totals,
    const bin_edges<binned_type<In>>& edges, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    return detail::total_bins<A>(ex, in, values, totals, edges, core::known<A>(op), options.initial);
}

// By a function: f(element) is the bin of the value beside it, of as many as there are totals.
template <class Acc = deduced, input_range In, input_range Values, class Totals, bin_function<In> F,
          class Op = plus, class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
requires output_range<Totals, A> && combines<Op, A> std::size_t bin_totals_by(
    cpu::executor& ex, const In& in, const Values& values, Totals&& totals, const F& f, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    const std::size_t number_of_bins = std::ranges::size(totals);
    detail::check_bin_totals_by(in, values, totals);
    if (number_of_bins == 0) return 0;
    const detail::by_function by(number_of_bins, std::ranges::data(in), f);
    return detail::total_classes<A>(ex, by.classifier(), std::ranges::data(values), std::ranges::size(in),
                                    std::ranges::data(totals), core::known<A>(op), options.initial);
}

}  // namespace upsweep
