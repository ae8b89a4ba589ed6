// Totals by bin of integers that are the bins' numbers, beside what gives the same from run to run with CUB:
// a radix sort of pairs by as many bits as bins have, and a sum of each segment, whose offsets it is given.
// In cells of their own, what does not: additions in global memory, one a value. A copy moves as many bytes
// as are read once.
#include <type_traits>

#include "bench.cuh"
#include "random_keys.cuh"
#include "upsweep/cuda/bin_totals.cuh"
#include "upsweep/cuda/reduce.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

template <class T>
__global__ void add_each(const std::uint32_t* bins, const T* values, std::size_t n, T* totals) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += step)
        atomicAdd(totals + bins[i], values[i]);
}

template <class T>
void total(const char* type, std::size_t n, int bits) {
    const std::uint32_t bins = 1u << bits;
    const std::string ending = "/" + std::to_string(bins);
    const std::string work = "bin_totals" + ending, by_atomics = "bin_totals by atomicAdd" + ending;
    if (!wanted(work + "/" + type) && !wanted(by_atomics + "/" + type)) return;
    const auto* const values = reinterpret_cast<const T*>(memory().in);
    auto* const sorted = reinterpret_cast<T*>(memory().expected);
    const buffer<std::uint32_t> found(n), sorted_found(n);
    const buffer<T> totals(bins), expected(bins);
    fill_with_random<<<2048, 256>>>(found.data(), n, std::uint64_t{bins - 1});
    const std::size_t bytes = n * (sizeof(std::uint32_t) + sizeof(T));
    const double copy = copy_seconds(bytes);

    uc::executor ex;
    const uc::device_span<const std::uint32_t> in = found.span(n);
    const uc::device_span<const T> beside(values, n);
    const auto ours = [&] { upsweep::bin_totals(ex, in, beside, totals.span(bins), {0, bins, bins}); };
    // The offsets, and the values in order, are those of bin_values.
    const buffer<std::uint64_t> offsets(bins + std::size_t{1});
    const uc::device_span<std::uint64_t> begins = offsets.span(bins + std::size_t{1});
    upsweep::bin_values(ex, in, beside, uc::device_span<T>(sorted, n), begins, {0, bins, bins});
    ours();
    ex.wait();
    constexpr std::uint32_t seen = 4;
    std::uint64_t at[seen + 1];
    uc::check(cudaMemcpy(at, offsets.data(), sizeof at, cudaMemcpyDeviceToHost), "offsets");
    for (std::uint32_t b = 0; b < seen; ++b)
        upsweep::reduce(ex, uc::device_span<const T>(sorted + at[b], at[b + 1] - at[b]), expected.data() + b);
    ex.wait();
    if (!equal_bytes(totals.data(), expected.data(), seen * sizeof(T))) fail(work + "/" + type);

    const auto sort = [&](void* scratch, std::size_t& size) {
        return cub::DeviceRadixSort::SortPairs(scratch, size, found.data(), sorted_found.data(), values,
                                               sorted, static_cast<long long>(n), 0, bits);
    };
    const auto sum = [&](void* scratch, std::size_t& size) {
        return cub::DeviceSegmentedReduce::Sum(scratch, size, sorted, expected.data(), int(bins),
                                               offsets.data(), offsets.data() + 1);
    };
    std::size_t sort_bytes = 0, sum_bytes = 0;
    uc::check(sort(nullptr, sort_bytes), "CUB");
    uc::check(sum(nullptr, sum_bytes), "CUB");
    const buffer<char> scratch(sort_bytes + sum_bytes + 1);
    const double cub = median_seconds([&] {
        sort(scratch.data(), sort_bytes);
        sum(scratch.data(), sum_bytes);
    });
    if (std::is_integral_v<T> && !equal_bytes(totals.data(), expected.data(), bins * sizeof(T)))
        fail(work + "/" + type);
    report(work, type, "automatic", n, bytes, median_seconds(ours), copy, cub);

    const double atomics = median_seconds([&] {
        cudaMemsetAsync(expected.data(), 0, bins * sizeof(T), nullptr);
        add_each<<<2048, 256>>>(found.data(), values, n, expected.data());
    });
    report(by_atomics, type, "automatic", n, bytes, atomics, copy, 0);
}

}  // namespace

void bench_bin_totals() {
    for (const int bits : {3, 8, 16}) {
        for (const int power : {26, 28}) total<float>("float", std::size_t(1) << power, bits);
        total<double>("double", std::size_t(1) << 27, bits);
        total<std::uint32_t>("uint32", std::size_t(1) << 28, bits);
    }
}

}  // namespace bench
