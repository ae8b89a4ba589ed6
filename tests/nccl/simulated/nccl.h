// The part of NCCL's interface that Upsweep calls, for ranks that are threads of one process and may share a
// GPU, which NCCL refuses. Tests of upsweep::nccl are compiled once against this and once, where it is there,
// against NCCL. What it does in place of NCCL is in simulated.cu.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

struct ncclComm;
using ncclComm_t = ncclComm*;

enum ncclResult_t { ncclSuccess, ncclUnhandledCudaError, ncclInvalidArgument, ncclInProgress };
enum ncclDataType_t { ncclChar, ncclUint64 };
enum ncclRedOp_t { ncclSum };

const char* ncclGetErrorString(ncclResult_t result);
const char* ncclGetLastError(ncclComm_t comm);

// A communicator of `count` ranks; rank k uses devices[k].
ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
// No call is ever in progress.
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* status);
ncclResult_t ncclCommCount(ncclComm_t comm, int* count);
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank);
ncclResult_t ncclCommCuDevice(ncclComm_t comm, int* device);

// As NCCL's, but that the host waits for the other ranks' calls.
ncclResult_t ncclBroadcast(const void* from, void* into, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclAllGather(const void* own, void* all, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclAllReduce(const void* own, void* sums, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream);
