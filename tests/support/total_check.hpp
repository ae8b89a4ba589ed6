// Totals compared with the scalar reference, at any size, in memory at any offset.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "support/backend.hpp"
#include "support/bits.hpp"
#include "support/guarded.hpp"
#include "support/sizes.hpp"
#include "support/sweep.hpp"
#include "upsweep/reduce.hpp"

namespace upsweep::test {

// One operator on one type. prefix(n) does not depend on what follows, so the reference runs once over all
// values, without and with the initial value, and serves every n.
template <class In, class Op, class Acc = core::accumulator_for<deduced, In, Op>>
class total_check {
  public:
    total_check(std::span<const In> values, const Acc& initial, const Op& op = {})
        : op_(op),
          values_(values.data(), values.size()),
          starts_{std::nullopt, initial},
          expected_{prefixes<Acc>(values, op), prefixes<Acc>(values, op, starts_[1])} {}

    // The total of the first n values; false, with a failure recorded, if it is another.
    template <class Executor>
    bool run(Executor& ex, std::size_t n, std::size_t offset = 0) {
        if (!takes<Op, Acc>(ex)) return true;
        in_.reset(n, offset);
        std::copy_n(std::begin(values_), n, in_.data());
        const std::span<const In> in = in_.span();
        for (const std::size_t k : {0u, 1u}) {
            if (n == 0 && !starts_[k] && !has_identity<Op, Acc>) continue;
            const Acc total = reduce<Acc>(ex, in, op_, {.initial = starts_[k]});
            if (same_bits(total, expected_[k][n])) continue;
            const std::string excuse = test::excuse<Op, Acc>(ex);
            if (!excuse.empty()) {
                [&] { GTEST_SKIP() << "not a bit-conforming driver: " << excuse; }();
                return false;
            }
            ADD_FAILURE() << "n = " << n << ", offset " << offset << (k == 1 ? ", initial value" : "")
                          << ": the total is " << describe(total) << ", expected "
                          << describe(expected_[k][n]);
            return false;
        }
        return true;
    }

    // All sizes to 300 and around rows and tiles, at every level; those around supers on every back end.
    void everything(bool with_supers) {
        for_each_backend(cpu::has_kernels<Acc, Op> ? coverage::levels : coverage::threads,
                         [&](const auto& backend) {
                             for (const std::size_t n : tile_sizes())
                                 if (!run(*backend.executor, n, n % 7)) return;
                         });
        if (!with_supers) return;
        std::size_t turn = 0;
        for_each_backend(cpu::has_kernels<Acc, Op> ? coverage::all : coverage::threads,
                         [&](const auto& backend) {
                             for (const std::size_t n : super_sizes())
                                 if (!run(*backend.executor, n, turn++ % 8)) return;
                         });
    }

  private:
    Op op_;
    array_of<In> values_;
    std::optional<Acc> starts_[2];
    array_of<Acc> expected_[2];
    guarded<In> in_;
};

}  // namespace upsweep::test
