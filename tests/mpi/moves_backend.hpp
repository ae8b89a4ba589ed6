// Partition, bins and sorts between ranks, so that the tests of the CPU's run there unchanged: included in
// front of a test's source, behind mpi/backend.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "mpi/backend.hpp"
#include "support/guarded.hpp"
#include "upsweep/bins.hpp"
#include "upsweep/mpi/bins.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/partition.hpp"
#include "upsweep/mpi/sort.hpp"
#include "upsweep/partition.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {

// A call in which the ranks have parts of arrays that all of them have as wholes. Every third one sends
// messages of a few elements.
class call_in_parts {
  public:
    explicit call_in_parts(mpi_executor& ex) : ex_(ex), turn_(ex.turn()) {
        ranks().send_at_most(turn_ % 3 == 0 ? 3001 : mpi::message_limit);
    }
    [[nodiscard]] mpi::executor& ranks() const { return ex_.ranks(); }
    [[nodiscard]] std::size_t rank() const { return static_cast<std::size_t>(ex_.ranks().rank()); }
    std::vector<std::size_t> cut(std::size_t n) { return ex_.next_cuts(n); }

    // In memory of its own, misaligned and guarded.
    template <class T>
    class part {
      public:
        part(const call_in_parts& call, const T* all, const std::vector<std::size_t>& cuts, unsigned offset)
            : call_(call), cuts_(cuts), first_(cuts[call.rank()]) {
            memory_.reset(cuts[call.rank() + 1] - first_, (call.turn_ + call.rank() + offset) % 8);
            std::copy_n(all + first_, memory_.size(), memory_.data());
        }
        [[nodiscard]] std::span<T> span() const { return memory_.span(); }
        // To all ranks, which then have the whole.
        void give(T* all) const {
            EXPECT_TRUE(memory_.sentinels_intact()) << "wrote outside the arrays";
            call_.ex_.gather(memory_.data(), all, sizeof(T), cuts_);
        }

      private:
        const call_in_parts& call_;
        const std::vector<std::size_t>& cuts_;
        std::size_t first_;
        guarded<T> memory_;
    };
    template <class R>
    auto part_of(const R& all, const std::vector<std::size_t>& cuts, unsigned offset = 0) const {
        return part<std::ranges::range_value_t<R>>(*this, std::ranges::data(all), cuts, offset);
    }

  private:
    mpi_executor& ex_;
    unsigned turn_;
};

// The CPU's functions stay visible beside these.
using upsweep::bin_indices;
using upsweep::bin_indices_by;
using upsweep::bins;
using upsweep::bins_by;
using upsweep::partition;
using upsweep::partition_if;
using upsweep::partition_indices;
using upsweep::partition_indices_if;
using upsweep::sort;
using upsweep::sort_by;
using upsweep::sort_by_key;
using upsweep::sort_indices;

// body(ranks, part of a, part of out), with `out` cut as `a` is.
template <class A, class Out, class Body>
auto with_parts(mpi_executor& ex, const A& a, Out& out, const Body& body) {
    call_in_parts call(ex);
    const std::vector<std::size_t> cuts = call.cut(std::ranges::size(a));
    const auto own = call.part_of(a, cuts);
    const auto result = call.part_of(out, cuts, 5);
    const auto made = body(call.ranks(), own.span(), result.span());
    result.give(std::ranges::data(out));
    if constexpr (requires { made.front; }) {
        const std::size_t end = std::min<std::uint64_t>(made.chosen, cuts[call.rank() + 1]);
        EXPECT_EQ(made.front, end - std::min(end, cuts[call.rank()]));
    }
    return made;
}
template <class Flags, class In, class Out>
std::size_t partition(mpi_executor& ex, const Flags& flags, const In& in, Out&& out) {
    call_in_parts call(ex);
    const std::vector<std::size_t> cuts = call.cut(std::ranges::size(in));
    const auto own = call.part_of(in, cuts);
    const auto own_flags = call.part_of(flags, cuts, 3);
    const auto result = call.part_of(out, cuts, 5);
    const auto made = upsweep::partition(call.ranks(), own_flags.span(), own.span(), result.span());
    result.give(std::ranges::data(out));
    return made.chosen;
}
template <class In, class Out, class Keep>
std::size_t partition_if(mpi_executor& ex, const In& in, Out&& out, const Keep& keep) {
    return with_parts(ex, in, out,
                      [&](mpi::executor& ranks, auto own, auto result) {
                          return upsweep::partition_if(ranks, own, result, keep);
                      })
        .chosen;
}
template <class Flags, class Out>
std::size_t partition_indices(mpi_executor& ex, const Flags& flags, Out&& out) {
    return with_parts(ex, flags, out,
                      [&](mpi::executor& ranks, auto own, auto result) {
                          return upsweep::partition_indices(ranks, own, result);
                      })
        .chosen;
}
template <class In, class Out, class Keep>
std::size_t partition_indices_if(mpi_executor& ex, const In& in, Out&& out, const Keep& keep) {
    return with_parts(ex, in, out,
                      [&](mpi::executor& ranks, auto own, auto result) {
                          return upsweep::partition_indices_if(ranks, own, result, keep);
                      })
        .chosen;
}

