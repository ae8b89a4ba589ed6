// A running total over several ranks, each of which has another number of elements:
//
//     mpiexec -n 3 running_total
//
// The bits are those of one scan of everything, which rank 0 checks.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <upsweep/mpi/mpi.hpp>
#include <upsweep/upsweep.hpp>
#include <vector>

namespace {

float deposit(std::size_t i) { return 0.1f * static_cast<float>(i % 7); }

// The results of all ranks, on rank 0.
std::vector<float> gathered(const std::vector<float>& own, int rank, int ranks) {
    const int count = static_cast<int>(own.size());
    std::vector<int> counts(static_cast<std::size_t>(ranks)), offsets(counts.size() + 1);
    MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (std::size_t k = 0; k < counts.size(); ++k) offsets[k + 1] = offsets[k] + counts[k];
    std::vector<float> all(rank == 0 ? static_cast<std::size_t>(offsets.back()) : 0);
    MPI_Gatherv(own.data(), count, MPI_FLOAT, all.data(), counts.data(), offsets.data(), MPI_FLOAT, 0,
                MPI_COMM_WORLD);
    return all;
}

// 0 if all is as it should be.
int run() {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    // Rank k has 10,000 k + 5,001 elements, those that follow rank k - 1's.
    const auto k = static_cast<std::size_t>(rank);
    const std::size_t first = 5000 * k * k + k;
    std::vector<float> deposits(10000 * k + 5001), balance(deposits.size());
    for (std::size_t i = 0; i < deposits.size(); ++i) deposits[i] = deposit(first + i);

    upsweep::cpu::executor threads(1);  // of this rank
    upsweep::mpi::executor executor(MPI_COMM_WORLD, threads);
    float total = 0;
    upsweep::inclusive_scan(executor, deposits, balance, upsweep::plus{}, {.total = &total});

    const std::vector<float> all = gathered(balance, rank, ranks);
    if (rank != 0) return 0;
    std::vector<float> whole(all.size()), expected(all.size());
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = deposit(i);
    upsweep::inclusive_scan(threads, whole, expected);
    const bool same = std::memcmp(all.data(), expected.data(), all.size() * sizeof(float)) == 0;
    std::printf("%d ranks, %zu elements, total %.1f: %s\n", ranks, all.size(), static_cast<double>(total),
                same && total == expected.back() ? "the bits of one scan" : "other bits");
    return same && total == expected.back() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    const int failed = run();  // the executor is gone when it returns
    MPI_Finalize();
    return failed;
}
