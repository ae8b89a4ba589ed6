// CUDA's GPUs in the registry. Nothing of CUDA is called, which takes time, before a GPU is asked for.
#include "registry/back_end.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "registry/cuda/device.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

cudaError_t count_devices(int& count) {
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) cudaGetLastError();
    if (status == cudaSuccess && count == 0) return cudaErrorNoDevice;
    return status;
}

class gpu_device final : public accelerator {
  public:
    explicit gpu_device(int index) : index_(index) {
        cudaDeviceProp properties{};
        cuda::check(cudaGetDeviceProperties(&properties, index), "asking for the GPU's properties");
        model_ = properties.name;
        memory_ = properties.totalGlobalMem;
    }
    [[nodiscard]] const std::string& model() const override { return model_; }
    // The arithmetic of GPUs is IEEE 754's, and kernels are compiled without contraction.
    [[nodiscard]] const std::vector<std::string>& findings() override { return findings_; }
    [[nodiscard]] std::unique_ptr<scanner> make_scanner(const scan_request& request,
                                                        const std::string& name) override {
        return gpu::make_gpu_scanner(index_, request, name);
    }
    [[nodiscard]] std::unique_ptr<timed_scan> prepare(operation op, dtype held, std::size_t n,
                                                      bool exclusive) override {
        return gpu::prepare_gpu_scan(index_, op, held, n, exclusive);
    }
    [[nodiscard]] std::size_t copy_bytes() const override {
        return std::min(std::size_t{1} << 30, memory_ / 16);
    }

  private:
    int index_;
    std::string model_;
    std::size_t memory_ = 0;  // bytes
    std::vector<std::string> findings_;
};

std::unique_ptr<accelerator> open_gpu(std::size_t number) {
    int count = 0;
    if (const cudaError_t status = count_devices(count); status != cudaSuccess)
        throw_error(errc::device, cudaGetErrorString(status));
    if (number >= static_cast<std::size_t>(count)) throw_no_such_device(static_cast<std::size_t>(count));
    return std::make_unique<gpu_device>(static_cast<int>(number));
}

device_info describe(const cudaDeviceProp& properties) {
    const std::string capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
    const auto multiprocessors = static_cast<std::uint64_t>(properties.multiProcessorCount);
    device_info info;
    info.model = properties.name;
    info.available = true;
    info.details = std::to_string(multiprocessors) + " multiprocessors, compute capability " + capability +
                   ", " + std::to_string(properties.totalGlobalMem >> 20) + " MiB of memory";
    info.facts = {{"memory_bytes", std::uint64_t{properties.totalGlobalMem}},
                  {"multiprocessors", multiprocessors},
                  {"compute_capability", capability}};
    return info;
}

std::vector<device_info> list_gpus() {
    std::vector<device_info> all;
    int count = 0;
    cudaError_t status = count_devices(count);
    for (int index = 0; index < count && status == cudaSuccess; ++index) {
        cudaDeviceProp properties{};
        status = cudaGetDeviceProperties(&properties, index);
        if (status == cudaSuccess) all.push_back(describe(properties));
    }
    if (all.empty()) all.emplace_back().reason = cudaGetErrorString(status);
    return all;
}

}  // namespace

void add_cuda() { add_back_end({"cuda", &open_gpu, &list_gpus}); }

}  // namespace upsweep::registry
