// Which elements satisfy a condition: a kernel for each type, in which every thread takes the same turn.
#include <cstring>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/launches.cuh"
#include "registry/visit.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/predicates.hpp"
#include "upsweep/types.hpp"

namespace upsweep::registry::gpu {
namespace {

// A number in a kernel's parameters.
struct number_bytes {
    alignas(16) unsigned char bytes[16];

    template <class T>
    __device__ T as() const {
        T number;
        memcpy(&number, bytes, sizeof(T));
        return number;
    }
};

template <class Element>
__device__ bool satisfies(const Element& x, comparison how, const number_bytes& number) {
    if constexpr (is_complex<Element>)
        return (x == number.as<Element>()) == (how == comparison::equal);
    else if constexpr (is_half<Element>)
        return compared_with<float>{how, number.as<float>()}(static_cast<float>(x));
    else if constexpr (std::is_same_v<Element, bool>)
        return compared_with<std::uint8_t>{how, number.as<std::uint8_t>()}(static_cast<std::uint8_t>(x));
    else
        return compared_with<Element>{how, number.as<Element>()}(x);
}

// Elements of 16 bytes together, and the flags of as many.
template <int Elements>
struct alignas(Elements) flag_run {
    std::uint8_t flag[Elements];
};

template <class Element>
__global__ void __launch_bounds__(threads)
    mark_kernel(comparison how, number_bytes number, const Element* in, std::uint8_t* flags, std::size_t n) {
    constexpr int run = 16 / sizeof(Element);
    using flags_of_run = flag_run<run>;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(in) % 16 == 0 &&
                            reinterpret_cast<std::uintptr_t>(flags) % sizeof(flags_of_run) == 0;
    const std::size_t runs = is_aligned ? n / run : 0;
    const std::size_t first = blockIdx.x * std::size_t(threads) + threadIdx.x;
    const std::size_t step = gridDim.x * std::size_t(threads);
    constexpr int each = 4;  // under way at once
    for (std::size_t r = first; r < runs; r += each * step) {
        uint4 loaded[each];
#pragma unroll
        for (int k = 0; k < each; ++k)
            if (r + k * step < runs) loaded[k] = reinterpret_cast<const uint4*>(in)[r + k * step];
#pragma unroll
        for (int k = 0; k < each; ++k) {
            if (r + k * step >= runs) break;
            flags_of_run marked;
#pragma unroll
            for (int m = 0; m < run; ++m) {
                Element x;
                memcpy(&x, reinterpret_cast<const unsigned char*>(&loaded[k]) + m * sizeof x, sizeof x);
                marked.flag[m] = satisfies(x, how, number) ? 1 : 0;
            }
            reinterpret_cast<flags_of_run*>(flags)[r + k * step] = marked;
        }
    }
    for (std::size_t i = runs * run + first; i < n; i += step)
        flags[i] = satisfies(in[i], how, number) ? 1 : 0;
}

}  // namespace

void mark(cuda::executor& ex, dtype type, const condition_value& condition, const void* in,
          std::uint8_t* flags, std::size_t n) {
    if (n == 0) return;
    ex.check_pointer(in, "a");
    ex.check_pointer(flags, "flags");
    number_bytes number{};
    std::memcpy(number.bytes, condition.number.data(), sizeof number.bytes);
    const cuda::device_scope current(ex);
    visit_type(type, [&]<class Element>(std::type_identity<Element>) {
        mark_kernel<<<blocks_for(n), threads, 0, ex.stream()>>>(condition.how, number,
                                                                static_cast<const Element*>(in), flags, n);
    });
    cuda::check(cudaGetLastError(), "marking elements");
}

}  // namespace upsweep::registry::gpu
