#include "upsweep/mpi/counts.hpp"

#include <algorithm>

namespace upsweep::mpi {
namespace {

constexpr std::size_t most_words =
    message_limit / sizeof(std::uint64_t);  // of one call, whose count is an int

// call(first, count) for pieces of so many words.
template <class Call>
void in_pieces(std::size_t count, const Call& call) {
    for (std::size_t i = 0; i < count; i += most_words)
        call(i, static_cast<int>(std::min(most_words, count - i)));
}

}  // namespace

void sum_over_ranks(const executor& ex, std::uint64_t* words, std::size_t count) {
    in_pieces(count, [&](std::size_t first, int part) {
        check_call(MPI_Allreduce(MPI_IN_PLACE, words + first, part, MPI_UINT64_T, MPI_SUM, ex.communicator()),
                   "MPI_Allreduce");
    });
}

void sum_over_earlier_ranks(const executor& ex, std::uint64_t* words, std::size_t count) {
    in_pieces(count, [&](std::size_t first, int part) {
        check_call(MPI_Exscan(MPI_IN_PLACE, words + first, part, MPI_UINT64_T, MPI_SUM, ex.communicator()),
                   "MPI_Exscan");
    });
    if (ex.rank() == 0) std::fill_n(words, count, 0);  // where MPI leaves them as they are
}

}  // namespace upsweep::mpi
