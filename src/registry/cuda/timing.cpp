// A scan and a copy in the memory of a GPU, timed by the stream's own clock.
#include "registry/cuda/device.hpp"
#include "registry/cuda/kernels.hpp"
#include "registry/cuda/memory.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry::gpu {
namespace {

class gpu_timing final : public timed_scan {
  public:
    gpu_timing(int device, operation op, dtype held, std::size_t n)
        : device_(device), op_(op), held_(held), n_(n), bytes_(n * size_of(held)) {
        // Ones of any type: nothing overflows, and a scan's time does not depend on values.
        const device_memory ones = allocate_device(n);
        cuda::check(cudaMemsetAsync(ones.get(), 1, n, stream_.get()), "filling GPU memory");
        load_elements({dtype::uint8, held, held}, ones.get(), in_.get(), n, stream_.get());
        cuda::check(cudaStreamSynchronize(stream_.get()), "filling GPU memory");
    }

    double scan(std::size_t times) override {
        return sample(times, [&] {
            gpu::scan(op_, held_, executor_, {in_.get(), out_.get(), n_, false, nullptr, nullptr});
        });
    }
    double copy(std::size_t times) override {
        return sample(times, [&] {
            cuda::check(
                cudaMemcpyAsync(out_.get(), in_.get(), bytes_, cudaMemcpyDeviceToDevice, stream_.get()),
                "copying");
        });
    }

  private:
    template <class Work>
    double sample(std::size_t times, const Work& work) {
        cuda::check(cudaSetDevice(device_), "choosing the GPU");
        cuda::check(cudaEventRecord(from_.get(), stream_.get()), "timing");
        for (std::size_t i = 0; i < times; ++i) work();
        cuda::check(cudaEventRecord(to_.get(), stream_.get()), "timing");
        cuda::check(cudaEventSynchronize(to_.get()), "timing");
        float milliseconds = 0;
        cuda::check(cudaEventElapsedTime(&milliseconds, from_.get(), to_.get()), "timing");
        return 1e-3 * milliseconds;
    }

    int device_;
    operation op_;
    dtype held_;
    std::size_t n_, bytes_;
    unique_stream stream_ = make_stream();
    unique_event from_ = make_event(true), to_ = make_event(true);
    device_memory in_ = allocate_device(bytes_), out_ = allocate_device(bytes_);
    cuda::executor executor_{stream_.get()};
};

}  // namespace

std::unique_ptr<timed_scan> prepare_gpu_scan(int device, operation op, dtype held, std::size_t n,
                                             bool exclusive) {
    if (exclusive) {
        throw_error(errc::unsupported,
                    "exclusive scans are not timed on cuda: the tool makes them of inclusive ones there");
    }
    cuda::check(cudaSetDevice(device), "choosing the GPU");
    return std::make_unique<gpu_timing>(device, op, held, n);
}

}  // namespace upsweep::registry::gpu
