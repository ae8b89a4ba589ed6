// The parts of the extension module of CUDA, a file each, and the stream that its calls run in.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "upsweep/cuda/executor.hpp"

namespace upsweep::python {

// A stream of a device: what the package keeps one of for each stream that it has seen. Every call comes with
// the GIL, which no call gives away while it uses the executor, so that one thread at a time does.
class stream {
  public:
    // Throws upsweep::error (device) where there is no such device or stream.
    stream(int device, std::uintptr_t handle);

    // Scratch of scans, n / 512 bytes or so, is kept, and never freed: the stream may be gone by then.
    [[nodiscard]] cuda::executor& executor() { return *executor_; }
    // For calls whose scratch is as large as their arrays: it is given back when the executor goes.
    [[nodiscard]] cuda::executor transient() const;

    // Device memory for a number that a call finds out, and what it is when the stream has come that far.
    // Other Python threads run meanwhile, and may call.
    [[nodiscard]] std::uint64_t* count();
    [[nodiscard]] std::uint64_t wait_for_count();

  private:
    friend class counted;

    int device_;
    cudaStream_t handle_;
    cuda::executor* executor_;
    std::uint64_t* count_ = nullptr;  // never freed, as scratch is not
    cudaEvent_t counted_ = nullptr;   // nor is this
};

// A stream's count as it is once the stream has done what it has now, on its way to the host. The stream may
// be given more to do meanwhile.
class counted {
  public:
    explicit counted(stream& of);
    ~counted();
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;

    // As stream::wait_for_count.
    [[nodiscard]] std::uint64_t wait();

  private:
    cudaError_t finish();

    stream& stream_;
    std::uint64_t* place_;
};

void add_scans(nanobind::module_& module);
void add_choices(nanobind::module_& module);
void add_sorts(nanobind::module_& module);
// In a build with the headers of JAX alone.
void add_jax_handlers(nanobind::module_& module);

}  // namespace upsweep::python
