#include "nccl/ranks.hpp"

#include <gtest/gtest.h>

#include <string>

namespace upsweep::test {

std::vector<int> team_sizes() {
#if UPSWEEP_TEST_SIMULATED_NCCL
    return {1, 2, 3, 5};
#else
    std::vector<int> sizes;
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess) return sizes;
    for (int size = 1; size <= devices; ++size)
        if (size <= 2 || size == devices) sizes.push_back(size);
    return sizes;
#endif
}

rank_team::rank_team(int size, cuda::algorithm choice)
    : thrown_(static_cast<std::size_t>(size)), comms_(static_cast<std::size_t>(size)) {
    std::vector<int> devices;
    for (int rank = 0; rank < size; ++rank) devices.push_back(UPSWEEP_TEST_SIMULATED_NCCL ? 0 : rank);
    EXPECT_EQ(ncclCommInitAll(comms_.data(), size, devices.data()), ncclSuccess);
    for (int rank = 0; rank < size; ++rank) {
        const auto k = static_cast<std::size_t>(rank);
        workers_.emplace_back(
            [this, rank, k, device = devices[k], choice] { work(rank, device, comms_[k], choice); });
    }
}

rank_team::~rank_team() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    for (ncclComm_t comm : comms_) ncclCommDestroy(comm);
}

void rank_team::work(int rank, int device, ncclComm_t comm, cuda::algorithm choice) {
    expect_success(cudaSetDevice(device), "choosing a rank's device");
    cudaStream_t stream = nullptr;
    expect_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    {
        test_rank own(comm, stream, choice);
        unsigned done = 0;
        for (;;) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return ends_ || round_ != done; });
            if (ends_) break;
            done = round_;
            lock.unlock();
            std::exception_ptr trouble;
            try {
                (*job_)(own, rank);
                own.local.wait();
            } catch (...) {
                trouble = std::current_exception();
            }
            lock.lock();
            thrown_[static_cast<std::size_t>(rank)] = trouble;
            if (--busy_ == 0) changed_.notify_all();
        }
    }
    cudaStreamDestroy(stream);
}

void rank_team::run_all(const std::function<void(test_rank&, int)>& job) {
    std::unique_lock lock(mutex_);
    job_ = &job;
    busy_ = size();
    ++round_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return busy_ == 0; });
}

void rank_team::run(const std::function<void(test_rank&, int)>& job) {
    run_all(job);
    for (const std::exception_ptr& trouble : thrown_)
        if (trouble) std::rethrow_exception(trouble);
}

}  // namespace upsweep::test
