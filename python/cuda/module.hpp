// The parts of the extension module of CUDA, a file each, and the stream that its calls run in.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

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
    // Calls body(executor) for a call whose scratch is as large as its arrays, of so many elements: that of
    // short ones, a few mebibytes, is kept as that of scans is, and that of others given back.
    template <class Body>
    void with_scratch(std::size_t elements, const Body& body) {
        if (elements <= short_elements) return body(executor());
        cuda::executor own = transient();
        body(own);
    }

    // Device memory for a number that a call finds out.
    [[nodiscard]] std::uint64_t* count();

  private:
    friend class counted;
    friend class pinned_place;

    static constexpr std::size_t short_elements = std::size_t{1} << 17;

    // One whose scratch is given back when it goes.
    [[nodiscard]] cuda::executor transient() const;

    int device_;
    cudaStream_t handle_;
    cuda::executor* executor_;
    std::uint64_t* count_ = nullptr;  // never freed, as scratch is not
    cudaEvent_t counted_ = nullptr;   // nor is this
};

// A few bytes of pinned host memory, which kernels write and the host waits for: a call's own until it has.
class pinned_place {
  public:
    static constexpr std::size_t bytes = 64;

    explicit pinned_place(stream& of);
    ~pinned_place();
    pinned_place(const pinned_place&) = delete;
    pinned_place& operator=(const pinned_place&) = delete;

    [[nodiscard]] void* data() const { return place_; }
    // Until the stream has done what it has now, or, where an event is given, what it had when that was
    // recorded. Other Python threads run meanwhile, and may call.
    void wait(cudaEvent_t recorded = nullptr);

  private:
    cudaError_t finish(cudaEvent_t recorded) noexcept;

    stream& stream_;
    void* place_;
    bool has_waited_ = false;
};

// What a call finds out for the host: kernels write it where data() is.
template <class T>
class awaited {
  public:
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= pinned_place::bytes);

    explicit awaited(stream& of) : place_(of) {}
    [[nodiscard]] T* data() const { return static_cast<T*>(place_.data()); }
    [[nodiscard]] T wait() {
        place_.wait();
        return *data();
    }

  private:
    pinned_place place_;
};

// A stream's count as it is once the stream has done what it has now, on its way to the host. The stream may
// be given more to do meanwhile.
class counted {
  public:
    explicit counted(stream& of);
    [[nodiscard]] std::uint64_t wait();

  private:
    stream& stream_;
    pinned_place place_;
};

void add_scans(nanobind::module_& module);
void add_choices(nanobind::module_& module);
void add_sorts(nanobind::module_& module);
// In a build with the headers of JAX alone.
void add_jax_handlers(nanobind::module_& module);

}  // namespace upsweep::python
