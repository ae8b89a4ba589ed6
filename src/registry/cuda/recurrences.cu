// Linear recurrences, of sequences and along an axis.
#include "registry/cuda/kernels.hpp"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/recurrence.cuh"

namespace upsweep::registry::gpu {
namespace {

template <class T>
void compose(cuda::executor& ex, void* maps, std::span<const std::int64_t> shape,
             std::span<const std::int64_t> strides, int axis, double x0) {
    using map = affine_map<T>;
    auto* const data = static_cast<map*>(maps);
    batch_options<map> options;
    options.initial = map{T(0), static_cast<T>(x0)};
    inclusive_scan(ex, cuda::device_view<const map>(data, shape, strides),
                   cuda::device_view<map>(data, shape, strides), axis, affine{}, options);
}

template <class T>
void recur_in(cuda::executor& ex, const void* a, const void* b, void* out, std::size_t n, double x0) {
    linear_recurrence(ex, cuda::device_span<const T>(static_cast<const T*>(a), n),
                      cuda::device_span<const T>(static_cast<const T*>(b), n), static_cast<T>(x0),
                      cuda::device_span<T>(static_cast<T*>(out), n));
}

}  // namespace

void compose_maps(bool in_double, cuda::executor& ex, void* maps, std::span<const std::int64_t> shape,
                  std::span<const std::int64_t> strides, int axis, double x0) {
    if (in_double)
        compose<double>(ex, maps, shape, strides, axis, x0);
    else
        compose<float>(ex, maps, shape, strides, axis, x0);
}

void recur(bool in_double, cuda::executor& ex, const void* a, const void* b, void* out, std::size_t n,
           double x0) {
    if (in_double)
        recur_in<double>(ex, a, b, out, n, x0);
    else
        recur_in<float>(ex, a, b, out, n, x0);
}

}  // namespace upsweep::registry::gpu
