// Which elements satisfy a condition: one kernel for all types, in which every thread takes the same turn.
#include <algorithm>
#include <cstring>

#include "registry/cuda/array_choices.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/predicates.hpp"
#include "upsweep/types.hpp"

namespace upsweep::registry::gpu {
namespace {

constexpr unsigned threads = 256;

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
__device__ bool element_satisfies(const void* in, std::size_t i, comparison how, const number_bytes& number) {
    const Element& x = static_cast<const Element*>(in)[i];
    if constexpr (is_complex<Element>)
        return (x == number.as<Element>()) == (how == comparison::equal);
    else if constexpr (is_half<Element>)
        return compared_with<float>{how, number.as<float>()}(static_cast<float>(x));
    else if constexpr (std::is_same_v<Element, bool>)
        return compared_with<std::uint8_t>{how, number.as<std::uint8_t>()}(static_cast<std::uint8_t>(x));
    else
        return compared_with<Element>{how, number.as<Element>()}(x);
}

__global__ void __launch_bounds__(threads) mark_kernel(dtype type, comparison how, number_bytes number,
                                                       const void* in, std::uint8_t* flags, std::size_t n) {
    const auto marked = [&](std::size_t i) {
        switch (type) {
#define UPSWEEP_CASE(enumerator, text, code, type, result) \
    case dtype::enumerator:                                \
        return element_satisfies<type>(in, i, how, number);
            UPSWEEP_DTYPES(UPSWEEP_CASE)
#undef UPSWEEP_CASE
        }
        return false;
    };
    constexpr int each = 4;  // under way at once
    const std::size_t step = gridDim.x * std::size_t(threads);
    for (std::size_t i = blockIdx.x * std::size_t(threads) + threadIdx.x; i < n; i += each * step) {
        bool is_marked[each];
#pragma unroll
        for (int k = 0; k < each; ++k) is_marked[k] = i + k * step < n && marked(i + k * step);
#pragma unroll
        for (int k = 0; k < each; ++k)
            if (i + k * step < n) flags[i + k * step] = is_marked[k] ? 1 : 0;
    }
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
    const auto blocks = static_cast<unsigned>(std::min<std::size_t>((n + threads - 1) / threads, 4096));
    mark_kernel<<<blocks, threads, 0, ex.stream()>>>(type, condition.how, number, in, flags, n);
    cuda::check(cudaGetLastError(), "marking elements");
}

}  // namespace upsweep::registry::gpu
