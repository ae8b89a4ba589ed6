// Ranks for tests: a thread each, with a stream and a communicator, on GPUs of their own or, where NCCL is
// simulated, all on the first one.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda/staging.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/nccl/executor.hpp"

namespace upsweep::test {

struct test_rank {
    cuda::executor local;
    nccl::executor ranks;
    device_staging staging;

    test_rank(ncclComm_t comm, cudaStream_t stream, cuda::algorithm choice)
        : local(stream, choice), ranks(comm, local) {}
};

class rank_team {
  public:
    rank_team(int size, cuda::algorithm choice);
    rank_team(const rank_team&) = delete;
    rank_team& operator=(const rank_team&) = delete;
    ~rank_team();

    [[nodiscard]] int size() const { return static_cast<int>(workers_.size()); }
    // Calls job(rank, its number) on every rank at once and returns when all are done, their streams too.
    // Throws what the lowest rank has thrown, if any has.
    void run(const std::function<void(test_rank&, int)>& job);
    // What each rank threw in the latest run().
    [[nodiscard]] const std::vector<std::exception_ptr>& thrown() const { return thrown_; }
    // For runs in which ranks may throw.
    void run_all(const std::function<void(test_rank&, int)>& job);

  private:
    void work(int rank, int device, ncclComm_t comm, cuda::algorithm choice);

    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void(test_rank&, int)>* job_ = nullptr;
    unsigned round_ = 0;
    int busy_ = 0;
    bool ends_ = false;
    std::vector<std::exception_ptr> thrown_;
    std::vector<ncclComm_t> comms_;
    std::vector<std::thread> workers_;
};

// How many ranks teams may have here: one for each GPU, or any number where NCCL is simulated.
std::vector<int> team_sizes();

}  // namespace upsweep::test
