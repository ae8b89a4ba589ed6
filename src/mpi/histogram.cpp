#include "upsweep/mpi/histogram.hpp"

#include <algorithm>

namespace upsweep::mpi {

void sum_over_ranks(const executor& ex, std::uint64_t* words, std::size_t count) {
    constexpr std::size_t most = message_limit / sizeof(std::uint64_t);  // of one call, whose count is an int
    for (std::size_t i = 0; i < count; i += most) {
        check_call(MPI_Allreduce(MPI_IN_PLACE, words + i, static_cast<int>(std::min(most, count - i)),
                                 MPI_UINT64_T, MPI_SUM, ex.communicator()),
                   "MPI_Allreduce");
    }
}

}  // namespace upsweep::mpi
