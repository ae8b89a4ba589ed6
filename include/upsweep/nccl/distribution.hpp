// How the elements of a sequence are distributed over the ranks of a communicator.
//
// A scan has to know how many elements are before a rank's own. Whoever knows that for many calls makes one
// of these once, and passes it with each; a call without one finds it out by itself, for which the host
// waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/nccl/executor.hpp"

namespace upsweep::nccl {

class distribution {
  public:
    // Rank r has counts[r] elements, as every rank says.
    explicit distribution(std::span<const std::uint64_t> counts);
    // Collective: this rank has `own` elements. The host waits for the stream.
    distribution(const executor& ex, std::uint64_t own);

    [[nodiscard]] int size() const { return static_cast<int>(ends_.size()); }
    // Elements of a rank, of all ranks before it, and of all.
    [[nodiscard]] std::uint64_t count(int rank) const { return end(rank) - first(rank); }
    [[nodiscard]] std::uint64_t first(int rank) const { return rank == 0 ? 0 : end(rank - 1); }
    // Of the rank that has most.
    [[nodiscard]] std::uint64_t most() const;
    [[nodiscard]] std::uint64_t total() const { return ends_.empty() ? 0 : ends_.back(); }

  private:
    [[nodiscard]] std::uint64_t end(int rank) const { return ends_[static_cast<std::size_t>(rank)]; }

    std::vector<std::uint64_t> ends_;
};

// Where a rank stands in scan order, among those that have elements.
struct place {
    std::uint64_t first;  // elements before its own
    int previous;         // the nearest rank before it that has elements; -1: none has
    bool is_last;         // nobody behind has elements
    int last;             // the last rank in scan order that has elements; -1: nobody has any
    bool is_shared;       // several ranks have elements

    [[nodiscard]] bool is_first() const { return previous < 0; }
};
[[nodiscard]] place place_of(const distribution& elements, int rank, bool reverse);

}  // namespace upsweep::nccl
