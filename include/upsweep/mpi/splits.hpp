// Where sequences that are sorted on their ranks have to be cut, so that the pieces make up parts of given
// sizes of the whole in order: exactly, and with equal keys in the order of ranks.
//
// The key that belongs at each place between two parts is found from its highest bits down. In a round every
// rank counts by binary search how many of its keys are below each value of the next bits, and MPI_Allreduce
// adds the counts up. As many bits are looked at as make 4096 counts, at least one and at most six; rounds
// end when no place is undecided. Of the keys that equal the one found, of which so many belong in front of
// the place, each rank gives those that earlier ranks have left to give (MPI_Exscan).
//
// Complexity: with p places and keys of b bits, O(p b log n) work and b rounds at most, each with p counts or
// more; up to 66 ranks b / 6 rounds of 63 p counts, O(10 p b log n) work. Memory: 64 KiB or, if that is
// more, 16 bytes a place; and 64 bytes a place. Source: the probes of histogram sort, of which every rank
// counts what is below and which are then refined, in Solomonik and Kale, "Highly scalable parallel sorting",
// 2010; exact splitting in front of one exchange as in Cheng, Shah, Gilbert and Edelman, "A novel parallel
// sorting algorithm for contemporary architectures", 2007, who find pivots by medians.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/core/key_order.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/redistribute.hpp"

namespace upsweep::mpi {

class exact_splits {
  public:
    // Not collective, and what may lack memory. Results do not depend on how many counts a round has, which
    // is the same on every rank.
    explicit exact_splits(const executor& ex, std::size_t counts_of_a_round = 4096);

    // Collective. `keys` are this rank's n in order, and rank r's part of the whole is from cuts[r] to
    // cuts[r + 1].
    void find(const core::key_order& order, const void* keys, std::size_t n,
              std::span<const std::uint64_t> cuts);

    // Where this rank's keys belong, so that each part receives what it has in the order of ranks.
    [[nodiscard]] std::span<const stretch> own() const { return own_; }

  private:
    // A place between parts: the keys that may belong there begin with `prefix`.
    struct undecided {
        std::uint64_t place;
        std::uint64_t prefix;
        std::uint64_t below;       // keys of all ranks that go before those
        std::uint64_t first, end;  // this rank's keys that begin so
    };
    template <class WordAt>
    void narrow(const WordAt& word_at, int bits);
    void cut_equal_ones(std::span<const std::uint64_t> cuts, std::size_t n);

    const executor& ex_;
    std::size_t counts_of_a_round_;
    std::vector<undecided> places_;
    std::vector<std::uint64_t> counts_, sums_, splits_;
    std::vector<stretch> own_;
};

}  // namespace upsweep::mpi
