// Which elements satisfy a condition, or differ from those before them: a kernel for each type, in which
// every thread takes the same turn.
#include <cstring>

#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/launches.cuh"
#include "registry/cuda/moved_words.cuh"
#include "registry/runs.hpp"
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

// Whether elements satisfy a condition.
template <class Element>
struct satisfy {
    using element = Element;
    static constexpr bool asks_before = false;
    comparison how;
    number_bytes number;

    __device__ bool operator()(const Element& x, const Element&) const { return satisfies(x, how, number); }
};
// Whether they differ from those before them.
template <class Element>
struct differ {
    using element = Element;
    static constexpr bool asks_before = true;

    __device__ bool operator()(const Element& x, const Element& before) const { return !(before == x); }
};

// flags[i] = test(in[i], in[i - 1]); of a test that asks for the one before, 1 for i = 0.
template <class Test, class Element = typename Test::element>
__global__ void __launch_bounds__(threads)
    mark_kernel(const Test test, const Element* in, std::uint8_t* flags, std::size_t n) {
    constexpr int run = 16 / sizeof(Element);
    using flags_of_run = flag_run<run>;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(in) % 16 == 0 &&
                            reinterpret_cast<std::uintptr_t>(flags) % sizeof(flags_of_run) == 0;
    const std::size_t runs = is_aligned ? n / run : 0;
    const std::size_t first = blockIdx.x * std::size_t(threads) + threadIdx.x;
    const std::size_t step = gridDim.x * std::size_t(threads);
    const auto before_of = [&](std::size_t i) {
        if constexpr (Test::asks_before) return i == 0 ? Element{} : in[i - 1];
        return Element{};
    };
    const auto flag = [&](std::size_t i, const Element& x, const Element& before) -> std::uint8_t {
        return (Test::asks_before && i == 0) || test(x, before) ? 1 : 0;
    };
    constexpr int each = 4;  // under way at once
    for (std::size_t r = first; r < runs; r += each * step) {
        uint4 loaded[each];
        Element before[each];
#pragma unroll
        for (int k = 0; k < each; ++k) {
            if (r + k * step >= runs) break;
            loaded[k] = reinterpret_cast<const uint4*>(in)[r + k * step];
            before[k] = before_of((r + k * step) * run);
        }
#pragma unroll
        for (int k = 0; k < each; ++k) {
            if (r + k * step >= runs) break;
            flags_of_run marked;
#pragma unroll
            for (int m = 0; m < run; ++m) {
                Element x;
                memcpy(&x, reinterpret_cast<const unsigned char*>(&loaded[k]) + m * sizeof x, sizeof x);
                marked.flag[m] = flag((r + k * step) * run + m, x, before[k]);
                before[k] = x;
            }
            reinterpret_cast<flags_of_run*>(flags)[r + k * step] = marked;
        }
    }
    for (std::size_t i = runs * run + first; i < n; i += step) flags[i] = flag(i, in[i], before_of(i));
}

__global__ void __launch_bounds__(threads)
    mark_offsets_kernel(const std::int64_t* offsets, std::size_t count, std::uint8_t* flags, std::size_t n,
                        std::uint64_t* bad) {
    bool is_bad = false;
    for (std::size_t k = blockIdx.x * std::size_t(threads) + threadIdx.x; k < count;
         k += gridDim.x * std::size_t(threads)) {
        const std::int64_t at = offsets[k], before = k == 0 ? 0 : offsets[k - 1];
        const bool begins = k != 0 || at == 0;
        const bool ends = k + 1 != count || static_cast<std::size_t>(at) == n;
        const bool is_inside = at >= 0 && static_cast<std::size_t>(at) <= n;
        is_bad = is_bad || !begins || !ends || !is_inside || at < before;
        if (flags != nullptr && is_inside && static_cast<std::size_t>(at) < n) flags[at] = 1;
    }
    if (bad != nullptr && is_bad) *bad = 1;
}

template <class Word>
__global__ void __launch_bounds__(threads)
    gather_last_kernel(const std::int64_t* offsets, std::size_t segments, const Word* in, std::size_t n,
                       Word empty, Word* out) {
    for (std::size_t k = blockIdx.x * std::size_t(threads) + threadIdx.x; k < segments;
         k += gridDim.x * std::size_t(threads)) {
        const auto end = static_cast<std::uint64_t>(offsets[k + 1]);
        const bool has_last = static_cast<std::uint64_t>(offsets[k]) != end && end - 1 < n;
        out[k] = has_last ? in[end - 1] : empty;
    }
}

template <class Element, class Test>
void launch_marks(cuda::executor& ex, const Test& test, const void* in, std::uint8_t* flags, std::size_t n) {
    ex.check_pointer(in, "a");
    ex.check_pointer(flags, "flags");
    const cuda::device_scope current(ex);
    mark_kernel<<<blocks_for(n), threads, 0, ex.stream()>>>(test, static_cast<const Element*>(in), flags, n);
    cuda::check(cudaGetLastError(), "marking elements");
}

}  // namespace

void mark(cuda::executor& ex, dtype type, const condition_value& condition, const void* in,
          std::uint8_t* flags, std::size_t n) {
    if (n == 0) return;
    number_bytes number{};
    std::memcpy(number.bytes, condition.number.data(), sizeof number.bytes);
    visit_type(type, [&]<class Element>(std::type_identity<Element>) {
        launch_marks<Element>(ex, satisfy<Element>{condition.how, number}, in, flags, n);
    });
}

void mark_runs(cuda::executor& ex, dtype type, const void* in, std::uint8_t* flags, std::size_t n) {
    if (n == 0) return;
    visit_equality(type, [&]<class Element>(std::type_identity<Element>) {
        launch_marks<Element>(ex, differ<Element>{}, in, flags, n);
    });
}

void mark_offsets(cuda::executor& ex, const std::int64_t* offsets, std::size_t count, std::uint8_t* flags,
                  std::size_t n, std::uint64_t* bad) {
    ex.check_pointer(offsets, "offsets");
    const cuda::device_scope current(ex);
    if (bad != nullptr)
        cuda::check(cudaMemsetAsync(bad, 0, sizeof *bad, ex.stream()), "clearing what is found");
    if (n != 0 && flags != nullptr) {
        ex.check_pointer(flags, "flags");
        cuda::check(cudaMemsetAsync(flags, 0, n, ex.stream()), "clearing flags");
    }
    mark_offsets_kernel<<<blocks_for(count), threads, 0, ex.stream()>>>(offsets, count, flags, n, bad);
    cuda::check(cudaGetLastError(), "marking segments");
}

void gather_last(cuda::executor& ex, const std::int64_t* offsets, std::size_t count, const void* in,
                 std::size_t n, const value& empty, void* out) {
    const cuda::device_scope current(ex);
    visit_word(size_of(empty.type()), [&]<class Word>(std::type_identity<Word>) {
        gather_last_kernel<<<blocks_for(count), threads, 0, ex.stream()>>>(
            offsets, count - 1, static_cast<const Word*>(in), n, empty.as<Word>(), static_cast<Word*>(out));
    });
    cuda::check(cudaGetLastError(), "gathering totals");
}

}  // namespace upsweep::registry::gpu
