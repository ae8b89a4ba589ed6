// The device of an executor as the current one.
#pragma once

#include <cuda_runtime_api.h>

#include "upsweep/cuda/executor.hpp"

namespace upsweep::cuda {

// Makes a device current for a scope.
class device_scope {
  public:
    explicit device_scope(const executor& ex) {
        if (ex.has_only_device()) return;
        const int device = ex.device();
        check(cudaGetDevice(&previous_), "reading the current device");
        if (previous_ != device) check(cudaSetDevice(device), "choosing the executor's device");
        changed_ = previous_ != device;
    }
    ~device_scope() {
        if (changed_) cudaSetDevice(previous_);
    }
    device_scope(const device_scope&) = delete;
    device_scope& operator=(const device_scope&) = delete;

  private:
    int previous_ = 0;
    bool changed_ = false;
};

}  // namespace upsweep::cuda
