// Ranks that hand each other pointers. Whoever needs another's bytes copies them in its own stream, behind an
// event of the other's; the other's stream goes on behind the event of the copy.
#include <nccl.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace {

struct message {
    const void* data = nullptr;
    cudaEvent_t ready = nullptr;   // what it says is there
    cudaEvent_t copied = nullptr;  // it has been read
    bool is_taken = false;
};

struct world {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::pair<int, int>, std::deque<message*>> sent;  // (from, to)
    int size = 0;
};

cudaEvent_t record(cudaStream_t stream) {
    cudaEvent_t event = nullptr;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventRecord(event, stream);
    return event;
}
std::size_t bytes_of(std::size_t count, ncclDataType_t type) { return count * (type == ncclChar ? 1 : 8); }

__global__ void add(std::uint64_t* sums, const std::uint64_t* more, std::size_t count) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x)
        sums[i] += more[i];
}

}  // namespace

struct ncclComm {
    std::shared_ptr<world> all;
    int rank = 0;
    int device = 0;

    // Offers bytes to a rank, and waits until it has begun to copy them.
    void offer(message& own, const void* data, int to, cudaStream_t stream) const {
        own.data = data;
        own.ready = record(stream);
        const std::lock_guard lock(all->mutex);
        all->sent[{rank, to}].push_back(&own);
        all->changed.notify_all();
    }
    void wait_taken(message& own, cudaStream_t stream) const {
        std::unique_lock lock(all->mutex);
        all->changed.wait(lock, [&] { return own.is_taken; });
        cudaStreamWaitEvent(stream, own.copied);
        cudaEventDestroy(own.ready);
        cudaEventDestroy(own.copied);
    }
    void take(void* into, std::size_t bytes, int from, cudaStream_t stream) const {
        std::unique_lock lock(all->mutex);
        auto& queue = all->sent[{from, rank}];
        all->changed.wait(lock, [&] { return !queue.empty(); });
        message& other = *queue.front();
        queue.pop_front();
        cudaStreamWaitEvent(stream, other.ready);
        cudaMemcpyAsync(into, other.data, bytes, cudaMemcpyDefault, stream);
        other.copied = record(stream);
        other.is_taken = true;
        all->changed.notify_all();
    }
};

const char* ncclGetErrorString(ncclResult_t result) {
    return result == ncclSuccess           ? "no error"
           : result == ncclInvalidArgument ? "invalid argument"
                                           : "CUDA error";
}
const char* ncclGetLastError(ncclComm_t) { return "simulated"; }

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices) {
    const auto all = std::make_shared<world>();
    all->size = count;
    for (int k = 0; k < count; ++k) comms[k] = new ncclComm{all, k, devices[k]};
    return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    delete comm;
    return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* status) {
    *status = ncclSuccess;
    return ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
    *count = comm->all->size;
    return ncclSuccess;
}
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
    *rank = comm->rank;
    return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(ncclComm_t comm, int* device) {
    *device = comm->device;
    return ncclSuccess;
}

ncclResult_t ncclBroadcast(const void* from, void* into, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
    if (root < 0 || root >= comm->all->size || from != into) return ncclInvalidArgument;
    if (comm->rank != root) {
        comm->take(into, bytes_of(count, type), root, stream);
        return ncclSuccess;
    }
    std::vector<message> own(std::size_t(comm->all->size));
    for (int k = 0; k < comm->all->size; ++k)
        if (k != root) comm->offer(own[std::size_t(k)], from, k, stream);
    for (int k = 0; k < comm->all->size; ++k)
        if (k != root) comm->wait_taken(own[std::size_t(k)], stream);
    return ncclSuccess;
}
ncclResult_t ncclAllGather(const void* own, void* all, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
    const std::size_t bytes = bytes_of(count, type);
    std::vector<message> offered(std::size_t(comm->all->size));
    for (int k = 0; k < comm->all->size; ++k)
        if (k != comm->rank) comm->offer(offered[std::size_t(k)], own, k, stream);
    for (int k = 0; k < comm->all->size; ++k) {
        void* const into = static_cast<char*>(all) + std::size_t(k) * bytes;
        if (k != comm->rank)
            comm->take(into, bytes, k, stream);
        else if (into != own)
            cudaMemcpyAsync(into, own, bytes, cudaMemcpyDefault, stream);
    }
    for (int k = 0; k < comm->all->size; ++k)
        if (k != comm->rank) comm->wait_taken(offered[std::size_t(k)], stream);
    return ncclSuccess;
}
ncclResult_t ncclAllReduce(const void* own, void* sums, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
    if (own != sums || type != ncclUint64 || operation != ncclSum) return ncclInvalidArgument;
    std::uint64_t* all = nullptr;
    const std::size_t bytes = bytes_of(count, type), size = std::size_t(comm->all->size);
    if (cudaMallocAsync(reinterpret_cast<void**>(&all), size * bytes + 8, stream) != cudaSuccess)
        return ncclUnhandledCudaError;
    ncclAllGather(own, all, count, type, comm, stream);
    for (std::size_t k = 0; k < size; ++k)
        if (k != std::size_t(comm->rank))
            add<<<64, 256, 0, stream>>>(static_cast<std::uint64_t*>(sums), all + k * count, count);
    cudaFreeAsync(all, stream);
    return cudaGetLastError() == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
