// Totals by bin against the scalar reference: an odometer a bin takes its values one by one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <valarray>
#include <vector>

#include "support/backend.hpp"
#include "support/binned.hpp"
#include "support/bits.hpp"
#include "support/guarded.hpp"
#include "support/sequences.hpp"
#include "upsweep/bin_totals.hpp"
#include "upsweep/core/reference.hpp"

namespace upsweep::test {

// What found[i] says of values[i]; numbers that are no bin are left out.
template <class Acc, class Op, class Values>
std::vector<Acc> totals_of(const std::vector<std::uint32_t>& found, const Values& values, std::size_t bins,
                           const Op& op, const std::optional<Acc>& initial) {
    std::vector<core::odometer<Acc, Op>> each(bins, core::odometer<Acc, Op>(op, initial));
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] < bins) each[found[i]].take(cpu::convert<Acc>(values[i]));
    std::vector<Acc> made;
    for (const auto& bin : each) {
        std::optional<Acc> total = bin.value();
        if constexpr (has_identity<Op, Acc>) {
            if (!total) total = identity_of<Acc>(op);
        }
        made.push_back(*total);
    }
    return made;
}

// One input for calls of every kind: elements in `in`, values beside them, both anywhere in memory.
template <class T, class V, class Op, class Acc = core::accumulator_for<deduced, V, Op>, class Out = Acc>
struct bin_totals_check {
    const std::vector<T>& x;
    const std::valarray<V>& values;
    Op op{};
    std::optional<Acc> initial{};

    template <class Bins>
    void operator()(coverage wanted, const Bins& bins, std::size_t count) const {
        const std::vector<std::uint32_t> found = bins_of(bins, x);
        const std::size_t inside = count_all(found, count).sum;
        const std::vector<Acc> totals = totals_of<Acc>(found, values, count, op, initial);
        std::valarray<Out> expected(count);
        for (std::size_t b = 0; b < count; ++b) expected[b] = cpu::convert<Out>(Acc(totals[b]));
        guarded<T> in(x.size(), x.size() % 5);
        guarded<V> beside(x.size(), x.size() % 3 + 1);
        std::copy(x.begin(), x.end(), in.data());
        std::copy(std::begin(values), std::end(values), beside.data());
        for_each_backend(wanted, [&](const auto& backend) {
            guarded<Out> out(count, x.size() % 7);
            EXPECT_EQ(bin_totals<Acc>(*backend.executor, in.span(), beside.span(), out.span(), bins, op,
                                      {.initial = initial}),
                      inside);
            const std::size_t at = first_difference(out.data(), std::begin(expected), count);
            if (at != count) {
                ADD_FAILURE() << x.size() << " elements, bin " << at << " of " << count << ": "
                              << describe(out.data()[at]) << ", expected " << describe(expected[at]);
            }
            EXPECT_TRUE(out.sentinels_intact());
        });
    }
};

}  // namespace upsweep::test
