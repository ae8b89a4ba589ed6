// Moves elements of all ranks to where they belong: partition, extraction of bins and sorting say where.
//
// The result is a sequence with places 0, 1, 2, ..., of which every rank holds some, behind those of earlier
// ranks. A rank has elements one after the other in its memory and says in stretches where they belong:
// stretch {first, count} has `count` of them for the places first, first + 1, ... Places ascend from stretch
// to stretch, so that what one rank has for another is one piece of its memory.
//
// plan() tells every rank what it will get: MPI_Alltoall of three words, and 16 bytes for each stretch.
// move() sends the elements in rounds k = 1, 2, ..., in which a rank sends to the one that is k behind it and
// receives from the one that is k before it; a round in which it has nothing for the one and gets nothing
// from the other costs nothing. Stretches of `long_stretch` elements or more go straight to their places,
// shorter ones together through a buffer. Both are cut into messages of ex.most_sent() bytes.
//
// Memory: 16 bytes for each stretch that is sent or received, a buffer for the short ones that one rank
// sends, and 80 bytes a rank. Counts are of 64 bits. Source: the pairwise exchange of Thakur, Rabenseifner
// and Gropp, "Optimization of collective communication operations in MPICH", 2005.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/scratch.hpp"

namespace upsweep::mpi {

struct stretch {
    std::uint64_t first;  // place
    std::uint64_t count;
};
inline constexpr std::uint64_t long_stretch = 4096;  // elements

class redistribution {
  public:
    // Not collective, and what may lack memory before anything is sent. `ex` must outlive it.
    explicit redistribution(const executor& ex);

    // Collective: this rank holds so many places.
    void cut(std::uint64_t places);
    // Rank r holds the places from cuts()[r] to cuts()[r + 1].
    [[nodiscard]] std::span<const std::uint64_t> cuts() const { return cuts_; }
    [[nodiscard]] std::uint64_t first() const { return cuts_[rank_]; }

    // Collective, after cut(): where this rank's elements belong, of which none is larger than so many bytes.
    // What belongs to places that nobody holds is left out. If a rank has no memory for it, all throw.
    void plan(std::span<const stretch> own, std::size_t largest_element);

    // Collective, as often as there are arrays to move: `from` has the elements as plan() was told, `to` the
    // places of this rank. They do not overlap. Throws what MPI reports, and nothing else.
    void move(const void* from, void* to, std::size_t element_bytes) const;

    // What comes from a rank, this one included, in the order of places.
    [[nodiscard]] std::span<const stretch> from_rank(std::size_t rank) const;

  private:
    class stream;
    struct told {  // to another rank
        std::uint64_t stretches, short_elements, most_sent;
    };

    void split(std::span<const stretch> own);
    void exchange(std::size_t to, stream sent, std::size_t from, stream received) const;
    // body(to, from) of all rounds.
    template <class Body>
    void in_rounds(const Body& body) const;

    const executor& ex_;
    std::size_t size_, rank_;
    std::vector<std::uint64_t> cuts_;
    std::vector<told> to_, from_;                           // of each rank
    std::vector<std::uint64_t> elements_before_;            // of this rank's that go to earlier ranks
    std::vector<std::size_t> first_sent_, first_received_;  // of each rank's stretches
    std::vector<stretch> sent_, received_;
    memory_block buffer_;
};

}  // namespace upsweep::mpi