// body(ranks, part of in, part of out); out is of another size and cut otherwise.
template <class In, class Out, class Body>
std::size_t with_bins(mpi_executor& ex, const In& in, Out& out, const Body& body) {
    call_in_parts call(ex);
    const std::vector<std::size_t> cuts = call.cut(std::ranges::size(in));
    const std::vector<std::size_t> out_cuts = call.cut(std::ranges::size(out));
    const auto own = call.part_of(in, cuts);
    const auto result = call.part_of(out, out_cuts, 5);
    const mpi::extraction made = body(call.ranks(), own.span(), result.span());
    result.give(std::ranges::data(out));
    EXPECT_EQ(made.first, out_cuts[call.rank()]);
    const std::uint64_t end = std::min<std::uint64_t>(made.total, out_cuts[call.rank() + 1]);
    EXPECT_EQ(made.written, end - std::min(end, made.first));
    return made.total;
}
template <class In, class Out, class Offsets>
std::size_t bins(mpi_executor& ex, const In& in, Out&& out, Offsets&& offsets,
                 const bin_range<binned_type<In>>& by) {
    return with_bins(ex, in, out, [&](mpi::executor& ranks, auto own, auto result) {
        return upsweep::bins(ranks, own, result, offsets, by);
    });
}
template <class In, class Out, class Offsets>
std::size_t bins(mpi_executor& ex, const In& in, Out&& out, Offsets&& offsets,
                 const bin_edges<binned_type<In>>& by) {
    return with_bins(ex, in, out, [&](mpi::executor& ranks, auto own, auto result) {
        return upsweep::bins(ranks, own, result, offsets, by);
    });
}
template <class In, class Out, class Offsets>
std::size_t bin_indices(mpi_executor& ex, const In& in, Out&& out, Offsets&& offsets,
                        const bin_range<binned_type<In>>& by) {
    return with_bins(ex, in, out, [&](mpi::executor& ranks, auto own, auto result) {
        return upsweep::bin_indices(ranks, own, result, offsets, by);
    });
}
template <class In, class Out, class Offsets>
std::size_t bin_indices(mpi_executor& ex, const In& in, Out&& out, Offsets&& offsets,
                        const bin_edges<binned_type<In>>& by) {
    return with_bins(ex, in, out, [&](mpi::executor& ranks, auto own, auto result) {
        return upsweep::bin_indices(ranks, own, result, offsets, by);
    });
}
template <class In, class Out, class Offsets, class F>
std::size_t bins_by(mpi_executor& ex, const In& in, Out&& out, Offsets&& offsets, const F& f) {
    return with_bins(ex, in, out, [&](mpi::executor& ranks, auto own, auto result) {
        return upsweep::bins_by(ranks, own, result, offsets, f);
    });
}
template <class In, class Out, class Offsets, class F>
std::size_t bin_indices_by(mpi_executor& ex, const In& in, Out&& out, Offsets&& offsets, const F& f) {
    return with_bins(ex, in, out, [&](mpi::executor& ranks, auto own, auto result) {
        return upsweep::bin_indices_by(ranks, own, result, offsets, f);
    });
}

// Whether a call is in place.
template <class In, class Out>
bool is_same(const In& in, const Out& out) {
    return static_cast<const void*>(std::ranges::data(in)) == std::ranges::data(out);
}
template <class In, class Out>
void sort(mpi_executor& ex, const In& in, Out&& out, const sort_options& options = {}) {
    with_parts(ex, in, out, [&](mpi::executor& ranks, auto own, auto result) {
        if (is_same(in, out))
            upsweep::sort(ranks, result, result, options);
        else
            upsweep::sort(ranks, own, result, options);
        return 0;
    });
}
template <class In, class Out>
void sort_indices(mpi_executor& ex, const In& in, Out&& out, const sort_options& options = {}) {
    with_parts(ex, in, out, [&](mpi::executor& ranks, auto own, auto result) {
        upsweep::sort_indices(ranks, own, result, options);
        return 0;
    });
}
template <class In, class Out, class F>
void sort_by(mpi_executor& ex, const In& in, Out&& out, const F& key, const sort_options& options = {}) {
    with_parts(ex, in, out, [&](mpi::executor& ranks, auto own, auto result) {
        if (is_same(in, out))
            upsweep::sort_by(ranks, result, result, key, options);
        else
            upsweep::sort_by(ranks, own, result, key, options);
        return 0;
    });
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
void sort_by_key(mpi_executor& ex, const Keys& keys, const Values& values, KeysOut&& keys_out,
                 ValuesOut&& values_out, const sort_options& options = {}) {
    call_in_parts call(ex);
    const std::vector<std::size_t> cuts = call.cut(std::ranges::size(keys));
    const auto own_keys = call.part_of(keys, cuts);
    const auto own_values = call.part_of(values, cuts, 3);
    const auto to = call.part_of(keys_out, cuts, 5);
    const auto out = call.part_of(values_out, cuts, 7);
    if (is_same(keys, keys_out))
        upsweep::sort_by_key(call.ranks(), to.span(), out.span(), to.span(), out.span(), options);
    else
        upsweep::sort_by_key(call.ranks(), own_keys.span(), own_values.span(), to.span(), out.span(),
                             options);
    to.give(std::ranges::data(keys_out));
    out.give(std::ranges::data(values_out));
}

}  // namespace upsweep::test
