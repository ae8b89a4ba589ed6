// Inclusive sums over ranks, one thread each, beside a copy of the same bytes and the usual way: a local
// scan, MPI_Exscan of the totals, and a pass that adds what came. The usual way is there twice, with a plain
// loop and with Upsweep's scan as the local one; its bits of floats depend on the number of ranks. Sums by
// key, of runs of 100 elements, are beside those of a rank alone.
//
//     mpiexec -n 2 mpi_scan_bench [ROUNDS]
//
// Bytes: 2 n sizeof(T) a rank. In a round every contender runs once, or often enough to take a millisecond,
// and the slowest rank counts. Printed is the median over rounds, in nanoseconds per element of a rank, and
// beside it how many times as long as the copy that is.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "peers.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/scan.hpp"
#include "upsweep/mpi/segmented_scan.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented_scan.hpp"

namespace {

template <class T>
MPI_Datatype type_of() {
    return std::is_same_v<T, float> ? MPI_FLOAT : MPI_INT32_T;
}

struct contender {
    std::string name;
    std::function<void()> run;
    std::vector<double> seconds{};
};

double slowest_rank(const std::function<void()>& run, int repetitions) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < repetitions; ++i) run();
    double taken = (MPI_Wtime() - begin) / repetitions;
    MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return taken;
}

template <class T>
void measure(upsweep::mpi::executor& ranks, const char* type, std::size_t n, int rounds) {
    std::vector<T> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i % 7);
    std::vector<std::int32_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(i / 100);
    upsweep::cpu::executor& local = ranks.local();
    const auto add_what_came = [&](T total) {
        T before{};
        MPI_Exscan(&total, &before, 1, type_of<T>(), MPI_SUM, MPI_COMM_WORLD);
        if (ranks.rank() != 0) peers::add_to_all(y.data(), n, before);
    };
    std::vector<contender> all;
    all.push_back({"copy", [&] { std::memcpy(y.data(), x.data(), n * sizeof(T)); }});
    all.push_back({"Upsweep", [&] { upsweep::inclusive_scan(ranks, x, y); }});
    all.push_back({"Upsweep, by key", [&] { upsweep::inclusive_scan_by_key(ranks, keys, x, y); }});
    all.push_back({"local Upsweep, by key", [&] { upsweep::inclusive_scan_by_key(local, keys, x, y); }});
    all.push_back(
        {"plain loop, Exscan, add", [&] { add_what_came(peers::running_sum(x.data(), y.data(), n)); }});
    all.push_back({"local Upsweep, Exscan, add", [&] {
                       upsweep::inclusive_scan(local, x, y);
                       add_what_came(y.back());
                   }});
    const double copy_takes = slowest_rank(all[0].run, 3);
    const int repetitions = std::clamp(static_cast<int>(1e-3 / std::max(copy_takes, 1e-7)), 1, 200);
    for (int round = 0; round <= rounds; ++round) {
        for (contender& one : all) {
            const double taken = slowest_rank(one.run, repetitions);
            if (round != 0) one.seconds.push_back(taken);  // the first one touches memory
        }
    }
    if (ranks.rank() != 0) return;
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

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 21;
    {
        upsweep::cpu::executor local(1);
        upsweep::mpi::executor ranks(MPI_COMM_WORLD, local);
        if (ranks.rank() == 0)
            std::printf(
                "%s, %d ranks, %d rounds; type, elements a rank, contender, time per element, times the "
                "copy\n",
                upsweep::mpi::library_version().c_str(), ranks.size(), rounds);
        for (const std::size_t n :
             {std::size_t{1000}, std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000},
              std::size_t{10'000'000}, std::size_t{50'000'000}}) {
            measure<float>(ranks, "float", n, rounds);
            measure<std::int32_t>(ranks, "int32", n, rounds);
        }
    }
    MPI_Finalize();
    return 0;
}
