// Runs the tests on every rank of MPI_COMM_WORLD. Rank 0 reports as usual; of the others one hears only what
// fails.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "mpi/backend.hpp"
#include "upsweep/mpi/executor.hpp"

namespace {

class failures_of_a_rank : public ::testing::EmptyTestEventListener {
  public:
    explicit failures_of_a_rank(int rank) : rank_(rank) {}

  private:
    void OnTestPartResult(const ::testing::TestPartResult& result) override {
        if (result.failed())
            std::fprintf(stderr, "rank %d, %s:%d: %s\n", rank_,
                         result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                         result.message());
    }
    int rank_;
};

// RapidCheck must try the same on every rank.
void share_seed(int rank) {
    std::uint64_t seed = std::random_device()();
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    setenv("RC_PARAMS", ("seed=" + std::to_string(seed)).c_str(), 0);
    if (rank == 0) std::printf("RC_PARAMS=%s\n", std::getenv("RC_PARAMS"));
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ::testing::InitGoogleTest(&argc, argv);
    if (rank == 0) {
        std::printf("%s, %d ranks\n", upsweep::mpi::library_version().c_str(), size);
    } else {
        auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
        delete listeners.Release(listeners.default_result_printer());
        delete listeners.Release(listeners.default_xml_generator());  // all would write one file
        listeners.Append(new failures_of_a_rank(rank));
    }
    share_seed(rank);
    int failed = RUN_ALL_TESTS();
    upsweep::test::release_mpi_backends();
    MPI_Finalize();
    return failed;
}
