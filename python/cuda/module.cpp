// upsweep._cuda: what the package in python/upsweep calls for arrays on a GPU. Its functions take arrays
// whose types and shapes the package has checked, and write to arrays that the package has made.
#include "python/cuda/module.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "python/common/errors.hpp"
#include "upsweep/cuda/device_scope.hpp"
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

// Lets a scope allocate what stays although its thread captures a graph, of which it is no part.
class outside_of_graphs {
  public:
    outside_of_graphs() { exchange(); }
    ~outside_of_graphs() { exchange(); }
    outside_of_graphs(const outside_of_graphs&) = delete;
    outside_of_graphs& operator=(const outside_of_graphs&) = delete;

  private:
    void exchange() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }

    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// Bytes of freed scratch that a pool of the current device keeps. A default pool keeps none when the host has
// waited, and to map memory again takes a fifth of the time that it takes to sort what fits there, or more.
std::uint64_t kept_bytes() {
    std::size_t free = 0, total = 0;
    cuda::check(cudaMemGetInfo(&free, &total), "reading the size of a device's memory");
    return std::max<std::uint64_t>(total / 16, std::uint64_t{128} << 20);
}

// One for each device, for as long as the process runs. The GIL guards them.
std::map<int, cudaMemPool_t>& all_pools() {
    static std::map<int, cudaMemPool_t> pools;
    return pools;
}

// Of the current device.
cudaMemPool_t pool_of(int device) {
    const auto found = all_pools().find(device);
    if (found != all_pools().end()) return found->second;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t made = nullptr;
    cuda::check(cudaMemPoolCreate(&made, &properties), "making a memory pool");
    auto threshold = kept_bytes();
    cuda::check(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &threshold),
                "making a memory pool");
    return all_pools().emplace(device, made).first->second;
}

void empty_cache() {
    for (const auto& [device, pool] : all_pools())
        cuda::check(cudaMemPoolTrimTo(pool, 0), "giving scratch back to a device");
}

// Places of calls to come. The GIL guards them.
std::vector<void*>& free_places() {
    static std::vector<void*> places;
    return places;
}
void* take_place() {
    constexpr std::size_t together = 64;
    std::vector<void*>& places = free_places();
    if (places.empty()) {
        void* made = nullptr;
        cuda::check(cudaHostAlloc(&made, together * pinned_place::bytes, cudaHostAllocPortable),
                    "allocating pinned memory");
        for (std::size_t k = 0; k < together; ++k)
            places.push_back(static_cast<std::byte*>(made) + k * pinned_place::bytes);
    }
    void* const place = places.back();
    places.pop_back();
    return place;
}

}  // namespace

stream::stream(int device, std::uintptr_t handle)
    : device_(device), handle_(reinterpret_cast<cudaStream_t>(handle)), executor_(nullptr) {
    const current_device own(device_);
    executor_ = new cuda::executor(handle_);
    executor_->set_memory_pool(pool_of(device_));
}

// Made when it is needed: a stream may be seen first while it is captured.
std::uint64_t* stream::count() {
    if (count_ == nullptr) {
        const cuda::device_scope own(*executor_);
        const outside_of_graphs allowed;
        void* made = nullptr;
        cuda::check(cudaMalloc(&made, sizeof *count_), "allocating a count");
        count_ = static_cast<std::uint64_t*>(made);
    }
    return count_;
}

pinned_place::pinned_place(stream& of) : stream_(of) {
    const cuda::device_scope own(*of.executor_);
    place_ = take_place();
}
// Before it may be another's.
pinned_place::~pinned_place() {
    if (!has_waited_) static_cast<void>(finish(nullptr));
    free_places().push_back(place_);
}
cudaError_t pinned_place::finish(cudaEvent_t recorded) noexcept {
    has_waited_ = true;
    const nb::gil_scoped_release others;
    return recorded == nullptr ? cudaStreamSynchronize(stream_.handle_) : cudaEventSynchronize(recorded);
}
void pinned_place::wait(cudaEvent_t recorded) {
    const cuda::device_scope own(*stream_.executor_);
    cuda::check(finish(recorded), "waiting for what a call finds out");
}

counted::counted(stream& of) : stream_(of), place_(of) {
    const cuda::device_scope own(*of.executor_);
    if (of.counted_ == nullptr)
        cuda::check(cudaEventCreateWithFlags(&of.counted_, cudaEventDisableTiming), "making an event");
    cuda::check(
        cudaMemcpyAsync(place_.data(), of.count_, sizeof *of.count_, cudaMemcpyDeviceToHost, of.handle_),
        "reading a count");
    cuda::check(cudaEventRecord(of.counted_, of.handle_), "reading a count");
}
// Another thread may have had the event recorded again meanwhile: later, so that it tells of this count too.
std::uint64_t counted::wait() {
    place_.wait(stream_.counted_);
    return *static_cast<const std::uint64_t*>(place_.data());
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
    // What autograd keeps at the end of a program, functions of the package among it, is not taken apart.
    nanobind::set_leak_warnings(false);
    nanobind::register_exception_translator(&translate_errors);
    module.attr("version") = UPSWEEP_VERSION_STRING;
    nanobind::class_<stream>(module, "Stream")
        .def(nanobind::init<int, std::uintptr_t>(), nanobind::arg("device"), nanobind::arg("handle"));
    module.def("empty_cache", &empty_cache);
    add_scans(module);
    add_choices(module);
    add_sorts(module);
#ifdef UPSWEEP_HAS_JAX
    add_jax_handlers(module);
#endif
}
