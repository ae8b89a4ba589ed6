// Linear recurrences along an axis, or of sequences, which have one.
#include "upsweep/cuda/recurrence.cuh"

#include <string>

#include "registry/cuda/kernels.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry::gpu {
namespace {

template <class T>
void recur_in(cuda::executor& ex, const recurrence_call& call) {
    const auto input = [&](const recurrence_call::array& in) {
        return cuda::device_view<const T>(static_cast<const T*>(in.data), call.shape, in.strides);
    };
    const cuda::device_view<T> out(static_cast<T*>(call.out.data), call.shape, call.out.strides);
    const auto x0 = static_cast<accumulator_type<T>>(call.x0);
    const recurrence_options options{.reverse = call.reverse};
    if (call.coefficient) {
        const auto a = static_cast<accumulator_type<T>>(*call.coefficient);
        linear_recurrence(ex, a, input(call.b), x0, out, call.axis, options);
    } else {
        linear_recurrence(ex, input(call.a), input(call.b), x0, out, call.axis, options);
    }
}

}  // namespace

void recur(dtype type, cuda::executor& ex, const recurrence_call& call) {
    switch (type) {
        case dtype::float32:
            return recur_in<float>(ex, call);
#ifndef UPSWEEP_CUDA_FEW_TYPES
        case dtype::float64:
            return recur_in<double>(ex, call);
        case dtype::float16:
            return recur_in<float16>(ex, call);
        case dtype::bfloat16:
            return recur_in<bfloat16>(ex, call);
#endif
        default:
            throw_error(errc::unsupported,
                        "a: no linear recurrences of " + std::string(name(type)) + " on a GPU in this build");
    }
}

}  // namespace upsweep::registry::gpu
