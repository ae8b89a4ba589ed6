// What ranks find out about one another before a collective call does anything: where the elements of each
// stand in the whole, and whether all of them mean the same call and have arguments for it.
//
// A rank that refuses its arguments says so here rather than throw alone, because the others would wait for
// it forever. Two small collectives, MPI_Exscan and MPI_Allreduce; two more, if anybody refuses, bring
// everyone its words. Calls without an order among ranks agree once more at their end, on what each has
// found.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "upsweep/mpi/executor.hpp"

namespace upsweep::mpi {

// One rank's call.
struct proposal {
    std::uint64_t count;      // elements
    std::uint64_t operation;  // names function and types, as operation_of() does; equal on every rank
    bool reverse = false;
    bool has_initial = false;
    bool wants_total = false;
    std::exception_ptr refusal{};  // what is wrong with the arguments, if anything is
};

struct agreement {
    std::uint64_t count;  // elements of all ranks
    std::uint64_t first;  // those that come before this rank's; reversed: those of later ranks
    bool wants_total;     // anybody
    // Ranks take positions in scan order, backwards if reversed. The last one that has elements is at `last`;
    // who is behind it has nothing to do.
    int position;
    int last;
    bool reverse;
    int size;

    [[nodiscard]] int rank_at(int place) const { return reverse ? size - 1 - place : place; }
};

// Collective. If any rank refused, or the proposals differ, every rank throws: one that refused its own
// refusal, the others an upsweep::error that names the lowest of those that did.
[[nodiscard]] agreement agree(const executor& ex, const proposal& own);

// What a check of arguments throws, instead of throwing it.
template <class Check>
[[nodiscard]] std::exception_ptr refusal_of(const Check& check) {
    try {
        check();
        return nullptr;
    } catch (...) {
        return std::current_exception();
    }
}

// Functions of the library, as far as ranks must call the same one.
enum class collective : std::uint8_t {
    inclusive_scan = 1,
    exclusive_scan,
    histogram,
    compact,
    recurrence,
    inclusive_segments,
    exclusive_segments,
    partition,
    bins,
    sort,
    redistribution,
    segment_totals,
    runs,
    reduce,
    top_k,
    bin_totals
};

// Two calls with equal words exchange messages of equal sizes in the same order. `detail`, below 2^56, is the
// size of an accumulator or the number of bins.
constexpr std::uint64_t operation_of(collective called, std::uint64_t detail) {
    return static_cast<std::uint64_t>(called) << 56 | detail;
}

}  // namespace upsweep::mpi
