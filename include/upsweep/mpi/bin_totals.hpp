// Totals by bin of one sequence that lies on many ranks: bin_totals and bin_totals_by, with an mpi::executor.
//
// Formula: that of upsweep/bin_totals.hpp over all ranks' elements and values, in the order of ranks. Shapes:
// as there, for each rank's `in` and values, which may be empty; every rank has all `totals` and receives
// those of all ranks, and the number of elements that have a bin anywhere. The bins must be the same on every
// rank. Bits: of each bin those of reduce over its values alone, for any number of ranks and any
// distribution. Types and operators as on the CPU, with accumulators that are trivially copyable. Options:
// whether there is an `initial` must be the same on every rank; the first gives its value.
// Aliasing: as upsweep/bin_totals.hpp. Errors: every rank throws upsweep::error, with nothing written, if one
// refuses its arguments or lacks memory, or if f or the operator throws on one.
// Complexity: that of the rank's own totals, by bin extraction where the operator rounds or does not commute;
// messages: docs/mpi.md. Scratch beside that of the CPU's calls: two accumulators a bin under exact operators
// that commute; otherwise one, and one a value, messages of 64 KiB, and for each bin 120 bytes or so and a
// summary of the rank's values in it (core/piece.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <ranges>
#include <type_traits>
#include <vector>

#include "upsweep/bin_totals.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/core/piece.hpp"
#include "upsweep/cpu/bin_totals.hpp"
#include "upsweep/cpu/piece.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/counts.hpp"
#include "upsweep/mpi/exchange.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/mpi/piece.hpp"
#include "upsweep/mpi/scratch.hpp"
#include "upsweep/options.hpp"

namespace upsweep {
namespace mpi {

// call(first, count) for pieces of n values, each of which is a message.
template <class Acc, class Call>
void in_messages(std::size_t n, const Call& call) {
    constexpr std::size_t most = message_limit / sizeof(Acc);
    for (std::size_t first = 0; first < n; first += most) call(first, std::min(most, n - first));
}

// Totals under operators for which any grouping will do. All combine in pairs, and rank 0 has them.
template <class Acc, class Op>
class totals_in_pairs {
  public:
    static constexpr bool from_first_rank = true;

    // Of no bins, or memory for so many. Throws if there is none.
    totals_in_pairs(std::size_t bins, std::size_t) : others_(bins) {}

    // Not collective: of this rank's values alone. Returns how many have a bin.
    template <class V>
    std::size_t take(cpu::executor& ex, const cpu::classifier& by, const V* values, std::size_t n,
                     Acc* totals, const Op& op) {
        return upsweep::detail::total_classes<Acc>(ex, by, values, n, totals, op, std::optional<Acc>());
    }
    // Collective.
    void combine(const executor& ex, Acc* totals, std::size_t bins, const Op& op,
                 const std::optional<Acc>& initial, failure& trouble) const {
        const int rank = ex.rank();
        for (int step = 1; step < ex.size(); step *= 2) {
            if (rank % (2 * step) != 0) {
                in_messages<Acc>(bins, [&](std::size_t first, std::size_t count) {
                    ex.send(totals + first, count * sizeof(Acc), rank - step);
                });
                return;
            }
            if (rank + step >= ex.size()) continue;
            in_messages<Acc>(bins, [&](std::size_t first, std::size_t count) {
                ex.receive(others_.data() + first, count * sizeof(Acc), rank + step);
            });
            trouble.attempt([&] {
                for (std::size_t b = 0; b < bins; ++b) totals[b] = op(totals[b], others_.data()[b]);
            });
        }
        trouble.attempt([&] {
            for (std::size_t b = 0; initial && b < bins; ++b) totals[b] = op(*initial, totals[b]);
        });
    }

  private:
    scratch<Acc> others_;
};

// Under others a bin's values have the tree of that bin alone: what stands to the left of a rank's goes from
// rank to rank, as in a reduction, for all bins at once. The last rank has the totals.
template <class Acc, class Op>
class totals_in_trees {
  public:
    static constexpr bool from_first_rank = false;

    totals_in_trees(std::size_t bins, std::size_t n)
        : values_(n),
          offsets_(bins + 1),
          before_(bins),
          all_(needs_values ? bins + 1 : 0),
          summaries_(bins),
          message_(std::min(bins, most_places)) {}

