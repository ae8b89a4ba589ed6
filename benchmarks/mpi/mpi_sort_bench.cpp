// Sorts, partition and extraction of bins over ranks, one thread each, of random elements, beside a copy of
// the same bytes, MPI_Alltoall of them in equal parts, and what each rank takes for its own elements alone.
//
//     mpiexec -n 2 mpi_sort_bench [ROUNDS]
//
// Bytes: 2 n a rank, of keys and values; of n elements of random places (ranks - 1) / ranks go to other
// ranks. rounds.hpp says what is printed.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "rounds.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/mpi/bins.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/partition.hpp"
#include "upsweep/mpi/sort.hpp"
#include "upsweep/predicates.hpp"

namespace {

// Of all bits, or in [0, 1).
template <class T>
std::vector<T> random_numbers(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> made(n);
    for (T& x : made) {
        if constexpr (std::is_same_v<T, float>)
            x = std::generate_canonical<float, 24>(random);
        else
            x = static_cast<T>(random());
    }
    return made;
}

// Arrays of n elements, and contenders that all calls have.
template <class T>
struct arrays {
    arrays(const upsweep::mpi::executor& ex, std::size_t n)
        : in(random_numbers<T>(n, static_cast<unsigned>(ex.rank()) + 1)), out(n) {
        const int part = static_cast<int>(n * sizeof(T)) / ex.size();
        contenders.push_back({"copy", [this] { std::memcpy(out.data(), in.data(), in.size() * sizeof(T)); }});
        contenders.push_back({"MPI_Alltoall", [this, part] {
                                  MPI_Alltoall(in.data(), part, MPI_BYTE, out.data(), part, MPI_BYTE,
                                               MPI_COMM_WORLD);
                              }});
    }

    std::vector<T> in, out;
    std::vector<ranks::contender> contenders;
};

template <class T>
void measure_sort(upsweep::mpi::executor& ex, const char* type, std::size_t n, int rounds) {
    arrays<T> all(ex, n);
    all.contenders.push_back({"sort", [&] { upsweep::sort(ex, all.in, all.out); }});
    all.contenders.push_back({"sort, alone", [&] { upsweep::sort(ex.local(), all.in, all.out); }});
    const std::vector<std::uint32_t> values = random_numbers<std::uint32_t>(n, 7);
    std::vector<std::uint32_t> values_out(n);
    all.contenders.push_back(
        {"sort_by_key, 4 bytes", [&] { upsweep::sort_by_key(ex, all.in, values, all.out, values_out); }});
    all.contenders.push_back({"sort_by_key, 4 bytes, alone", [&] {
                                  upsweep::sort_by_key(ex.local(), all.in, values, all.out, values_out);
                              }});
    ranks::measure(std::move(all.contenders), type, n, rounds);
}

void measure_choices(upsweep::mpi::executor& ex, std::size_t n, int rounds) {
    arrays<float> all(ex, n);
    const auto below = upsweep::less_than(0.5f);
    std::vector<std::uint64_t> offsets(65);
    const upsweep::bin_range<float> range{0, 1, 64};
    all.contenders.push_back({"partition_if", [&] { upsweep::partition_if(ex, all.in, all.out, below); }});
    all.contenders.push_back(
        {"partition_if, alone", [&] { upsweep::partition_if(ex.local(), all.in, all.out, below); }});
    all.contenders.push_back({"64 bins", [&] { upsweep::bins(ex, all.in, all.out, offsets, range); }});
    all.contenders.push_back(
        {"64 bins, alone", [&] { upsweep::bins(ex.local(), all.in, all.out, offsets, range); }});
    ranks::measure(std::move(all.contenders), "float", n, rounds);
}

}  // namespace

int main(int argc, char** argv) {
    return ranks::run(argc, argv, 11, [](upsweep::mpi::executor& ex, int rounds) {
        for (const std::size_t n : {std::size_t{1000}, std::size_t{10'000}, std::size_t{100'000},
                                    std::size_t{1'000'000}, std::size_t{10'000'000}}) {
            measure_sort<std::uint32_t>(ex, "uint32", n, rounds);
            measure_sort<float>(ex, "float", n, rounds);
            measure_choices(ex, n, rounds);
        }
    });
}
