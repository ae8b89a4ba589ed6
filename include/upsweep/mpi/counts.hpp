// Arrays of counts that the ranks add up. Collective; in pieces that the int counts of MPI reach.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/mpi/executor.hpp"

namespace upsweep::mpi {

// words[k] = the sum over ranks of words[k], on every rank.
void sum_over_ranks(const executor& ex, std::uint64_t* words, std::size_t count);

// words[k] = the sum over earlier ranks of words[k]; 0 on the first.
void sum_over_earlier_ranks(const executor& ex, std::uint64_t* words, std::size_t count);

}  // namespace upsweep::mpi
