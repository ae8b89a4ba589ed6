// Histograms, bins and sums by bin of numbers: elements become the numbers that they are looked at as, unless
// they are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "registry/bin_edges.hpp"
#include "registry/cuda/array_choices.hpp"
#include "registry/cuda/arrays.hpp"
#include "registry/cuda/kernels.hpp"
#include "registry/cuda/launches.cuh"
#include "registry/cuda/moved_words.cuh"
#include "registry/cuda/stream_memory.hpp"
#include "registry/value.hpp"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/histogram.cuh"

namespace upsweep::registry::gpu {
namespace {

// The elements as numbers of binned_as(type), for as long as it lives.
class numbers {
  public:
    numbers(cuda::executor& ex, dtype type, const void* in, std::size_t n) : as_(binned_as(type)), data_(in) {
        const bool converted = type != as_ && n != 0;
        if (!converted) return;
        ex.check_pointer(in, "a");
        memory_.emplace(ex, n * size_of(as_));
        load_elements({type, as_, as_}, in, memory_->data(), n, ex.stream());
        data_ = memory_->data();
    }

    // Calls body(const Number*) with the type that they have.
    template <class Body>
    void visit(const Body& body) const {
        switch (as_) {
            case dtype::float32:
                return body(static_cast<const float*>(data_));
#ifdef UPSWEEP_CUDA_FEW_TYPES
            default:
                throw_error(errc::unsupported, "a: no bins of " + std::string(name(as_)) + " in this build");
#else
            case dtype::float64:
                return body(static_cast<const double*>(data_));
            case dtype::uint64:
                return body(static_cast<const std::uint64_t*>(data_));
            default:
                return body(static_cast<const std::int64_t*>(data_));
#endif
        }
    }
    [[nodiscard]] dtype as() const { return as_; }

  private:
    dtype as_;
    const void* data_;
    std::optional<stream_memory> memory_;
};

template <class Number>
bin_range<Number> range_of(const bin_limits& limits, dtype type) {
    const bin_range<Number> range{parse_value(limits.lo, type).template as<Number>(),
                                  parse_value(limits.hi, type).template as<Number>(), limits.count,
                                  limits.clamp};
    upsweep::detail::check_bins(range);
    return range;
}

// Numbers as arguments of a kernel, in words that all of them are made of.
struct passed_words {
    std::uint32_t word[passed_bytes / sizeof(std::uint32_t)];
};
__global__ void __launch_bounds__(threads)
    store_words_kernel(const __grid_constant__ passed_words passed, unsigned count, std::uint32_t* out) {
    for (unsigned i = threadIdx.x; i < count; i += threads) out[i] = passed.word[i];
}

// Calls body(bins, used) with the bins that elements can be in, and their number: the first ones of those of
// `limits`. Not if there are none.
template <class Number, class Body>
void visit_bins(cuda::executor& ex, const bin_limits& limits, dtype type, const Body& body) {
    if (limits.edges.empty()) return body(range_of<Number>(limits, type), std::size_t{limits.count});
    const std::vector<Number> edges = edges_among<Number>(limits);
    if (edges.empty()) return;
    const stream_memory memory(ex, edges.size() * sizeof(Number));
    auto* const there = static_cast<Number*>(memory.data());
    store_numbers(ex, edges.data(), edges.size() * sizeof(Number), there);
    body(cuda::device_edges<Number>{cuda::device_span<const Number>(there, edges.size())}, edges.size() - 1);
}

// Elements [first, last) of `values` become the one before them, or 0 if there is none.
__global__ void __launch_bounds__(threads)
    repeat_kernel(std::uint64_t* values, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t value = first == 0 ? 0 : values[first - 1];
    for (std::uint64_t i = first + blockIdx.x * std::uint64_t(threads) + threadIdx.x; i < last;
         i += gridDim.x * std::uint64_t(threads))
        values[i] = value;
}

template <class Word>
__global__ void __launch_bounds__(threads)
    gather_kernel(const Word* in, const std::int64_t* indices, const std::uint64_t* count, Word* out) {
    const std::uint64_t n = *count;
    for (std::uint64_t i = blockIdx.x * std::uint64_t(threads) + threadIdx.x; i < n;
         i += gridDim.x * std::uint64_t(threads))
        out[i] = in[indices[i]];
}

// found[i] = the bin of element i, or a number that is none's.
template <class Number, class Classes>
__global__ void __launch_bounds__(threads)
    find_bins_kernel(const Number* in, std::uint64_t n, const __grid_constant__ Classes classes,
                     std::uint32_t* found) {
    for (std::uint64_t i = blockIdx.x * std::uint64_t(threads) + threadIdx.x; i < n;
         i += gridDim.x * std::uint64_t(threads))
        found[i] = classes(in[i]);
}

// The smallest and the largest number that each block has seen, one after the other. A NaN stays where there
// is nothing else.
template <class Number>
__global__ void __launch_bounds__(threads) extremes_kernel(const Number* in, std::uint64_t n, Number* found) {
    __shared__ Number least[threads], most[threads];
    const auto take = [](Number x, Number& low, Number& high) {
        if (x != x) return;
        if (!(low <= x)) low = x;
        if (!(high >= x)) high = x;
    };
    const unsigned t = threadIdx.x;
    Number low = in[blockIdx.x * std::uint64_t(threads)], high = low;  // there is one for each block
    for (std::uint64_t i = blockIdx.x * std::uint64_t(threads) + t; i < n;
         i += gridDim.x * std::uint64_t(threads))
        take(in[i], low, high);
    least[t] = low;
    most[t] = high;
    for (unsigned half = threads / 2; half != 0; half /= 2) {
        __syncthreads();
        if (t >= half) continue;
        take(least[t + half], low, high);
        take(most[t + half], low, high);
        least[t] = low;
        most[t] = high;
    }
    if (t != 0) return;
    found[2 * blockIdx.x] = low;
    found[2 * blockIdx.x + 1] = high;
}

unsigned extremes_blocks(std::size_t n) {
    return static_cast<unsigned>(std::min<std::size_t>((n + threads - 1) / threads, 1024));
}

}  // namespace

std::size_t extremes_of(std::size_t n) { return 2 * extremes_blocks(n); }

void find_extremes(cuda::executor& ex, dtype type, const void* in, std::size_t n, void* found) {
    const cuda::device_scope current(ex);
    const numbers as_numbers(ex, type, in, n);
    as_numbers.visit([&]<class Number>(const Number* x) {
        extremes_kernel<<<extremes_blocks(n), threads, 0, ex.stream()>>>(x, n, static_cast<Number*>(found));
    });
    cuda::check(cudaGetLastError(), "finding the smallest and the largest element");
}

void store_numbers(cuda::executor& ex, const void* from, std::size_t bytes, void* out) {
    const cuda::device_scope current(ex);
    for (std::size_t first = 0; first < bytes; first += passed_bytes) {
        const std::size_t size = std::min(passed_bytes, bytes - first);
        passed_words passed{};
        std::memcpy(passed.word, static_cast<const std::byte*>(from) + first, size);
        store_words_kernel<<<1, threads, 0, ex.stream()>>>(
            passed, static_cast<unsigned>(size / sizeof passed.word[0]),
            reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(out) + first));
    }
    cuda::check(cudaGetLastError(), "storing numbers");
}

