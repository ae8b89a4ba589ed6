// The executor of many GPUs: a communicator of NCCL, and the CUDA executor of this rank's GPU.
//
// Scans of upsweep::nccl are work in the local executor's stream, like those of one GPU: the host does not
// wait. They are collective: every rank of the communicator makes the same calls in the same order, each from
// a thread or process of its own, not within ncclGroupStart and ncclGroupEnd. The communicator stays the
// caller's, who may use it for other work in the same stream, and for none in another stream meanwhile.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <string>

#include "upsweep/cuda/executor.hpp"

namespace upsweep::nccl {

class executor {
  public:
    // Both must outlive the executor. Throws upsweep::error if the communicator is null or of another device
    // than the local executor.
    executor(ncclComm_t comm, cuda::executor& local);

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] cuda::executor& local() const { return local_; }
    [[nodiscard]] ncclComm_t communicator() const { return comm_; }

    // For engines: work in the stream, on bytes of device memory.
    void broadcast(void* data, std::size_t bytes, int root) const;
    // `bytes` of every rank, one after the other, to `all`; `own` may be this rank's place in it.
    void gather(const void* own, void* all, std::size_t bytes) const;
    // Sums over all ranks, in place, of 64-bit counts.
    void add_up(void* counts, std::size_t count) const;

  private:
    void check_call(ncclResult_t status, const char* doing) const;

    ncclComm_t comm_;
    cuda::executor& local_;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace upsweep::nccl
