// Elements to held accumulators and back, on the GPU: one kernel for each held type, in which every thread
// takes the same turn by the element's run-time type. Far from the limit of the bus, over which the elements
// come.
#include <algorithm>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "registry/cuda/kernels.hpp"
#include "registry/visit.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry::gpu {
namespace {

// bool < integers < floating point < complex; values convert upwards only.
template <class T>
constexpr int rank = std::same_as<T, bool> ? 0
                     : std::integral<T>    ? 1
                     : is_complex<T>       ? 3
                                           : 2;

// What an integer accumulator keeps of a value: its low bits, extended by its own sign.
struct integer_form {
    int bits = 64;
    bool is_signed = false;
    bool truth = false;  // bool: whether a value is not zero

    __device__ std::uint64_t keep(std::uint64_t value) const {
        const int shift = 64 - bits;
        return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift)
                         : (value << shift) >> shift;
    }
};
integer_form form_of(dtype accumulator) {
    return {8 * static_cast<int>(std::min<std::size_t>(size_of(accumulator), 8)),
            accumulator == dtype::int8 || accumulator == dtype::int16 || accumulator == dtype::int32 ||
                accumulator == dtype::int64,
            accumulator == dtype::bool8};
}

template <class In>
__device__ bool is_true(const In& x) {
    if constexpr (is_half<In>)
        return static_cast<float>(x) != 0;
    else
        return x != In(0);
}

template <class Held, class In>
__device__ Held load(const In& x, const integer_form& form) {
    if constexpr (std::integral<Held>) {
        if (form.truth) return is_true(x) ? Held(1) : Held(0);
        if constexpr (rank<In> <= 1) return static_cast<Held>(form.keep(static_cast<std::uint64_t>(x)));
        return Held(0);  // refused by resolve_types
    } else if constexpr (rank<In> <= rank<Held>) {
        return cpu::convert<Held>(x);
    } else {
        return Held{};
    }
}

template <class Out, class Held>
__device__ Out store(const Held& x, const integer_form& form) {
    if constexpr (std::integral<Held>) {
        if (form.truth) return cpu::convert<Out>((x & 1) != 0);
        if constexpr (rank<Out> == 0) {
            return Out{};
        } else {
            const std::uint64_t kept = form.keep(static_cast<std::uint64_t>(x));
            return form.is_signed ? cpu::convert<Out>(static_cast<std::int64_t>(kept))
                                  : cpu::convert<Out>(kept);
        }
    } else if constexpr (rank<Held> <= rank<Out>) {
        return cpu::convert<Out>(x);
    } else {
        return Out{};
    }
}

// Calls body(i) for the elements of this thread.
template <class Body>
__device__ void for_each_element(std::size_t n, const Body& body) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += gridDim.x * std::size_t(blockDim.x))
        body(i);
}

template <class Held>
__global__ void load_kernel(dtype type, integer_form form, const void* from, Held* to, std::size_t n) {
    switch (type) {
#define UPSWEEP_CASE(enumerator, text, code, type, result) \
    case dtype::enumerator:                                \
        return for_each_element(                           \
            n, [&](std::size_t i) { to[i] = load<Held>(static_cast<const type*>(from)[i], form); });
        UPSWEEP_DTYPES(UPSWEEP_CASE)
#undef UPSWEEP_CASE
    }
}
// Result i is the scanned one at i + shift, or `start` where that is outside.
template <class Held>
__global__ void store_kernel(dtype type, integer_form form, const Held* from, const Held* start, int shift,
                             void* to, std::size_t n) {
    const auto result = [=](std::size_t i) {
        const std::size_t source = i + static_cast<std::size_t>(shift);  // wraps for -1 at 0
        return source < n ? from[source] : *start;
    };
    switch (type) {
#define UPSWEEP_CASE(enumerator, text, code, type, result_type) \
    case dtype::enumerator:                                     \
        return for_each_element(                                \
            n, [&](std::size_t i) { static_cast<type*>(to)[i] = store<type>(result(i), form); });
        UPSWEEP_DTYPES(UPSWEEP_CASE)
#undef UPSWEEP_CASE
    }
}

// Calls body with the held type.
template <class Body>
void visit_held(dtype held, const Body& body) {
    switch (held) {
        case dtype::int32:
        case dtype::uint32:
            return body(std::type_identity<std::uint32_t>{});
        case dtype::int64:
        case dtype::uint64:
            return body(std::type_identity<std::uint64_t>{});
        case dtype::float32:
            return body(std::type_identity<float>{});
        case dtype::float64:
            return body(std::type_identity<double>{});
        case dtype::complex64:
            return body(std::type_identity<std::complex<float>>{});
        case dtype::complex128:
            return body(std::type_identity<std::complex<double>>{});
        default:
            throw_error(errc::unsupported,
                        "held: no accumulators of " + std::string(name(held)) + " on a GPU");
    }
}

constexpr unsigned threads = 256;
unsigned blocks_for(std::size_t n) {
    return static_cast<unsigned>(std::min<std::size_t>((n + threads - 1) / threads, 4096));
}

}  // namespace

void load_elements(const conversion& how, const void* from, void* to, std::size_t n, cudaStream_t stream) {
    if (n == 0) return;
    visit_held(how.held, [&]<class Held>(std::type_identity<Held>) {
        load_kernel<Held><<<blocks_for(n), threads, 0, stream>>>(how.element, form_of(how.accumulator), from,
                                                                 static_cast<Held*>(to), n);
    });
    cuda::check(cudaGetLastError(), "converting elements");
}

void store_results(const conversion& how, const result_order& order, const void* from, void* to,
                   std::size_t n, cudaStream_t stream) {
    if (n == 0) return;
    const int shift = !order.exclusive ? 0 : order.reverse ? 1 : -1;
    visit_held(how.held, [&]<class Held>(std::type_identity<Held>) {
        store_kernel<Held><<<blocks_for(n), threads, 0, stream>>>(
            how.element, form_of(how.accumulator), static_cast<const Held*>(from),
            static_cast<const Held*>(order.start), shift, to, n);
    });
    cuda::check(cudaGetLastError(), "converting results");
}

}  // namespace upsweep::registry::gpu