    template <class V>
    std::size_t take(cpu::executor& ex, const cpu::classifier& by, const V* values, std::size_t n, Acc*,
                     const Op&) {
        const cpu::placement_of_bins way{values, values_.data(), sizeof(Acc), &move<V>, true};
        return cpu::run_bins(ex, by, way, n, n, offsets_.data());
    }
    void combine(const executor& ex, Acc* totals, std::size_t bins, const Op& op,
                 const std::optional<Acc>& initial, failure& trouble) {
        std::adjacent_difference(offsets_.begin() + 1, offsets_.end(), before_.begin());
        if constexpr (needs_values) {
            if (!initial) check_values(ex, op);
        }
        sum_over_earlier_ranks(ex, before_.data(), bins);
        trouble.attempt([&] { summarise(ex.local(), bins, op); });
        for (std::size_t first = 0; first < bins; first += message_.size()) {
            const std::size_t count = std::min(message_.size(), bins - first);
            if (ex.rank() != 0) ex.receive(message_.data(), count * sizeof(places), ex.rank() - 1);
            trouble.hear_of(message_[0].failed());
            trouble.attempt([&] {
                for (std::size_t k = 0; k < count; ++k)
                    advance(ex, first + k, message_[k], totals, op, initial);
            });
            if (trouble.rank() != nobody) message_[0] = places(trouble.rank());
            if (ex.rank() + 1 != ex.size()) ex.send(message_.data(), count * sizeof(places), ex.rank() + 1);
        }
    }

  private:
    using places = packet<Acc, core::level_count>;
    // So few that ranks work on some while others do on the next.
    static constexpr std::size_t most_places = std::max<std::size_t>(1, 64 * 1024 / sizeof(places));
    static constexpr bool needs_values = !has_identity<Op, Acc>;

    template <class V>
    static void move(const cpu::placement_of_bins& way, std::size_t first, std::size_t count,
                     const std::uint32_t* found, std::uint64_t* at, std::size_t room) {
        const V* const in = static_cast<const V*>(way.in) + first;
        Acc* const out = static_cast<Acc*>(way.out);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t place = at[found[i]]++;
            if (place < room) out[place] = cpu::convert<Acc>(in[i]);
        }
    }
    // Throws, on every rank, if a bin has no value anywhere; before_ has how many this one has.
    void check_values(const executor& ex, const Op& op) {
        std::copy(before_.begin(), before_.end(), all_.begin() + 1);
        sum_over_ranks(ex, all_.data() + 1, before_.size());
        std::partial_sum(all_.begin(), all_.end(), all_.begin());
        (void)upsweep::detail::empty_bin_total<Acc>(all_.data(), before_.size(), op, std::nullopt);
    }
    void summarise(cpu::executor& ex, std::size_t bins, const Op& op) {
        const std::size_t weight = cpu::has_kernels<Acc, Op> ? 1 : cpu::tuning::generic_cost;
        const std::size_t bytes = offsets_[bins] * sizeof(Acc);
        const cpu::bin_shares shares{offsets_.data(), bins, ex.helpers_for(bytes * weight)};
        shares.for_each(ex, [&](cpu::executor& with, std::size_t b) {
            const std::size_t n = shares.values(b);
            const std::identity itself;
            const share<Acc, Acc, Acc, Op, std::identity> own{values_.data() + offsets_[b],
                                                              nullptr,
                                                              {n, false, false, n * sizeof(Acc)},
                                                              false,
                                                              op,
                                                              itself,
                                                              {}};
            with_piece(with, own,
                       [&](const auto& piece) { summaries_[b] = cpu::summarise(with, piece, before_[b]); });
        });
    }
    void advance(const executor& ex, std::size_t b, places& told, Acc* totals, const Op& op,
                 const std::optional<Acc>& initial) {
        core::tree_place<Acc> place;
        place.element_count = before_[b];
        if (ex.rank() == 0)
            place.parts[core::super_level] = initial;
        else
            for (std::size_t level = 0; level < core::level_count; ++level)
                place.parts[level] = told.get(level);
        summaries_[b].advance(place, op);
        told = places();
        for (std::size_t level = 0; level < core::level_count; ++level) told.put(level, place.parts[level]);
        if (ex.rank() + 1 != ex.size()) return;
        std::optional<Acc> total = place.value(op);
        if constexpr (!needs_values) {
            if (!total) total = identity_of<Acc>(op);
        }
        totals[b] = *total;
    }