void count_bins(cuda::executor& ex, dtype type, const bin_limits& limits, const void* in, std::size_t n,
                std::uint64_t* counts) {
    const cuda::device_scope current(ex);
    const numbers as_numbers(ex, type, in, n);
    std::size_t counted = 0;
    as_numbers.visit([&]<class Number>(const Number* x) {
        visit_bins<Number>(ex, limits, as_numbers.as(), [&](const auto& bins, std::size_t used) {
            histogram(ex, cuda::device_span<const Number>(x, n), cuda::device_span(counts, used), bins);
            counted = used;
        });
    });
    if (counted != limits.count)
        cuda::check(
            cudaMemsetAsync(counts + counted, 0, (limits.count - counted) * sizeof *counts, ex.stream()),
            "clearing counts");
}

void extract_bins(cuda::executor& ex, dtype type, const bin_limits& limits, const void* in, std::size_t n,
                  void* out, bool indices, std::uint64_t* offsets) {
    const cuda::device_scope current(ex);
    const numbers as_numbers(ex, type, in, n);
    std::optional<stream_memory> own_indices;
    if (!indices) own_indices.emplace(ex, n * sizeof(std::int64_t));
    auto* const into = static_cast<std::int64_t*>(indices ? out : own_indices->data());
    std::size_t placed = 0;
    as_numbers.visit([&]<class Number>(const Number* x) {
        visit_bins<Number>(ex, limits, as_numbers.as(), [&](const auto& bins, std::size_t used) {
            bin_indices(ex, cuda::device_span<const Number>(x, n), cuda::device_span(into, n),
                        cuda::device_span(offsets, used + 1), bins);
            placed = used + 1;
        });
    });
    if (const std::size_t all = std::size_t{limits.count} + 1; placed != all) {
        repeat_kernel<<<blocks_for(all - placed), threads, 0, ex.stream()>>>(offsets, placed, all);
        cuda::check(cudaGetLastError(), "filling offsets");
    }
    if (indices || n == 0) return;
    visit_word(size_of(type), [&]<class Word>(std::type_identity<Word>) {
        gather_kernel<<<blocks_for(n), threads, 0, ex.stream()>>>(
            static_cast<const Word*>(in), into, offsets + limits.count, static_cast<Word*>(out));
    });
    cuda::check(cudaGetLastError(), "moving the elements of bins");
}

// Elements become the numbers of their bins, in 32 bits, which values of every type are summed by.
void sum_bins(cuda::executor& ex, dtype type, const bin_limits& limits, const void* in, std::size_t n,
              const scan_request& request, const void* values, void* totals) {
    const cuda::device_scope current(ex);
    const stream_memory found(ex, n * sizeof(std::uint32_t));
    auto* const bins = static_cast<std::uint32_t*>(found.data());
    if (n != 0) {
        ex.check_pointer(in, "a");
        bool are_found = false;
        const numbers as_numbers(ex, type, in, n);
        as_numbers.visit([&]<class Number>(const Number* x) {
            visit_bins<Number>(ex, limits, as_numbers.as(), [&](const auto& by, std::size_t) {
                cuda::detail::with_classes<Number>(ex, by, n, [&](const auto& classes) {
                    find_bins_kernel<<<blocks_for(n), threads, 0, ex.stream()>>>(x, n, classes, bins);
                });
                are_found = true;
            });
        });
        if (!are_found)  // in no bin then
            cuda::check(cudaMemsetAsync(bins, 0xff, n * sizeof *bins, ex.stream()), "clearing numbers");
        cuda::check(cudaGetLastError(), "finding the bins of elements");
    }
    sum_array_by_bins(request, ex, bins, values, n, totals, limits.count);
}

}  // namespace upsweep::registry::gpu
