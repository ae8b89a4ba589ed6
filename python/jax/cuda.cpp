// The handlers that XLA calls for CUDA: they start work in XLA's stream and return.
//
// They take scratch from the executor and from CUDA's own allocator, in the stream's order, and so are not
// marked as fit for command buffers: XLA puts what it captures into a graph as a child, where CUDA takes no
// nodes that allocate. XLA then calls them between its command buffers.
#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>

#include "python/cuda/module.hpp"
#include "python/jax/call.hpp"
#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/arrays.hpp"

namespace upsweep::python {
namespace {

namespace ffi = xla::ffi;

// The executor of a stream, with its scratch, for one thread at a time. It is kept as long as the process
// lives, as XLA keeps its streams.
class executor_of {
  public:
    explicit executor_of(cudaStream_t stream) : kept_(find(stream)), lock_(kept_.guard) {
        if (!kept_.executor) kept_.executor = std::make_unique<cuda::executor>(stream);
    }
    [[nodiscard]] cuda::executor& operator*() const { return *kept_.executor; }

  private:
    struct entry {
        std::mutex guard;
        std::unique_ptr<cuda::executor> executor;
    };
    static entry& find(cudaStream_t stream) {
        static std::mutex guard;
        static auto& entries =
            *new std::map<cudaStream_t, entry>;  // whose destructors would meet a dead driver
        const std::lock_guard lock(guard);
        return entries[stream];
    }
    entry& kept_;
    std::lock_guard<std::mutex> lock_;
};

ffi::Error scan(cudaStream_t stream, const xla_array& a, xla_result out, const xla_attributes& given) {
    return attempt([&] {
        const sequences lines(a, given);
        registry::gpu::scan_array(scan_request_of(a, *out, given), *executor_of(stream), a.untyped_data(),
                                  out->untyped_data(), lines.layout());
    });
}

ffi::Error scan_segments(cudaStream_t stream, const xla_array& a, const xla_array& heads, xla_result out,
                         const xla_attributes& given) {
    return attempt([&] {
        registry::gpu::scan_array_segments(
            scan_request_of(a, *out, given), *executor_of(stream), a.untyped_data(),
            static_cast<const std::uint8_t*>(heads.untyped_data()), out->untyped_data(), a.element_count());
    });
}

ffi::Error recur(cudaStream_t stream, const xla_array& a, const xla_array& b, xla_result out,
                 const xla_attributes& given) {
    return attempt([&] {
        const recurrence asked(a, b, *out, given);
        registry::gpu::scan_recurrence(*executor_of(stream), asked.call());
    });
}

// Its scratch is as large as the array, and is given back.
ffi::Error sort(cudaStream_t stream, const xla_array& a, xla_result out, const xla_attributes& given) {
    return attempt([&] {
        const sort_call rows(a, given);
        if (a.element_count() == 0) return;
        cuda::executor executor(stream);
        registry::gpu::sort_rows(executor, {.type = rows.type,
                                            .in = a.untyped_data(),
                                            .out = out->untyped_data(),
                                            .rows = rows.rows,
                                            .length = rows.length,
                                            .descending = rows.descending,
                                            .indices = rows.indices});
    });
}

auto in_stream() { return ffi::Ffi::Bind().Ctx<ffi::PlatformStream<cudaStream_t>>(); }

XLA_FFI_DEFINE_HANDLER(scan_handler, scan, of_one_array(in_stream()));
XLA_FFI_DEFINE_HANDLER(segments_handler, scan_segments, of_two_arrays(in_stream()));
XLA_FFI_DEFINE_HANDLER(recurrence_handler, recur, of_two_arrays(in_stream()));
XLA_FFI_DEFINE_HANDLER(sort_handler, sort, of_one_array(in_stream()));

}  // namespace

void add_jax_handlers(nanobind::module_& module) {
    add_handlers(module, {scan_handler, segments_handler, recurrence_handler, sort_handler});
}

}  // namespace upsweep::python
