// Ranks of MPI under test: an executor for sequences that every rank has as a whole, so that the tests of the
// CPU's scans run between ranks unchanged. Included in front of a test's source, it takes the place of the
// CPU's back ends:
//
//     #include "mpi/backend.hpp"
//
//     #include "float_scan_test.cpp"
//
// Every rank runs the same tests in the same order. In each call a rank takes a part of the sequence into
// memory of its own, misaligned and guarded, scans it together with the others, and gets their results; then
// all compare everything. From call to call the parts change: even ones, odd ones, some or all but one empty,
// cut next to a boundary of the tree.
#pragma once

#define UPSWEEP_TEST_MPI 1

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include "support/cuts.hpp"
#include "support/guarded.hpp"
#include "support/scan_calls.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/scan.hpp"
#include "upsweep/options.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {

// The library's functions stay visible beside those of support/scan_calls.hpp.
using upsweep::exclusive_scan;
using upsweep::inclusive_scan;
using upsweep::transform_exclusive_scan;
using upsweep::transform_inclusive_scan;

// Scans what all ranks have, each its part of it.
class mpi_executor {
  public:
    static constexpr bool scans_host_memory = true;

    explicit mpi_executor(std::unique_ptr<cpu::executor> local)
        : local_(std::move(local)), ranks_(MPI_COMM_WORLD, *local_) {}

    [[nodiscard]] mpi::executor& ranks() { return ranks_; }
    [[nodiscard]] const cpu::executor& local() const { return *local_; }

    // Where parts of n elements begin and end in this call; another time they are others.
    std::vector<std::size_t> next_cuts(std::size_t n) { return cut_among(ranks_.size(), n, turn_++); }
    [[nodiscard]] unsigned turn() const { return turn_; }
    // all[cuts[r] ...] = own of rank r, everywhere.
    void gather(const void* own, void* all, std::size_t element_bytes,
                const std::vector<std::size_t>& cuts) const;

    // call(ranks, part of in, part of out, its first element) on every rank; all get the whole of out.
    template <class In, class Out, class Call>
    void in_parts(const In* in, std::size_t n, Out* out, const Call& call) {
        const bool in_place = static_cast<const void*>(in) == out;
        const unsigned turn = turn_;
        const std::vector<std::size_t> cuts = next_cuts(n);
        const auto rank = static_cast<std::size_t>(ranks_.rank());
        const std::size_t first = cuts[rank];
        const std::size_t count = cuts[rank + 1] - first;

        guarded<In> own_in(count, (turn + rank) % 8);
        guarded<Out> own_out(count, (turn / 3 + 5 * rank) % 8);
        std::copy_n(in + first, count, own_in.data());
        std::span<Out> result = own_out.span();
        if constexpr (std::is_same_v<In, Out>) {
            if (in_place) result = own_in.span();
        }
        call(ranks_, own_in.span(), result, first);
        EXPECT_TRUE(own_in.sentinels_intact() && own_out.sentinels_intact()) << "wrote outside the arrays";
        gather(result.data(), out, sizeof(Out), cuts);
    }
    template <class Acc, class In, class Out, class Op, class Function>
    void scan(const In* in, std::size_t n, Out* out, bool exclusive, const Op& op, const Function& f,
              const scan_options<Acc>& options) {
        in_parts(in, n, out,
                 [&](mpi::executor& ranks, std::span<const In> own, std::span<Out> result, std::size_t) {
                     if constexpr (std::is_same_v<Function, std::identity>) {
                         if (exclusive)
                             upsweep::exclusive_scan<Acc>(ranks, own, result, op, options);
                         else
                             upsweep::inclusive_scan<Acc>(ranks, own, result, op, options);
                     } else {
                         if (exclusive)
                             upsweep::transform_exclusive_scan<Acc>(ranks, own, result, op, f, options);
                         else
                             upsweep::transform_inclusive_scan<Acc>(ranks, own, result, op, f, options);
                     }
                 });
    }

  private:
    std::unique_ptr<cpu::executor> local_;
    mpi::executor ranks_;
    unsigned turn_ = 0;
};

// Ranks with one kind of CPU executor each.
struct mpi_backend {
    std::string name;  // "3 ranks, avx2, 1 thread each"
    std::unique_ptr<mpi_executor> executor;
    cpu::simd_level level;
    std::size_t threads;  // of a rank

    [[nodiscard]] bool is_what_it_claims() const {
        return executor->local().simd() == level && executor->local().threads() == threads;
    }
};

// One thread and three at the best level, and the portable level; of more than two ranks, the first alone.
const std::vector<mpi_backend>& mpi_backends();
// Frees their communicators, which is due before MPI_Finalize.
void release_mpi_backends();

}  // namespace upsweep::test
