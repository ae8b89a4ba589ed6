// Calls of NCCL whose results become errors.
#include "upsweep/nccl/executor.hpp"

#include <thread>

#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/error.hpp"

namespace upsweep::nccl {

void executor::check_call(ncclResult_t status, const char* doing) const {
    // Of a communicator whose calls do not wait: the next one may be made when this one is done.
    while (status == ncclInProgress) {
        std::this_thread::yield();
        if (const ncclResult_t asked = ncclCommGetAsyncError(comm_, &status); asked != ncclSuccess)
            status = asked;
    }
    if (status == ncclSuccess) return;
    std::string words = std::string(doing) + ": " + ncclGetErrorString(status);
    if (const char* const details = ncclGetLastError(comm_); details != nullptr && *details != '\0')
        words += std::string(" (") + details + ")";
    throw_error(errc::device, words);
}

executor::executor(ncclComm_t comm, cuda::executor& local) : comm_(comm), local_(local) {
    if (comm == nullptr) throw_error(errc::invalid_argument, "comm: expected a communicator, but it is null");
    int device = 0;
    check_call(ncclCommCuDevice(comm, &device), "ncclCommCuDevice");
    if (device != local.device())
        throw_error(errc::invalid_argument, "comm: is of device " + std::to_string(device) +
                                                ", but the local executor's stream belongs to device " +
                                                std::to_string(local.device()));
    check_call(ncclCommUserRank(comm, &rank_), "ncclCommUserRank");
    check_call(ncclCommCount(comm, &size_), "ncclCommCount");
}

void executor::broadcast(void* data, std::size_t bytes, int root) const {
    const cuda::device_scope current(local_);
    check_call(ncclBroadcast(data, data, bytes, ncclChar, root, comm_, local_.stream()), "ncclBroadcast");
}
void executor::gather(const void* own, void* all, std::size_t bytes) const {
    const cuda::device_scope current(local_);
    check_call(ncclAllGather(own, all, bytes, ncclChar, comm_, local_.stream()), "ncclAllGather");
}
void executor::add_up(void* counts, std::size_t count) const {
    const cuda::device_scope current(local_);
    check_call(ncclAllReduce(counts, counts, count, ncclUint64, ncclSum, comm_, local_.stream()),
               "ncclAllReduce");
}

}  // namespace upsweep::nccl
