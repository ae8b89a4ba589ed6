// upsweep._cuda: what the package in python/upsweep calls for arrays on a GPU. Its functions take arrays
// whose types and shapes the package has checked, and write to arrays that the package has made.
#include "python/cuda/module.hpp"

#include <cuda_runtime_api.h>

#include <map>

#include "python/common/errors.hpp"
#include "upsweep/version.hpp"

namespace upsweep::python {
namespace {

namespace nb = nanobind;

// Makes a device current for a scope, before there is an executor of it.
class current_device {
  public:
    explicit current_device(int device) {
        cuda::check(cudaGetDevice(&previous_), "reading the current device");
        cuda::check(cudaSetDevice(device), "choosing a device");
    }
    ~current_device() { cudaSetDevice(previous_); }
    current_device(const current_device&) = delete;
    current_device& operator=(const current_device&) = delete;

  private:
    int previous_ = 0;
};

// Bytes of freed scratch that a device's pool keeps. A default pool keeps none when the host has waited, and
// to map 16 MiB again takes longer than to sort them.
constexpr std::uint64_t kept_bytes = std::uint64_t{128} << 20;

// One for each device, for as long as the process runs.
cudaMemPool_t pool_of(int device) {
    static std::map<int, cudaMemPool_t> pools;  // the GIL guards it
    const auto found = pools.find(device);
    if (found != pools.end()) return found->second;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t made = nullptr;
    cuda::check(cudaMemPoolCreate(&made, &properties), "making a memory pool");
    auto threshold = kept_bytes;
    cuda::check(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &threshold),
                "making a memory pool");
    return pools.emplace(device, made).first->second;
}

}  // namespace

stream::stream(int device, std::uintptr_t handle)
    : device_(device), handle_(reinterpret_cast<cudaStream_t>(handle)), executor_(nullptr) {
    const current_device own(device_);
    executor_ = new cuda::executor(handle_);
    executor_->set_memory_pool(pool_of(device_));
}

cuda::executor stream::transient() const {
    const current_device own(device_);
    cuda::executor made(handle_);
    made.set_memory_pool(pool_of(device_));
    return made;
}

}  // namespace upsweep::python

NB_MODULE(_cuda, module) {
    using namespace upsweep::python;
    nanobind::register_exception_translator(&translate_errors);
    module.attr("version") = UPSWEEP_VERSION_STRING;
    nanobind::class_<stream>(module, "Stream")
        .def(nanobind::init<int, std::uintptr_t>(), nanobind::arg("device"), nanobind::arg("handle"));
    add_scans(module);
    add_choices(module);
    add_sorts(module);
#ifdef UPSWEEP_HAS_JAX
    add_jax_handlers(module);
#endif
}
