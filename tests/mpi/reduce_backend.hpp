// Totals of segments and runs of equal neighbours between ranks, so that the tests of the CPU's run there
// unchanged: included in front of a test's source, behind mpi/backend.hpp. A rank has its part of the
// sequence and gets the results of what begins in it; then all get everybody's.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "mpi/moves_backend.hpp"
#include "mpi/segments_backend.hpp"
#include "support/guarded.hpp"
#include "upsweep/mpi/segmented_reduce.hpp"
#include "upsweep/mpi/unique.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/unique.hpp"

namespace upsweep::test {

// What a rank keeps of a call on parts of n elements.
template <class T>
class kept_part {
  public:
    kept_part(const call_in_parts& call, const std::vector<std::size_t>& cuts, unsigned offset) {
        const std::size_t own = cuts[call.rank() + 1] - cuts[call.rank()];
        memory_.reset(own, (call.rank() + offset) % 8);
    }
    [[nodiscard]] std::span<T> span() const { return memory_.span(); }
    // To all ranks, as far as there is room.
    void give(mpi_executor& ex, const mpi::compaction& made, std::span<T> to) const {
        EXPECT_TRUE(memory_.sentinels_intact()) << "wrote outside the arrays";
        const guarded<T> poison(memory_.size() - made.kept);
        EXPECT_TRUE(std::equal(reinterpret_cast<const std::byte*>(memory_.data() + made.kept),
                               reinterpret_cast<const std::byte*>(memory_.data() + memory_.size()),
                               reinterpret_cast<const std::byte*>(poison.data())))
            << "wrote behind the results";
        const auto ranks = static_cast<std::size_t>(ex.ranks().size());
        std::vector<std::size_t> one_each(ranks + 1), firsts(ranks + 1);
        std::iota(one_each.begin(), one_each.end(), std::size_t{0});
        const std::size_t first = made.first;
        ex.gather(&first, firsts.data(), sizeof first, one_each);
        firsts[ranks] = made.total;
        const guarded<T> all(made.total);
        ex.gather(memory_.data(), all.data(), sizeof(T), firsts);
        std::copy_n(all.data(), std::min(to.size(), all.size()), to.data());
    }

  private:
    guarded<T> memory_;
};
template <class R>
auto as_span(R& r) {
    return std::span(std::ranges::data(r), std::ranges::size(r));
}

// call(ranks, keys, in, keys_out, out) of parts.
template <class Keys, class In, class KeysOut, class Out, class Call>
std::size_t call_by_key(mpi_executor& ex, const Keys& keys, const In& in, KeysOut& keys_out, Out& out,
                        const Call& call) {
    call_in_parts parts(ex);
    const std::vector<std::size_t> cuts = parts.cut(std::ranges::size(in));
    const auto own_keys = parts.part_of(keys, cuts, 3);
    const auto own = parts.part_of(in, cuts);
    const kept_part<std::ranges::range_value_t<KeysOut>> first(parts, cuts, 5);
    const kept_part<std::ranges::range_value_t<Out>> results(parts, cuts, 2);
    const mpi::compaction made =
        call(parts.ranks(), own_keys.span(), own.span(), first.span(), results.span());
    first.give(ex, made, as_span(keys_out));
    results.give(ex, made, as_span(out));
    return made.total;
}

// The CPU's functions stay visible beside these.
using upsweep::reduce_by_key;
using upsweep::run_length_encode;
using upsweep::segmented_reduce;
using upsweep::unique;
using upsweep::unique_by_key;

template <class Acc = deduced, class Segments, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
std::size_t segmented_reduce(mpi_executor& ex, const Segments& segments, const In& in, Out&& out,
                             const Op& op = {}, const std::type_identity_t<reduce_options<A>>& options = {}) {
    if constexpr (requires { segments.offsets(); }) {
        // Which describe arrays, of which no rank has the whole.
        cpu::executor host(1);
        return upsweep::segmented_reduce<Acc>(host, segments, in, out, op, options);
    } else {
        call_in_parts parts(ex);
        const std::vector<std::size_t> cuts = parts.cut(std::ranges::size(in));
        const auto own = parts.part_of(in, cuts);
        const kept_part<std::ranges::range_value_t<Out>> results(parts, cuts, 2);
        mpi::compaction made{};
        with_part(segments, cuts[parts.rank()], own.span().size(), [&](const auto& described) {
            made = upsweep::segmented_reduce<Acc>(parts.ranks(), described, own.span(), results.span(), op,
                                                  options);
        });
        results.give(ex, made, as_span(out));
        return made.total;
    }
}
template <class Acc = deduced, class Keys, class In, class KeysOut, class Out, class Op = plus,
          class Equal = std::equal_to<>,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
std::size_t reduce_by_key(mpi_executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                          const Op& op = {}, const std::type_identity_t<reduce_options<A>>& options = {},
                          const Equal& equal = {}) {
    return call_by_key(ex, keys, in, keys_out, out, [&](mpi::executor& ranks, auto... arguments) {
        return upsweep::reduce_by_key<Acc>(ranks, arguments..., op, options, equal);
    });
}

template <class In, class Out, class Equal = std::equal_to<>>
std::size_t unique(mpi_executor& ex, const In& in, Out&& out, const Equal& equal = {}) {
    call_in_parts parts(ex);
    const std::vector<std::size_t> cuts = parts.cut(std::ranges::size(in));
    const auto own = parts.part_of(in, cuts);
    const kept_part<std::ranges::range_value_t<Out>> results(parts, cuts, 2);
    const mpi::compaction made = upsweep::unique(parts.ranks(), own.span(), results.span(), equal);
    results.give(ex, made, as_span(out));
    return made.total;
}
template <class Keys, class In, class KeysOut, class Out, class Equal = std::equal_to<>>
std::size_t unique_by_key(mpi_executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                          const Equal& equal = {}) {
    return call_by_key(ex, keys, in, keys_out, out, [&](mpi::executor& ranks, auto... arguments) {
        return upsweep::unique_by_key(ranks, arguments..., equal);
    });
}
template <class In, class Out, class Lengths, class Equal = std::equal_to<>>
std::size_t run_length_encode(mpi_executor& ex, const In& in, Out&& out, Lengths&& lengths,
                              const Equal& equal = {}) {
    call_in_parts parts(ex);
    const std::vector<std::size_t> cuts = parts.cut(std::ranges::size(in));
    const auto own = parts.part_of(in, cuts);
    const kept_part<std::ranges::range_value_t<Out>> first(parts, cuts, 5);
    const kept_part<std::ranges::range_value_t<Lengths>> results(parts, cuts, 2);
    const mpi::compaction made =
        upsweep::run_length_encode(parts.ranks(), own.span(), first.span(), results.span(), equal);
    first.give(ex, made, as_span(out));
    results.give(ex, made, as_span(lengths));
    return made.total;
}

}  // namespace upsweep::test
