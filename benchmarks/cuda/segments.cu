// Scans by key beside CUB's, of runs of 100 equal keys on average. A copy moves as many bytes as keys,
// elements and results have.
#include "bench.cuh"
#include "upsweep/cuda/segmented_scan.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

__global__ void make_keys(std::uint32_t* keys, std::size_t n) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
        keys[i] = static_cast<std::uint32_t>(i / 100) + (i % 100 > 37 && i / 100 % 2 == 1);
}

template <bool Exclusive, class T>
void by_key(const char* type, std::size_t n) {
    const std::string work = Exclusive ? "exclusive_scan_by_key" : "inclusive_scan_by_key";
    if (!wanted(work + "/" + type)) return;
    // Keys lie behind the elements in the first buffer.
    const auto* const in = reinterpret_cast<const T*>(memory().in);
    auto* const keys = reinterpret_cast<std::uint32_t*>(memory().in + (n * sizeof(T) + 255) / 256 * 256);
    auto* const out = reinterpret_cast<T*>(memory().out);
    auto* const expected = reinterpret_cast<T*>(memory().expected);
    make_keys<<<2048, 256>>>(keys, n);
    const uc::device_span<const std::uint32_t> described(keys, n);
    const uc::device_span<const T> from(in, n);
    const auto scan = [&](uc::executor& ex, T* to) {
        if constexpr (Exclusive)
            upsweep::exclusive_scan_by_key(ex, described, from, uc::device_span<T>(to, n));
        else
            upsweep::inclusive_scan_by_key(ex, described, from, uc::device_span<T>(to, n));
    };
    uc::executor reference(nullptr, uc::algorithm::reduce_then_scan);
    scan(reference, expected);
    reference.wait();
    uc::executor ex;
    scan(ex, out);
    ex.wait();
    if (!equal_bytes(out, expected, n * sizeof(T))) fail(work + "/" + type);
    const double seconds = median_seconds([&] { scan(ex, out); });

    const auto peer = [&](void* scratch, std::size_t& bytes) {
        if constexpr (Exclusive)
            return cub::DeviceScan::ExclusiveSumByKey(scratch, bytes, keys, in, expected, n);
        else
            return cub::DeviceScan::InclusiveSumByKey(scratch, bytes, keys, in, expected, n);
    };
    std::size_t scratch_bytes = 0;
    void* scratch = nullptr;
    uc::check(peer(nullptr, scratch_bytes), "CUB");
    uc::check(cudaMalloc(&scratch, scratch_bytes), "scratch for CUB");
    const double cub = median_seconds([&] { peer(scratch, scratch_bytes); });
    cudaFree(scratch);
    const std::size_t bytes = n * (sizeof(std::uint32_t) + 2 * sizeof(T));
    const double copy = median_seconds(
        [&] { cudaMemcpyAsync(memory().out, memory().in, bytes / 2, cudaMemcpyDeviceToDevice, nullptr); });
    report(work, type, "automatic", n, bytes, seconds, copy, cub);
}

}  // namespace

void bench_segments() {
    constexpr std::size_t n = std::size_t(1) << 28;
    by_key<false, std::int32_t>("int32", n);
    by_key<false, float>("float", n);
    by_key<true, float>("float", n);
    by_key<false, double>("double", n / 2);
    for (const int power : {16, 20, 24}) by_key<false, float>("float", std::size_t(1) << power);
}

}  // namespace bench
