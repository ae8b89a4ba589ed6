// Sums that are given block by block, beside a copy of the whole; CUB has no such scan, so its scan of the
// whole is there. Blocks of a power of two begin at supers, the others anywhere.
#include <algorithm>

#include "bench.cuh"
#include "upsweep/cuda/block_by_block.cuh"

namespace bench {
namespace {

namespace uc = upsweep::cuda;

template <class T>
void in_blocks(const char* type, const std::string& name, std::size_t n, std::size_t block) {
    const std::string work = "in blocks of " + name + "/plus";
    if (!wanted(work + "/" + type)) return;
    const auto* const in = reinterpret_cast<const T*>(memory().in);
    auto* const out = reinterpret_cast<T*>(memory().out);
    auto* const expected = reinterpret_cast<T*>(memory().expected);
    uc::executor reference(nullptr, uc::algorithm::reduce_then_scan);
    upsweep::inclusive_scan(reference, uc::device_span<const T>(in, n), uc::device_span<T>(expected, n));
    reference.wait();
    uc::executor ex;
    uc::scan_carry<T> carry(ex);
    const auto scan = [&] {
        carry.reset();
        for (std::size_t at = 0; at < n; at += block) {
            const std::size_t size = std::min(block, n - at);
            upsweep::inclusive_scan(ex, carry, uc::device_span<const T>(in + at, size),
                                    uc::device_span<T>(out + at, size));
        }
    };
    scan();
    ex.wait();
    if (!equal_bytes(out, expected, n * sizeof(T))) fail(work + "/" + type);
    const double seconds = median_seconds(scan);
    const double copy = median_seconds([&] {
        cudaMemcpyAsync(memory().out, memory().in, n * sizeof(T), cudaMemcpyDeviceToDevice, nullptr);
    });
    std::size_t scratch_bytes = 0;
    void* scratch = nullptr;
    uc::check(cub::DeviceScan::InclusiveSum(nullptr, scratch_bytes, in, expected, n), "CUB");
    uc::check(cudaMalloc(&scratch, scratch_bytes), "scratch for CUB");
    const double cub =
        median_seconds([&] { cub::DeviceScan::InclusiveSum(scratch, scratch_bytes, in, expected, n); });
    cudaFree(scratch);
    report(work, type, "automatic", n, 2 * n * sizeof(T), seconds, copy, cub);
}

}  // namespace

void bench_blocks() {
    constexpr std::size_t n = std::size_t(1) << 28;
    in_blocks<float>("float", "2^24", n, std::size_t(1) << 24);
    in_blocks<float>("float", "2^24 + 321", n, (std::size_t(1) << 24) + 321);
    in_blocks<float>("float", "2^20", n, std::size_t(1) << 20);
    in_blocks<float>("float", "2^20 + 321", n, (std::size_t(1) << 20) + 321);
    in_blocks<std::int32_t>("int32", "2^24 + 321", n, (std::size_t(1) << 24) + 321);
}

}  // namespace bench
