// Inclusive sums over ranks, one thread each, beside a copy of the same bytes and the usual way: a local
// scan, MPI_Exscan of the totals, and a pass that adds what came. The usual way is there twice, with a plain
// loop and with Upsweep's scan as the local one; its bits of floats depend on the number of ranks. Sums and
// totals by key, and lengths, of runs of 100 elements are beside those of a rank alone.
//
//     mpiexec -n 2 mpi_scan_bench [ROUNDS]
//
// Bytes: 2 n sizeof(T) a rank. rounds.hpp says what is printed.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "peers.hpp"
#include "rounds.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/scan.hpp"
#include "upsweep/mpi/segmented_reduce.hpp"
#include "upsweep/mpi/segmented_scan.hpp"
#include "upsweep/mpi/unique.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/segmented_scan.hpp"
#include "upsweep/unique.hpp"

namespace {

template <class T>
MPI_Datatype type_of() {
    return std::is_same_v<T, float> ? MPI_FLOAT : MPI_INT32_T;
}

template <class T>
void measure(upsweep::mpi::executor& ex, const char* type, std::size_t n, int rounds) {
    std::vector<T> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i % 7);
    std::vector<std::int32_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(i / 100);
    upsweep::cpu::executor& local = ex.local();
    const auto add_what_came = [&](T total) {
        T before{};
        MPI_Exscan(&total, &before, 1, type_of<T>(), MPI_SUM, MPI_COMM_WORLD);
        if (ex.rank() != 0) peers::add_to_all(y.data(), n, before);
    };
    std::vector<ranks::contender> all;
    all.push_back({"copy", [&] { std::memcpy(y.data(), x.data(), n * sizeof(T)); }});
    all.push_back({"Upsweep", [&] { upsweep::inclusive_scan(ex, x, y); }});
    all.push_back({"Upsweep, by key", [&] { upsweep::inclusive_scan_by_key(ex, keys, x, y); }});
    all.push_back({"local Upsweep, by key", [&] { upsweep::inclusive_scan_by_key(local, keys, x, y); }});
    std::vector<std::int32_t> keys_out(n), lengths(n);
    all.push_back({"Upsweep, totals by key", [&] { upsweep::reduce_by_key(ex, keys, x, keys_out, y); }});
    all.push_back(
        {"local Upsweep, totals by key", [&] { upsweep::reduce_by_key(local, keys, x, keys_out, y); }});
    all.push_back({"Upsweep, run lengths", [&] { upsweep::run_length_encode(ex, keys, keys_out, lengths); }});
    all.push_back(
        {"local Upsweep, run lengths", [&] { upsweep::run_length_encode(local, keys, keys_out, lengths); }});
    all.push_back(
        {"plain loop, Exscan, add", [&] { add_what_came(peers::running_sum(x.data(), y.data(), n)); }});
    all.push_back({"local Upsweep, Exscan, add", [&] {
                       upsweep::inclusive_scan(local, x, y);
                       add_what_came(y.back());
                   }});
    ranks::measure(std::move(all), type, n, rounds);
}

}  // namespace

int main(int argc, char** argv) {
    return ranks::run(argc, argv, 21, [](upsweep::mpi::executor& ex, int rounds) {
        for (const std::size_t n :
             {std::size_t{1000}, std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000},
              std::size_t{10'000'000}, std::size_t{50'000'000}}) {
            measure<float>(ex, "float", n, rounds);
            measure<std::int32_t>(ex, "int32", n, rounds);
        }
    });
}
