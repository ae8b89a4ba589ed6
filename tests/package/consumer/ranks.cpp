// A scan over ranks from the installed package alone; without mpiexec there is one.
#include <mpi.h>

#include <cstdio>
#include <upsweep/mpi/mpi.hpp>
#include <upsweep/upsweep.hpp>
#include <vector>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    bool right = false;
    {
        upsweep::cpu::executor threads(1);
        upsweep::mpi::executor ranks(MPI_COMM_WORLD, threads);
        std::vector<int> sums(5);
        upsweep::inclusive_scan(ranks, std::vector<int>{3, 1, 4, 1, 5}, sums);
        right = ranks.size() != 1 || sums == std::vector<int>{3, 4, 8, 9, 14};
        std::printf("%s, %d ranks: %s\n", upsweep::mpi::library_version().c_str(), ranks.size(),
                    right ? "right" : "wrong");
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