    scratch<Acc> values_;                                // one bin's behind the other
    std::vector<std::uint64_t> offsets_, before_, all_;  // before_: values of earlier ranks in each bin
    std::vector<core::piece_summary<Acc>> summaries_;
    std::vector<places> message_;
};

// `check` throws what is wrong with the arguments; with_classes(take) calls take(classifier) for the rank's
// own n elements.
template <class Acc, class V, class Out, class Op, class Check, class Classes>
std::uint64_t total_bins_of_ranks(executor& ex, const V* values, std::size_t n, Out* totals, std::size_t bins,
                                  const Op& op, const std::optional<Acc>& initial, const Check& check,
                                  const Classes& with_classes) {
    using way = std::conditional_t<upsweep::detail::totals_in_tables<Acc, Op>, totals_in_pairs<Acc, Op>,
                                   totals_in_trees<Acc, Op>>;
    constexpr std::uint64_t most_told = 0xffffff;  // beside 32 bits of bins
    const std::uint64_t operation =
        operation_of(collective::bin_totals, (sizeof(Acc) & most_told) << 32 | (bins & no_bin));
    proposal own{
        .count = n, .operation = operation, .has_initial = initial.has_value(), .refusal = refusal_of(check)};
    (void)agree(ex, own);
    if (bins == 0) return 0;
    std::optional<way> made;
    std::optional<scratch<Acc>> found;
    own.refusal = refusal_of([&] {
        made.emplace(bins, n);
        found.emplace(bins);
        own.count = with_classes([&](const cpu::classifier& by) {
            return made->take(ex.local(), by, values, n, found->data(), op);
        });
    });
    const std::uint64_t inside = agree(ex, own).count;
    failure trouble(ex.rank());
    made->combine(ex, found->data(), bins, op, initial, trouble);
    own.refusal = trouble.thrown_here();
    (void)agree(ex, own);
    in_messages<Acc>(bins, [&](std::size_t first, std::size_t count) {
        ex.broadcast(found->data() + first, count * sizeof(Acc), way::from_first_rank ? 0 : ex.size() - 1);
    });
    for (std::size_t b = 0; b < bins; ++b) totals[b] = cpu::convert<Out>(found->data()[b]);
    return inside;
}

// Equal bins or edges.
template <class Acc, class In, class Values, class Totals, class Bins, class Op>
std::uint64_t total_bins(executor& ex, const In& in, const Values& values, Totals& totals, const Bins& bins,
                         const Op& op, const std::optional<Acc>& initial) {
    return total_bins_of_ranks(
        ex, std::ranges::data(values), std::ranges::size(values), std::ranges::data(totals),
        std::ranges::size(totals), op, initial,
        [&] { upsweep::detail::check_bin_totals(in, values, totals, bins); },
        [&](const auto& take) {
            const auto classes =
                upsweep::detail::classes_of(ex.local(), std::ranges::data(in), std::ranges::size(in), bins);
            return take(classes.classifier());
        });
}

}  // namespace mpi

template <class Acc = deduced, number_range In, input_range Values, class Totals, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
requires output_range<Totals, A> && combines<Op, A> std::uint64_t bin_totals(
    mpi::executor& ex, const In& in, const Values& values, Totals&& totals,
    const bin_range<binned_type<In>>& range, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    return mpi::total_bins<A>(ex, in, values, totals, range, core::known<A>(op), options.initial);
}
template <class Acc = deduced, number_range In, input_range Values, class Totals, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
requires output_range<Totals, A> && combines<Op, A> std::uint64_t bin_totals(
    mpi::executor& ex, const In& in, const Values& values, Totals&& totals,
    const bin_edges<binned_type<In>>& edges, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    return mpi::total_bins<A>(ex, in, values, totals, edges, core::known<A>(op), options.initial);
}
template <class Acc = deduced, input_range In, input_range Values, class Totals, bin_function<In> F,
          class Op = plus, class A = core::accumulator_for<Acc, std::ranges::range_value_t<Values>, Op>>
requires output_range<Totals, A> && combines<Op, A> std::uint64_t bin_totals_by(
    mpi::executor& ex, const In& in, const Values& values, Totals&& totals, const F& f, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    const auto& known = core::known<A>(op);
    return mpi::total_bins_of_ranks(
        ex, std::ranges::data(values), std::ranges::size(values), std::ranges::data(totals),
        std::ranges::size(totals), known, options.initial,
        [&] { detail::check_bin_totals_by(in, values, totals); },
        [&](const auto& take) {
            const detail::by_function by(std::ranges::size(totals), std::ranges::data(in), f);
            return take(by.classifier());
        });
}

}  // namespace upsweep
