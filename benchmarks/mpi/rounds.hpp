// How calls over ranks are measured: in a round every contender runs once, or often enough to take a
// millisecond, and the slowest rank counts. Reported is the fastest round, in nanoseconds per element of a
// rank, and beside it the median over rounds of how many times as long as the first contender that took.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "upsweep/cpu/executor.hpp"
#include "upsweep/mpi/executor.hpp"

namespace ranks {

struct contender {
    std::string name;
    std::function<void()> run;
    std::vector<double> seconds{};
};

inline double slowest_rank(const std::function<void()>& run, int repetitions) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < repetitions; ++i) run();
    double taken = (MPI_Wtime() - begin) / repetitions;
    MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return taken;
}

// The first contender is a copy. Collective; rank 0 prints.
inline void measure(std::vector<contender> all, const char* type, std::size_t n, int rounds) {
    const double copy_takes = slowest_rank(all[0].run, 3);
    const int repetitions = std::clamp(static_cast<int>(1e-3 / std::max(copy_takes, 1e-7)), 1, 200);
    for (int round = 0; round <= rounds; ++round) {
        for (contender& one : all) {
            const double taken = slowest_rank(one.run, repetitions);
            if (round != 0) one.seconds.push_back(taken);  // the first one touches memory
        }
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) return;
    const std::vector<double>& copies = all[0].seconds;
    for (const contender& one : all) {
        std::vector<double> times(copies.size());
        std::transform(one.seconds.begin(), one.seconds.end(), copies.begin(), times.begin(),
                       std::divides<>());
        std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                         times.end());
        const double fastest = *std::min_element(one.seconds.begin(), one.seconds.end());
        std::printf("%-8s %10zu  %-28s %9.4f ns %7.2f\n", type, n, one.name.c_str(),
                    1e9 * fastest / static_cast<double>(n), times[times.size() / 2]);
    }
}

// A program of so many rounds unless its first argument says how many: body(executor, rounds), with one
// thread a rank.
template <class Body>
int run(int argc, char** argv, int usual_rounds, const Body& body) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : usual_rounds;
    {
        upsweep::cpu::executor local(1);
        upsweep::mpi::executor ex(MPI_COMM_WORLD, local);
        if (ex.rank() == 0)
            std::printf(
                "%s, %d ranks, %d rounds; type, elements a rank, contender, time per element, times the "
                "copy\n",
                upsweep::mpi::library_version().c_str(), ex.size(), rounds);
        body(ex, rounds);
    }
    MPI_Finalize();
    return 0;
}

}  // namespace ranks
